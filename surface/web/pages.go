package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/insight"
	"github.com/trimtab/trimtab/surface/person"
)

// What the pages of the dashboard show, for programs. All of it comes in parts: whoever
// wants more asks again, after the last that they were given.

// most is how many are in a part where nobody says, and can be at most.
const (
	usualPart = 100
	mostPart  = 1000
)

func partOf(r *http.Request) int {
	if n, err := strconv.Atoi(r.FormValue("limit")); err == nil && n > 0 {
		return min(n, mostPart)
	}
	return usualPart
}

// cut is a part of a list that is asked for by place, and the place of the next part; 0 is
// the end.
func cut[T any](r *http.Request, all []T) (part []T, next int) {
	from := min(after(r), len(all))
	to := min(from+partOf(r), len(all))
	if to < len(all) {
		next = to
	}
	return append([]T{}, all[from:to]...), next
}

// overview is the newest sessions, with what steers each.
func (a *API) overview(w http.ResponseWriter, r *http.Request) {
	mine, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	rows, next, err := a.opt.Insight.Overview(r.Context(), mine, r.FormValue("after"), min(partOf(r), mostDetailed))
	if err != nil {
		failed(w, err)
		return
	}
	whole := a.opt.Insight.Detail(r.Context(), mine, rows, patience)
	answer(w, map[string]any{"running": !whole, "sessions": append([]insight.Row{}, rows...), "next": next})
}

// mostDetailed is how many sessions are told at once with what steers them: each is read.
const mostDetailed = 50

// patience is how long that is waited for.
const patience = 20 * time.Second

// timeline is a session in order: its turns, with every message of ours at its place.
func (a *API) timeline(w http.ResponseWriter, r *http.Request) {
	mine, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	s, err := mine.Load(r.Context(), r.PathValue("id"))
	if err != nil {
		failed(w, err)
		return
	}
	line, err := a.opt.Insight.Timeline(r.Context(), mine, s)
	if err != nil {
		failed(w, err)
		return
	}
	turns, next := cut(r, line.Turns)
	answer(w, map[string]any{"totals": line.Totals, "turns": turns, "next": next})
}

// effect is what messages came to, in the sessions that whoever asks may see.
func (a *API) effect(w http.ResponseWriter, r *http.Request) {
	mine, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	whose := ""
	if p, ok := person.Of(r.Context()); ok && !p.Role.AtLeast(owned.View) {
		whose = p.User
	}
	e, running, err := a.opt.Insight.Effect(mine, whose)
	if err != nil && !running {
		failed(w, err)
		return
	}
	by := r.FormValue("by")
	if by == "" {
		by = "week"
	}
	rows, ok := e.By(by)
	if !ok {
		fail(w, http.StatusBadRequest, "by: there are week, kind, repository and person")
		return
	}
	part, next := cut(r, rows)
	answer(w, map[string]any{"running": running, "sessions": e.Sessions, "all": e.All, "rows": part, "next": next})
}

// findings are what kept going wrong.
func (a *API) findings(w http.ResponseWriter, r *http.Request) {
	f, running, err := a.opt.Insight.Findings(r.Context(), daysOf(r), a.opt.Improvements.Queue)
	if err != nil && !running {
		failed(w, err)
		return
	}
	part, next := cut(r, f.All)
	answer(w, map[string]any{"running": running, "at": f.At, "sessions": f.Sessions, "hosts": f.Hosts, "findings": part, "next": next})
}

func daysOf(r *http.Request) int {
	if n, err := strconv.Atoi(r.FormValue("days")); err == nil && n > 0 && n <= insight.MaxDays {
		return n
	}
	return 7
}

func (a *API) routePages() {
	a.mux.HandleFunc("GET /trimtab/api/overview", a.overview)
	a.mux.HandleFunc("GET /trimtab/api/sessions/{id}/timeline", a.timeline)
	a.mux.HandleFunc("GET /trimtab/api/effect", a.effect)
	a.mux.HandleFunc("GET /trimtab/api/findings", takes(owned.View, a.findings))
	if a.opt.Improvements.Queue != nil {
		a.routeImprovements()
	}
}

// takes is for what holds evidence of everybody's sessions, or decides for everybody: a
// person needs the role, and whoever has the token of the data folder may do all of it.
func takes(role owned.Role, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := person.Of(r.Context()); ok {
			person.Need(role, next).ServeHTTP(w, r)
			return
		}
		next(w, r)
	}
}
