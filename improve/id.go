package improve

import "time"

// letters of an id: those that no eye takes for another.
const letters = "23456789abcdefghjkmnpqrstuvwxyz"

// NewID is the id of an item that begins at a time, with chance for its end, as in
// workflow_20261115_101500_k3x9. A queue refuses an id that it has: then take
// another chance.
func NewID(at time.Time, chance uint64) string {
	tail := make([]byte, 4)
	for i := range tail {
		tail[i] = letters[chance%uint64(len(letters))]
		chance /= uint64(len(letters))
	}
	return LiteralID(at) + "_" + string(tail)
}

// LiteralID is the id without chance. Of two items of one second only one can have it.
func LiteralID(at time.Time) string { return "workflow_" + at.UTC().Format("20060102_150405") }

// Instructions say what was triggered, to a session and to the person before it.
func Instructions(id string, state State) string {
	if state == Queued {
		return "Starting automated improvement workflow " + id + ". The detected patterns are analyzed and an improvement plan is made by trimtab serve, or by trimtab improve run; trimtab improve show " + id + " tells how far it is."
	}
	return "Automated improvement workflow " + id + " was triggered by what this session showed. It waits for a person: trimtab improve preview " + id + ", then trimtab improve approve " + id + "."
}

// NewItem is a case on its way into the queue. The verdict is one that fires.
func NewItem(id string, c Case, cfg Config, v Verdict, now time.Time) Item {
	if v.State == Queued && cfg.Form != FormLiteral { // nobody sees it before it is public
		c.Pattern = withheld(c.Pattern)
	}
	it := Item{
		ID: id, Fingerprint: c.Fingerprint(), Project: c.Project, Repo: c.Repo, State: v.State, Request: c.Request(cfg),
		Sessions: c.Sessions, Metrics: c.Metrics, Attempt: 1, Created: now, Updated: now,
	}
	if c.Earlier != nil {
		it.Follows = c.Earlier.ID
	}
	if it.State == Awaiting {
		it.Why = "waits for a person to approve it"
	}
	return it
}
