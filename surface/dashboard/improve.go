package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/decide"
	"github.com/trimtab/trimtab/improve/steps"
)

// column is a part of the board.
type column struct {
	Title, Empty string
	Items        []card
}

// card is an item as the pages show it.
type card struct {
	improve.Item
	Steps []step
	At    string // the step that it is at
	Done  int    // steps that are
}

// step is one of the thirteen, done or not.
type step struct {
	Number int
	Name   improve.StepName
	Does   string
	State  string // "", "running", "done" or "failed"
	Took   time.Duration
	Facts  [][2]string
	Files  []string
	Error  string
}

// does says what each step does, for people who see the list for the first time.
var does = map[improve.StepName]string{
	steps.Clarify: "writes down what is needed, and how it is known to be done", steps.Issue: "files an issue", steps.Branch: "begins a branch of its own",
	steps.Design: "makes a check that fails as long as the problem is there", steps.Implement: "an agent does the work until that check passes", steps.Simplify: "takes out what is not needed",
	steps.Check: "runs the project's own tests", steps.Commit: "commits what was done", steps.PullRequest: "opens a pull request, which nobody merges but you", steps.Review: "another agent reads it",
	steps.Feedback: "mends what that one found", steps.Compliance: "checks that the rules of the project are kept", steps.Mergeable: "checks that it can be merged",
}

