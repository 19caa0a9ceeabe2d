package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/replay/judge"
)

// Lab is what the workbench works with.
type Lab struct {
	Labels string // the file that labels go to, which trimtab judge writes too; "" is to label nothing

	// What two policies are compared with; nil compares none. Compares is for who shows the
	// same elsewhere; it is made of the other two where it is nil.
	Policy   judge.Policy
	Recorded judge.Recordings
	Compares *judge.Comparisons
}

// Comparing is it with what compares policies, where it has them.
func (l Lab) Comparing(done <-chan struct{}) Lab {
	if l.Compares == nil && l.Policy != nil && l.Recorded != nil {
		l.Compares = judge.NewComparisons(l.Policy, l.Recorded, l.Labels, done)
	}
	return l
}

// How much of the sessions one page of the workbench looks at.
const (
	labNotes    = 30
	labSessions = 100
	labBefore   = 4 // items before a message that show its place
)

// toJudge is a message of ours in the list.
type toJudge struct {
	Session trimtab.Info
	timeline.Item
	Kind   judge.Kind
	Before []timeline.Item
}

// routesOfLab adds the paths.
func (d *Dashboard) routesOfLab() {
	d.mux.HandleFunc("GET /lab", d.lab)
	d.mux.HandleFunc("POST /lab/label", d.label)
	d.routesOfCompare()
}

// known are the labels that there are, by session.
func (l Lab) known() (map[string]*judge.SessionLabels, error) {
	if l.Labels == "" {
		return nil, nil
	}
	return judge.ReadIfThere(l.Labels)
}

// mark writes what people think of messages beside them. Where the person may say so, each
// gets a name for the form.
func mark(session string, turns []timeline.Turn, of *judge.SessionLabels, may bool) {
	for _, turn := range turns {
		for _, i := range turn.Items {
			l, ok := labelFor(i)
			if !ok {
				continue
			}
			if found, ok := of.Find(l); ok {
				i.Note.Verdict, i.Note.Word = string(found.Verdict), found.Why
			}
			if may {
				i.Note.Key = session + "/" + keyOf(l)
			}
		}
	}
}

// labelFor is the label of a message of ours, without a verdict.
func labelFor(i timeline.Item) (judge.NoteLabel, bool) {
	slot, ok := i.Label()
	if !ok {
		return judge.NoteLabel{}, false
	}
	l, err := judge.NewLabel(i.Step, i.Note.By, slot, i.Note.Why, "", "")
	return l, err == nil
}

func keyOf(l judge.NoteLabel) string { return fmt.Sprintf("%d.%s.%s", l.Step, l.By, l.Slot) }

// labelled is a session with what people think of its messages.
func (d *Dashboard) labelled(r *http.Request, s trimtab.Session, turns []timeline.Turn) {
	if known, err := d.opt.Lab.known(); err == nil { // labels that cannot be read hide no session
		mark(s.ID, turns, known[s.ID], d.opt.Lab.Labels != "" && d.steers(r, s.Info))
	}
}

