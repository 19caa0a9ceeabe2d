package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

// File adds items to a queue, one after the other, and prints the id of each once
// it is acknowledged: the part of a writer in Filed.
func File(ctx context.Context, q improve.Queue, tag string, out io.Writer) error {
	for n := 0; ; n++ {
		it := Item(n)
		it.ID, it.Fingerprint = fmt.Sprintf("%s-%d", tag, n), fmt.Sprintf("%s/%d", tag, n)
		if err := q.Add(ctx, it); err != nil {
			return err
		}
		fmt.Fprintln(out, it.ID)
	}
}

// Filed is P4 for a queue: writers that play File are killed, and whatever they
// were told was taken in is there.
func Filed(t *testing.T, q improve.Queue, want int, random *rand.Rand, hire func(tag string) *Player) {
	acked := Kill(t, want, random, func(w, life int) *Player { return hire(fmt.Sprintf("w%d.%d", w, life)) })
	there := map[string]bool{}
	for _, id := range items(t, q) {
		there[id] = true
	}
	lost := 0
	for _, id := range acked {
		if !there[id] {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d acknowledged items are lost", lost, len(acked))
	}
}

// pausedWorker takes every so manyth item for no time at all, as one that is
// stopped until long after its lease does.
const pausedWorker = 4

// Work takes items and records their effect until there is nothing left: the part
// of a worker in Worked. Now and then it is paused past its lease, does other
// things, and then goes on with what it had as if nothing had happened. It prints
// how often it was told that it had lost its lease.
func Work(ctx context.Context, q improve.Queue, name string, random *rand.Rand, out io.Writer) error {
	var held []improve.Item
	lost := 0
	finish := func(it improve.Item) error {
		_, err := q.Change(ctx, it.ID, it.Fence, func(now *improve.Item) error {
			now.State = improve.Done
			now.Evidence = append(now.Evidence, improve.Evidence{Number: 2, Step: "effect", Began: start, Facts: map[string]string{"worker": name}})
			return nil
		})
		if errors.Is(err, improve.ErrLost) {
			lost++
			return nil
		}
		return err
	}
	for {
		until := later()
		paused := random.IntN(pausedWorker) == 0
		if paused {
			until = start
		}
		it, ok, err := q.Take(ctx, name, start, until, improve.Limits{All: 8})
		switch {
		case err != nil:
			return err
		case ok && paused:
			held = append(held, it)
		case ok:
			err = finish(it)
		}
		if err == nil && (len(held) > 3 || !ok && len(held) > 0) {
			err, held = finish(held[0]), held[1:]
		} else if !ok {
			fmt.Fprintln(out, "lost", lost)
			return err
		}
		if err != nil {
			return err
		}
	}
}

// Worked is P3: eight processes play Work on so many items, and no item's effect
// is recorded twice, or never.
func Worked(t *testing.T, q improve.Queue, n int, hire func(name string) *Player) {
	for i := range n {
		it := Item(i)
		it.Evidence = nil
		file(t, q, it)
	}
	var writers []*Player
	for w := range 8 {
		writers = append(writers, hire("w"+strconv.Itoa(w)))
	}
	lost := 0
	for _, p := range writers {
		line, err := p.Line()
		if count, ok := strings.CutPrefix(line, "lost "); err == nil && ok {
			n, _ := strconv.Atoi(count)
			lost += n
		}
		p.Finish(t)
	}
	t.Logf("%d items, a lease lost %d times", n, lost)
	if lost == 0 {
		t.Error("nobody lost a lease, so this shows nothing")
	}
	all, err := q.Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	twice, never := 0, 0
	for _, it := range all {
		switch {
		case len(it.Evidence) > 1:
			twice++
		case len(it.Evidence) == 0 || it.State != improve.Done:
			never++
		}
	}
	if twice > 0 || never > 0 || len(all) != n {
		t.Errorf("of %d items %d had their effect recorded twice, and %d never", len(all), twice, never)
	}
}
