package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/chrome"
	"github.com/trimtab/trimtab/internal/fakeoidc"
	"github.com/trimtab/trimtab/store/sqlite"
)

// hosting is trimtab serve as a process of its own, with a provider behind it that says ok.
type hosting struct {
	person
	dir, data, url string
}

// startServe starts the program. It ends with the test.
func startServe(t *testing.T, listen string, more ...string) *hosting {
	t.Helper()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"r","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(model.Close)
	s := &hosting{dir: t.TempDir(), data: t.TempDir()}
	s.person = persons(t, "TRIMTAB_DATA="+s.data)("admin", more...)
	cmd := exec.Command("trimtab", "serve", "--listen", listen, "--upstream", "openai="+model.URL)
	cmd.Dir, cmd.Env = s.dir, s.env
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var log bytes.Buffer
	at := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for in := bufio.NewScanner(said); in.Scan(); {
			mu.Lock()
			fmt.Fprintln(&log, in.Text())
			mu.Unlock()
			if found := regexp.MustCompile(`^listening on (\S+)`).FindStringSubmatch(in.Text()); found != nil {
				at <- found[1]
			}
		}
		close(at)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-read
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Logf("serve ended: %v\n%s", err, log.String())
		}
	})
	if s.url = <-at; s.url == "" {
		t.Fatal("it does not listen")
	}
	return s
}

// key makes a key for somebody.
func (s *hosting) key(user, role string) string {
	s.t.Helper()
	out := s.must(s.dir, "serve", "key", "create", "laptop", "--user", user, "--role", role)
	return regexp.MustCompile(`trimtab-\S+`).FindString(out)
}

// prompt has somebody's agent ask the model, by way of the gateway.
func (s *hosting) prompt(key, session, text string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+"/v1/chat/completions", strings.NewReader(fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, text)))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-Trimtab-Key", key)
	r.Header.Set("X-Trimtab-Session", session)
	r.Header.Set("Authorization", "Bearer sk-the-callers-own")
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	if raw, _ := io.ReadAll(reply.Body); reply.StatusCode != 200 {
		s.t.Fatalf("%d %s", reply.StatusCode, raw)
	}
}

// store is the server's file, as another process has it.
func (s *hosting) store() *sqlite.Store {
	s.t.Helper()
	st, err := sqlite.Open(s.t.Context(), filepath.Join(s.data, "trimtab.db"), sqlite.Config{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = st.Close() })
	return st
}

// file puts an improvement into it that waits.
func (s *hosting) file(id string) improve.Queue {
	s.t.Helper()
	q := s.store().Queue()
	it := improve.Item{ID: id, Fingerprint: id, Project: s.dir, State: improve.Awaiting, Created: time.Now(), Updated: time.Now(), Attempt: 1, Request: improve.Request{Title: "The slow tests run first", Priority: improve.High, Pattern: improve.Pattern{Type: "error_patterns", Count: 4, Suggestion: "the same error keeps coming back; remove its cause"}}}
	if err := q.Add(s.t.Context(), it); err != nil {
		s.t.Fatal(err)
	}
	return q
}

// browsers are two, each with cookies of its own.
func browsers(t *testing.T, base string) (one, other *chrome.Window) {
	t.Helper()
	a, err := chrome.Launch()
	t.Cleanup(a.Close)
	one = a.Window(t, err, base)
	b, err := chrome.Launch()
	t.Cleanup(b.Close)
	return one, b.Window(t, err, base)
}

const filed = "workflow_20261117_115000_serv"

