package sqlite

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

// playAppend says things in a session until it has said enough, and prints each
// once it is acknowledged.
func playAppend(ctx context.Context, path string, args []string) error {
	id, tag := args[0], args[1]
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	store, err := Open(ctx, path, Config{BusyTimeout: 60_000})
	if err != nil {
		return err
	}
	for i := range n {
		text := fmt.Sprintf("%s-%d", tag, i)
		if err := storetest.Say(ctx, store, id, text); err != nil {
			return err
		}
		fmt.Println(text)
	}
	return store.Close()
}

func TestTwoProcessesOnOneSessionLoseNothing(t *testing.T) {
	path := fresh(t)
	store := opened(t, path)
	const n = 150
	a, b := another(t, "append", path, "ship", "a", strconv.Itoa(n)), another(t, "append", path, "ship", "b", strconv.Itoa(n))
	for i := range n {
		storetest.MustSay(t, store, "ship", fmt.Sprintf("us-%d", i))
	}
	a.Finish(t)
	b.Finish(t)
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("a-%d", i), fmt.Sprintf("b-%d", i), fmt.Sprintf("us-%d", i))
	}
	once(t, store, want, "ship")
}

// TestP4_NoAcknowledgedRowIsLost runs eight writers on one file, two to each
// session, kills one of them every 100 ms and starts it again.
func TestP4_NoAcknowledgedRowIsLost(t *testing.T) {
	want := 10_000
	if testing.Short() {
		want = 1_000
	}
	path := fresh(t)
	acked := storetest.Kill(t, want, rand.New(rand.NewPCG(4, 4)), func(w, life int) *storetest.Player {
		return another(t, "append", path, fmt.Sprintf("s%d", w%4), fmt.Sprintf("w%d.%d", w, life), "1000000")
	})
	store := opened(t, path)
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	once(t, store, acked, "s0", "s1", "s2", "s3")
}

// once checks that what was acknowledged is there once, that nothing is there
// twice, and that all numbers follow each other.
func once(t *testing.T, store *Store, acked []string, sessions ...string) {
	t.Helper()
	seen := map[string]int{}
	for _, id := range sessions {
		texts := said(t, store, id)
		for _, text := range texts {
			seen[text]++
		}
		s, err := store.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for e, err := range store.Journal(t.Context(), id, 0) {
			n++
			if err != nil || e.Seq != n || e.Event.(trimtab.Said).Message.ID != trimtab.MessageID(n) {
				t.Fatalf("%s: entry %d: %+v, %v", id, n, e, err)
			}
		}
		if len(texts) != s.Seq || n != s.Seq || s.Version != s.Seq {
			t.Errorf("%s: seq %d, version %d, %d messages, %d entries", id, s.Seq, s.Version, len(texts), n)
		}
	}
	for text, n := range seen {
		if n > 1 {
			t.Errorf("%s is there %d times", text, n)
		}
	}
	lost := 0
	for _, text := range acked {
		if seen[text] == 0 {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged rows are lost", lost, len(acked))
	}
}

// playOpen opens the file as soon as its input ends.
func playOpen(ctx context.Context, path string, args []string) error {
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	store, err := Open(ctx, path, Config{})
	if err != nil {
		return err
	}
	if err := storetest.Say(ctx, store, "ship", args[0]); err != nil {
		return err
	}
	return store.Close()
}

func TestP18_ProcessesThatOpenANewFileAtOnceAllSucceed(t *testing.T) {
	for range 3 {
		path := fresh(t)
		var all []*storetest.Player
		var want []string
		for i := range 8 {
			all = append(all, another(t, "open", path, strconv.Itoa(i)))
			want = append(want, strconv.Itoa(i))
		}
		for _, p := range all {
			if err := p.In.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range all {
			p.Finish(t)
		}
		once(t, opened(t, path), want, "ship")
	}
}
