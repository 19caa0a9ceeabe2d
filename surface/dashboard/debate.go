package dashboard

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/surface/insight"
)

// How much the pages of debates show.
const (
	listedDebates = 50
	saidOnPage    = 150
)

// Debates are what the pages of debates are made of.
type Debates struct {
	Goal deliberate.Goal // of the modes; nil shows no debate
}

// debateRow is a debate in the list.
type debateRow struct {
	trimtab.Info
	Alive  bool
	Result deliberate.Result
	Known  bool // the result is
}

// lane is a speaker, with how often they spoke and where they stand.
type lane struct {
	ID, Name string
	Turns    int
	Stands   []deliberate.Stand // on the open proposals, in their order
	Newest   bool
}

// routesOfDebates adds the paths.
func (d *Dashboard) routesOfDebates() {
	d.mux.HandleFunc("GET /d", d.debates)
	d.mux.HandleFunc("GET /d/{id}", d.debate)
	d.mux.HandleFunc("POST /d/{id}/say", d.sayToDebate)
}

// readDebate reads a debate as it is stored.
func (d *Dashboard) readDebate(ctx context.Context, from trimtab.Archive, id string) (*deliberate.Debate, trimtab.Session, error) {
	if d.opt.Debates.Goal == nil {
		return nil, trimtab.Session{}, trimtab.ErrNotFound
	}
	s, err := from.Load(ctx, id)
	if err != nil {
		return nil, s, err
	}
	deb, err := deliberate.Read(ctx, d.opt.Service, from, d.opt.Debates.Goal, s)
	return deb, s, err
}

func (d *Dashboard) debates(w http.ResponseWriter, r *http.Request) {
	var rows []debateRow
	for info, err := range d.archive(r).List(r.Context(), trimtab.Query{Host: deliberate.Host, Limit: listedDebates}) {
		if err != nil {
			d.failed(w, r, err)
			return
		}
		if info.Parent != "" { // what was looked up for one
			continue
		}
		row := debateRow{Info: info, Alive: d.alive(info)}
		if deb, _, err := d.readDebate(r.Context(), d.archive(r), info.ID); err == nil {
			row.Result, row.Known = deb.Result(), true
		}
		rows = append(rows, row)
	}
	d.page(w, r, "debates", map[string]any{"Title": "Debates", "Live": "sessions", "Rows": rows, "Full": len(rows) == listedDebates})
}

// debate shows one: who says what, proposals and sides, phases and criteria, and what it
// came to.
func (d *Dashboard) debate(w http.ResponseWriter, r *http.Request) {
	deb, s, err := d.readDebate(r.Context(), d.archive(r), r.PathValue("id"))
	if errors.Is(err, trimtab.ErrNotFound) {
		d.problem(w, r, http.StatusNotFound, "There is no such debate. It may have been removed.")
		return
	}
	if err != nil {
		d.failed(w, r, err)
		return
	}
	said, left := deb.Table().Said, 0
	if most := saidOnPage; len(said) > most && r.FormValue("all") == "" {
		left = len(said) - most
		said = said[left:]
	}
	var open []*deliberate.Proposal
	for _, p := range deb.Table().Proposals {
		if p.Open() {
			open = append(open, p)
		}
	}
	result := deb.Result()
	d.page(w, r, "debate", map[string]any{
		"Title": s.Title, "Live": "session " + s.ID, "Info": s.Info, "Said": said, "Left": left, "Proposals": open, "Cast": len(deb.Plan().Cast), "Lanes": lanes(deb.Table(), open),
		"Result": result, "Measured": deb.Measure(), "May": result.Ended == "" && d.steers(r, s.Info), "Alive": d.alive(s.Info), "Persons": deliberate.You,
	})
}

// alive reports whether something happened in a session just now.
func (d *Dashboard) alive(s trimtab.Info) bool { return d.opt.Clock().Sub(s.Updated) < insight.Alive }

// untagged is what somebody said without the tag at its beginning, which stands beside the
// name.
func untagged(u deliberate.Utterance) string {
	if len(u.Tags) == 0 {
		return u.Text
	}
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(u.Text), "["+string(u.Tags[0].Kind)+"]"))
}

func lanes(t *deliberate.Table, open []*deliberate.Proposal) []lane {
	all := []lane{}
	for _, p := range append(slices.Clone(t.Cast), deliberate.Persona{ID: deliberate.You, Name: "you"}) {
		l := lane{ID: p.ID, Name: p.Name, Newest: len(t.Said) > 0 && t.Said[len(t.Said)-1].By == p.ID}
		for _, u := range t.Said {
			if u.By == p.ID {
				l.Turns++
			}
		}
		for _, o := range open {
			stand, _ := o.Stand(p.ID)
			l.Stands = append(l.Stands, stand)
		}
		all = append(all, l)
	}
	return all
}

// sayToDebate takes a person's word into a debate, whichever process runs it.
func (d *Dashboard) sayToDebate(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !d.maySteer(w, r, id) {
		return
	}
	deb, _, err := d.readDebate(r.Context(), d.archive(r), id)
	if err != nil {
		d.failed(w, r, err)
		return
	}
	text := strings.TrimSpace(r.FormValue("text"))
	if act := r.FormValue("act"); act != "" {
		text = act
	}
	if _, err := deb.Join(r.Context(), text); err != nil {
		status := http.StatusUnprocessableEntity
		if errors.Is(err, deliberate.ErrEnded) {
			status = http.StatusConflict
		}
		d.problem(w, r, status, "It was not said: "+err.Error()+".")
		return
	}
	d.did(r, "debate.say", id, "")
	http.Redirect(w, r, "/d/"+id+"#newest", http.StatusSeeOther)
}