func shown(it improve.Item) card {
	out := card{Item: it}
	for _, s := range steps.Steps() {
		one := step{Number: s.Number, Name: s.Name, Does: does[s.Name]}
		if i := slices.IndexFunc(it.Evidence, func(e improve.Evidence) bool { return e.Step == s.Name }); i >= 0 {
			e := it.Evidence[i]
			one.Files, one.Error = e.Files, e.Error
			for k, v := range e.Facts {
				one.Facts = append(one.Facts, [2]string{strings.ReplaceAll(k, "_", " "), v})
			}
			slices.SortFunc(one.Facts, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
			switch {
			case e.Error != "":
				one.State = "failed"
			case e.Ended.IsZero():
				one.State, out.At = "running", string(s.Name)
			default:
				one.State, one.Took = "done", e.Ended.Sub(e.Began)
				out.Done++
			}
		}
		if it.State == improve.Running && one.State == "" && out.At == "" {
			one.State, out.At = "running", string(s.Name)
		}
		out.Steps = append(out.Steps, one)
	}
	return out
}

// Seen is the state of an item as a page shows it, for the forms of that page.
func (i card) Seen() string { return decide.Seen(i.Item) }

// Title is what an item is called.
func (i card) Title() string { return cmp.Or(i.Request.Title, i.ID) }

// most of the ended items that the board shows.
const mostEnded = 50

func (d *Dashboard) board(w http.ResponseWriter, r *http.Request) {
	if d.opt.Improvements.Queue == nil {
		d.page(w, r, "improve", map[string]any{"Title": "Improvements", "Columns": nil})
		return
	}
	items, err := d.opt.Improvements.Queue.Items(r.Context())
	if err != nil {
		d.failed(w, r, err)
		return
	}
	columns := []column{
		{Title: "Waiting for you", Empty: "Nothing waits for you."},
		{Title: "At work", Empty: "No work is under way."},
		{Title: "Ended", Empty: "Nothing has ended yet."},
	}
	left := 0
	for _, it := range items {
		n := 2
		switch it.State {
		case improve.Awaiting, improve.Manual:
			n = 0
		case improve.Queued, improve.Running:
			n = 1
		case improve.Done, improve.Failed, improve.Rejected, improve.Cancelled:
		}
		if n == 2 && len(columns[2].Items) >= mostEnded {
			left++
			continue
		}
		columns[n].Items = append(columns[n].Items, shown(it))
	}
	d.page(w, r, "improve", map[string]any{"Title": "Improvements", "Live": "improvements", "Columns": columns, "Any": len(items) > 0, "Left": left})
}

// item shows one improvement.
func (d *Dashboard) item(w http.ResponseWriter, r *http.Request) {
	it, ok := d.findItem(w, r)
	if !ok {
		return
	}
	data := map[string]any{
		"Title": it.Request.Title, "Live": "improvement " + it.ID, "Item": shown(it), "Works": d.opt.Improvements.Works, "Open": d.knownSessions(r, it),
		"Result": found(it),
	}
	if o, running, ok, err := d.opt.Insight.Outcome(it); ok || running || err != nil {
		data["Came"] = map[string]any{"O": o, "Running": running, "Known": ok, "Failed": err}
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	out, err := d.opt.Improvements.Preview(ctx, it)
	if err != nil {
		data["Unsent"] = err.Error()
	}
	data["Preview"] = out
	if patch := d.opt.Improvements.Change(ctx, it); patch != "" {
		data["Diff"] = diffLines(patch)
	}
	d.page(w, r, "improvement", data)
}

// found is where the issue and the pull request are.
func found(it improve.Item) (all [][2]string) {
	for _, e := range it.Evidence {
		if e.Facts["url"] != "" && (e.Step == steps.Issue || e.Step == steps.PullRequest) {
			all = append(all, [2]string{string(e.Step), e.Facts["url"]})
		}
	}
	return all
}

// diffLine is a line of a change, and whether it came or went.
type diffLine struct{ Kind, Text string }

const mostDiff = 2000 // lines

func diffLines(patch string) (all []diffLine) {
	_, patch, _ = strings.Cut(patch, "\ndiff --git ") // behind the words of the commit
	for l := range strings.Lines("diff --git " + patch) {
		kind := ""
		switch {
		case strings.HasPrefix(l, "diff --git"), strings.HasPrefix(l, "index "), strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"), strings.HasPrefix(l, "new file"):
			kind = "head"
		case strings.HasPrefix(l, "+"):
			kind = "add"
		case strings.HasPrefix(l, "-"):
			kind = "del"
		case strings.HasPrefix(l, "@@"):
			kind = "at"
		}
		if all = append(all, diffLine{kind, strings.TrimRight(l, "\r\n")}); len(all) == mostDiff {
			return append(all, diffLine{"head", "… the rest is left out"})
		}
	}
	return all
}

// knownSessions are those of an item that the store has, and that can be opened.
func (d *Dashboard) knownSessions(r *http.Request, it improve.Item) map[string]bool {
	known := map[string]bool{}
	for _, id := range it.Sessions[:min(len(it.Sessions), 20)] {
		if _, err := d.archive(r).Load(r.Context(), id); err == nil {
			known[id] = true
		}
	}
	return known
}

// findItem loads the item of a request, or says that there is none.
func (d *Dashboard) findItem(w http.ResponseWriter, r *http.Request) (improve.Item, bool) {
	if d.opt.Improvements.Queue == nil {
		d.problem(w, r, http.StatusNotFound, "There is no such improvement.")
		return improve.Item{}, false
	}
	it, err := d.opt.Improvements.Queue.Item(r.Context(), r.PathValue("id"))
	if err != nil {
		d.failed(w, r, err)
		return it, false
	}
	return it, true
}

// act does what a person decided. A page that shows another state than the item has is told
// so, and nothing is done: the person decided about something else.
func (d *Dashboard) act(w http.ResponseWriter, r *http.Request) {
	it, ok := d.findItem(w, r)
	if !ok {
		return
	}
	name := r.PathValue("act")
	text := cmp.Or(r.FormValue("text"), r.FormValue("why"))
	next, err := decide.Do(r.Context(), d.opt.Improvements.Queue, it.ID, decide.Act{Name: name, By: d.person(r).User, Text: text, Seen: r.FormValue("seen"), At: d.opt.Clock()})
	var stale *decide.Stale
	switch {
	case errors.As(err, &stale):
		d.stale(w, r, stale.Item)
		return
	case errors.Is(err, decide.ErrNoAct):
		d.problem(w, r, http.StatusNotFound, "There is no such act.")
		return
	case err != nil:
		d.problem(w, r, http.StatusUnprocessableEntity, "Nothing was changed: "+err.Error()+".")
		return
	}
	d.did(r, "improve."+name, it.ID, "")
	if d.opt.Improvements.Decided != nil && name != "comment" {
		d.opt.Improvements.Decided(next)
	}
	http.Redirect(w, r, "/improve/"+it.ID, http.StatusSeeOther)
}

// stale says that somebody was faster.
func (d *Dashboard) stale(w http.ResponseWriter, r *http.Request, it improve.Item) {
	who := ""
	if a := it.Approved; a != nil {
		who = fmt.Sprintf(" It was approved by %s, %s.", cmp.Or(a.By, "somebody"), d.ago(a.At))
	}
	d.problem(w, r, http.StatusConflict, "This was decided meanwhile: it is now “"+stateName(it.State)+"”."+who+" Nothing was changed by you. Go back and load the page again.")
}

// stateName is a state as people say it.
func stateName(s improve.State) string {
	switch s {
	case improve.Awaiting:
		return "waiting for approval"
	case improve.Queued:
		return "approved, not begun"
	case improve.Running:
		return "at work"
	case improve.Done:
		return "done"
	case improve.Failed:
		return "failed"
	case improve.Manual:
		return "needs a person"
	case improve.Rejected:
		return "rejected"
	case improve.Cancelled:
		return "cancelled"
	}
	return string(s)
}

// paper shows a paper or log that a step left: only what its evidence names.
func (d *Dashboard) paper(w http.ResponseWriter, r *http.Request) {
	it, ok := d.findItem(w, r)
	if !ok {
		return
	}
	name := r.PathValue("name")
	text, err := d.opt.Improvements.Paper(it, name)
	if err != nil {
		d.problem(w, r, http.StatusNotFound, "This paper is not on this machine, or not of this improvement.")
		return
	}
	d.page(w, r, "paper", map[string]any{"Title": name, "Item": shown(it), "Name": name, "Text": text, "Markdown": strings.HasSuffix(name, ".md")})
}
