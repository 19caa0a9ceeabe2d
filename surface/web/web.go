// Package web is the management API: sessions, their journals and commands, and
// what happens live. It is thin: it decodes, asks the service or the archive, and
// encodes. It never serves without the token, and never to another host name or
// origin than its own.
//
//	api, err := web.New(web.Options{Service: sessions, Archive: store, Feed: store, Token: token, Hosts: hosts})
//	mux.Handle("/trimtab/", api)
//
// The contract is at /trimtab/api/openapi.json.
package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/replay/judge"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/improvement"
	"github.com/trimtab/trimtab/surface/insight"
	"github.com/trimtab/trimtab/surface/person"
)

// Service is the part of session.Service that the API goes through.
type Service interface {
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
	Session(ctx context.Context, id string) (trimtab.Session, error)
	Engine() *trimtab.Engine
}

// Options are what the API is made of.
type Options struct {
	Service  Service
	Archive  trimtab.Archive
	Everyone trimtab.Archive // of which people see their part; nil is Archive
	// Who finds those who come without the token, with a key or a sign-in of their own; nil
	// finds nobody. They see what is theirs, and what their role allows.
	Who          func(*http.Request) (person.Person, bool)
	Feed         feed.Source        // of the archive
	Improvements improvement.Source // none without a queue
	Insight      *insight.Teller    // nil tells what it can of the sessions alone
	Owner        string             // who decides with the token
	Clock        func() time.Time
	Token        string                                                               // at least 32 characters
	Hosts        []string                                                             // host:port that requests may name
	Did          func(ctx context.Context, p person.Person, what, about, more string) // hears of commands that people give; may be nil
	Labels       string                                                               // file that labels go to, as trimtab judge has it; "" keeps none
	Compares     *judge.Comparisons                                                   // of two policies; nil compares none
	Debates      deliberate.Goal                                                      // what debates are held by; nil shows none
	Policy       string                                                               // file with the settings that clients are to have; "" is none
	Done         <-chan struct{}                                                      // closed when the server shuts down: event streams end; nil is never
}

// API is an http.Handler for /trimtab/api/.
type API struct {
	opt   Options
	mux   *http.ServeMux
	known func(*http.Request) bool
}

//go:embed openapi.json
var contract []byte

// New returns the API.
func New(opt Options) (*API, error) {
	if len(opt.Token) < 32 {
		return nil, errors.New("web: the token is too short")
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Insight == nil && opt.Service != nil {
		opt.Insight = insight.New(insight.Options{Engine: opt.Service.Engine(), Clock: opt.Clock, Done: opt.Done})
	}
	a := &API{opt: opt, mux: http.NewServeMux(), known: address.Bearer(opt.Token)}
	a.mux.HandleFunc("GET /trimtab/api/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(contract)
	})
	a.mux.HandleFunc("GET /trimtab/api/sessions", a.list)
	a.mux.HandleFunc("GET /trimtab/api/sessions/{id}", a.session)
	a.mux.HandleFunc("GET /trimtab/api/sessions/{id}/messages", a.messages)
	a.mux.HandleFunc("GET /trimtab/api/sessions/{id}/journal", a.journal)
	a.routePages()
	a.routeLab()
	a.mux.HandleFunc("GET /trimtab/api/commands", a.commands)
	a.mux.HandleFunc("POST /trimtab/api/sessions/{id}/commands/{name}", a.command)
	a.mux.HandleFunc("GET /trimtab/api/changes", a.changes)
	a.mux.HandleFunc("GET /trimtab/api/events", a.events)
	a.mux.HandleFunc("GET /trimtab/api/policy", a.policy)
	a.mux.HandleFunc("/trimtab/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "no such path; the contract is at /trimtab/api/openapi.json")
	})
	return a, nil
}

// ServeHTTP checks host, origin and token before anything else.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	switch {
	case !address.AllowedHost(a.opt.Hosts, r):
		fail(w, http.StatusForbidden, "this host name is not served here")
	case !address.AllowedOrigin(a.opt.Hosts, r):
		fail(w, http.StatusForbidden, "this origin may not come here")
	case a.known(r):
		a.mux.ServeHTTP(w, r)
	default:
		p, ok := person.Of(r.Context()) // signed in
		if !ok && a.opt.Who != nil {
			p, ok = a.opt.Who(r)
		}
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			fail(w, http.StatusUnauthorized, "give the token of the data folder or a key of your own: Authorization: Bearer …")
			return
		}
		a.mux.ServeHTTP(w, r.WithContext(person.With(r.Context(), p)))
	}
}

// part is what whoever asks may see: all of it with the token, else a person's part.
func (a *API) part(ctx context.Context) (trimtab.Archive, feed.Source, error) {
	p, ok := person.Of(ctx)
	if !ok {
		return a.opt.Archive, a.opt.Feed, nil
	}
	all := a.opt.Everyone
	if all == nil {
		all = a.opt.Archive
	}
	mine, err := p.Part(all)
	if err != nil {
		return nil, nil, err
	}
	return mine, mine.Feed(a.opt.Feed), nil
}

