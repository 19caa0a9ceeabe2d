package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/teamtest"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/gateway"
)

// stores are those that several gateways may share. Each call opens one anew on the same
// place, as another process would.
func sharedStores(t *testing.T) map[string]func(*testing.T) trimtab.Archive {
	t.Helper()
	all := map[string]func(*testing.T) trimtab.Archive{}
	one := memory.New()
	all["memory"] = func(*testing.T) trimtab.Archive { return one }
	file := filepath.Join(t.TempDir(), "trimtab.db")
	all["sqlite"] = func(t *testing.T) trimtab.Archive {
		st, err := sqlite.Open(t.Context(), file, sqlite.Config{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return st
	}
	url := os.Getenv("TRIMTAB_TEST_POSTGRES")
	all["postgres"] = func(t *testing.T) trimtab.Archive {
		if url == "" {
			t.Skip("did not run: there is no PostgreSQL server; run: sh script/postgres.sh run go test -run TestX ./surface/gateway")
		}
		st, err := postgres.Open(t.Context(), url, postgres.Config{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return st
	}
	return all
}

// replica is a gateway of several on one store.
type replica struct {
	*gateway.Gateway
	service *session.Service
	url     string
}

func newReplica(t *testing.T, store trimtab.Archive, model string, shared bool) replica {
	t.Helper()
	if shared {
		return newReplicaWith(t, store, model, func() bool { return true })
	}
	return newReplicaWith(t, store, model, nil)
}

func newReplicaWith(t *testing.T, store trimtab.Archive, model string, shared func() bool) replica {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r := replica{service: session.New(engine, store, session.Options{Clock: noon})}
	opt := gateway.Options{Shared: shared, Service: r.service, History: store, Clock: noon, Config: gateway.Config{Patience: 60_000, Upstreams: map[string]string{"anthropic": model}}}
	if r.Gateway, err = gateway.New(opt); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(r.Gateway)
	t.Cleanup(srv.Close)
	r.url = srv.URL
	return r
}

// TestX1_ReplicasAreOneGateway plays sessions whose requests go to two or three gateways
// at random, at once or after a pause in which something was stored, and holds what the
// model received against what it received of one gateway.
func TestX1_ReplicasAreOneGateway(t *testing.T) {
	for name, open := range sharedStores(t) {
		t.Run(name, func(t *testing.T) {
			model := &teamtest.Model{}
			up := httptest.NewServer(model)
			t.Cleanup(up.Close)
			lone := newReplica(t, memory.New(), up.URL, false)
			var all []replica
			for range 3 {
				all = append(all, newReplica(t, open(t), up.URL, true))
			}
			stamp := time.Now().UnixNano()
			for seed := range seeds(6) {
				requests := 60
				if testing.Short() {
					requests = 25
				}
				n := 2 + int(seed%2)
				chance := rand.New(rand.NewPCG(seed, 2))
				play := teamtest.Play{Seed: seed, Requests: requests, Model: []string{"claude-opus-5", "claude-sonnet-4"}[seed%2]}
				play.Session, play.Pick = fmt.Sprintf("one-%d-%d", stamp, seed), func(int) string { return lone.url }
				if err := play.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				one := play.Session
				play.Session, play.Pick = fmt.Sprintf("many-%d-%d", stamp, seed), func(int) string { return all[chance.IntN(n)].url }
				if seed%3 == 0 {
					play.Pause = func() time.Duration {
						return time.Duration(chance.IntN(300)) * time.Millisecond * time.Duration(chance.IntN(2))
					}
				}
				if err := play.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				want, got := model.Bodies(one), model.Bodies(play.Session)
				if differ := teamtest.Compare(want, got); len(differ) > 0 {
					at := differ[0]
					t.Errorf("seed %d, %d gateways: %d of %d requests differ from those of one, the first is %d: %s", seed, n, len(differ), len(want), at, difference(want, got, at))
				}
				if diff := cmp.Diff(stateOf(t, lone, one), stateOf(t, all[0], play.Session)); diff != "" {
					t.Errorf("seed %d: stored otherwise than by one gateway (-one +many):\n%s", seed, diff)
				}
			}
		})
	}
}

func difference(want, got [][]byte, at int) string {
	if at >= len(want) || at >= len(got) {
		return fmt.Sprintf("%d and %d requests", len(want), len(got))
	}
	a, b := want[at], got[at]
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("\none:  …%s\nmany: …%s", bytes.TrimSpace(a[max(0, i-200):min(len(a), i+400)]), bytes.TrimSpace(b[max(0, i-200):min(len(b), i+400)]))
}

// stateOf is what is stored of a session, but for what names it and what gateways keep
// there for each other.
func stateOf(t *testing.T, r replica, id string) string {
	t.Helper()
	until(t, "the replies are through", func() bool { return r.Stats.Streams.Load() == 0 })
	if err := r.service.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	s, err := r.service.Session(t.Context(), "claude:"+id)
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, err := range r.service.Messages(t.Context(), s.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		said++
	}
	raw, err := json.MarshalIndent(map[string]any{"step": s.Step, "seq": s.Seq, "messages": said, "made": s.Made, "todos": s.Todos, "meter": s.Meter, "notes": len(s.Notes), "heed": s.Heed}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestX1_AGatewayThatWasAloneHandsOn plays a session in which a second gateway comes and
// goes: what the first one knew by itself is stored by then, and it goes on alone from
// what both did.
func TestX1_AGatewayThatWasAloneHandsOn(t *testing.T) {
	model := &teamtest.Model{}
	up := httptest.NewServer(model)
	t.Cleanup(up.Close)
	for seed := range seeds(4) {
		lone := newReplica(t, memory.New(), up.URL, false)
		play := teamtest.Play{Seed: seed, Requests: 60, Session: fmt.Sprint("one", seed), Pick: func(int) string { return lone.url }, Model: []string{"claude-opus-5", "claude-sonnet-4"}[seed%2]}
		if err := play.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		one := play.Session

		store, chance := memory.New(), rand.New(rand.NewPCG(seed, 3))
		var shared atomic.Bool
		a := newReplicaWith(t, store, up.URL, shared.Load)
		b := newReplica(t, store, up.URL, true)
		play.Session = fmt.Sprint("many", seed)
		play.Pick = func(n int) string {
			switch n {
			case 20:
				shared.Store(true)
				if err := a.Share(t.Context()); err != nil {
					t.Error(err)
				}
			case 45:
				until(t, "the replies are through", func() bool { return b.Stats.Streams.Load() == 0 })
				shared.Store(false)
			}
			if n < 20 || n >= 45 || chance.IntN(2) == 0 {
				return a.url
			}
			return b.url
		}
		if err := play.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want, got := model.Bodies(one), model.Bodies(play.Session)
		if differ := teamtest.Compare(want, got); len(differ) > 0 {
			t.Errorf("seed %d: %d of %d requests differ, the first is %d: %s", seed, len(differ), len(want), differ[0], difference(want, got, differ[0]))
		}
		if diff := cmp.Diff(stateOf(t, lone, one), stateOf(t, a, play.Session)); diff != "" {
			t.Errorf("seed %d: stored otherwise than by one gateway (-one +many):\n%s", seed, diff)
		}
	}
}

// TestX1_ASessionThatGoesOnElsewhereAndComesBackIsCountedOnce, as one of serve that a
// person goes on with in a run, and then in serve again: each is alone with it for a while.
func TestX1_ASessionThatGoesOnElsewhereAndComesBackIsCountedOnce(t *testing.T) {
	model := &teamtest.Model{}
	up := httptest.NewServer(model)
	t.Cleanup(up.Close)
	for seed := range seeds(4) {
		lone := newReplica(t, memory.New(), up.URL, false)
		play := teamtest.Play{Seed: seed, Requests: 60, Session: fmt.Sprint("one", seed), Pick: func(int) string { return lone.url }}
		if err := play.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		one := play.Session
		store := memory.New()
		both := []replica{newReplica(t, store, up.URL, false), newReplica(t, store, up.URL, false)}
		play.Session = fmt.Sprint("many", seed)
		play.Pick = func(n int) string {
			now := both[n/15%2]
			if n%15 == 0 && n > 0 {
				was := both[(n/15+1)%2]
				until(t, "the replies are through", func() bool { return was.Stats.Streams.Load() == 0 })
				if err := was.service.Flush(t.Context()); err != nil {
					t.Error(err)
				}
			}
			return now.url
		}
		if err := play.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, b := range both {
			until(t, "the replies are through", func() bool { return b.Stats.Streams.Load() == 0 })
			_ = b.service.Flush(t.Context())
		}
		want, got := lone.session(t, one), both[0].session(t, play.Session)
		if want.Step != got.Step || want.Seq != got.Seq {
			t.Errorf("seed %d: %d steps and %d messages, one gateway counts %d and %d", seed, got.Step, got.Seq, want.Step, want.Seq)
		}
	}
}

func (r replica) session(t *testing.T, id string) trimtab.Session {
	t.Helper()
	s, err := r.service.Session(t.Context(), "claude:"+id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seeds are how many sessions are played; fewer where the test is to be short.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return 2
	}
	return n
}
