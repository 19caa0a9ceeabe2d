package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/decide"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/insight"
	"github.com/trimtab/trimtab/surface/person"
)

// Improvement is a request for improvement as the API shows it.
type Improvement struct {
	improve.Item
	Seen string `json:"seen"` // its state, to be given back by whoever decides about it
}

func (a *API) routeImprovements() {
	a.mux.HandleFunc("GET /trimtab/api/improvements", takes(owned.View, a.improvements))
	a.mux.HandleFunc("GET /trimtab/api/improvements/{item}", takes(owned.View, a.improvement))
	a.mux.HandleFunc("GET /trimtab/api/improvements/{item}/preview", takes(owned.View, a.preview))
	a.mux.HandleFunc("GET /trimtab/api/improvements/{item}/impact", takes(owned.View, a.impact))
	a.mux.HandleFunc("GET /trimtab/api/improvements/{item}/change", takes(owned.View, a.change))
	a.mux.HandleFunc("GET /trimtab/api/improvements/{item}/papers/{paper...}", takes(owned.View, a.paper))
	a.mux.HandleFunc("POST /trimtab/api/improvements/{item}/{act}", takes(owned.Approve, a.act))
	a.mux.HandleFunc("POST /trimtab/api/findings/{fingerprint}/improvement", takes(owned.Approve, a.makeImprovement))
	a.mux.HandleFunc("POST /trimtab/api/findings/{fingerprint}/dismiss", takes(owned.Approve, a.dismiss))
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
	all, err := a.opt.Improvements.Queue.Items(r.Context(), states...)
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
	items := make([]Improvement, 0, len(all))
	for _, it := range all {
		items = append(items, Improvement{it, decide.Seen(it)})
	}
	answer(w, map[string]any{"items": items, "next": next})
}

// item is the one that a request names; where there is none, that is answered.
func (a *API) item(w http.ResponseWriter, r *http.Request) (improve.Item, bool) {
	it, err := a.opt.Improvements.Queue.Item(r.Context(), r.PathValue("item"))
	if err != nil {
		failed(w, err)
	}
	return it, err == nil
}

func (a *API) improvement(w http.ResponseWriter, r *http.Request) {
	if it, ok := a.item(w, r); ok {
		answer(w, Improvement{it, decide.Seen(it)})
	}
}

// preview is exactly what would be sent.
func (a *API) preview(w http.ResponseWriter, r *http.Request) {
	it, ok := a.item(w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	all, err := a.opt.Improvements.Preview(ctx, it)
	if err != nil {
		fail(w, http.StatusServiceUnavailable, "it cannot be shown now: "+err.Error())
		return
	}
	answer(w, map[string]any{"outgoing": append([]improve.Outgoing{}, all...)})
}

// change is what was changed, as a patch.
func (a *API) change(w http.ResponseWriter, r *http.Request) {
	it, ok := a.item(w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	answer(w, map[string]any{"patch": a.opt.Improvements.Change(ctx, it)})
}

// impact is what an improvement came to; null until that can be told.
func (a *API) impact(w http.ResponseWriter, r *http.Request) {
	it, ok := a.item(w, r)
	if !ok {
		return
	}
	o, running, ok, err := a.opt.Insight.Outcome(it)
	if err != nil && !running {
		failed(w, err)
		return
	}
	answer(w, map[string]any{"running": running, "impact": orNull(o, ok)})
}

// orNull is a value, or null.
func orNull[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

// paper is what a step left.
func (a *API) paper(w http.ResponseWriter, r *http.Request) {
	it, ok := a.item(w, r)
	if !ok {
		return
	}
	text, err := a.opt.Improvements.Paper(it, r.PathValue("paper"))
	if err != nil {
		fail(w, http.StatusNotFound, "this paper is not on this machine, or not of this improvement")
		return
	}
	answer(w, map[string]any{"text": text})
}

// who is whoever decides: a person, or the owner, who has the token.
func (a *API) who(r *http.Request) person.Person {
	if p, ok := person.Of(r.Context()); ok {
		return p
	}
	return person.Person{User: a.opt.Owner, Role: owned.Approve, By: "token"}
}

// act does what somebody decided, unless the item is in another state than they were shown.
func (a *API) act(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Text string `json:"text"`
		Seen string `json:"seen"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&in); err != nil && !errors.Is(err, io.EOF) {
		fail(w, http.StatusBadRequest, "the body is not {\"seen\": \"…\", \"text\": \"…\"}: "+err.Error())
		return
	}
	id, name, p := r.PathValue("item"), r.PathValue("act"), a.who(r)
	if name != "comment" && in.Seen == "" {
		fail(w, http.StatusBadRequest, "give what you were shown: seen, as GET /trimtab/api/improvements/"+id+" has it")
		return
	}
	it, err := decide.Do(r.Context(), a.opt.Improvements.Queue, id, decide.Act{Name: name, By: p.User, Text: in.Text, Seen: in.Seen, At: a.opt.Clock()})
	var stale *decide.Stale
	switch {
	case errors.As(err, &stale):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": err.Error(), "improvement": Improvement{stale.Item, decide.Seen(stale.Item)}})
		return
	case errors.Is(err, improve.ErrNoItem):
		failed(w, err)
		return
	case errors.Is(err, decide.ErrNoAct):
		fail(w, http.StatusNotFound, err.Error())
		return
	case err != nil:
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	if a.opt.Did != nil {
		a.opt.Did(r.Context(), p, "improve."+name, id, "")
	}
	if a.opt.Improvements.Decided != nil && name != "comment" {
		a.opt.Improvements.Decided(it)
	}
	answer(w, Improvement{it, decide.Seen(it)})
}

// dismiss keeps that somebody found a finding not useful, or takes that back.
func (a *API) dismiss(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Why  string `json:"why"`
		Back bool   `json:"back"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&in); err != nil && !errors.Is(err, io.EOF) {
		fail(w, http.StatusBadRequest, "the body is not {\"why\": \"…\", \"back\": false}: "+err.Error())
		return
	}
	p := a.who(r)
	d, what := improve.Dismissal{Fingerprint: r.PathValue("fingerprint"), By: p.User, At: a.opt.Clock().UTC(), Why: in.Why}, "reflect.dismiss"
	if in.Back {
		what = "reflect.takeback"
	}
	switch err := a.opt.Insight.Dismiss(r.Context(), daysOf(r), d, in.Back); {
	case errors.Is(err, insight.ErrNoDismiss), errors.Is(err, insight.ErrNoFinding):
		fail(w, http.StatusNotFound, err.Error())
	case err != nil:
		fail(w, http.StatusUnprocessableEntity, err.Error())
	default:
		if a.opt.Did != nil {
			a.opt.Did(r.Context(), p, what, d.Fingerprint, d.Why)
		}
		answer(w, d)
	}
}

// makeImprovement makes one of a finding, which then waits for approval.
func (a *API) makeImprovement(w http.ResponseWriter, r *http.Request) {
	it, err := a.opt.Insight.Make(r.Context(), daysOf(r), r.PathValue("fingerprint"))
	switch {
	case errors.Is(err, insight.ErrNoMake), errors.Is(err, insight.ErrNoFinding):
		fail(w, http.StatusNotFound, err.Error())
	case err != nil:
		fail(w, http.StatusUnprocessableEntity, err.Error())
	default:
		if a.opt.Did != nil {
			a.opt.Did(r.Context(), a.who(r), "improve.make", it.ID, "")
		}
		answer(w, Improvement{it, decide.Seen(it)})
	}
}
