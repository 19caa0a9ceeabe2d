package dashboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/insight"
	"github.com/trimtab/trimtab/surface/person"
)

// How much of the sessions the first page shows: the newest, and what steers those of the
// last day.
const (
	listed   = 200
	detailed = 30
	lately   = 24 * time.Hour
	patience = 150 * time.Millisecond // for what takes long to read; a page without it asks again
)

func (d *Dashboard) funcs() template.FuncMap {
	return template.FuncMap{"ago": d.ago, "state": stateName, "took": took, "headline": headline, "capital": capital, "advice": advice, "untagged": untagged, "add": func(a, b int) int { return a + b }, "rows": func(name string, kind bool, all []insight.Counted) map[string]any {
		return map[string]any{"Name": name, "Kind": kind, "Rows": all}
	}, "web": func(at string) bool { return strings.HasPrefix(at, "https://") }, "folder": func(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }}
}

// headline is what a suggestion says was seen, and advice what it says to do.
func headline(suggestion string) string {
	seen, _, _ := strings.Cut(suggestion, "; ")
	return capital(seen)
}

func advice(suggestion string) string {
	_, do, _ := strings.Cut(suggestion, "; ")
	if do != "" {
		do = capital(do) + "."
	}
	return do
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// took is a duration as people read it.
func took(t time.Duration) string {
	if t < time.Second {
		return fmt.Sprintf("%d ms", t.Milliseconds())
	}
	if t < time.Minute {
		return fmt.Sprintf("%.1f s", t.Seconds())
	}
	return t.Round(time.Second).String()
}

// ago says when something was, as people do.
func (d *Dashboard) ago(t time.Time) string {
	switch since := d.opt.Clock().Sub(t); {
	case since < time.Minute:
		return "just now"
	case since < time.Hour:
		return fmt.Sprintf("%d min ago", int(since.Minutes()))
	case since < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(since.Hours()))
	default:
		return t.Local().Format("2 Jan 15:04")
	}
}

func (d *Dashboard) now(w http.ResponseWriter, r *http.Request) {
	rows, next, err := d.opt.Insight.Overview(r.Context(), d.archive(r), "", listed)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	if d.opt.Debates.Goal != nil { // they have a page of their own
		rows = slices.DeleteFunc(rows, func(r insight.Row) bool { return r.Host == deliberate.Host })
	}
	n := 0
	for n < min(len(rows), detailed) && (n < 5 || d.opt.Clock().Sub(rows[n].Updated) < lately) {
		n++
	}
	whole := d.opt.Insight.Detail(r.Context(), d.archive(r), rows[:n], patience)
	d.page(w, r, "now", map[string]any{"Title": "Now", "Live": "all", "Waiting": d.waiting(r), "Rows": rows, "Full": next != "", "Listed": listed, "Legend": legend(rows), "Reading": !whole, "Reflects": d.opt.Insight.Reflects()})
}

// speakers are the kinds of messages, and when each speaks.
var speakers = [][2]string{
	{"guard", "speaks when an agent repeats what did not work, and holds the session for you when it goes on"},
	{"stop", "speaks when an agent wants to stop while something is open or was never run"},
	{"todo", "reminds an agent of the list that it made"},
	{"automata", "asks an agent now and then whether it is still on its way"},
	{"mode", "tells an agent what the mode asks of it that you chose"},
	{"frame", "folds work that is done, to keep the context small"},
	{"focus", "keeps a debate on its goal"},
}

// legend is what the speakers on a page are there for.
func legend(rows []insight.Row) (all [][2]string) {
	for _, one := range speakers {
		if slices.ContainsFunc(rows, func(r insight.Row) bool {
			return slices.ContainsFunc(r.Said, func(s insight.Said) bool { return s.By == one[0] })
		}) {
			all = append(all, one)
		}
	}
	return all
}

// said is a message of ours, and where it stands on the page.
type said struct {
	Note   *timeline.Note
	Anchor string
}

const mostSaid = 12

// allSaid are the newest messages of ours among turns that are shown.
func allSaid(turns []timeline.Turn) (all []said) {
	for _, t := range turns {
		for _, part := range t.Segments() {
			for _, i := range part.Notes {
				if i.Kind == timeline.Ours {
					all = append(all, said{i.Note, part.Anchor()})
				}
			}
		}
	}
	return all[max(0, len(all)-mostSaid):]
}

// waiting are the improvements that wait for a person.
func (d *Dashboard) waiting(r *http.Request) []improve.Item {
	if d.opt.Improvements.Queue == nil || !d.person(r).Role.AtLeast(owned.View) {
		return nil
	}
	all, err := d.opt.Improvements.Queue.Items(r.Context(), improve.Awaiting, improve.Manual)
	if err != nil { // the sessions are shown all the same
		return nil
	}
	return all
}

// mostItems is how much of a session a page shows.
const mostItems = 1200

// stretch is a part of a session that a page bears: the items before a place, counted from
// the beginning.
type stretch struct {
	Turns  []timeline.Turn
	Before int // items that come before it
	Until  int // where it ends
	All    int // items of the session
}

// Later is where the next stretch ends; 0 where this one is the last.
func (s stretch) Later() int {
	if s.Until >= s.All {
		return 0
	}
	return min(s.All, s.Until+mostItems)
}

