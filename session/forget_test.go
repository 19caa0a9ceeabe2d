package session_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/memory"
)

// loads counts how often a session was loaded.
type loads struct {
	*memory.Store
	n atomic.Int64
}

func (l *loads) Load(ctx context.Context, id string) (trimtab.Session, error) {
	l.n.Add(1)
	return l.Store.Load(ctx, id)
}

// TestWhatIsForgottenIsLoadedAgain, whether it was stored by then or not, and goes
// on where it was; the newest is not.
func TestWhatIsForgottenIsLoadedAgain(t *testing.T) {
	for _, stored := range []bool{true, false} {
		t.Run(fmt.Sprint("stored ", stored), func(t *testing.T) {
			st := &loads{Store: memory.New()}
			h := session.New(lineup(t), st, noon)
			for _, id := range []string{"old", "new"} {
				begin(t, h, id)
				if _, _, err := h.Steer(t.Context(), id, said("first")); err != nil {
					t.Fatal(err)
				}
				if stored {
					flush(t, h)
				}
			}
			h.Forget(1)
			flush(t, h)
			for i, id := range []string{"new", "old"} {
				before := st.n.Load()
				s, _, err := h.Handle(t.Context(), id, trimtab.Said{Message: trimtab.Prompt("second")})
				if err != nil || s.Seq != 2 {
					t.Fatalf("%s: %d messages, %v", id, s.Seq, err)
				}
				if loaded := st.n.Load() - before; loaded != int64(i) {
					t.Errorf("%s was loaded %d times", id, loaded)
				}
			}
		})
	}
}