// V5, V7: two people with keys look at the pages of one server. Ann sees her own sessions,
// and what her agent does appears by itself; the lead sees all, and approves.
func TestV5_ServeHasThePages_WithKeys(t *testing.T) {
	s := startServe(t, "127.0.0.1:0")
	ann, bob, lea := s.key("ann", "use"), s.key("bob", "use"), s.key("lea", "approve")
	s.prompt(ann, "a1", "ann looks at the rudder")
	s.prompt(bob, "b1", "bob looks at the keel")
	queue := s.file(filed)
	hers, leads := browsers(t, s.url)
	for w, key := range map[*chrome.Window]string{hers: ann, leads: lea} {
		w.Open("/")
		w.Says("Sign in")
		w.Do(chromedp.SendKeys("#key", key), chromedp.Click(".enter button"))
		w.Until(`document.getElementById("live")?.textContent === "live"`)
	}
	hers.Says("rudder")
	leads.Says("rudder")
	leads.Says("keel")
	leads.Says("An improvement waits for you")
	if text := hers.Text(); strings.Contains(text, "keel") || strings.Contains(text, "waits for you") || strings.Contains(text, "Improvements") {
		t.Errorf("ann sees %s", text)
	}
	s.prompt(bob, "b2", "bob mends the anchor")
	leads.Says("bob mends the anchor")
	s.prompt(ann, "a2", "ann trims the sails")
	hers.Says("ann trims the sails")
	if strings.Contains(hers.Text(), "anchor") {
		t.Error("ann is told of bob's session")
	}
	hers.Open("/improve/" + filed)
	hers.Says("this takes “view”")
	leads.Open("/improve/" + filed)
	leads.Do(chromedp.Click(`form[action$="/approve"] button`))
	leads.Says("approved, not begun")
	if it, err := queue.Item(t.Context(), filed); err != nil || it.State != improve.Queued || it.Approved.By != "lea" {
		t.Errorf("%+v %v", it, err)
	}
	if out := s.must(s.dir, "serve", "audit", "--since", "1d"); !strings.Contains(out, `"what":"improve.approve"`) || !strings.Contains(out, `"who":"lea"`) {
		t.Errorf("the audit says %s", out)
	}
	s.must(s.dir, "serve", "key", "revoke", "laptop") // all of that name
	hers.Until(`fetch("/").then((r) => window.status = r.status) && window.status == 401`)
	leads.Calm()
	hers.Calm()
}

