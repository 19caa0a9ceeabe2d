package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/teamtest"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/gateway"
)

var errAway = errors.New("the server does not answer")

// troubled is a store in trouble: it does not answer for a while, is slow, or loses the
// answer to a commit that it has made.
type troubled struct {
	*memory.Store
	away   *atomic.Bool
	mu     sync.Mutex
	chance *rand.Rand
}

// odd is one in so many.
func (s *troubled) odd(of int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chance.IntN(of) == 0
}

func (s *troubled) trouble() error {
	if s.away.Load() {
		return errAway
	}
	return nil
}

func (s *troubled) Load(ctx context.Context, id string) (trimtab.Session, error) {
	if err := s.trouble(); err != nil {
		return trimtab.Session{}, err
	}
	return s.Store.Load(ctx, id)
}

func (s *troubled) Version(ctx context.Context, id string) (int, error) {
	if err := s.trouble(); err != nil {
		return 0, err
	}
	return s.Store.Version(ctx, id)
}

func (s *troubled) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	if err := s.trouble(); err != nil {
		return 0, err
	}
	if s.odd(20) {
		time.Sleep(time.Millisecond)
	}
	version, err := s.Store.Commit(ctx, c)
	if err == nil && s.odd(15) {
		return 0, errAway // it was made, and nobody knows
	}
	return version, err
}

// TestX1_AStoreInTroubleLosesNothing: requests pass, steered or as they came, and when the
// store answers again every message is in it once.
func TestX1_AStoreInTroubleLosesNothing(t *testing.T) {
	model := &teamtest.Model{}
	up := httptest.NewServer(model)
	t.Cleanup(up.Close)
	for seed := range seeds(5) {
		lone := newReplica(t, memory.New(), up.URL, false)
		play := teamtest.Play{Seed: seed, Requests: 80, Session: fmt.Sprint("one", seed), Pick: func(int) string { return lone.url }}
		if err := play.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		one := play.Session
		store, chance := memory.New(), rand.New(rand.NewPCG(seed, 4))
		var all []replica
		var away atomic.Bool
		for i := range uint64(3) {
			bad := &troubled{Store: store, away: &away, chance: rand.New(rand.NewPCG(seed, 10+i))}
			all = append(all, newReplica(t, bad, up.URL, true))
		}
		well := newReplica(t, store, up.URL, true)
		play.Session = fmt.Sprint("many", seed)
		play.Pick = func(n int) string {
			if away.Store(n%20 >= 12 && n%20 < 16); n >= 85 { // the trouble is over
				return well.url
			}
			return all[chance.IntN(len(all))].url
		}
		if err := play.Run(t.Context()); err != nil {
			t.Fatal(err) // a request did not pass
		}
		want, got := lone.session(t, one), well.session(t, play.Session)
		// What came and was dropped again while the store was away is told to nobody.
		if got.Seq > want.Seq || got.Seq < want.Seq-8 || got.Step > want.Step {
			t.Errorf("seed %d: %d steps and %d messages, one gateway counts %d and %d", seed, got.Step, got.Seq, want.Step, want.Seq)
		}
		seen := map[string]bool{}
		for m, err := range store.Messages(t.Context(), "claude:"+play.Session, 0) {
			if err != nil || seen[m.ID] {
				t.Errorf("seed %d: message %s is there twice, or %v", seed, m.ID, err)
			}
			seen[m.ID] = true
		}
		if len(seen) != got.Seq {
			t.Errorf("seed %d: %d messages are stored, %d were counted", seed, len(seen), got.Seq)
		}
	}
}

// TestX1_ReplicasWithOtherClocks are one gateway all the same.
func TestX1_ReplicasWithOtherClocks(t *testing.T) {
	model := &teamtest.Model{}
	up := httptest.NewServer(model)
	t.Cleanup(up.Close)
	lone := newReplica(t, memory.New(), up.URL, false)
	play := teamtest.Play{Seed: 3, Requests: 60, Session: "one", Pick: func(int) string { return lone.url }}
	if err := play.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	store, chance := memory.New(), rand.New(rand.NewPCG(3, 5))
	var urls []string
	for _, off := range []time.Duration{-24 * time.Hour, 0, time.Hour} {
		engine, err := steer.New(steer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		clock := func() time.Time { return noon().Add(off) }
		g, err := gateway.New(gateway.Options{
			Service: session.New(engine, store, session.Options{Clock: clock}), History: store, Clock: clock, Shared: func() bool { return true },
			Config: gateway.Config{Patience: 60_000, Upstreams: map[string]string{"anthropic": up.URL}},
		})
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(g)
		t.Cleanup(srv.Close)
		urls = append(urls, srv.URL)
	}
	play.Session, play.Pick = "many", func(int) string { return urls[chance.IntN(3)] }
	if err := play.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, got := model.Bodies("one"), model.Bodies("many")
	if differ := teamtest.Compare(want, got); len(differ) > 0 {
		t.Errorf("%d of %d requests differ, the first is %d: %s", len(differ), len(want), differ[0], difference(want, got, differ[0]))
	}
}