// may says why whoever asks may not do something with a session.
func (a *API) may(r *http.Request, id string, need owned.Role) error {
	p, ok := person.Of(r.Context())
	if !ok {
		return nil
	}
	s, err := a.opt.Archive.Load(r.Context(), id)
	if err != nil {
		return err
	}
	return p.May(s.Info, need)
}

func (a *API) list(w http.ResponseWriter, r *http.Request) {
	q, limit := trimtab.Query{Project: r.FormValue("project"), Host: r.FormValue("host")}, 100
	if n, err := strconv.Atoi(r.FormValue("limit")); err == nil && n > 0 && n <= 10_000 {
		limit = n
	}
	last := r.FormValue("after")
	if last == "" {
		q.Limit = limit
	}
	found := []trimtab.Info{}
	archive, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	for info, err := range archive.List(r.Context(), q) {
		if err != nil {
			failed(w, err)
			return
		}
		if last != "" { // what comes until there was told before
			if info.ID == last {
				last = ""
			}
			continue
		}
		if found = append(found, info); len(found) == limit {
			break
		}
	}
	answer(w, found)
}

// Session is a session as the API shows it.
type Session struct {
	trimtab.Info
	Step   int              `json:"step"`
	Status []trimtab.Status `json:"status"`
	Todos  []trimtab.Todo   `json:"todos"`
	Notes  []trimtab.Note   `json:"notes"`
	Meter  trimtab.Meter    `json:"meter"`
}

func (a *API) session(w http.ResponseWriter, r *http.Request) {
	s, err := a.opt.Service.Session(r.Context(), r.PathValue("id"))
	if err == nil {
		err = a.may(r, s.ID, owned.View)
	}
	if err != nil {
		failed(w, err)
		return
	}
	answer(w, Session{s.Info, s.Step, append([]trimtab.Status{}, a.opt.Service.Engine().Status(s)...), append([]trimtab.Todo{}, s.Todos...), append([]trimtab.Note{}, s.Notes...), s.Meter})
}

func (a *API) messages(w http.ResponseWriter, r *http.Request) {
	all := []trimtab.Message{}
	archive, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	for m, err := range archive.Messages(r.Context(), r.PathValue("id"), after(r)) {
		if err != nil {
			failed(w, err)
			return
		}
		if all = append(all, m); len(all) == limit(r) {
			break
		}
	}
	answer(w, all)
}

func (a *API) journal(w http.ResponseWriter, r *http.Request) {
	all := []trimtab.Entry{}
	archive, _, err := a.part(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	for e, err := range archive.Journal(r.Context(), r.PathValue("id"), after(r)) {
		if err != nil {
			failed(w, err)
			return
		}
		if all = append(all, e); len(all) == limit(r) {
			break
		}
	}
	answer(w, all)
}

// limit is how many messages or entries are asked for; 0 is all.
func limit(r *http.Request) int {
	n, err := strconv.Atoi(r.FormValue("limit"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func after(r *http.Request) int {
	n, err := strconv.Atoi(r.FormValue("after"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (a *API) commands(w http.ResponseWriter, _ *http.Request) {
	answer(w, a.opt.Service.Engine().Commands())
}

// command gives a command. The body is {"args": […]} or empty.
func (a *API) command(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Args []string `json:"args"`
	}
	body := http.MaxBytesReader(w, r.Body, 64<<10)
	if err := json.NewDecoder(body).Decode(&in); err != nil && r.ContentLength != 0 {
		fail(w, http.StatusBadRequest, "the body is not {\"args\": […]}: "+err.Error())
		return
	}
	if err := a.may(r, r.PathValue("id"), owned.Steer); err != nil {
		failed(w, err)
		return
	}
	_, out, err := a.opt.Service.Handle(r.Context(), r.PathValue("id"), trimtab.Asked{Command: r.PathValue("name"), Args: in.Args, Away: true})
	if err != nil {
		failed(w, err)
		return
	}
	reply, err := out.Reply()
	if err != nil {
		failed(w, err)
		return
	}
	if p, ok := person.Of(r.Context()); ok && a.opt.Did != nil {
		a.opt.Did(r.Context(), p, "session.command", r.PathValue("id"), r.PathValue("name"))
	}
	if reply.Failed {
		fail(w, http.StatusUnprocessableEntity, reply.Text)
		return
	}
	answer(w, reply)
}

// policy hands out the settings that clients are to have, as the file is now.
func (a *API) policy(w http.ResponseWriter, _ *http.Request) {
	if a.opt.Policy == "" {
		fail(w, http.StatusNotFound, "this gateway serves no policy (serve.policy)")
		return
	}
	raw, err := os.ReadFile(a.opt.Policy)
	if err != nil {
		fail(w, http.StatusServiceUnavailable, "the policy cannot be read now; ask who runs the gateway")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

// failed maps an error to a status.
func failed(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, trimtab.ErrNotFound), errors.Is(err, improve.ErrNoItem):
		status = http.StatusNotFound
	case errors.Is(err, owned.ErrForbidden):
		status = http.StatusForbidden
	case errors.Is(err, trimtab.ErrBadID), errors.Is(err, feed.ErrCursor):
		status = http.StatusBadRequest
	case errors.Is(err, trimtab.ErrConflict):
		status = http.StatusConflict
	}
	fail(w, status, err.Error())
}

func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
}
