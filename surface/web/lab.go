package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/replay/judge"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/person"
)

// What people think of messages, and debates. Muting and pausing a session are commands of
// its own: mute and unmute.

// routeLab adds the paths.
func (a *API) routeLab() {
	if a.opt.Labels != "" {
		a.mux.HandleFunc("GET /trimtab/api/labels", a.labels)
		a.mux.HandleFunc("POST /trimtab/api/sessions/{id}/labels", a.label)
	}
	if a.opt.Compares != nil {
		a.mux.HandleFunc("GET /trimtab/api/comparison", a.comparison)
		a.mux.HandleFunc("POST /trimtab/api/comparison", a.compare)
		a.mux.HandleFunc("POST /trimtab/api/comparison/stop", a.stopComparing)
	}
	if a.opt.Debates != nil {
		a.mux.HandleFunc("GET /trimtab/api/debates", a.debates)
		a.mux.HandleFunc("GET /trimtab/api/debates/{debate}", a.debate)
		a.mux.HandleFunc("POST /trimtab/api/debates/{debate}/say", a.say)
	}
}

// comparison is the newest that whoever asks began, on a page or here, and the settings that
// can be changed.
func (a *API) comparison(w http.ResponseWriter, r *http.Request) {
	k, ok := a.opt.Compares.Of(a.who(r).User)
	answer(w, map[string]any{"comparison": orNull(k, ok), "settings": a.opt.Compares.Settings()})
}

// compare begins one over the sessions that whoever asks may see.
func (a *API) compare(w http.ResponseWriter, r *http.Request) {
	var in struct {
		First    []string `json:"first"`
		Second   []string `json:"second"`
		Sessions int      `json:"sessions"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&in); err != nil && !errors.Is(err, io.EOF) {
		fail(w, http.StatusBadRequest, "the body is not {\"first\": […], \"second\": [\"guard.enabled=false\"], \"sessions\": 20}: "+err.Error())
		return
	}
	from, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	switch err := a.opt.Compares.Begin(r.Context(), a.who(r).User, from, in.First, in.Second, in.Sessions); {
	case errors.Is(err, judge.ErrBusy):
		fail(w, http.StatusTooManyRequests, err.Error())
	case errors.Is(err, judge.ErrLabels):
		fail(w, http.StatusServiceUnavailable, err.Error())
	case err != nil:
		fail(w, http.StatusUnprocessableEntity, err.Error())
	default:
		a.comparison(w, r)
	}
}

// stopComparing ends one. What was found until then stays.
func (a *API) stopComparing(w http.ResponseWriter, r *http.Request) {
	a.opt.Compares.Stop(a.who(r).User)
	a.comparison(w, r)
}

// labels lists what people think of messages, a session at a time, and how often each kind
// was right.
func (a *API) labels(w http.ResponseWriter, r *http.Request) {
	known, err := judge.ReadIfThere(a.opt.Labels)
	if err != nil {
		failed(w, err)
		return
	}
	mine, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	if _, isPerson := person.Of(r.Context()); isPerson {
		for id := range known {
			if _, err := mine.Load(r.Context(), id); err != nil { // another's, or gone
				delete(known, id)
			}
		}
	}
	all := []judge.SessionLabels{}
	for _, l := range known {
		if l.ID > r.FormValue("after") {
			all = append(all, *l)
		}
	}
	slices.SortFunc(all, func(a, b judge.SessionLabels) int { return strings.Compare(a.ID, b.ID) })
	next := ""
	if n := partOf(r); len(all) > n {
		all, next = all[:n], all[n-1].ID
	}
	answer(w, map[string]any{"kinds": append([]judge.Precision{}, judge.ByKind(known)...), "sessions": all, "next": next})
}

// label keeps what somebody thinks of a message of a session.
func (a *API) label(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Step    int           `json:"step"`
		By      string        `json:"by"`
		Slot    string        `json:"slot"`
		Verdict judge.Verdict `json:"verdict"`
		Why     string        `json:"why"`
	}
	if !body(w, r, &in) {
		return
	}
	id := r.PathValue("id")
	if err := a.may(r, id, owned.Steer); err != nil {
		failed(w, err)
		return
	}
	s, err := a.opt.Service.Session(r.Context(), id)
	if err != nil {
		failed(w, err)
		return
	}
	if in.By == "" || in.Step < 0 || in.Step > s.Step {
		fail(w, http.StatusUnprocessableEntity, "name the message by its step and who made it, as the timeline does")
		return
	}
	l, err := judge.NewLabel(in.Step, trimtab.Clip(in.By, 100), trimtab.Clip(in.Slot, 100), "", in.Verdict, in.Why)
	if err == nil {
		err = judge.Keep(a.opt.Labels, id, s.Step, l)
	}
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	answer(w, l)
}

// body reads what was sent.
func body(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(into); err != nil {
		fail(w, http.StatusBadRequest, "the body is not what the contract says: "+err.Error())
		return false
	}
	return true
}

// debates lists the debates of which whoever asks may know, the newest first.
func (a *API) debates(w http.ResponseWriter, r *http.Request) {
	mine, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	all, next, behind := []trimtab.Info{}, "", r.FormValue("after") == ""
	for info, err := range mine.List(r.Context(), trimtab.Query{Host: deliberate.Host}) {
		if err != nil {
			failed(w, err)
			return
		}
		if info.Parent != "" || !behind { // what was looked up for one; or of a part before
			behind = behind || info.ID == r.FormValue("after")
			continue
		}
		if len(all) == partOf(r) {
			next = all[len(all)-1].ID
			break
		}
		all = append(all, info)
	}
	answer(w, map[string]any{"debates": all, "next": next})
}

// read reads a debate that whoever asks may see.
func (a *API) read(r *http.Request) (*deliberate.Debate, error) {
	mine, _, err := a.part(r.Context())
	if err != nil {
		return nil, err
	}
	s, err := mine.Load(r.Context(), r.PathValue("debate"))
	if err != nil {
		return nil, err
	}
	return deliberate.Read(r.Context(), a.opt.Service, mine, a.opt.Debates, s)
}

// debate is one as it stands: what it came to so far, and a part of what was said.
func (a *API) debate(w http.ResponseWriter, r *http.Request) {
	d, err := a.read(r)
	if err != nil {
		failed(w, err)
		return
	}
	said, next := []deliberate.Utterance{}, 0
	for _, u := range d.Table().Said {
		if u.Seq <= after(r) {
			continue
		}
		if len(said) == partOf(r) {
			next = said[len(said)-1].Seq
			break
		}
		said = append(said, u)
	}
	answer(w, map[string]any{"result": d.Result(), "proposals": append([]*deliberate.Proposal{}, d.Table().Proposals...), "said": said, "next": next})
}

// say takes a person's word into a debate.
func (a *API) say(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Text string `json:"text"`
	}
	if !body(w, r, &in) {
		return
	}
	if err := a.may(r, r.PathValue("debate"), owned.Steer); err != nil {
		failed(w, err)
		return
	}
	d, err := a.read(r)
	if err != nil {
		failed(w, err)
		return
	}
	told, err := d.Join(r.Context(), in.Text)
	switch {
	case errors.Is(err, deliberate.ErrEnded):
		fail(w, http.StatusConflict, err.Error())
	case err != nil:
		fail(w, http.StatusUnprocessableEntity, err.Error())
	default:
		if p, ok := person.Of(r.Context()); ok && a.opt.Did != nil {
			a.opt.Did(r.Context(), p, "debate.say", r.PathValue("debate"), "")
		}
		answer(w, map[string]string{"text": told})
	}
}
