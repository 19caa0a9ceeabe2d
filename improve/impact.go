package improve

import "time"

// Judge says of a session whether it had the occasion for a trouble, and how often the
// trouble was seen in it. Rules judge (improve/impact); who reads sessions with a model
// may judge by the cause that it named.
type Judge interface {
	Judge(r Result) (occasion bool, count int)
}

// Impact is how often a trouble occurred before and after a moment, such as the
// merge of what should have ended it.
type Impact struct {
	Fingerprint string    `json:"fingerprint"`
	At          time.Time `json:"at"`
	Before      Period    `json:"before"`
	After       Period    `json:"after"`
}

// Outcome is what an improvement came to: how often its trouble was seen before and after its
// pull request was merged, and what that says.
type Outcome struct {
	Impact
	Pull    string  `json:"pull_request"` // merged, open or closed; unknown where the forge was not asked
	Verdict string  `json:"verdict"`      // see improve/impact
	Chance  float64 `json:"chance"`       // how often so few would be seen if nothing had changed
	Text    string  `json:"text"`
}

// Period counts the sessions of a time and those in which a trouble was seen.
type Period struct {
	All      int `json:"sessions_in_all"`
	Sessions int `json:"sessions"` // that had the occasion
	With     int `json:"sessions_with"`
	Count    int `json:"count"`
}

// Share is the part of the sessions in which it was seen, of those that had the
// occasion.
func (p Period) Share() float64 {
	if p.Sessions == 0 {
		return 0
	}
	return float64(p.With) / float64(p.Sessions)
}

// ImpactOf counts the sessions before and after a moment in which a trouble was seen, as
// a judge has it. A session counts by the time of its last message, and a sub-agent as
// part of its session.
func ImpactOf(judge Judge, at time.Time, results []Result) Impact {
	out := Impact{At: at}
	type place struct {
		after bool
		id    string
	}
	all, exposed, with := map[place]bool{}, map[place]bool{}, map[place]bool{}
	for _, r := range distinct(results) {
		here := place{r.Timestamp.After(at), r.root()}
		all[here] = true
		occasion, n := judge.Judge(r)
		if occasion || n > 0 {
			exposed[here] = true
		}
		if n > 0 {
			with[here] = true
			out.period(here.after).Count += n
		}
	}
	for here := range all {
		out.period(here.after).All++
	}
	for here := range exposed {
		out.period(here.after).Sessions++
	}
	for here := range with {
		out.period(here.after).With++
	}
	return out
}

func (i *Impact) period(after bool) *Period {
	if after {
		return &i.After
	}
	return &i.Before
}
