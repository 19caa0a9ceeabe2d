package worker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/github"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// onHub moves a port to a strict fake of GitHub, whose clock it then has.
func onHub(t *testing.T, p *port, timeout time.Duration) *forgetest.Hub {
	t.Helper()
	h := forgetest.GitHub(t)
	f, err := github.New(github.Config{URL: h.URL, Repo: h.Repo}, github.Options{Token: h.Token("ada"), Timeout: timeout, Now: h.Clock.Now, Wait: h.Clock.Wait})
	if err != nil {
		t.Fatal(err)
	}
	tree := p.git.In(p.project())
	head, err := tree.Commit(t.Context(), "HEAD")
	if err == nil {
		err = tree.Push(t.Context(), f.Remote(), git.Update{Branch: "main", To: head})
	}
	if err != nil {
		t.Fatal(err)
	}
	p.forge = f.Roles()
	p.now, p.wait = h.Clock.Now, h.Clock.Wait
	return h
}

func TestP2_LostAndLateAnswersLeaveOneOfEach(t *testing.T) {
	faults := []forgetest.FaultKind{
		forgetest.Lost, forgetest.Cut, forgetest.BadGateway, forgetest.Hang, forgetest.Reset, forgetest.Idle502, forgetest.Late,
		forgetest.Limit429, forgetest.Primary, forgetest.Secondary, forgetest.Denied,
	}
	ends := []struct{ what, end string }{{"issue", "/issues"}, {"pull request", "/pulls"}, {"push", "/git-receive-pack"}}
	for i, kind := range faults {
		for k, e := range ends {
			if kind == forgetest.Hang && e.what == "push" {
				continue // git has its own patience
			}
			if testing.Short() && i%len(ends) != k {
				continue // each fault at one of them
			}
			t.Run(fmt.Sprintf("%s: %s", e.what, kind), func(t *testing.T) {
				t.Parallel()
				answerLost(t, kind, e.end)
			})
		}
	}
}

func answerLost(t *testing.T, kind forgetest.FaultKind, end string) {
	p := newPort(t, 1)
	timeout := time.Minute
	if kind == forgetest.Hang {
		timeout = 3 * time.Second
	}
	h := onHub(t, p, timeout)
	h.Break(forgetest.Fault{Method: "POST", Ends: []string{end}, Kind: kind})
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := h.Unused(); len(left) > 0 {
		t.Fatal("the fault was not met")
	}
	it := p.item(t, 1)
	refused := kind == forgetest.Denied
	if end == "/git-receive-pack" { // git does not tell why it got a 403
		refused = refused || kind == forgetest.Primary || kind == forgetest.Secondary
	}
	if refused { // what is refused ends the attempt, and the next one succeeds
		if it.State != improve.Failed {
			t.Fatalf("%s: %s", it.State, it.Why)
		}
		p.retry(t, 1)
		it = p.item(t, 1)
	}
	if err := h.Clock.Wait(t.Context(), time.Hour); err != nil { // let all happen that is still under way
		t.Fatal(err)
	}
	if err := complete(it); err != nil {
		t.Error(err)
	}
	issues, pulls, _ := h.Count()
	if d := cmp.Diff([]int{1, 1, 1}, []int{issues, pulls, len(h.Branches("feat/"))}); d != "" {
		t.Errorf("issues, pull requests, branches (-want +got):\n%s", d)
	}
}

// The worker is killed where it would wait for a request that may still arrive:
// only what it recorded before it sent tells the next one that there is such a
// request.
func TestP2_KilledAfterSendingAndDoneLate(t *testing.T) {
	for what, end := range map[string]string{"issue": "/issues", "pull request": "/pulls"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := newPort(t, 1)
			h := onHub(t, p, time.Minute)
			h.Break(forgetest.Fault{Method: "POST", Ends: []string{end}, Kind: forgetest.Late})
			ctx, killed := context.WithCancel(t.Context())
			p.wait = func(ctx context.Context, _ time.Duration) error {
				killed()
				<-ctx.Done()
				return ctx.Err()
			}
			if err := p.drain(ctx); err == nil {
				t.Fatal("it was not stopped")
			}
			p.wait = h.Clock.Wait
			if err := p.drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := h.Clock.Wait(t.Context(), time.Hour); err != nil {
				t.Fatal(err)
			}
			if err := complete(p.item(t, 1)); err != nil {
				t.Error(err)
			}
			issues, pulls, _ := h.Count()
			if branches := h.Branches("feat/"); issues != 1 || pulls != 1 || len(branches) != 1 {
				t.Errorf("%d issues, %d pull requests, branches %v", issues, pulls, branches)
			}
		})
	}
}

func TestR12_AForgeThatCannotBeReachedLeavesTheRequestToAPerson(t *testing.T) {
	p := newPort(t, 1)
	f, err := github.New(github.Config{URL: "http://127.0.0.1:1", Repo: "acme/ship"}, github.Options{Timeout: time.Second, Token: func(context.Context) (string, error) { return "t", nil }})
	if err != nil {
		t.Fatal(err)
	}
	p.forge = f.Roles()
	waits := 0
	p.wait = func(context.Context, time.Duration) error { waits++; return nil }
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	it := p.item(t, 1)
	if it.State != improve.Manual || !strings.Contains(it.Why, steps.ErrManual.Error()) {
		t.Errorf("%s: %s", it.State, it.Why)
	}
	if waits < 3 {
		t.Errorf("it waited %d times before it gave up", waits)
	}
	if text := p.paper(t, 1, "request.md"); !strings.Contains(text, "The rudder does not turn left.") || !strings.Contains(text, "Let the rudder turn.") {
		t.Errorf("the request cannot be read:\n%s", text)
	}
	// The forge is back: the same attempt's papers, the same issue, nothing twice.
	p.forge, p.wait = p.shed.Roles(), nil
	p.retry(t, 1)
	if err := complete(p.item(t, 1)); err != nil {
		t.Error(err)
	}
	p.check(t, whole(1))
	if n := len(p.asked("clarify")); n != 1 {
		t.Errorf("the agent was asked %d times to clarify", n)
	}
}