// V5: people sign in with the provider of their company, by its own page, and are who it
// says; the owner comes with the token of the data folder.
func TestV5_ServeHasThePages_WithSignIn(t *testing.T) {
	provider := fakeoidc.New(t, "trimtab", "client-secret", "ann@example.com", "lea@example.com", "eve@example.com")
	at := freeAddress(t)
	s := startServe(t, at, "TRIMTAB_SIGN_IN_ISSUER="+provider.URL, "TRIMTAB_SIGN_IN_CLIENT_ID=trimtab", "TRIMTAB_SIGN_IN_SECRET=env:OIDC_SECRET", "OIDC_SECRET=client-secret",
		`TRIMTAB_SIGN_IN_ROLES={"ann@example.com":"use","lea@example.com":"approve"}`)
	ann, bob := s.key("ann@example.com", "use"), s.key("bob@example.com", "use")
	s.prompt(ann, "a1", "ann looks at the rudder")
	s.prompt(bob, "b1", "bob looks at the keel")
	s.file(filed)
	hers, leads := browsers(t, s.url)
	for w, who := range map[*chrome.Window]string{hers: "ann@example.com", leads: "lea@example.com"} {
		w.Open("/?from=" + who[:3])
		w.Do(chromedp.Click("a.button.primary"), chromedp.Click(fmt.Sprintf(`//a[text()=%q]`, who), chromedp.BySearch))
		w.Until(`document.getElementById("live")?.textContent === "live"`)
		w.Says(who)
		if got := chrome.Eval[string](w, "location.search"); got != "?from="+who[:3] {
			t.Errorf("%s came back to %s", who, got)
		}
	}
	hers.Says("rudder")
	leads.Says("keel")
	if strings.Contains(hers.Text(), "keel") {
		t.Error("ann sees bob's session")
	}
	leads.Open("/improve/" + filed)
	leads.Do(chromedp.SendKeys(`input[name="why"]`, "works as intended"), chromedp.Click(`form[action$="/reject"] button`))
	leads.Says("works as intended")
	leads.Do(chromedp.Click(".leave button"))
	leads.Says("Sign in with your company account")
	leads.Do(chromedp.Click("a.button.primary"), chromedp.Click(`//a[text()="eve@example.com"]`, chromedp.BySearch))
	leads.Says("have no role here")
	token, err := os.ReadFile(filepath.Join(s.data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	leads.Open("/")
	leads.Do(chromedp.SendKeys("#key", strings.TrimSpace(string(token))), chromedp.Click(`form[action="/enter"] button`))
	leads.Says("keel")
	hers.Calm()
}

// freeAddress is one that nobody listens on now.
func freeAddress(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(context.WithoutCancel(t.Context()), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// V2: what another process writes is on the page by itself. It prints how long that takes,
// and asserts no time.
func TestV2_WhatAnotherProcessWritesIsOnThePage(t *testing.T) {
	s := startServe(t, "127.0.0.1:0")
	lea := s.key("lea", "approve")
	b, err := chrome.Launch()
	t.Cleanup(b.Close)
	w := b.Window(t, err, s.url)
	w.Open("/")
	w.Do(chromedp.SendKeys("#key", lea), chromedp.Click(".enter button"))
	w.Until(`document.getElementById("live")?.textContent === "live"`)
	s.must(s.dir, "-p", "the program itself says hello") // a third process, with the built-in model
	w.Says("the program itself says hello")
	st := s.store()
	worst := time.Duration(0)
	for i := range 5 {
		one := trimtab.NewSession(fmt.Sprint("other-", i), time.Now())
		one.Info = trimtab.Info{ID: one.ID, Title: fmt.Sprint("Written elsewhere ", i), User: "bob", Created: time.Now(), Updated: time.Now()}
		if _, err := st.Commit(t.Context(), trimtab.Commit{Session: one}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		w.Says(one.Title)
		worst = max(worst, time.Since(began))
	}
	t.Logf("the longest of 5 changes was on the page after %s", worst.Round(10*time.Millisecond))
	if err := st.Remove(t.Context(), "other-0"); err != nil {
		t.Fatal(err)
	}
	w.Until(`!document.body.innerText.includes("Written elsewhere 0")`)
	w.Open("/s/other-1")
	w.Until(`document.getElementById("live")?.textContent === "live"`)
	if err := st.Remove(t.Context(), "other-1"); err != nil {
		t.Fatal(err)
	}
	w.Says("There is no such session. It may have been removed.")
	w.Calm()
}

// Done when: a newcomer opens the sample and gets everything from the pages themselves.
func TestOpenDemo_TheWalkOfANewcomer(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	b, err := chrome.Launch()
	if err != nil {
		t.Skipf("no Chromium that works is here: %v", err)
	}
	t.Cleanup(b.Close)
	me := persons(t)("newcomer")
	cmd := exec.Command("trimtab", "open", "--demo", "--no-browser")
	cmd.Dir, cmd.Env = t.TempDir(), me.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _, _ = io.Copy(io.Discard, out); _ = cmd.Wait() })
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	w := b.Window(t, nil, "")
	shoot := func(name string) {
		if dir := os.Getenv("TRIMTAB_SHOTS"); dir != "" {
			w.Shoot(filepath.Join(dir, "walk-"+name+".png"))
		}
	}
	w.Look(1280, "light")
	w.Open(strings.TrimSpace(link))
	w.Until(`!document.querySelector("[data-again]")`)
	for _, read := range []string{"The checkout test is red since yesterday", "Loop guard", "repeats what did not work", "1 file changed and nothing was run since", "heeded", "An improvement waits for you", "nothing here is yours"} {
		if !strings.Contains(strings.ToLower(w.Text()), strings.ToLower(read)) {
			t.Errorf("the first page does not say %q: %s", read, w.Text())
		}
	}
	shoot("1-first")
	// The loop: the name of who spoke leads to its place.
	w.Do(chromedp.Click(`//li[contains(., "The checkout test is red")]//a[contains(., "loop guard")]`, chromedp.BySearch))
	w.Until(`location.hash === "#note-1" && document.querySelector(":target .note")`)
	if got := chrome.Eval[string](w, `document.querySelector(":target").innerText`); !strings.Contains(got, "the same error came back 3 times") || !strings.Contains(got, "not heeded") {
		t.Errorf("the place of the loop says %s", got)
	}
	if chrome.Eval[bool](w, `(() => { const r = document.querySelector(":target").getBoundingClientRect(); return r.top < 0 || r.top > innerHeight })()`) {
		t.Error("the place of the loop is not on the screen")
	}
	w.Says("held for the person")
	shoot("2-loop")
	w.Do(chromedp.Click(`nav a[href="/"]`), chromedp.WaitVisible(".banner a"), chromedp.Click(".banner a"), chromedp.WaitVisible(`form[action$="/approve"] button`))
	w.Says("What will be sent")
	w.Says("opens a pull request, which nobody merges but you")
	shoot("3-waits")
	w.Do(chromedp.Click(`form[action$="/approve"] button`))
	seen := map[string]bool{}
	for !seen["done"] {
		state := chrome.Eval[string](w, `[...document.querySelectorAll(".facts .tag")].map((e) => e.className.split(" ")[1]).join() + " " + document.querySelectorAll(".steps li.done").length`)
		tag, steps, _ := strings.Cut(state, " ")
		if seen[tag], seen["steps "+steps] = true, true; tag == "failed" || tag == "manual_review" || t.Context().Err() != nil {
			t.Fatal(w.Text())
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(seen) < 6 { // states and counts of steps that were on the page on the way
		t.Errorf("the steps were not seen as they happened: %v", seen)
	}
	shoot("4-done")
	w.Says("Never run git push")
	w.Calm()
}
