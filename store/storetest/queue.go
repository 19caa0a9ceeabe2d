package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// Queue runs the suite of a store's queue. Each test opens an empty one of its own.
func Queue(t *testing.T, open func(t *testing.T) improve.Queue) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, improve.Queue)
	}{
		{"an added item comes back as it was", added},
		{"there is one item of a fingerprint for a project", filed},
		{"what was refused is not asked again", refusedOnce},
		{"eight add one fingerprint at once and one succeeds", racedAdd},
		{"what cannot be kept is refused", unkept},
		{"items come by state, newest first", listed},
		{"a change is whole, or nothing", changed},
		{"a change is made again when somebody was faster", contended},
		{"a change may use the queue", reentrant},
		{"a change leaves the lease alone", leased},
		{"a lease ends with the work", ended},
		{"who an item is cannot be changed", identity},
		{"the oldest item is taken first", takenOldest},
		{"only queued items are taken, and those whose lease ended", takeable},
		{"no more run than the limit", limited},
		{"no more of a project run than its own limit", limitedByProject},
		{"no more run than the limit when eight ask at once", racedLimit},
		{"eight take at once and no item goes to two", racedTake},
		{"P3: a worker that lost its lease records nothing", fenced},
		{"a lease can be renewed while it is one's own", renewed},
		{"what was begun is remembered", begun},
		{"the kill switch stays where it was put", halted},
		{"X3: one trouble of a repository is one item, whichever clone it was seen in", oneOfARepository},
		{"X3: files are kept beside the items", filesKept},
		{"X3: a file that is saved once is the same for all", savedOnce},
		{"a cancelled context stops the queue", stopped},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// Item returns an improvement with something in each kind of field. Those of
// higher numbers are newer.
func Item(n int) improve.Item {
	at := start.Add(time.Duration(n) * time.Second)
	return improve.Item{
		ID: fmt.Sprintf("workflow_%04d", n), Fingerprint: fmt.Sprintf("print-%d", n), Project: "/home/ädä/ship", State: improve.Queued, Why: "nul:\x00",
		Request: improve.Request{
			Title: "Fix the rudder 🚢", Description: "<b>&", Priority: improve.High, Type: "error_handling",
			Pattern: improve.Pattern{Type: "error", Severity: improve.High, Count: 3, Samples: []improve.Sample{{Session: "s", Excerpt: "no\x00such"}}},
			Context: improve.Context{"tool": "bash"}, MaxLines: 200, SecurityReview: true,
		},
		Sessions: []string{"s1", "s2"}, Attempt: 1, Created: at, Updated: at,
		Evidence: []improve.Evidence{{Number: 1, Step: "clarify", Began: at, Facts: map[string]string{"k": "v"}, Files: []string{"log"}}},
	}
}

func file(t *testing.T, q improve.Queue, items ...improve.Item) {
	t.Helper()
	for _, it := range items {
		if err := q.Add(t.Context(), it); err != nil {
			t.Fatalf("add %s: %v", it.ID, err)
		}
	}
}

func item(t *testing.T, q improve.Queue, id string) improve.Item {
	t.Helper()
	it, err := q.Item(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func items(t *testing.T, q improve.Queue, states ...improve.State) (out []string) {
	t.Helper()
	found, err := q.Items(t.Context(), states...)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range found {
		out = append(out, it.ID)
	}
	return out
}

// to returns a change to a state.
func to(s improve.State) func(*improve.Item) error {
	return func(it *improve.Item) error {
		it.State = s
		return nil
	}
}

func change(t *testing.T, q improve.Queue, id string, fence int64, change func(*improve.Item) error) improve.Item {
	t.Helper()
	it, err := q.Change(t.Context(), id, fence, change)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func added(t *testing.T, q improve.Queue) {
	want := Item(1)
	file(t, q, want)
	same(t, item(t, q, want.ID), want)
	all, err := q.Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, all, []improve.Item{want})

	// Callers share no memory with the queue.
	all[0].Sessions[0], all[0].Evidence[0].Facts["k"] = "changed", "changed"
	want.Request.Context["tool"] = "changed"
	same(t, item(t, q, want.ID), Item(1))

	// A new item is nobody's, whatever it says.
	owned := Item(2)
	owned.Worker, owned.Until, owned.Fence = "somebody", start, 7
	file(t, q, owned)
	if got := item(t, q, owned.ID); got.Worker != "" || !got.Until.IsZero() || got.Fence != 0 {
		t.Errorf("worker %q until %v, fence %d", got.Worker, got.Until, got.Fence)
	}
	_, err = q.Item(t.Context(), "ghost")
	is(t, err, improve.ErrNoItem)
	if !strings.Contains(err.Error(), "ghost") {
		t.Errorf("error %q does not name the item", err)
	}
}

func filed(t *testing.T, q improve.Queue) {
	first := Item(1)
	file(t, q, first)
	again := Item(2)
	again.Fingerprint = first.Fingerprint
	is(t, q.Add(t.Context(), again), improve.ErrFiled)
	again = Item(2)
	again.ID = first.ID
	is(t, q.Add(t.Context(), again), improve.ErrFiled)
	same(t, item(t, q, first.ID), first)

	elsewhere := Item(3)
	elsewhere.Fingerprint, elsewhere.Project = first.Fingerprint, "/another"
	file(t, q, elsewhere, Item(2))
	if diff := cmp.Diff([]string{"workflow_0003", "workflow_0002", "workflow_0001"}, items(t, q)); diff != "" {
		t.Error(diff)
	}
}

func refusedOnce(t *testing.T, q improve.Queue) {
	for n, end := range []improve.State{improve.Done, improve.Failed, improve.Manual, improve.Rejected, improve.Cancelled} {
		it := Item(n)
		file(t, q, it)
		change(t, q, it.ID, 0, to(end))
		it.ID += "again"
		if err := q.Add(t.Context(), it); !errors.Is(err, improve.ErrFiled) {
			t.Errorf("after %s it is taken in again: %v", end, err)
		}
	}
}

func racedAdd(t *testing.T, q improve.Queue) {
	for round := range 5 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		took := 0
		for w := range 8 {
			wg.Go(func() {
				it := Item(round)
				it.ID = fmt.Sprintf("r%d-w%d", round, w)
				err := q.Add(t.Context(), it)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					took++
				} else if !errors.Is(err, improve.ErrFiled) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took != 1 {
			t.Errorf("round %d: %d were taken in", round, took)
		}
	}
}

func unkept(t *testing.T, q improve.Queue) {
	for name, spoil := range map[string]func(*improve.Item){
		"too large":           func(it *improve.Item) { it.Why = strings.Repeat("x", 5<<20) },
		"a long project":      func(it *improve.Item) { it.Project = strings.Repeat("x", 5000) },
		"a long fingerprint":  func(it *improve.Item) { it.Fingerprint = strings.Repeat("x", 5000) },
		"no fingerprint":      func(it *improve.Item) { it.Fingerprint = "" },
		"no id":               func(it *improve.Item) { it.ID = "" },
		"an id that is a way": func(it *improve.Item) { it.ID = "../x" },
		"a long id":           func(it *improve.Item) { it.ID = strings.Repeat("x", 129) },
		"no state":            func(it *improve.Item) { it.State = "" },
		"an unknown state":    func(it *improve.Item) { it.State = "sleeping" },
	} {
		it := Item(1)
		spoil(&it)
		err := q.Add(t.Context(), it)
		if err == nil {
			t.Errorf("%s: it was taken in", name)
		}
		if large := strings.Contains(name, "too") || strings.Contains(name, "long "); large && !strings.Contains(name, "id") {
			is(t, err, trimtab.ErrTooLarge)
		}
	}
	if got := items(t, q); len(got) != 0 {
		t.Errorf("left behind: %q", got)
	}
	file(t, q, Item(1))
	_, err := q.Change(t.Context(), Item(1).ID, 0, func(it *improve.Item) error {
		it.Why = strings.Repeat("x", 5<<20)
		return nil
	})
	is(t, err, trimtab.ErrTooLarge)
	same(t, item(t, q, Item(1).ID), Item(1))
	if err := q.Begin(t.Context(), strings.Repeat("x", 2000), start); !errors.Is(err, trimtab.ErrTooLarge) {
		t.Errorf("a key of 2,000 bytes: %v", err)
	}
	if err := q.Begin(t.Context(), "", start); err == nil {
		t.Error("an intent without a key was recorded")
	}
	if _, _, err := q.Take(t.Context(), "", start, start, improve.Limits{All: 1}); err == nil {
		t.Error("a worker without a name took something")
	}
	if _, err := q.Items(t.Context(), "sleeping"); err == nil {
		t.Error("an unknown state was asked for")
	}
}

func listed(t *testing.T, q improve.Queue) {
	for n, s := range []improve.State{improve.Queued, improve.Awaiting, improve.Running, improve.Queued, improve.Rejected} {
		it := Item(n)
		it.State = s
		file(t, q, it)
	}
	tie := Item(3)
	tie.ID, tie.Fingerprint = "workflow_0003b", "other"
	file(t, q, tie)
	for _, test := range []struct {
		states []improve.State
		want   string
	}{
		{nil, "4 3b 3 2 1 0"},
		{[]improve.State{improve.Queued}, "3b 3 0"},
		{[]improve.State{improve.Queued, improve.Awaiting}, "3b 3 1 0"},
		{[]improve.State{improve.Done}, ""},
	} {
		got := strings.ReplaceAll(strings.Join(items(t, q, test.states...), " "), "workflow_000", "")
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.states, got, test.want)
		}
	}
}

func begun(t *testing.T, q improve.Queue) {
	last := func(key string) time.Time {
		t.Helper()
		at, err := q.Last(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	if at := last("issue/1"); !at.IsZero() {
		t.Errorf("never begun, and yet at %v", at)
	}
	for _, step := range []struct{ begin, want time.Duration }{{0, 0}, {time.Minute, time.Minute}, {time.Second, time.Minute}, {time.Minute + 1, time.Minute + 1}} {
		if err := q.Begin(t.Context(), "issue/1", start.Add(step.begin).In(time.FixedZone("", 3600))); err != nil {
			t.Fatal(err)
		}
		if at := last("issue/1"); !at.Equal(start.Add(step.want)) {
			t.Errorf("last begun at %v, want %v", at, start.Add(step.want))
		}
	}
	if at := last("issue/2"); !at.IsZero() {
		t.Errorf("another key was begun at %v", at)
	}
}

func halted(t *testing.T, q improve.Queue) {
	for _, want := range []bool{false, true, true, false, true} {
		if want {
			is(t, q.Halt(t.Context(), true), nil)
		} else {
			is(t, q.Halt(t.Context(), false), nil)
		}
		if got, err := q.Halted(t.Context()); err != nil || got != want {
			t.Errorf("halted %v, %v, want %v", got, err, want)
		}
	}
}

func stopped(t *testing.T, q improve.Queue) {
	file(t, q, Item(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	is(t, q.Add(ctx, Item(2)), ctx.Err())
	_, err := q.Item(ctx, Item(1).ID)
	is(t, err, ctx.Err())
	_, err = q.Items(ctx)
	is(t, err, ctx.Err())
	_, err = q.Change(ctx, Item(1).ID, 0, to(improve.Done))
	is(t, err, ctx.Err())
	_, _, err = q.Take(ctx, "w", start, start, improve.Limits{All: 1})
	is(t, err, ctx.Err())
	is(t, q.Renew(ctx, Item(1).ID, 1, start), ctx.Err())
	is(t, q.Begin(ctx, "k", start), ctx.Err())
	_, err = q.Last(ctx, "k")
	is(t, err, ctx.Err())
	is(t, q.Halt(ctx, true), ctx.Err())
	_, err = q.Halted(ctx)
	is(t, err, ctx.Err())
	same(t, item(t, q, Item(1).ID), Item(1))
	if on, err := q.Halted(t.Context()); err != nil || on {
		t.Errorf("halted %v, %v", on, err)
	}
}

func oneOfARepository(t *testing.T, q improve.Queue) {
	ann := Item(1)
	ann.Project, ann.Repo = "/home/ann/ship", "host/ann/ship"
	bob := Item(2)
	bob.Fingerprint, bob.Project, bob.Repo = ann.Fingerprint, "/workspace", ann.Repo
	other := Item(3)
	other.Fingerprint, other.Project, other.Repo = ann.Fingerprint, "/workspace", "host/ann/boat"
	file(t, q, ann, other)
	if err := q.Add(t.Context(), bob); !errors.Is(err, improve.ErrFiled) {
		t.Errorf("it was filed twice: %v", err)
	}
	for _, want := range []improve.Item{ann, other} {
		if got := item(t, q, want.ID); got.Project != want.Project || got.Repo != want.Repo {
			t.Errorf("%s: %q in %q, want %q in %q", want.ID, got.Repo, got.Project, want.Repo, want.Project)
		}
	}
	if _, err := q.Change(t.Context(), ann.ID, 0, func(it *improve.Item) error { it.Repo = "host/x"; return nil }); err == nil {
		t.Error("the repository of an item was changed")
	}
	// A project's limit counts by repository, and with 0 nothing of it is taken.
	most := improve.Limits{All: 9, Projects: map[string]int{ann.Repo: 0}}
	got, ok, err := q.Take(t.Context(), "w", start.Add(time.Hour), start.Add(2*time.Hour), most)
	if err != nil || !ok || got.ID != other.ID || got.Project != other.Project {
		t.Errorf("taken %q, %v, %v", got.ID, ok, err)
	}
	if got, ok, err := q.Take(t.Context(), "w", start.Add(time.Hour), start.Add(2*time.Hour), most); ok || err != nil {
		t.Errorf("taken %q, %v", got.ID, err)
	}
}

func filesKept(t *testing.T, q improve.Queue) {
	ctx := t.Context()
	for _, f := range []improve.File{{Name: "b.log", Body: []byte("x\x00\xff")}, {Name: "a/ü.md", Body: nil}, {Name: "b.log", Body: []byte("y\x00\xff")}} {
		if err := q.Save(ctx, "one", f); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Save(ctx, "two", improve.File{Name: "b.log", Body: []byte("other")}); err != nil {
		t.Fatal(err)
	}
	got, err := q.Files(ctx, "one")
	if err != nil || len(got) != 2 || got[0].Name != "a/ü.md" || len(got[0].Body) != 0 || string(got[1].Body) != "y\x00\xff" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := q.Files(ctx, "none"); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
	if n, err := q.RemoveFolders(ctx, "o", "one"); err != nil || n != 0 {
		t.Errorf("%d removed, %v; the end is not included", n, err)
	}
	if n, err := q.RemoveFolders(ctx, "one", "onf"); err != nil || n != 2 {
		t.Errorf("%d removed, %v", n, err)
	}
	if got, err := q.Files(ctx, "one"); err != nil || len(got) != 0 {
		t.Errorf("%q is left, %v", got, err)
	}
	if got, err := q.Files(ctx, "two"); err != nil || len(got) != 1 {
		t.Errorf("%q, %v; another folder stays", got, err)
	}
	for _, f := range []improve.File{{}, {Name: strings.Repeat("n", 2000)}, {Name: "big", Body: make([]byte, 33<<20)}} {
		if err := q.Save(ctx, "one", f); err == nil {
			t.Errorf("%.20q with %d bytes was kept", f.Name, len(f.Body))
		}
	}
}

func savedOnce(t *testing.T, q improve.Queue) {
	var kept [8]string
	var wait sync.WaitGroup
	for i := range kept {
		wait.Go(func() {
			f, err := q.SaveOnce(t.Context(), "", improve.File{Name: "key", Body: fmt.Append(nil, i)})
			if err != nil {
				t.Error(err)
			}
			kept[i] = string(f.Body)
		})
	}
	wait.Wait()
	for _, one := range kept {
		if one == "" || one != kept[0] {
			t.Fatalf("kept %q", kept)
		}
	}
}