// cut is the stretch that ends at a place, or at the end of the session where that is 0. Of a
// turn that does not fit only a part is shown.
func cut(turns []timeline.Turn, until int) (s stretch) {
	for _, t := range turns {
		s.All += len(t.Items)
	}
	if until <= 0 || until > s.All {
		until = s.All
	}
	s.Until, s.Before = until, max(0, until-mostItems)
	at := 0
	for _, t := range turns {
		from, to := max(s.Before-at, 0), min(s.Until-at, len(t.Items))
		at += len(t.Items)
		if from < to {
			t.Items = t.Items[from:to]
			s.Turns = append(s.Turns, t)
		}
	}
	return s
}

// placeOf is where a stretch ends that holds what an address names: a message or one of
// ours. It is 0, the end, where the newest stretch holds it.
func placeOf(turns []timeline.Turn, name string) int {
	at, all := -1, 0
	for _, t := range turns {
		for _, part := range t.Segments() {
			if name != "" && part.Anchor() == name {
				at = all
			}
			for _, i := range slices.Concat(part.Notes, part.Items) {
				if name != "" && i.ID == name {
					at = all
				}
				all++
			}
		}
	}
	if at < 0 || at >= all-mostItems {
		return 0
	}
	return min(all, at+mostItems/2)
}

func (d *Dashboard) session(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	s, err := d.archive(r).Load(r.Context(), id)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	line, ready, err := d.opt.Insight.Soon(r.Context(), d.archive(r), s, patience)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	mode := modeOf(s)
	d.labelled(r, s, line.Turns)
	until, err := strconv.Atoi(r.FormValue("until"))
	if err != nil {
		until = placeOf(line.Turns, r.FormValue("at"))
	}
	shown := cut(line.Turns, until)
	d.page(w, r, "session", map[string]any{
		"Title": s.Title, "Live": "session " + id, "Info": s.Info, "Facts": facts(s, mode), "Totals": line.Totals, "Turns": shown.Turns, "Stretch": shown, "Reading": !ready,
		"Status": d.opt.Service.Engine().Status(s), "Todos": s.Todos, "Modes": d.opt.Modes, "Mode": mode, "Heed": s.Heed,
		"Steers": d.steers(r, s.Info), "Said": allSaid(shown.Turns), "Steering": d.steering(r, s),
	})
}

// modeOf is the mode of a session.
func modeOf(s trimtab.Session) string {
	var kept struct {
		Mode string `json:"mode"`
	}
	if raw, err := s.Memory("mode"); err == nil && len(raw) > 0 {
		_ = json.Unmarshal(raw, &kept) // a mode that cannot be read is not shown
	}
	return cmp.Or(kept.Mode, "normal")
}

func facts(s trimtab.Session, mode string) (all [][2]string) {
	for _, f := range [][2]string{{"agent", s.Host}, {"model", s.Model}, {"folder", s.Project}, {"mode", mode}, {"session", s.ID}} {
		if f[1] != "" {
			all = append(all, f)
		}
	}
	return all
}

// setMode is the person's own act: the cookie and the page's token say so.
func (d *Dashboard) setMode(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !d.maySteer(w, r, id) {
		return
	}
	_, out, err := d.opt.Service.Handle(r.Context(), id, trimtab.Asked{Command: "mode", Args: []string{r.FormValue("mode")}, Away: true})
	if err != nil {
		d.failed(w, r, err)
		return
	}
	if reply, err := out.Reply(); err != nil || reply.Failed {
		d.problem(w, r, http.StatusUnprocessableEntity, "The mode was not changed: "+reply.Text)
		return
	}
	d.did(r, "session.command", id, "mode")
	http.Redirect(w, r, "/s/"+id, http.StatusSeeOther)
}

func (d *Dashboard) page(w http.ResponseWriter, r *http.Request, name string, data map[string]any) {
	data["Token"], data["Page"] = d.token(r), name
	d.write(w, r, http.StatusOK, name, data)
}

// write sends a page with what stands at the top of every one.
func (d *Dashboard) write(w http.ResponseWriter, r *http.Request, status int, name string, data map[string]any) {
	p, known := person.Of(r.Context())
	data["Sample"], data["Known"], data["Team"], data["Section"] = d.opt.Sample, known, d.team(), sections[name]
	data["Approves"], data["Views"] = known && p.Role.AtLeast(owned.Approve), known && p.Role.AtLeast(owned.View)
	if known {
		data["Pages"] = slices.DeleteFunc(slices.Clone(pages), func(one [3]string) bool {
			return slices.Contains(everybodys, one[0]) && !p.Role.AtLeast(owned.View)
		})
	}
	if known && d.team() {
		data["User"], data["Role"], data["Leave"], data["Token"] = p.Shown(), p.Role, "/leave", d.token(r)
		if p.By == "sign-in" {
			data["Leave"] = d.opt.SignOut
		}
	}
	var b bytes.Buffer // a page is whole, or says what is wrong
	if err := d.pages.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, "The page could not be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the browser may be gone
}

func (d *Dashboard) failed(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, improve.ErrNoItem):
		d.problem(w, r, http.StatusNotFound, "There is no such improvement.")
	case errors.Is(err, owned.ErrForbidden):
		d.problem(w, r, http.StatusForbidden, "This session belongs to another user.")
	case errors.Is(err, trimtab.ErrNotFound), errors.Is(err, trimtab.ErrBadID):
		d.problem(w, r, http.StatusNotFound, "There is no such session. It may have been removed.")
	default:
		d.problem(w, r, http.StatusServiceUnavailable, "The store does not answer: "+err.Error()+". Load the page again in a moment.")
	}
}
