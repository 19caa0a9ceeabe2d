package forgetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
)

// Open returns a forge behind a Hub for the account that a token belongs to. Its
// clock must be the Hub's, and a request must be given up after the timeout.
type Open func(t *testing.T, h *Hub, token forge.Token, timeout time.Duration) forge.Forge

// Faults runs the suite of what can go wrong between a forge and us.
func Faults(t *testing.T, hub func(testing.TB) *Hub, open Open) {
	first := hub(t) // the branches are pushed once and then copied
	work := NewWork(t, open(t, first, first.Token("ada"), time.Minute))
	work.Branch("feat/one", "left\n")
	work.Branch("feat/two", "right\n")
	world := func(t *testing.T, timeout time.Duration) (World, *Hub) {
		h := hub(t)
		h.fill(first.tree.Folder)
		return World{Forge: open(t, h, h.Token("ada"), timeout), Other: open(t, h, h.Token("bob"), timeout), Clock: h.Clock}, h
	}
	for _, kind := range []FaultKind{Lost, Cut, BadGateway, Hang, Reset, Idle502, Late, Limit429, Primary, Secondary} {
		t.Run("P2 "+string(kind), func(t *testing.T) {
			t.Parallel()
			timeout := time.Minute
			if kind == Hang {
				timeout = 250 * time.Millisecond
			}
			w, h := world(t, timeout)
			answerLost(t, w, h, kind)
		})
		if kind != Hang { // git has its own patience; the caller's context ends it
			t.Run("P2 push: "+string(kind), func(t *testing.T) {
				t.Parallel()
				w, h := world(t, time.Minute)
				pushLost(t, w, h, work, kind)
			})
		}
	}
	t.Run("P1 killed after sending, done late", func(t *testing.T) {
		t.Parallel()
		w, h := world(t, time.Minute)
		killedLate(t, w, h)
	})
	t.Run("a limit that is longer than our patience is told", func(t *testing.T) {
		t.Parallel()
		w, h := world(t, time.Minute)
		impatient(t, w, h)
	})
	t.Run("nothing is sent before a limit ends", func(t *testing.T) {
		t.Parallel()
		w, h := world(t, time.Minute)
		held(t, w, h)
	})
	t.Run("what is refused is not tried again", func(t *testing.T) {
		t.Parallel()
		w, h := world(t, time.Minute)
		denied(t, w, h)
	})
	t.Run("labels that are not permitted are left out", func(t *testing.T) {
		t.Parallel()
		h := hub(t)
		guest(t, World{Forge: open(t, h, h.Token("eve"), time.Minute), Other: open(t, h, h.Token("ada"), time.Minute), Clock: h.Clock})
	})
	t.Run("P15 no error holds the token", func(t *testing.T) {
		t.Parallel()
		h := hub(t)
		const wrong = "canary-wrong-0a1b2c3d4e5f"
		noToken(t, h, open(t, h, func(context.Context) (string, error) { return wrong, nil }, time.Minute), wrong)
	})
	t.Run("a server that cannot be reached did nothing", func(t *testing.T) {
		t.Parallel()
		h := hub(t)
		h.URL = "http://127.0.0.1:1"
		_, err := open(t, h, h.Token("ada"), time.Minute).OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"})
		if !errors.Is(err, forge.ErrUnreachable) {
			t.Error(err)
		}
	})
	t.Run("a redirect is not followed", func(t *testing.T) {
		t.Parallel()
		h := hub(t)
		h.URL += "/moved"
		_, err := open(t, h, h.Token("ada"), time.Minute).OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"})
		if !errors.Is(err, forge.ErrRefused) || !strings.Contains(err.Error(), "elsewhere.example/new") {
			t.Error(err)
		}
	})
}

func answerLost(t *testing.T, w World, h *Hub, kind FaultKind) {
	on, pull := set(t, w)
	once := w.Idempotent(t, &Log{})
	for _, d := range effects(on, pull) {
		h.Break(Fault{Method: "POST", Ends: d.ends, Kind: kind})
		waited := len(h.Clock.Waited())
		first, err := d.do(t, once)
		if err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
		if left := h.Unused(); len(left) > 0 {
			t.Fatalf("%s: the fault was not met", d.name)
		}
		if done := kind == Lost || kind == Cut || kind == BadGateway || kind == Hang; !done && len(h.Clock.Waited()) == waited {
			t.Errorf("%s: it did not wait", d.name)
		}
		equal(t, d.name+" again", must[any](t)(d.do(t, once)), first)
	}
	arrive(t, h)
	equal(t, "things", things(t, w, on, pull), one())
}

