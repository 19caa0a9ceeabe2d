package loop

import (
	"fmt"
	"iter"

	"github.com/trimtab/trimtab"
)

// Span is a stretch of a session, in steps: replies of the model, from 1. A last
// step of 0 is the session's end.
type Span struct {
	First int `json:"first"`
	Last  int `json:"last,omitempty"`
}

// Label says of a session where a person sees loops. None is a session without.
type Label struct {
	Session string `json:"session"`
	Loops   []Span `json:"loops"`
	Note    string `json:"note,omitempty"`
}

// Recorded is a session to score on. Without a label it is only watched.
type Recorded struct {
	ID       string
	Messages iter.Seq2[trimtab.Message, error]
	Label    *Label
}

// Fire is an alarm and where it was raised.
type Fire struct {
	Session string `json:"session"`
	Step    int    `json:"step"`            // replies of the model so far
	Late    int    `json:"late,omitempty"`  // steps since the labelled loop began, where it is a hit
	Hit     bool   `json:"hit"`             // inside a labelled loop
	Twice   bool   `json:"twice,omitempty"` // which it has told of before
	Alarm
}

// Result is how one detector did.
type Result struct {
	Detector string `json:"detector"`
	Sessions int    `json:"sessions"`
	Labelled int    `json:"labelled"` // sessions with a label
	Loops    int    `json:"loops"`    // labelled in them
	Found    int    `json:"found"`    // of these, with an alarm inside
	False    int    `json:"false"`    // alarms outside every labelled loop
	Spoiled  int    `json:"spoiled"`  // labelled sessions without a loop that had an alarm
	Fires    []Fire `json:"fires"`
}

// Precision is the share of alarms that were right. A loop that was told of twice
// counts once. It is not known where there was no alarm.
func (r Result) Precision() (share float64, known bool) { return share2(r.Found, r.Found+r.False) }

// Recall is the share of loops that were found.
func (r Result) Recall() (share float64, known bool) { return share2(r.Found, r.Loops) }

// Late is the mean number of steps from the beginning of a loop to its first
// alarm.
func (r Result) Late() (steps float64, known bool) {
	sum, n := 0, 0
	for _, f := range r.Fires {
		if f.Hit && !f.Twice {
			sum += f.Late
			n++
		}
	}
	return share2(sum, n)
}

func share2(part, all int) (float64, bool) {
	if all == 0 {
		return 0, false
	}
	return float64(part) / float64(all), true
}

// grace is how many steps after its last step a loop may still be told of: an
// alarm comes with the result, or with the next reply.
const grace = 1

// Score watches each session with fresh detectors and counts what they say
// against the labels. What cannot be read ends it, with what was scored so far.
func Score(fresh func() []Detector, sessions iter.Seq[Recorded]) ([]Result, error) {
	var results []Result
	for _, d := range fresh() {
		results = append(results, Result{Detector: d.Name(), Fires: []Fire{}})
	}
	for s := range sessions {
		if s.Label != nil {
			if err := s.Label.check(); err != nil {
				return results, fmt.Errorf("session %s: %w", s.ID, err)
			}
		}
		watching := fresh()
		fires := make([][]Fire, len(watching))
		step := 0
		for m, err := range s.Messages {
			if err != nil {
				return results, fmt.Errorf("session %s: %w", s.ID, err)
			}
			if m.Role == trimtab.RoleAssistant && m.From == "" {
				step++
			}
			for i, d := range watching {
				if alarm := d.See(m); alarm != nil {
					fires[i] = append(fires[i], Fire{Session: s.ID, Step: step, Alarm: *alarm})
				}
			}
		}
		for i := range results {
			results[i].add(s.Label, fires[i])
		}
	}
	return results, nil
}

// add counts the alarms of one session.
func (r *Result) add(label *Label, fires []Fire) {
	r.Sessions++
	if label == nil {
		r.Fires = append(r.Fires, fires...)
		return
	}
	r.Labelled++
	r.Loops += len(label.Loops)
	found := make([]bool, len(label.Loops))
	for _, f := range fires {
		hit := -1
		for i, s := range label.Loops {
			if f.Step >= s.First && (s.Last == 0 || f.Step <= s.Last+grace) {
				hit = i
				break
			}
		}
		if hit < 0 {
			r.False++
		} else {
			f.Hit, f.Late = true, f.Step-label.Loops[hit].First
			if f.Twice = found[hit]; !f.Twice {
				r.Found++
			}
			found[hit] = true
		}
		r.Fires = append(r.Fires, f)
	}
	if len(label.Loops) == 0 && len(fires) > 0 {
		r.Spoiled++
	}
}

func (l Label) check() error {
	for i, s := range l.Loops {
		if s.First < 1 || s.Last != 0 && s.Last < s.First {
			return fmt.Errorf("loop %d of the label: steps %d to %d; steps count from 1, and 0 as the last is the end", i+1, s.First, s.Last)
		}
	}
	return nil
}
