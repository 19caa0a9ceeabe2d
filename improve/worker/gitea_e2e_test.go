//go:build e2e && unix

package worker_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/gitea"
	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

// The variables by which this program, started again, is a worker on a real Gitea.
const (
	teaURL   = "FLOW_TEST_TEA_URL"
	teaRepo  = "FLOW_TEST_TEA_REPO"
	teaToken = "FLOW_TEST_TEA_TOKEN"
	teaPort  = "FLOW_TEST_TEA_PORT" // folder
	teaKill  = "FLOW_TEST_TEA_KILL"
)

// The shortest life of a request that the settings permit, and a short patience
// with one: both are really waited for.
const (
	teaLife    = 1 // seconds
	teaTimeout = 4 * time.Second
)

func openTea(url, repo, token string) (*gitea.Forge, error) {
	return gitea.New(gitea.Config{URL: url, Repo: repo, Life: teaLife}, gitea.Options{Timeout: teaTimeout, Token: func(context.Context) (string, error) { return token, nil }})
}

// landing is a port whose forge is a repository of a real Gitea.
type landing struct {
	*port
	tea  forgetest.Real
	repo string // "ada/ship1"
	hub  forge.Forge
}

func newLanding(t *testing.T, tea forgetest.Real, name string) *landing {
	t.Helper()
	l := &landing{port: newPort(t, 1), tea: tea, repo: "ada/" + name}
	tea.Found(t, "ada", name)
	hub, err := openTea(tea.URL, l.repo, tea.Tokens["ada"])
	if err != nil {
		t.Fatal(err)
	}
	l.hub, l.forge = hub.Roles(), hub.Roles()
	tree := l.git.In(l.project())
	head, err := tree.Commit(t.Context(), "HEAD")
	if err == nil {
		err = tree.Push(t.Context(), hub.Remote(), git.Update{Branch: "main", To: head})
	}
	if err != nil {
		t.Fatal(err)
	}
	var now struct{ Empty bool }
	for now.Empty = true; now.Empty; { // Gitea learns of a push a moment after git has its answer
		tea.Ask(t, "ada", http.MethodGet, "/repos/"+l.repo, nil, &now)
	}
	return l
}

// through has the port talk to the Gitea by way of another address.
func (l *landing) through(t *testing.T, address string) {
	t.Helper()
	hub, err := openTea(address, l.repo, l.tea.Tokens["ada"])
	if err != nil {
		t.Fatal(err)
	}
	l.forge = hub.Roles()
}

// one checks that all evidence is there, and each thing once.
func (l *landing) one(t *testing.T) {
	t.Helper()
	if err := complete(l.item(t, 1)); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(whole(1), l.there(t)); d != "" {
		t.Errorf("at the forge (-want +got):\n%s", d)
	}
}

// there says what is at the Gitea, asked past all that was in between.
func (l *landing) there(t *testing.T) map[string]int {
	t.Helper()
	n := map[string]int{}
	for one, err := range l.hub.IssuesBy(t.Context(), "ada") {
		if err != nil {
			t.Fatal(err)
		}
		n["issues"]++
		if got := strings.Join(one.Labels, ", "); !strings.Contains(got, "automated") {
			t.Errorf("the issue's labels are %q", got)
		}
		for range l.hub.Comments(t.Context(), one.Ref()) {
			n["comments on issues"]++
		}
	}
	var branches []struct{ Name string }
	l.tea.Ask(t, "ada", http.MethodGet, "/repos/"+l.repo+"/branches?limit=50", nil, &branches)
	for _, b := range branches {
		if b.Name != "main" {
			n["branches"]++
		}
	}
	var pulls []struct{ Number int }
	l.tea.Ask(t, "ada", http.MethodGet, "/repos/"+l.repo+"/pulls?state=all&limit=50", nil, &pulls)
	for _, p := range pulls {
		got := l.settled(t, p.Number)
		n["pulls "+string(got.State)]++
		if labels := strings.Join(got.Labels, ", "); !strings.Contains(labels, "ready") || got.Merge != forge.MergeClean {
			t.Errorf("the pull request's labels are %q, a merge is %q", labels, got.Merge)
		}
		for c, err := range l.hub.Comments(t.Context(), got.Ref()) {
			switch {
			case err != nil:
				t.Fatal(err)
			case c.Review:
				n["reviews"]++
			default:
				n["replies"]++
			}
		}
	}
	return n
}