// arrive lets everything happen that is still under way.
func arrive(t *testing.T, h *Hub) {
	t.Helper()
	if err := h.Clock.Wait(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
}

func killedLate(t *testing.T, w World, h *Hub) {
	on, pull := set(t, w)
	log := &Log{}
	killed := errors.New("killed")
	for _, d := range effects(on, pull) {
		h.Break(Fault{Method: "POST", Ends: d.ends, Kind: Late})
		first, err := forge.NewIdempotent(w.Forge, forge.Options{
			Keys: Keys(), Log: log, Now: h.Clock.Now,
			Wait: func(context.Context, time.Duration) error { return killed }, // the process ends where it would wait
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.do(t, first); !errors.Is(err, killed) || !errors.Is(err, forge.ErrUnclear) {
			t.Fatalf("%s, the first: %v", d.name, err)
		}
		if _, err := d.do(t, w.Idempotent(t, log)); err != nil {
			t.Fatalf("%s, the second: %v", d.name, err)
		}
	}
	arrive(t, h)
	equal(t, "things", things(t, w, on, pull), one())
}

func pushLost(t *testing.T, w World, h *Hub, work *Work, kind FaultKind) {
	u := git.Update{Branch: "feat/three", To: h.commit("feat/one")}
	h.Break(Fault{Method: "POST", Ends: []string{"/git-receive-pack"}, Kind: kind})
	once := w.Idempotent(t, &Log{})
	err := once.Push(t.Context(), work.Tree, u)
	if len(h.Unused()) > 0 {
		t.Fatal("the fault was not met")
	}
	switch kind {
	case Lost, Cut, BadGateway, Limit429:
		if err != nil {
			t.Errorf("it is there, or may be tried again: %v", err)
		}
	case Reset, Late: // git may ask a second time over another connection
	default:
		if err == nil {
			t.Error("no error")
		}
	}
	arrive(t, h)
	if err := once.Push(t.Context(), work.Tree, u); err != nil {
		t.Errorf("again: %v", err)
	}
	if now := h.commit("feat/three"); now != u.To {
		t.Errorf("the branch is at %q", now)
	}
}

func impatient(t *testing.T, w World, h *Hub) {
	h.Break(Fault{Method: "POST", Ends: []string{"/issues"}, Kind: Secondary})
	once, err := forge.NewIdempotent(w.Forge, forge.Options{Keys: Keys(), Log: &Log{}, Now: h.Clock.Now, Wait: h.Clock.Wait, Patience: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	_, err = once.Issue(t.Context(), "f:1", forge.Text{Title: "a", Body: "text"}, nil)
	limit, ok := errors.AsType[*forge.Error](err)
	if !ok || !errors.Is(err, forge.ErrLimited) {
		t.Fatal(err)
	}
	if left := limit.Until.Sub(h.Clock.Now()); left < 59*time.Second || left > time.Minute {
		t.Errorf("come again in %s", left)
	}
	if issues, _, _ := h.Count(); issues != 0 {
		t.Errorf("%d issues", issues)
	}
}

func held(t *testing.T, w World, h *Hub) {
	h.Break(Fault{Method: "GET", Kind: Limit429}, Fault{Method: "GET", Kind: Denied})
	for range 3 {
		if _, err := w.Forge.Issue(t.Context(), 1); !errors.Is(err, forge.ErrLimited) {
			t.Fatal(err)
		}
	}
	if left := h.Unused(); len(left) != 1 {
		t.Errorf("a request was sent while the limit held: %v are left", left)
	}
	if err := h.Clock.Wait(t.Context(), 7*time.Second); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Forge.Issue(t.Context(), 1); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("after the limit: %v", err)
	}
}

func denied(t *testing.T, w World, h *Hub) {
	once := w.Idempotent(t, &Log{})
	h.Break(Fault{Method: "POST", Ends: []string{"/issues"}, Kind: Denied})
	text := forge.Text{Title: "a", Body: "text"}
	if _, err := once.Issue(t.Context(), "f:1", text, nil); !errors.Is(err, forge.ErrRefused) {
		t.Errorf("%v", err)
	}
	if issues, _, _ := h.Count(); issues != 0 {
		t.Errorf("%d issues", issues)
	}
	must[forge.Issue](t)(once.Issue(t.Context(), "f:1", text, nil))
}

func guest(t *testing.T, w World) {
	there := must[forge.Issue](t)(w.Other.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"}))
	must[[]string](t)(w.Other.Label(t.Context(), there.Ref(), []string{"automated"}))
	got := must[forge.Issue](t)(w.Idempotent(t, &Log{}).Issue(t.Context(), "f:1", forge.Text{Title: "b", Body: "text"}, []string{"automated", "new"}))
	if len(got.Labels) != 0 || got.Number == 0 {
		t.Errorf("%+v", got)
	}
}

func noToken(t *testing.T, h *Hub, f forge.Forge, token string) {
	_, refused := f.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"})
	if !errors.Is(refused, forge.ErrRefused) {
		t.Errorf("a wrong token: %v", refused)
	}
	h.Break(Fault{Method: "POST", Kind: Lost})
	_, lost := f.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"})
	tree := Program(t).In(t.TempDir())
	_, branch := tree.Branch(t.Context(), f.Remote(), "main")
	once, err := forge.NewIdempotent(f, forge.Options{Keys: Keys(), Log: &Log{}})
	if err != nil {
		t.Fatal(err)
	}
	pushed := once.Push(t.Context(), tree, git.Update{Branch: "main", To: strings.Repeat("a", 40)})
	if !errors.Is(pushed, forge.ErrRefused) {
		t.Errorf("a push with a wrong token: %v", pushed)
	}
	for name, err := range map[string]error{"refused": refused, "lost": lost, "branch": branch, "push": pushed} {
		switch {
		case err == nil:
			t.Errorf("%s: no error", name)
		case strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), token):
			t.Errorf("%s: the error holds the token: %v", name, err)
		}
	}
}
