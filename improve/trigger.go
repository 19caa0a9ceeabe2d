package improve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Filed says whether the forge has an issue with the case's fingerprint.
type Filed string

// What a forge may answer. The zero value is that it was not asked or could not
// answer.
const (
	FiledUnknown Filed = ""
	NotFiled     Filed = "none"
	FiledOpen    Filed = "open"
	FiledClosed  Filed = "closed"
)

// Situation is all that a decision depends on besides the case and the config.
type Situation struct {
	Now      time.Time
	Disabled string // why all automation is off, such as the kill switch; "" where it is not
	Past     []Item // the queue, ended items too
	Forge    Filed
	Where    string // the forge's issue, where there is one
}

// The gates, in the order in which they are asked.
const (
	GateSwitch    = "switch"
	GateEnabled   = "enabled"
	GateWorthy    = "worthy"
	GateSeverity  = "severity"
	GateCount     = "count"
	GateCooldown  = "cooldown"
	GateDaily     = "daily_cap"
	GateWeekly    = "weekly_cap"
	GateBlacklist = "blacklist"
	GateQueue     = "filed_here"
	GateForge     = "filed_on_forge"
)

// Gate is one condition: whether it is met, why, and what would change a no.
type Gate struct {
	Name   string    `json:"gate"`
	Open   bool      `json:"open"`
	Why    string    `json:"why"`
	Change string    `json:"change,omitempty"`
	Until  time.Time `json:"until,omitzero"` // when it opens by itself
}

// Verdict is whether work is asked for, with every gate.
type Verdict struct {
	Fire  bool   `json:"fire"`
	State State  `json:"state,omitempty"` // in which the item begins
	Score int    `json:"score"`           // with what was done lately taken off
	Gates []Gate `json:"gates"`
}

// No says which gate is closed first, and what would change it; "" where none is.
func (v Verdict) No() string {
	for _, g := range v.Gates {
		if !g.Open {
			return g.String()
		}
	}
	return ""
}

func (g Gate) String() string {
	text := g.Name + ": " + g.Why
	if !g.Open && g.Change != "" {
		text += "; " + g.Change
	}
	return text
}

// Decide asks every gate whether a case may become work. All are asked, so that a
// person sees each that is closed and not only the first.
func Decide(cfg Config, c Case, s Situation) Verdict {
	cfg, err := cfg.Fill()
	d := &decision{cfg: cfg, c: c, s: s}
	d.gate(GateSwitch, s.Disabled == "" && err == nil, "automation is not switched off", cmp.Or(s.Disabled, errText(err)), "lift the switch (trimtab improve start, AUTOMATION_DISABLED unset)")
	d.gate(GateEnabled, cfg.Enabled, "automation is enabled", "automation is not enabled", "set automation.automation_enabled to true")
	d.thresholds()
	d.cooldown()
	d.limit(GateDaily, *cfg.DailyCap, 24*time.Hour, "automation.daily_cap")
	d.limit(GateWeekly, *cfg.WeeklyCap, 7*24*time.Hour, "automation.weekly_cap")
	d.blacklist()
	d.filed()
	v := Verdict{Fire: true, State: Awaiting, Gates: d.gates, Score: ScoreOf(c.Pattern, d.acted(), s.Now)}
	if cfg.Approval == "never" {
		v.State = Queued
	}
	if slices.ContainsFunc(v.Gates, func(g Gate) bool { return !g.Open }) {
		v.Fire, v.State = false, ""
	}
	return v
}

type decision struct {
	cfg   Config
	c     Case
	s     Situation
	gates []Gate
}

func (d *decision) gate(name string, open bool, yes, no, change string) {
	if open {
		d.gates = append(d.gates, Gate{Name: name, Open: true, Why: yes})
		return
	}
	d.gates = append(d.gates, Gate{Name: name, Why: no, Change: change})
}

func (d *decision) thresholds() {
	p, t := d.c.Pattern, d.cfg.Thresholds
	d.gate(GateWorthy, d.c.Worthy, "a pattern is high or critical, or two are medium", "no pattern is high or critical, and fewer than two are medium", "it changes when more is seen")
	d.gate(GateSeverity, p.Severity.Rank() >= Severity(t.Severity).Rank() && p.Severity.Rank() > 0,
		fmt.Sprintf("%s is at least %s", p.Severity, t.Severity), fmt.Sprintf("%s is below %s", cmp.Or(string(p.Severity), "nothing"), t.Severity), "lower automation.trigger_thresholds.min_pattern_severity")
	d.gate(GateCount, p.Count >= t.Count,
		fmt.Sprintf("seen %d times, at least %d", p.Count, t.Count), fmt.Sprintf("seen %d times, fewer than %d", p.Count, t.Count), "lower automation.trigger_thresholds.min_pattern_count")
}

