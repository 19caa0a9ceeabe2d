package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/sqlite"
)

// gathering is a store that counts how it is asked, and may be told to fail.
type gathering struct {
	*sqlite.Store
	together, alone atomic.Int32
	fails           func(c trimtab.Commit) error
}

func (g *gathering) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	g.alone.Add(1)
	if g.fails != nil {
		if err := g.fails(c); err != nil {
			return 0, err
		}
	}
	return g.Store.Commit(ctx, c)
}

func (g *gathering) CommitAll(ctx context.Context, all []trimtab.Commit) ([]int, error) {
	g.together.Add(1)
	for _, c := range all {
		if g.fails != nil {
			if err := g.fails(c); err != nil {
				return nil, err
			}
		}
	}
	return g.Store.CommitAll(ctx, all)
}

func openGathering(t *testing.T) *gathering {
	t.Helper()
	st, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "trimtab.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return &gathering{Store: st}
}

// steered has several sessions steered, some times each.
func steered(t *testing.T, h *session.Service, sessions, times int) {
	t.Helper()
	for n := range times {
		for i := range sessions {
			id := fmt.Sprintf("s%d", i)
			if n == 0 {
				if _, _, err := h.Open(context.Background(), trimtab.Info{ID: id}); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, err := h.Steer(context.Background(), id, said(fmt.Sprint("number ", n))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func stored(t *testing.T, g *gathering, sessions, times int) {
	t.Helper()
	for i := range sessions {
		if m, e := count(t, g, fmt.Sprintf("s%d", i)); m != times || e != 2*times {
			t.Errorf("session %d: %d messages and %d entries of %d", i, m, e, times)
		}
	}
}

// TestP4_SeveralSessionsAreStoredTogether: all of what was steered, once, in fewer
// commits than there are sessions.
func TestP4_SeveralSessionsAreStoredTogether(t *testing.T) {
	g := openGathering(t)
	h := session.New(lineup(t), g, noon)
	steered(t, h, 100, 3)
	flush(t, h)
	stored(t, g, 100, 3)
	if n := g.together.Load() + g.alone.Load(); n >= 100 {
		t.Errorf("%d commits for 100 sessions", n)
	}
	if b := h.Backlog(); b.Sessions != 0 || b.Bytes != 0 || b.Err != nil {
		t.Errorf("%+v is left", b)
	}
}

// TestP4_OneSessionThatCannotBeStoredKeepsNoOther: the others are stored at once,
// and it is when the trouble is over.
func TestP4_OneSessionThatCannotBeStoredKeepsNoOther(t *testing.T) {
	g := openGathering(t)
	var over atomic.Bool
	trouble := errors.New("trouble")
	g.fails = func(c trimtab.Commit) error {
		if c.Session.ID == "s7" && !over.Load() {
			return trouble
		}
		return nil
	}
	h := session.New(lineup(t), g, noon)
	steered(t, h, 20, 2)
	for i := range 20 {
		if i != 7 {
			if err := h.Flush(t.Context(), fmt.Sprintf("s%d", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if b := h.Backlog(); b.Sessions != 1 {
		t.Errorf("%d sessions wait", b.Sessions)
	}
	over.Store(true)
	flush(t, h)
	stored(t, g, 20, 2)
}

// TestP4_AnotherProcessMayChangeOneOfThem: what it did is kept, and so is what was
// steered, once.
func TestP4_AnotherProcessMayChangeOneOfThem(t *testing.T) {
	g := openGathering(t)
	here, there := session.New(lineup(t), g, noon), session.New(lineup(t), g.Store, noon)
	steered(t, here, 20, 1)
	flush(t, here)
	steered(t, here, 20, 1) // waits
	if _, _, err := there.Handle(t.Context(), "s3", trimtab.Said{Message: trimtab.Prompt("from elsewhere")}); err != nil {
		t.Fatal(err)
	}
	flush(t, here)
	for i := range 20 {
		want := 2
		if i == 3 {
			want = 3
		}
		if m, _ := count(t, g, fmt.Sprintf("s%d", i)); m != want {
			t.Errorf("session %d has %d messages, want %d", i, m, want)
		}
	}
}
