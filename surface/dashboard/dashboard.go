// Package dashboard shows in a browser what steers which session, why, at what price and
// whether it was heeded, and lets a person steer from there. Pages are made on the server;
// a small script of ours asks for them again when something happened.
//
// Nobody comes in without a link: Link makes one that works once and for a short while, and
// gives the browser a cookie. Text of models and tools never becomes markup; pages load
// nothing from elsewhere. It stores nothing.
//
//	d, err := dashboard.New(dashboard.Options{Service: sessions, Archive: store, Hosts: hosts})
//	fmt.Println("http://" + address + d.Link())
package dashboard

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessionhtml"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/improvement"
	"github.com/trimtab/trimtab/surface/insight"
	"github.com/trimtab/trimtab/surface/person"
)

// Service is the part of session.Service that pages show and steer.
type Service interface {
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
	Engine() *trimtab.Engine
}

// Mode is one that a person may choose.
type Mode struct{ ID, Name string }

// Options are what the pages are made of.
type Options struct {
	Service      Service
	Archive      trimtab.Archive
	Feed         feed.Source // what any process changes in the store
	Modes        []Mode
	Improvements improvement.Source
	Insight      *insight.Teller // nil tells what it can of the sessions alone
	Lab          Lab
	Debates      Debates
	Owner        string          // of this machine, who comes by a link where neither Who nor Key is set
	Hosts        []string        // that requests may name: see package address
	Done         <-chan struct{} // closed when the server shuts down; nil is never
	Sample       bool            // what is shown is a sample; the pages say so
	Clock        func() time.Time

	// Of a team. Archive is then everybody's, and each person sees their part of it.
	Who     func(*http.Request) (person.Person, bool)                            // who is signed in
	Key     func(ctx context.Context, secret string) (person.Person, bool)       // whose a key is that somebody types
	SignIn  string                                                               // path at which people sign in with their provider; "" is none
	SignOut string                                                               // path to which a form signs them out
	Secret  []byte                                                               // seals cookies and signs forms: see the function Secret; nil is one of this process
	Secure  bool                                                                 // browsers come by TLS, if only to a proxy
	Did     func(ctx context.Context, p person.Person, what, about, more string) // hears of what people do; may be nil
}

//go:embed *.html *.css *.js
var files embed.FS

// Dashboard is an http.Handler for its pages.
type Dashboard struct {
	opt      Options
	mux      *http.ServeMux
	pages    *template.Template
	visitors keys
}

// New returns the pages.
func New(opt Options) (*Dashboard, error) {
	if opt.Service == nil || opt.Archive == nil || opt.Feed == nil {
		return nil, errors.New("dashboard: sessions, a store and its feed are needed")
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Insight == nil {
		opt.Insight = insight.New(insight.Options{Engine: opt.Service.Engine(), Clock: opt.Clock, Done: opt.Done})
	}
	opt.Lab = opt.Lab.Comparing(opt.Done)
	d := &Dashboard{opt: opt, mux: http.NewServeMux(), visitors: newKeys(opt.Clock, opt.Secret)}
	var err error
	if d.pages, err = sessionhtml.Templates().Funcs(d.funcs()).ParseFS(files, "*.html"); err != nil {
		return nil, err
	}
	d.mux.HandleFunc("GET /{$}", d.now)
	d.mux.HandleFunc("GET /s/{id}", d.session)
	d.mux.HandleFunc("POST /s/{id}/mode", d.setMode)
	d.mux.HandleFunc("POST /leave", d.leave)
	d.mux.HandleFunc("GET /improve", d.needs(owned.View, d.board)) // with what was seen in everybody's sessions
	d.mux.HandleFunc("GET /improve/{id}", d.needs(owned.View, d.item))
	d.mux.HandleFunc("GET /improve/{id}/paper/{name...}", d.needs(owned.View, d.paper))
	d.mux.HandleFunc("POST /improve/{id}/{act}", d.needs(owned.Approve, d.act))
	d.routesOfFindings()
	d.routesOfEffect()
	d.routesOfLab()
	d.routesOfSteering()
	d.routesOfDebates()
	d.mux.HandleFunc("GET /live", d.live)
	d.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.problem(w, r, http.StatusNotFound, "There is no such page.")
	})
	return d, nil
}

