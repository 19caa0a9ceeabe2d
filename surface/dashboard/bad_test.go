package dashboard_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/sqlite"
)

// disk is a database file that can be closed under the pages, and opened again.
type disk struct {
	file string
	at   atomic.Pointer[sqlite.Store]
}

func (d *disk) open(t *testing.T) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), d.file, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	d.at.Store(st)
	t.Cleanup(func() { _ = st.Close() })
}

func (d *disk) Load(ctx context.Context, id string) (trimtab.Session, error) {
	return d.at.Load().Load(ctx, id)
}

func (d *disk) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	return d.at.Load().Commit(ctx, c)
}

func (d *disk) List(ctx context.Context, q trimtab.Query) iter.Seq2[trimtab.Info, error] {
	return d.at.Load().List(ctx, q)
}

func (d *disk) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	return d.at.Load().Messages(ctx, id, after)
}

func (d *disk) Journal(ctx context.Context, id string, after int) iter.Seq2[trimtab.Entry, error] {
	return d.at.Load().Journal(ctx, id, after)
}

func (d *disk) Remove(ctx context.Context, id string) error  { return d.at.Load().Remove(ctx, id) }
func (d *disk) Now(ctx context.Context) (feed.Cursor, error) { return d.at.Load().Now(ctx) }
func (d *disk) Wait(ctx context.Context, after feed.Cursor) error {
	return d.at.Load().Wait(ctx, after)
}

func (d *disk) Changes(ctx context.Context, after feed.Cursor, limit int) ([]feed.Change, error) {
	return d.at.Load().Changes(ctx, after, limit)
}

func (d *disk) Entries(ctx context.Context, id string, after feed.Cursor) iter.Seq2[trimtab.Entry, error] {
	return d.at.Load().Entries(ctx, id, after)
}

// stored is a site on a database file.
func stored(t *testing.T) (*site, *disk) {
	t.Helper()
	s := open(t)
	d := &disk{file: filepath.Join(t.TempDir(), "trimtab.db")}
	d.open(t)
	st := trimtab.NewSession("kept", noon)
	st.Info = trimtab.Info{ID: "kept", Title: "What is on the disk", Created: noon, Updated: noon}
	if _, err := d.Commit(t.Context(), trimtab.Commit{Session: st}); err != nil {
		t.Fatal(err)
	}
	s.opt.Archive, s.opt.Feed = d, d
	s.opt.Service = session.New(s.opt.Service.Engine(), d, session.Options{})
	return s.reload(), d
}

// Bad input of the issue: the store goes away while a page is open. What was shown stays,
// the page says what is wrong, and goes on by itself when the store is back.
func TestTheStoreGoesAwayAndComesBack(t *testing.T) {
	s, d := stored(t)
	w := s.window()
	w.until(`document.getElementById("live").textContent === "live"`)
	if err := d.at.Load().Close(); err != nil {
		t.Fatal(err)
	}
	w.until(`document.getElementById("live").textContent.includes("the store does not answer")`)
	if !strings.Contains(w.Text(), "What is on the disk") {
		t.Errorf("what was shown is gone: %s", w.Text())
	}
	for _, path := range []string{"/", "/s/kept"} {
		if status, text := s.in0().get(path); status != 503 || !strings.Contains(text, "The store does not answer") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	d.open(t)
	w.until(`document.getElementById("live").textContent === "live"`)
	if _, _, err := s.opt.Service.Handle(t.Context(), "kept", trimtab.Said{Message: trimtab.Prompt("it is back")}); err != nil {
		t.Fatal(err)
	}
	w.open("/s/kept")
	w.Says("it is back")
	w.calm()
}

// in0 lets somebody in who sees nothing yet.
func (s *site) in0() *site {
	s.Helper()
	mine := *s
	mine.browser = newBrowser(s.T)
	mine.get(s.Link())
	return &mine
}

// Bad input of the issue: a page that knows nothing of what was decided meanwhile approves.
func TestAStalePageInABrowserDecidesNothing(t *testing.T) {
	s := filled(t)
	w := s.window()
	w.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument("window.EventSource = class { addEventListener() {} }").Do(cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Target))
		return err
	}))
	w.open("/improve/" + waiting)
	if _, err := s.store.Queue().Change(t.Context(), waiting, 0, func(it *improve.Item) error {
		it.State, it.Why = improve.Rejected, "bob was faster"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w.do(chromedp.Click(`form[action$="/approve"] button`))
	w.Says("This was decided meanwhile: it is now “rejected”")
	if it := s.item(waiting); it.State != improve.Rejected || it.Approved != nil {
		t.Errorf("%+v", it)
	}
}

// Bad input of the issue: a page of another origin sends forms and asks for pages, in the
// browser of somebody who is known. Another port is the same site, so the cookie comes along.
func TestV5_AForeignOriginInABrowser(t *testing.T) {
	s := filled(t)
	w := s.window()
	w.do(chromedp.Evaluate(`fetch("/improve/`+waiting+`").then((r) => r.text()).then((t) => window.t = t.match(/name="token" value="(\w+)"/)[1]) && ""`, nil))
	w.until(`window.t`)
	token := eval[string](w, `window.t`)
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(out, fmt.Sprintf(`<body id="content"><form method="post" action="%[1]s/improve/%[2]s/approve"><input name="token" value="%[3]s"><input name="seen" value="awaiting_approval/1"><button>win</button></form><iframe src="%[1]s/"></iframe>
<script>fetch("%[1]s/improve/%[2]s/approve", {method: "POST", mode: "no-cors", credentials: "include", headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: "token=%[3]s&seen=awaiting_approval/1"}).finally(() => fetch("%[1]s/", {credentials: "include"}).then((r) => r.text()).then((t) => window.stolen = t, () => window.refused = true))</script>`, s.url, waiting, token))
	}))
	t.Cleanup(evil.Close)
	w.do(chromedp.Navigate(evil.URL))
	w.until(`window.refused || window.stolen`)
	if eval[bool](w, "!!window.stolen") {
		t.Error("another origin reads pages")
	}
	w.do(chromedp.Evaluate(`document.querySelector("button").click()`, nil)) // chromedp finds nothing beside a frame that is refused
	w.Says("this host name or origin is not served here")
	if it := s.item(waiting); it.State != improve.Awaiting {
		t.Errorf("another origin approved: %+v", it)
	}
	_ = w.Troubles() // the browser says what it refused
}

// Bad input of the issue: a link that is too old or was used says so, and what to do.
func TestV5_AnExpiredLinkInABrowser(t *testing.T) {
	s := filled(t)
	w := s.window()
	link := s.Link()
	s.now = noon.Add(3 * time.Minute)
	w.open(link)
	w.Says("This link was used before or is too old. Run trimtab open, and it opens a new one.")
	w.open("/") // whoever is in stays in
	w.Says("The checkout test is red since yesterday")
	s.now = noon.Add(13 * time.Hour)
	w.open("/improve")
	w.Says("This page needs a link that works once")
	w.calm()
}