// settled returns a pull request when Gitea knows that it could be merged: while it
// is still finding out, it speaks of a conflict.
func (l *landing) settled(t *testing.T, number int) forge.Pull {
	t.Helper()
	var got forge.Pull
	for range 200 {
		var err error
		if got, err = l.hub.Pull(t.Context(), number); err != nil {
			t.Fatal(err)
		}
		if got.Merge == forge.MergeClean {
			break
		}
	}
	return got
}

func TestTheWholeWayOnARealGitea(t *testing.T) {
	tea := forgetest.RealGitea(t, filepath.Join("..", "..", "script", "gitea"))
	l := newLanding(t, tea, "ship")
	for range 2 { // the second time there is nothing to do
		if err := l.drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.one(t)
	}
}

// TestGiteaWorker is the worker that is killed; by itself it is no test.
func TestGiteaWorker(t *testing.T) {
	folder := os.Getenv(teaPort)
	if folder == "" {
		t.Skip("not a test: the worker of TestP1_KilledOnARealGitea")
	}
	k, err := readKill(os.Getenv(teaKill))
	if err != nil {
		t.Fatal(err)
	}
	p, err := openPort(t.Context(), folder, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	hub, err := openTea(os.Getenv(teaURL), os.Getenv(teaRepo), os.Getenv(teaToken))
	if err != nil {
		t.Fatal(err)
	}
	arm(p, k)
	armed, ok := p.forge.Issues.(deadly)
	if !ok {
		t.Fatal("it is not armed")
	}
	p.forge = deadly{hub.Roles(), armed.call}.roles()
	if err := p.work(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// again runs a worker as a process of its own.
func (l *landing) again(ctx context.Context, k string) (string, error) {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestGiteaWorker$", "-test.count=1")
	cmd.Env = append(os.Environ(), teaPort+"="+l.folder, teaKill+"="+k, teaURL+"="+l.tea.URL, teaRepo+"="+l.repo, teaToken+"="+l.tea.Tokens["ada"], "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestP1_KilledOnARealGitea kills a worker at each of the thirteen steps. The moment
// turns with the step and with the round, so that five rounds are all of the 13 × 5
// places. TRIMTAB_KILLS says how many rounds there are.
func TestP1_KilledOnARealGitea(t *testing.T) {
	tea := forgetest.RealGitea(t, filepath.Join("..", "..", "script", "gitea"))
	moments := []string{before, during, afterEffect, afterRecord, afterShown}
	for round := range kills(t, 5) {
		t.Run(fmt.Sprint(round+1), func(t *testing.T) {
			t.Parallel()
			l := newLanding(t, tea, fmt.Sprint("ship", round+1))
			for step := 1; step <= 13; step++ {
				k := kill{step, moments[(step+round)%5], 1 + (step+round/5)%4}
				if out, err := l.again(t.Context(), k.String()); err == nil || strings.Contains(out, "FAIL") {
					t.Fatalf("%s: it was not killed: %v\n%s", k, err, out)
				}
			}
			if out, err := l.again(t.Context(), ""); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			l.one(t)
		})
	}
}

// mischief is a way to Gitea on which an answer is lost, once.
type mischief struct {
	kind string
	end  string // of the path of the request that it happens to
	met  atomic.Bool
	owed chan func()   // the work of a late request
	late chan struct{} // closed when that was done
}

// The mischiefs. The forge does its work each time.
const (
	lost     = "done, then the connection breaks"
	hung     = "done, and no answer comes"
	bad      = "done, and the answer is 502"
	lateDone = "the connection breaks, and then it is done"
)

// serve is the way from here to there.
func (m *mischief) serve(t *testing.T, server string) string {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	m.owed, m.late = make(chan func(), 1), make(chan struct{})
	proxy := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, m.end) || m.met.Swap(true) {
			proxy.ServeHTTP(w, r)
			m.catchUp(r)
			return
		}
		m.play(proxy, w, r)
	}))
	s.Config.ErrorLog = proxy.ErrorLog
	t.Cleanup(s.Close)
	return s.URL
}

// lateness is how long after somebody looked for it a late thing is done: long
// enough for one who does not wait to make a second, and shorter than a request
// may live.
const lateness = 1500 * time.Millisecond

// catchUp does what is late when somebody has looked and did not find it.
func (m *mischief) catchUp(r *http.Request) {
	if r.Method != http.MethodGet {
		return
	}
	select {
	case do := <-m.owed:
		time.AfterFunc(lateness, func() {
			defer close(m.late)
			do()
		})
	default:
	}
}

func (m *mischief) play(proxy http.Handler, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	do := func() {
		sent := r.Clone(context.WithoutCancel(r.Context()))
		sent.Body, sent.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
		proxy.ServeHTTP(httptest.NewRecorder(), sent)
	}
	if m.kind == lateDone {
		m.owed <- do
		panic(http.ErrAbortHandler)
	}
	do()
	switch m.kind {
	case bad:
		w.WriteHeader(http.StatusBadGateway)
	case hung:
		<-r.Context().Done()
	default:
		panic(http.ErrAbortHandler)
	}
}

// TestP2_AnswersOfARealGiteaAreLost: reset, hang, 502 and late, for the issue, the
// push and the pull request.
func TestP2_AnswersOfARealGiteaAreLost(t *testing.T) {
	tea := forgetest.RealGitea(t, filepath.Join("..", "..", "script", "gitea"))
	n := 0
	for what, end := range map[string]string{"issue": "/issues", "push": "/git-receive-pack", "pull request": "/pulls", "review": "/reviews", "comment": "/comments"} {
		for _, kind := range []string{lost, hung, bad, lateDone} {
			if what == "push" && kind == hung {
				continue // git waits without end: it is given no limit yet
			}
			n++
			name := fmt.Sprint("ship", n)
			t.Run(what+": "+kind, func(t *testing.T) {
				t.Parallel()
				l := newLanding(t, tea, name)
				m := &mischief{kind: kind, end: end}
				l.through(t, m.serve(t, tea.URL))
				if err := l.drain(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !m.met.Load() {
					it := l.item(t, 1)
					t.Fatalf("nothing was lost: %s: %s", it.State, it.Why)
				}
				if kind == lateDone {
					<-m.late
				}
				l.one(t)
			})
		}
	}
}

// TestP15_TheTokenStaysInMemory: the token is in no file that the work leaves, also
// not that of a worker that was killed, and in nothing that the agent is told.
func TestP15_TheTokenStaysInMemory(t *testing.T) {
	tea := forgetest.RealGitea(t, filepath.Join("..", "..", "script", "gitea"))
	l := newLanding(t, tea, "ship")
	if out, err := l.again(t.Context(), kill{9, afterEffect, 1}.String()); err == nil {
		t.Fatalf("it was not killed:\n%s", out)
	}
	if err := l.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.one(t)
	token := []secrettest.Canary{{Kind: "token", Value: tea.Tokens["ada"]}}
	for _, job := range l.agent.Asked {
		if found := secrettest.In("prompt of "+job.Step, []byte(job.Prompt), token); len(found) > 0 {
			t.Errorf("%v", found)
		}
	}
	secrettest.Search(t, l.folder, token)
}