// Serves reports whether a request is for these pages: an agent's request carries a secret
// or a key.
func Serves(r *http.Request) bool {
	for _, name := range []string{address.Header, "Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return slices.Contains(ours, "/"+first(r.URL.Path))
}

// pages are those of the navigation: path, name, and what the page calls itself.
var pages = [][3]string{{"/", "Now", "now"}, {"/improve", "Improvements", "improve"}, {"/reflect", "Findings", "reflect"}, {"/effect", "Effect", "effect"}, {"/lab", "Workbench", "lab"}, {"/d", "Debates", "debates"}}

// sections are the pages of the navigation that other pages belong to.
var sections = map[string]string{"session": "now", "improvement": "improve", "paper": "improve", "compare": "lab", "debate": "debates"}

// everybodys are the pages that show what was seen in the sessions of all.
var everybodys = []string{"/improve", "/reflect"}

// ours are the first parts of the paths of pages.
var ours = []string{"/", "/open", "/enter", "/leave", "/live", "/s", "/assets", "/improve", "/reflect", "/effect", "/lab", "/d"}

func first(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return name
}

// ServeHTTP checks host, origin and cookie before anything else.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer a browser names no origin when it sends a form
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	switch {
	case !address.AllowedHost(d.opt.Hosts, r), !address.AllowedOrigin(d.opt.Hosts, r):
		http.Error(w, "this host name or origin is not served here", http.StatusForbidden)
	case r.URL.Path == "/open" && !d.team():
		d.open(w, r)
	case first(r.URL.Path) == "assets": // also for the page that says how to come in
		d.asset(w, r)
	case r.URL.Path == "/enter" && r.Method == http.MethodPost && d.team():
		d.enter(w, r)
	default:
		d.pass(w, r)
	}
}

// pass lets those who are known to the pages.
func (d *Dashboard) pass(w http.ResponseWriter, r *http.Request) {
	p, ok := d.enters(r)
	if !ok {
		d.unknown(w, r, "")
		return
	}
	r = r.WithContext(person.With(r.Context(), p))
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !d.meant(r) {
		d.problem(w, r, http.StatusForbidden, "The page is too old to do that. Load it again.")
		return
	}
	d.mux.ServeHTTP(w, r)
}

// open trades a link for a cookie.
func (d *Dashboard) open(w http.ResponseWriter, r *http.Request) {
	cookie, ok := d.visitors.trade(r.FormValue("ticket"))
	if !ok {
		d.problem(w, r, http.StatusUnauthorized, "This link was used before or is too old. Run trimtab open, and it opens a new one.")
		return
	}
	cookie.Secure = r.TLS != nil
	http.SetCookie(w, cookie)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// Link is the path of a link that works once, within two minutes.
func (d *Dashboard) Link() string { return "/open?ticket=" + d.visitors.ticket() }

func (d *Dashboard) asset(w http.ResponseWriter, r *http.Request) {
	switch strings.TrimPrefix(r.URL.Path, "/assets/") {
	case "page.css":
		raw, _ := files.ReadFile("page.css") // embedded
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(sessionhtml.Style()))
		_, _ = w.Write(raw)
		raw, _ = files.ReadFile("lab.css")
		_, _ = w.Write(raw)
	case "live.js", "lab.js":
		raw, _ := files.ReadFile(path.Base(r.URL.Path))
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(raw)
	default:
		http.NotFound(w, r)
	}
}

// problem says on a page what is wrong and what to do.
func (d *Dashboard) problem(w http.ResponseWriter, r *http.Request, status int, text string) {
	d.write(w, r, status, "problem", map[string]any{"Text": text, "Page": "problem"})
}

// live tells a page that something happened: it asks for itself again. Many changes in a
// moment are told as one.
func (d *Dashboard) live(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-d.opt.Done:
			cancel()
		case <-ctx.Done():
		}
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	follow(ctx, w, d.feed(r), func() bool { _, ok := d.enters(r); return ok })
}

// follow writes what changes until the context ends, nobody reads, or whoever reads may not. While the store is away
// it says so and asks again: a stream that ended would only come back to the same.
func follow(ctx context.Context, w http.ResponseWriter, source feed.Source, known func() bool) {
	out := http.NewResponseController(w)
	for ctx.Err() == nil {
		at, err := source.Now(ctx)
		said := "event: ready\ndata: -\n\n"
		if err != nil {
			said = "event: away\ndata: -\n\n"
		}
		for {
			if !known() { // their key was revoked, or their visit is over
				return
			}
			if _, failed := io.WriteString(w, said); failed != nil || out.Flush() != nil {
				return
			}
			if err != nil {
				break
			}
			at, said, err = next(ctx, source, at)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// next waits for changes and is what to say of them.
func next(ctx context.Context, source feed.Source, at feed.Cursor) (feed.Cursor, string, error) {
	beat, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	if err := source.Wait(beat, at); err != nil {
		if beat.Err() != nil && ctx.Err() == nil { // nothing happened
			return at, ": still here\n\n", nil
		}
		return at, "event: away\ndata: -\n\n", err
	}
	time.Sleep(gather)
	all, err := source.Changes(ctx, at, 0)
	if err != nil {
		return at, "event: away\ndata: -\n\n", err
	}
	var b strings.Builder
	told := map[string]bool{}
	for _, c := range all {
		if what := string(c.Kind) + " " + c.ID; !told[what] {
			told[what] = true
			b.WriteString("event: changed\ndata: " + what + "\n\n") // ids have no line breaks
		}
		at = c.Cursor
	}
	return at, b.String(), nil
}

// gather is how long changes are gathered before they are told.
const gather = 250 * time.Millisecond