// label keeps what a person thinks of a message. The form names it; a message that is not
// there, or no longer, is not labelled.
func (d *Dashboard) label(w http.ResponseWriter, r *http.Request) {
	verdict, name, _ := strings.Cut(r.FormValue("label"), " ")
	id, key, _ := strings.Cut(name, "/")
	if d.opt.Lab.Labels == "" {
		d.problem(w, r, http.StatusNotFound, "No labels are kept here.")
		return
	}
	if !d.maySteer(w, r, id) {
		return
	}
	s, err := d.archive(r).Load(r.Context(), id)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	line, err := d.opt.Insight.Timeline(r.Context(), d.archive(r), s)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	found, ok := find(line, key)
	if !ok {
		d.problem(w, r, http.StatusConflict, "This message is not in the session any more. Load the page again.")
		return
	}
	if verdict == "none" {
		verdict = ""
	}
	l, err := judge.NewLabel(found.Step, found.By, found.Slot, "", judge.Verdict(verdict), r.FormValue("word "+name))
	if err == nil {
		l.Kind = found.Kind
		err = judge.Keep(d.opt.Lab.Labels, id, s.Step, l)
	}
	if err != nil {
		d.problem(w, r, http.StatusUnprocessableEntity, "Your label was not kept: "+err.Error())
		return
	}
	d.did(r, "session.label", id, key+" "+verdict)
	if back, err := url.Parse(r.FormValue("back")); err == nil && back.Path == "/lab" && back.Host == "" { // nowhere else
		http.Redirect(w, r, back.String(), http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/s/"+id+"#"+url.PathEscape("note-"+name), http.StatusSeeOther)
}

func find(line timeline.Timeline, key string) (judge.NoteLabel, bool) {
	for _, turn := range line.Turns {
		for _, i := range turn.Items {
			if l, ok := labelFor(i); ok && keyOf(l) == key {
				return l, true
			}
		}
	}
	return judge.NoteLabel{}, false
}

// lab lists messages of ours to say what one thinks of them, and how often each kind was
// right.
func (d *Dashboard) lab(w http.ResponseWriter, r *http.Request) {
	known, err := d.opt.Lab.known()
	if err != nil {
		d.problem(w, r, http.StatusServiceUnavailable, "The labels cannot be read: "+err.Error())
		return
	}
	show, kind := r.FormValue("show"), judge.Kind(r.FormValue("kind"))
	from, _ := strconv.Atoi(r.FormValue("from")) // what is no number begins at the newest
	seen := false
	notes, next, err := d.toJudge(r, known, max(0, from), func(n toJudge) bool {
		seen = true
		return (kind == "" || n.Kind == kind) && (show == "all" || n.Note.Verdict == "")
	})
	if err != nil {
		d.failed(w, r, err)
		return
	}
	rows := judge.ByKind(known)
	kinds := []judge.Kind{}
	for _, p := range rows {
		kinds = append(kinds, p.Kind)
	}
	for _, n := range notes {
		if !slices.Contains(kinds, n.Kind) {
			kinds = append(kinds, n.Kind)
		}
	}
	slices.Sort(kinds)
	again := url.Values{"show": {show}, "kind": {string(kind)}}
	d.page(w, r, "lab", map[string]any{
		"Title": "Workbench", "Notes": notes, "Precision": rows, "Kinds": kinds, "Kind": kind, "Show": show, "Any": seen, "From": from, "Keeps": d.opt.Lab.Labels != "", "Compares": d.opt.Lab.Compares != nil,
		"Back": "/lab?" + again.Encode(), "Next": nextPage(again, next), "Verdicts": judge.Verdicts(),
	})
}

func nextPage(q url.Values, next int) string {
	if next == 0 {
		return ""
	}
	q.Set("from", strconv.Itoa(next))
	return "/lab?" + q.Encode()
}

// toJudge are the messages of ours that fit, of the newest sessions after the first so many.
// next is where the following page begins; 0 is nowhere.
func (d *Dashboard) toJudge(r *http.Request, known map[string]*judge.SessionLabels, from int, fits func(toJudge) bool) (all []toJudge, next int, err error) {
	n := 0
	for info, err := range d.archive(r).List(r.Context(), trimtab.Query{Limit: from + labSessions + 1}) {
		if err != nil {
			return nil, 0, err
		}
		if n++; n <= from || info.Host == deliberate.Host { // nobody at a table asks whether a message helped
			continue
		}
		if n > from+labSessions || len(all) >= labNotes {
			return all, n - 1, nil
		}
		turns, err := d.turnsOf(r.Context(), d.archive(r), info.ID)
		if err != nil {
			continue // it was removed meanwhile, or cannot be read
		}
		mark(info.ID, turns, known[info.ID], d.opt.Lab.Labels != "" && d.steers(r, info))
		for _, turn := range turns {
			for at, i := range turn.Items {
				l, ok := labelFor(i)
				if !ok {
					continue
				}
				if t := (toJudge{info, i, l.About(), before(turn.Items[max(0, at-labBefore):at])}); fits(t) {
					all = append(all, t)
				}
			}
		}
	}
	return all, 0, nil
}

// before is what came before a message, to be read and not to be labelled.
func before(items []timeline.Item) []timeline.Item {
	items = slices.Clone(items)
	for i := range items {
		if items[i].Note != nil {
			read := *items[i].Note
			read.Key = ""
			items[i].Note = &read
		}
	}
	return items
}

func (d *Dashboard) turnsOf(ctx context.Context, from trimtab.Archive, id string) ([]timeline.Turn, error) {
	s, err := from.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	doc, err := export.FromArchive(ctx, from, s)
	return doc.Timeline().Turns, err
}

// SampleLabels puts what a person may think of messages in the sample sessions into a file.
func SampleLabels(file string) error {
	for _, l := range []struct {
		session, by, slot, word string
		steps, step             int
		verdict                 judge.Verdict
	}{
		{"demo-loop", "guard", "loop", "the fourth run told nothing new", 17, 6, "useful"},
		{"demo-loop", "guard", "pause", "I would rather have let it go on", 17, 9, "harmless"},
		{"demo-export", "stop", "continue", "it had forgotten half of the list", 20, 17, "useful"},
	} {
		n, err := judge.NewLabel(l.step, l.by, l.slot, "", l.verdict, l.word)
		if err == nil {
			err = judge.Keep(file, l.session, l.steps, n)
		}
		if err != nil {
			return fmt.Errorf("sample labels: %w", err)
		}
	}
	return nil
}
