package dashboard

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/owned"
)

// How much of the sessions the first page shows: the newest, and what steers those of the
// last day.
const (
	listed   = 200
	detailed = 30
	lately   = 24 * time.Hour
	alive    = 15 * time.Minute
)

// row is a session on the first page.
type row struct {
	trimtab.Info
	Alive   bool
	Step    int
	Context int
	Status  []trimtab.Status
	Totals  timeline.Totals
	Last    *timeline.Note // the newest message of ours
	Loops   bool           // it is held for the person, and no prompt came since
	Known   bool           // the fields above are
}

func (d *Dashboard) funcs() template.FuncMap {
	return template.FuncMap{"ago": d.ago, "state": stateName, "took": took, "headline": headline, "advice": advice, "add": func(a, b int) int { return a + b }, "rows": func(name string, kind bool, all []Counted) map[string]any {
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
	var rows []row
	for info, err := range d.archive(r).List(r.Context(), trimtab.Query{Limit: listed}) {
		if err != nil {
			d.failed(w, r, err)
			return
		}
		if info.Host == deliberate.Host && d.opt.Debates.Goal != nil { // debates have a page of their own
			continue
		}
		rows = append(rows, row{Info: info, Alive: d.opt.Clock().Sub(info.Updated) < alive})
	}
	for i := range rows[:min(len(rows), detailed)] {
		if d.opt.Clock().Sub(rows[i].Updated) > lately && i > 4 {
			break
		}
		d.detail(r, &rows[i])
	}
	d.page(w, r, "now", map[string]any{"Title": "Now", "Live": "all", "Waiting": d.waiting(r), "Rows": rows, "Full": len(rows) == listed, "Listed": listed})
}

// waiting are the improvements that wait for a person.
func (d *Dashboard) waiting(r *http.Request) []improve.Item {
	if d.opt.Improvements.Queue == nil {
		return nil
	}
	all, err := d.opt.Improvements.Queue.Items(r.Context(), improve.Awaiting, improve.Manual)
	if err != nil { // the sessions are shown all the same
		return nil
	}
	return all
}

// detail adds what steers a session. One that cannot be read is shown without.
func (d *Dashboard) detail(r *http.Request, to *row) {
	line, s, err := d.read(r, to.ID)
	if err != nil {
		return
	}
	to.Known, to.Step, to.Context, to.Totals = true, s.Step, s.Meter.Context, line.Totals
	to.Status = d.opt.Service.Engine().Status(s)
	for _, turn := range line.Turns {
		to.Loops = false // a prompt came
		for _, i := range turn.Items {
			switch i.Kind {
			case timeline.Ours:
				to.Last = i.Note
			case timeline.Paused:
				to.Loops = true
			case timeline.Call:
				to.Loops = to.Loops && i.Failed
			}
		}
	}
}

func (d *Dashboard) read(r *http.Request, id string) (timeline.Timeline, trimtab.Session, error) {
	s, err := d.archive(r).Load(r.Context(), id)
	if err != nil {
		return timeline.Timeline{}, s, err
	}
	doc, err := export.FromArchive(r.Context(), d.archive(r), s)
	if err != nil {
		return timeline.Timeline{}, s, err
	}
	return doc.Timeline(), s, nil
}

// How much of a session a page shows.
const (
	mostTurns = 50
	mostItems = 1200
)

// newest are the newest turns of a session, as many as a page bears, and how many turns are
// left out or begin earlier. Of a turn that is longer than a page its end is shown.
func newest(all []timeline.Turn) (shown []timeline.Turn, left int) {
	items := 0
	for i := len(all) - 1; i >= 0; i-- {
		turn, limit := all[i], mostItems-items
		if limit <= 0 || len(shown) == mostTurns {
			return shown, i + 1
		}
		if len(turn.Items) > limit {
			turn.Items = turn.Items[len(turn.Items)-limit:]
			return append([]timeline.Turn{turn}, shown...), i + 1
		}
		items += len(turn.Items)
		shown = append([]timeline.Turn{turn}, shown...)
	}
	return shown, 0
}

func (d *Dashboard) session(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	s, err := d.archive(r).Load(r.Context(), id)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	doc, err := export.FromArchive(r.Context(), d.archive(r), s)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	line := doc.Timeline()
	d.labelled(r, s, line.Turns)
	shown, left := newest(line.Turns)
	if r.FormValue("all") != "" {
		shown, left = line.Turns, 0
	}
	d.page(w, r, "session", map[string]any{
		"Title": s.Title, "Live": "session " + id, "Info": s.Info, "Facts": facts(s, doc.ModeState.Mode), "Totals": line.Totals, "Turns": shown, "Left": left,
		"Status": d.opt.Service.Engine().Status(s), "Todos": s.Todos, "Modes": d.opt.Modes, "Mode": doc.ModeState.Mode, "Heed": s.Heed, "Steering": d.steering(r, s),
	})
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
	http.Redirect(w, r, "/s/"+id, http.StatusSeeOther)
}

func (d *Dashboard) page(w http.ResponseWriter, r *http.Request, name string, data map[string]any) {
	data["Token"], data["Sample"], data["Page"], data["Known"] = d.token(r), d.opt.Sample, name, true
	p := d.person(r)
	data["Approves"], data["Pages"] = p.Role.AtLeast(owned.Approve), pages
	if d.opt.Who != nil {
		data["User"] = p.User
	}
	var b bytes.Buffer // a page is whole, or says what is wrong
	if err := d.pages.ExecuteTemplate(&b, name, data); err != nil {
		d.problem(w, r, http.StatusInternalServerError, "The page could not be made: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
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
