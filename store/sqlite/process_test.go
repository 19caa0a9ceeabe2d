package sqlite

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
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
		if err := say(ctx, store, id, text); err != nil {
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
		mustSay(t, store, "ship", fmt.Sprintf("us-%d", i))
	}
	a.finish(t)
	b.finish(t)
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
	c := &crew{t: t, path: path, want: want, done: make(chan struct{}), at: make([]*player, 8)}
	var wg sync.WaitGroup
	for w := range c.at {
		wg.Go(func() { c.keepWriting(w) })
	}
	go func() {
		wg.Wait()
		close(c.done)
	}()
	kills := c.keepKilling(rand.New(rand.NewPCG(4, 4)))
	t.Logf("%d acknowledged, %d killed", len(c.acked), kills)
	if kills == 0 {
		t.Error("nobody was killed")
	}
	store := opened(t, path)
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	once(t, store, c.acked, "s0", "s1", "s2", "s3")
}

// crew is eight writers and what they were promised.
type crew struct {
	t    *testing.T
	path string
	want int
	done chan struct{}

	mu    sync.Mutex
	acked []string
	at    []*player
}

func (c *crew) keepWriting(w int) {
	for life := 0; ; life++ {
		p := c.hire(w, life)
		if p == nil {
			return
		}
		for {
			text, err := p.line()
			if err != nil {
				break
			}
			c.ack(text)
		}
		c.mu.Lock()
		c.at[w] = nil
		c.mu.Unlock()
		_ = p.Wait()
		if p.err.Len() > 0 { // a killed process has nothing to say
			c.t.Errorf("writer %d: %s", w, p.err.String())
			return
		}
	}
}

// hire starts a writer, unless enough is written.
func (c *crew) hire(w, life int) *player {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.acked) >= c.want {
		return nil
	}
	c.at[w] = another(c.t, "append", c.path, fmt.Sprintf("s%d", w%4), fmt.Sprintf("w%d.%d", w, life), "1000000")
	return c.at[w]
}

func (c *crew) ack(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acked = append(c.acked, text)
	if len(c.acked) == c.want {
		for _, p := range c.at {
			p.kill()
		}
	}
}

func (c *crew) keepKilling(random *rand.Rand) (kills int) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return kills
		case <-tick.C:
			c.mu.Lock()
			if c.at[random.IntN(len(c.at))].kill() {
				kills++
			}
			c.mu.Unlock()
		}
	}
}

func (p *player) kill() bool { return p != nil && p.Process.Kill() == nil }

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
	if err := say(ctx, store, "ship", args[0]); err != nil {
		return err
	}
	return store.Close()
}

func TestP18_ProcessesThatOpenANewFileAtOnceAllSucceed(t *testing.T) {
	for range 3 {
		path := fresh(t)
		var all []*player
		var want []string
		for i := range 8 {
			all = append(all, another(t, "open", path, strconv.Itoa(i)))
			want = append(want, strconv.Itoa(i))
		}
		for _, p := range all {
			if err := p.in.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range all {
			p.finish(t)
		}
		once(t, opened(t, path), want, "ship")
	}
}
