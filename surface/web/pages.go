package web

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/owned"
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

// improvements lists items, the newest first.
func (a *API) improvements(w http.ResponseWriter, r *http.Request) {
	var names []string
	if s := r.FormValue("state"); s != "" {
		names = []string{s}
	}
	states, err := improve.ParseStates(names)
	if err != nil {
		fail(w, http.StatusBadRequest, "state "+err.Error())
		return
	}
	all, err := a.opt.Improvements.Items(r.Context(), states...)
	if err != nil {
		failed(w, err)
		return
	}
	if last := r.FormValue("after"); last != "" {
		all = all[slices.IndexFunc(all, func(it improve.Item) bool { return it.ID == last })+1:] // one that is gone begins anew
	}
	next := ""
	if n := partOf(r); len(all) > n {
		all, next = all[:n], all[n-1].ID
	}
	answer(w, map[string]any{"items": append([]improve.Item{}, all...), "next": next})
}

func (a *API) improvement(w http.ResponseWriter, r *http.Request) {
	it, err := a.opt.Improvements.Item(r.Context(), r.PathValue("item"))
	if err != nil {
		fail(w, http.StatusNotFound, err.Error())
		return
	}
	answer(w, it)
}

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
	doc, err := export.FromArchive(r.Context(), mine, s)
	if err != nil {
		failed(w, err)
		return
	}
	line := doc.Timeline()
	from := min(after(r), len(line.Turns))
	to := min(from+partOf(r), len(line.Turns))
	next := 0
	if to < len(line.Turns) {
		next = to
	}
	answer(w, map[string]any{"totals": line.Totals, "turns": append([]timeline.Turn{}, line.Turns[from:to]...), "next": next})
}

func (a *API) routePages() {
	a.mux.HandleFunc("GET /trimtab/api/sessions/{id}/timeline", a.timeline)
	if a.opt.Improvements != nil {
		a.mux.HandleFunc("GET /trimtab/api/improvements", viewed(a.improvements))
		a.mux.HandleFunc("GET /trimtab/api/improvements/{item}", viewed(a.improvement))
	}
}

// viewed is for what holds evidence of everybody's sessions: a person needs the role to see
// those, and whoever has the token of the data folder has all of it.
func viewed(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := person.Of(r.Context()); ok {
			person.Need(owned.View, next).ServeHTTP(w, r)
			return
		}
		next(w, r)
	}
}