// cooldown keeps a time between any two requests that come by themselves. One that
// is dated after now, by a clock that went back, counts as made now.
func (d *decision) cooldown() {
	hours := *d.cfg.Thresholds.Cooldown
	wait := time.Duration(hours * float64(time.Hour))
	var last time.Time
	for _, it := range d.s.Past {
		if !it.ByHand && it.Created.After(last) {
			last = it.Created
		}
	}
	if last.After(d.s.Now) {
		last = d.s.Now
	}
	end := last.Add(wait)
	if last.IsZero() || !d.s.Now.Before(end) {
		d.gate(GateCooldown, true, fmt.Sprintf("no request in the last %v", wait), "", "")
		return
	}
	d.gates = append(d.gates, Gate{
		Name: GateCooldown, Why: fmt.Sprintf("the last request was made %s", stamp(last)), Until: end,
		Change: fmt.Sprintf("it ends %s, or lower automation.trigger_thresholds.cooldown_hours (%v)", stamp(end), hours),
	})
}

// limit keeps the number of requests in a time that come by themselves under a cap.
func (d *decision) limit(name string, most int, span time.Duration, key string) {
	var made []time.Time
	for _, it := range d.s.Past {
		at := it.Created
		if at.After(d.s.Now) {
			at = d.s.Now
		}
		if !it.ByHand && d.s.Now.Sub(at) < span {
			made = append(made, at)
		}
	}
	if len(made) < most {
		d.gate(name, true, fmt.Sprintf("%d of %d in %v", len(made), most, span), "", "")
		return
	}
	g := Gate{Name: name, Why: fmt.Sprintf("%d of %d requests in %v were made", len(made), most, span), Change: "raise " + key}
	if most > 0 {
		slices.SortFunc(made, time.Time.Compare)
		g.Until = made[len(made)-most].Add(span)
		g.Change = fmt.Sprintf("the next is allowed %s, or raise %s", stamp(g.Until), key)
	}
	d.gates = append(d.gates, g)
}

func (d *decision) blacklist() {
	name, word := blacklisted(d.cfg.Blacklist, d.c.Request(d.cfg))
	d.gate(GateBlacklist, name == "", "none of "+cmp.Or(strings.Join(d.cfg.Blacklist, ", "), "no subject"),
		fmt.Sprintf("it is about %s (%q)", name, word), "file it by hand, or take the subject out of automation.blacklist")
}

// filed asks whether there is an item already, whatever became of it: what a
// person refused is not asked again. A forge that was not asked is no reason
// against a request that waits for a person, for the forge is asked again before
// anything is made on it; but nothing starts by itself without its answer.
func (d *decision) filed() {
	it, found := Newest(d.s.Past, d.c.Pattern.Fingerprint, d.c.Repo, d.c.Project)
	switch {
	case found && d.c.Earlier != nil && d.c.Earlier.ID == it.ID:
		d.gate(GateQueue, true, it.ID+" is done and did not help", "", "")
	case found:
		d.gate(GateQueue, false, "", fmt.Sprintf("%s is about the same (%s)", it.ID, it.State), "see trimtab improve show "+it.ID+again(it))
	default:
		d.gate(GateQueue, true, "no item of this project has the fingerprint "+d.c.Pattern.Fingerprint, "", "")
	}
	switch d.s.Forge {
	case NotFiled:
		d.gate(GateForge, true, "the forge has no issue with this fingerprint", "", "")
	case FiledUnknown:
		d.gate(GateForge, d.cfg.Approval == "always", "the forge was not asked; it is before anything is made there", "the forge could not be asked", "it is tried again at the next reflection")
	default:
		d.gate(GateForge, false, "", strings.TrimSpace(fmt.Sprintf("the forge has an issue with this fingerprint (%s) %s", d.s.Forge, d.s.Where)), "nothing is filed twice; work on that issue")
	}
}

// Newest is the item of a repository that is about a trouble, of several the newest: one may
// follow another that did not help.
func Newest(past []Item, fingerprint, repo, project string) (newest Item, found bool) {
	for _, it := range past {
		if !it.About(fingerprint, repo, project) {
			continue
		}
		if !found || it.Created.After(newest.Created) {
			newest, found = it, true
		}
	}
	return newest, found
}

// again is what can be done about an item that is there, after what can be seen of it.
func again(it Item) string {
	switch it.State {
	case Awaiting:
		return "; to let it begin: trimtab improve approve " + it.ID
	case Queued, Running:
		for _, worker := range slices.Sorted(maps.Keys(it.Left)) {
			if it.State == Queued {
				return "; a worker does not take it: " + it.Left[worker]
			}
		}
		return "; trimtab improve run --watch does it"
	case Failed, Cancelled, Manual:
		return "; to have it done again: trimtab improve retry " + it.ID
	case Done:
		return "; nothing is filed twice, but what did not help is taken up again: trimtab improve impact tells whether it did"
	case Rejected:
	}
	return "; nothing is filed twice"
}

// acted is when the same trouble was last acted on.
func (d *decision) acted() (last time.Time) {
	for _, it := range d.s.Past {
		if it.Fingerprint == d.c.Pattern.Fingerprint && it.Created.After(last) {
			last = it.Created
		}
	}
	return last
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
