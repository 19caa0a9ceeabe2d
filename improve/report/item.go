package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// printer writes until the first error, which it keeps.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		p.err = termsafe.Fprintf(p.w, format, args...)
	}
}

// List writes a line for each request. Times are in the zone of now.
func List(w io.Writer, items []improve.Item, now time.Time) error {
	p := &printer{w: w}
	if len(items) == 0 {
		p.printf("no requests; trimtab reflect shows what went wrong, and trimtab improve new makes a request of it\n")
	}
	for _, it := range items {
		p.printf("%-30s  %-17s  %s  %-8s %s\n", it.ID, State(it, now), it.Updated.In(now.Location()).Format("2006-01-02 15:04"), it.Request.Priority, it.Request.Title)
	}
	return p.err
}

// Summary writes one line on a request: how far it is, and why.
func Summary(w io.Writer, it improve.Item, now time.Time) error {
	return termsafe.Fprintf(w, "%s  %s%s\n", it.ID, State(it, now), colon(it.Why))
}

// Outcome writes what came of a request that was worked on.
func Outcome(w io.Writer, it improve.Item, now time.Time) error {
	p := &printer{w: w, err: Summary(w, it, now)}
	for _, e := range it.Evidence {
		if u := e.Facts["url"]; u != "" && (e.Step == steps.Issue || e.Step == steps.PullRequest) {
			p.printf("  %-13s %s\n", e.Step, u)
		}
	}
	reasons := left(it)
	for _, why := range reasons {
		p.printf("  not taken: %s\n", why)
	}
	if !it.State.Ended() && len(reasons) == 0 {
		p.printf("  it was broken off; trimtab improve run goes on at the same step\n")
	}
	p.printf("  trimtab improve show %s\n", ShortID(it.ID))
	return p.err
}

// Preview writes what would be sent to the forge.
func Preview(w io.Writer, all []improve.Outgoing) error {
	p := &printer{w: w}
	for _, o := range all {
		p.printf("== %s: %s\n", o.Kind, o.Title)
		if len(o.Labels) > 0 {
			p.printf("labels: %s\n", strings.Join(o.Labels, ", "))
		}
		p.printf("\n%s\n", o.Body)
		if !o.Exact {
			p.printf("(what the work itself will tell is still missing here)\n")
		}
		p.printf("\n")
	}
	return p.err
}

// left is why workers do not take an item that waits for one.
func left(it improve.Item) (all []string) {
	if it.State != improve.Queued {
		return nil
	}
	for _, worker := range slices.Sorted(maps.Keys(it.Left)) {
		all = append(all, it.Left[worker])
	}
	return all
}

// ShortID is the end of an item's id, which is enough to name it.
func ShortID(id string) string { return id[strings.LastIndexByte(id, '_')+1:] }

// Abandoned reports whether work is recorded as running, and whoever does it has
// given no sign of life for so long that another may take it.
func Abandoned(it improve.Item, now time.Time) bool {
	return it.State == improve.Running && !now.Before(it.Until)
}

// State is a state with the step that work is at.
func State(it improve.Item, now time.Time) string {
	if it.Cancel && !it.State.Ended() {
		return "to be cancelled"
	}
	state := string(it.State)
	if Abandoned(it, now) {
		state = "abandoned"
	}
	if n := len(it.Evidence); it.State == improve.Running && n > 0 {
		return fmt.Sprintf("%s %d/13", state, it.Evidence[n-1].Number)
	}
	return state
}

// Item writes a request as a person wants to read it, with the evidence of each
// step. Folder is where its papers and logs are. Times are in the zone of now.
func Item(w io.Writer, it improve.Item, folder string, now time.Time) error {
	p := &printer{w: w}
	r := it.Request
	p.printf("%s  %s\n%s\n\n", it.ID, State(it, now), r.Title)
	line := func(name, value string) {
		if value != "" {
			p.printf("  %-12s %s\n", name, value)
		}
	}
	line("why", it.Why)
	if Abandoned(it, now) {
		line("worker", fmt.Sprintf("no sign of life since %s; trimtab improve run goes on at the same step", it.Until.In(now.Location()).Format("2006-01-02 15:04")))
	}
	line("pattern", fmt.Sprintf("%s, %s, seen %s", strings.ReplaceAll(r.Pattern.Type, "_", " "), r.Pattern.Severity, plural.Count(r.Pattern.Count, "time")))
	line("type", fmt.Sprintf("%s, %s work, at most %d lines in %d components", r.Type, r.Complexity, r.MaxLines, r.MaxComponents))
	if r.Kind == improve.Guidance {
		line("kind", guidance(r))
	}
	line("do", r.Pattern.Suggestion)
	line("sessions", strings.Join(it.Sessions, ", "))
	line("fingerprint", it.Fingerprint)
	line("repository", it.Repo)
	line("project", it.Project)
	if a := it.Approved; a != nil {
		line("approved", fmt.Sprintf("by %s, %s", cmp.Or(a.By, "somebody"), a.At.In(now.Location()).Format("2006-01-02 15:04")))
	}
	for _, why := range left(it) {
		line("not taken", why)
	}
	if it.Attempt > 1 {
		line("attempt", fmt.Sprint(it.Attempt))
	}
	if len(it.Evidence) == 0 {
		p.printf("\nNo step was done yet.\n")
		return p.err
	}
	p.printf("\n")
	for _, e := range it.Evidence {
		p.evidence(e, Abandoned(it, now))
	}
	p.printf("\nPapers and logs: %s\n", folder)
	return p.err
}

// internalFacts are facts that only the later steps need; --json has them.
var internalFacts = []string{"sha256", "verdict_sha256", "reproduce_command", "tree", "path", "comments", "replies", "attempt", "replay_sha256"}

func (p *printer) evidence(e improve.Evidence, abandoned bool) {
	state := "at work"
	switch {
	case e.Error != "":
		state = "failed"
	case !e.Ended.IsZero():
		state = duration(e.Ended.Sub(e.Began).Round(time.Millisecond))
	case abandoned:
		state = "left"
	}
	p.printf("  %2d %-13s %8s", e.Number, e.Step, state)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(e.Facts)), func(name string) bool { return slices.Contains(internalFacts, name) })
	for i, name := range names {
		lead := "  "
		if i > 0 {
			lead = "\n" + strings.Repeat(" ", 28)
		}
		p.printf("%s%s: %s", lead, name, truncate(e.Facts[name], 200))
	}
	for i, f := range e.Files {
		lead := "\n" + strings.Repeat(" ", 28)
		if i == 0 && len(names) == 0 {
			lead = "  "
		}
		p.printf("%s%s", lead, f)
	}
	if e.Error != "" {
		p.printf("\n%s%s", strings.Repeat(" ", 28), truncate(e.Error, 400))
	}
	p.printf("\n")
}

// truncate shortens a text to one line.
func truncate(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// duration is a time that something duration, for a person.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// colon puts a reason behind what it is the reason of.
func colon(s string) string {
	if s == "" {
		return ""
	}
	return ": " + truncate(s, 400)
}
