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
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessionhtml"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/address"
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
	Improvements Improvements
	Findings     Findings
	Lab          Lab
	Debates      Debates
	Who          func(*http.Request) Person // who is signed in, of whoever lets people in; nil is the owner of this machine, who comes by a link
	Owner        string                     // the name of that owner
	Hosts        []string                   // that requests may name: see package address
	Done         <-chan struct{}            // closed when the server shuts down; nil is never
	Sample       bool                       // what is shown is a sample; the pages say so
	Clock        func() time.Time
}

//go:embed *.html page.css live.js
var files embed.FS

// Dashboard is an http.Handler for its pages.
type Dashboard struct {
	opt      Options
	mux      *http.ServeMux
	pages    *template.Template
	visitors keys

	reflected reflections
	rolled    rollup
	effects   job[Effect]
	compares  comparisons
}

// New returns the pages.
func New(opt Options) (*Dashboard, error) {
	if opt.Service == nil || opt.Archive == nil || opt.Feed == nil {
		return nil, errors.New("dashboard: sessions, a store and its feed are needed")
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	d := &Dashboard{opt: opt, mux: http.NewServeMux(), visitors: newKeys(opt.Clock)}
	var err error
	if d.pages, err = sessionhtml.Templates().Funcs(d.funcs()).ParseFS(files, "*.html"); err != nil {
		return nil, err
	}
	d.mux.HandleFunc("GET /{$}", d.now)
	d.mux.HandleFunc("GET /s/{id}", d.session)
	d.mux.HandleFunc("POST /s/{id}/mode", d.setMode)
	d.mux.HandleFunc("GET /improve", d.board)
	d.mux.HandleFunc("GET /improve/{id}", d.item)
	d.mux.HandleFunc("GET /improve/{id}/paper/{name...}", d.paper)
	d.mux.HandleFunc("POST /improve/{id}/{act}", d.needs(owned.Approve, d.act))
	d.routesOfFindings()
	d.routesOfEffect()
	d.routesOfLab()
	d.routesOfSteering()
	d.routesOfDebates()
	d.mux.HandleFunc("GET /live", d.live)
	d.mux.HandleFunc("GET /assets/{name}", d.asset)
	d.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.problem(w, r, http.StatusNotFound, "There is no such page.")
	})
	return d, nil
}

// Serves reports whether a request is for these pages: an agent's request carries a secret.
func Serves(r *http.Request) bool {
	p := r.URL.Path
	return r.Header.Get(address.Header) == "" && slices.Contains(ours, "/"+first(p))
}

// pages are those of the navigation: path and name.
var pages = [][3]string{{"/", "Now", "now"}, {"/improve", "Improvements", "improve"}, {"/reflect", "Findings", "reflect"}, {"/effect", "Effect", "effect"}, {"/lab", "Workbench", "lab"}, {"/d", "Debates", "debates"}}

// ours are the first parts of the paths of pages.
var ours = []string{"/", "/open", "/live", "/s", "/assets", "/improve", "/reflect", "/effect", "/lab", "/d"}

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
	case r.URL.Path == "/open":
		d.open(w, r)
	case !d.known(r):
		d.problem(w, r, http.StatusUnauthorized, "This page needs a link that works once. Run trimtab open, and it opens a new one.")
	case r.Method != http.MethodGet && !d.meant(r):
		d.problem(w, r, http.StatusForbidden, "The page is too old to do that. Load it again.")
	default:
		d.mux.ServeHTTP(w, r)
	}
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
	switch r.PathValue("name") {
	case "page.css":
		raw, _ := files.ReadFile("page.css") // embedded
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(sessionhtml.Style()))
		_, _ = w.Write(raw)
		raw, _ = labFiles.ReadFile("lab.css")
		_, _ = w.Write(raw)
	case "live.js":
		raw, _ := files.ReadFile("live.js")
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(raw)
	default:
		http.NotFound(w, r)
	}
}

// problem says on a page what is wrong and what to do.
func (d *Dashboard) problem(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = d.pages.ExecuteTemplate(w, "problem", map[string]any{"Text": text, "Sample": d.opt.Sample, "Page": "problem", "Known": d.known(r), "Pages": pages})
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
	out := http.NewResponseController(w)
	at, err := d.opt.Feed.Now(ctx)
	for err == nil && out.Flush() == nil {
		beat, stop := context.WithTimeout(ctx, 20*time.Second)
		err = d.opt.Feed.Wait(beat, at)
		stop()
		if ctx.Err() != nil {
			return
		}
		if beat.Err() != nil && err != nil { // nothing happened
			_, err = io.WriteString(w, ": still here\n\n")
			continue
		}
		if err == nil {
			time.Sleep(gather)
			at, err = d.tell(ctx, w, at)
		}
	}
}

// gather is how long changes are gathered before they are told.
const gather = 250 * time.Millisecond

// tell writes what changed since a cursor.
func (d *Dashboard) tell(ctx context.Context, w io.Writer, at feed.Cursor) (feed.Cursor, error) {
	all, err := d.opt.Feed.Changes(ctx, at, 0)
	told := map[string]bool{}
	for _, c := range all {
		if what := string(c.Kind) + " " + c.ID; !told[what] && err == nil {
			told[what] = true
			_, err = io.WriteString(w, "event: changed\ndata: "+what+"\n\n") // ids have no line breaks
		}
		at = c.Cursor
	}
	return at, err
}
