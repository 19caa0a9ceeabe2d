package postgres

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/storetest"
)

func TestArchive(t *testing.T) {
	server(t)
	storetest.Run(t, func(t *testing.T) trimtab.Archive { return opened(t, fresh(t)) })
}

func TestQueue(t *testing.T) {
	server(t)
	storetest.Queue(t, func(t *testing.T) improve.Queue { return opened(t, fresh(t)).Queue() })
}

func TestP3_TwoWorkersNeverRecordOneEffectTwice(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 200
	}
	url := fresh(t)
	storetest.Worked(t, opened(t, url).Queue(), n, func(name string) *storetest.Player { return another(t, "work", url, name) })
}

func TestP4_NoAcceptedImprovementIsLost(t *testing.T) {
	url := fresh(t)
	storetest.Filed(t, opened(t, url).Queue(), amount(), rand.New(rand.NewPCG(4, 4)), func(tag string) *storetest.Player { return another(t, "file", url, tag) })
}

func TestP4_NoAcknowledgedRowIsLost(t *testing.T) {
	url := fresh(t)
	store := opened(t, url)
	acked := storetest.Kill(t, amount(), rand.New(rand.NewPCG(4, 4)), func(w, life int) *storetest.Player {
		return another(t, "append", url, fmt.Sprintf("s%d", w%4), fmt.Sprintf("w%d.%d", w, life), "1000000")
	})
	once(t, store, acked, "s0", "s1", "s2", "s3")
}

func amount() int {
	if testing.Short() {
		return 1_000
	}
	return 10_000
}

// TestReplicasOnOneSessionLoseNothing is what several gateways do.
func TestReplicasOnOneSessionLoseNothing(t *testing.T) {
	url := fresh(t)
	store := opened(t, url)
	const n = 60
	a, b := another(t, "append", url, "ship", "a", strconv.Itoa(n)), another(t, "append", url, "ship", "b", strconv.Itoa(n))
	var want []string
	for i := range n {
		storetest.MustSay(t, store, "ship", fmt.Sprintf("us-%d", i))
		want = append(want, fmt.Sprintf("a-%d", i), fmt.Sprintf("b-%d", i), fmt.Sprintf("us-%d", i))
	}
	a.Finish(t)
	b.Finish(t)
	once(t, store, want, "ship")
}

func TestNoMoreConnectionsThanTheLimit(t *testing.T) {
	url := with(fresh(t), "application_name", "limit-test")
	store := openedWith(t, url, Config{Connections: 3})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := storetest.Say(t.Context(), store, fmt.Sprint("s", i), "hello"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var n int
	ask(t, server(t), `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'limit-test'`, &n)
	if n < 1 || n > 3 {
		t.Errorf("%d connections, the limit is 3", n)
	}
}

func TestLongNamesHaveTheirPlace(t *testing.T) {
	store := opened(t, fresh(t))
	var long strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&long, "/%d", i*i*7919)
	}
	s := trimtab.NewSession("ship", start())
	s.Project, s.Host = long.String(), long.String()
	if _, err := store.Commit(t.Context(), trimtab.Commit{Session: s}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for info, err := range store.List(t.Context(), trimtab.Query{Project: s.Project, Host: s.Host}) {
		if err != nil || info.ID != "ship" {
			t.Error(info.ID, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d sessions", n)
	}
	it := storetest.Item(1)
	it.Project, it.Fingerprint = long.String()[:4096], long.String()[:1024]
	if err := store.Queue().Add(t.Context(), it); err != nil {
		t.Fatal(err)
	}
	it.ID = "again"
	is(t, store.Queue().Add(t.Context(), it), improve.ErrFiled)
}

func TestP5_AcknowledgedIsOnTheDisk(t *testing.T) {
	for set, want := range map[string]string{"off": "on", "local": "local", "on": "on", "remote_apply": "remote_apply"} {
		store := opened(t, with(fresh(t), "synchronous_commit", set))
		var got string
		if err := store.pool.QueryRow(t.Context(), "SHOW synchronous_commit").Scan(&got); err != nil || got != want {
			t.Errorf("set to %s it is %s, %v, want %s", set, got, err, want)
		}
	}
}
