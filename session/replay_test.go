package session

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/memory"
)

// same replays a stored session and compares it to the byte.
func same(t *testing.T, e *trimtab.Engine, store trimtab.Archive, id string) []trimtab.Outcome {
	t.Helper()
	want, err := store.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	info := want.Info
	info.Title, info.Model = "", "" // as it began
	got, outs, err := Replay(e, info, store.Messages(t.Context(), id, 0), store.Journal(t.Context(), id, 0))
	if err != nil {
		t.Fatal(err)
	}
	got.Version = want.Version
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
		t.Fatalf("stored -, replayed +\n%s", diff)
	}
	return outs
}

func TestReplay_GivesTheSameBytes(t *testing.T) {
	on(t, func(t *testing.T, store trimtab.Archive) {
		random := rand.New(rand.NewPCG(10, 10))
		now := start()
		clock := func() time.Time { // mostly forward, in changing zones
			now = now.Add(time.Duration(random.Int64N(int64(3*time.Minute)) - int64(10*time.Second)))
			return now.In(time.FixedZone("", random.IntN(20)*1800))
		}
		h := New(engine(t), store, Options{Clock: clock})
		begin(t, h, "ship")
		var live []trimtab.Entry
		ctx := t.Context()
		heard := h.Subscribe(ctx)
		for i := range 600 {
			if i%50 == 49 { // as after a restart
				h = New(engine(t), store, Options{Clock: clock})
				heard = h.Subscribe(ctx)
			}
			var events []trimtab.Event
			for range 1 + random.IntN(4) {
				events = append(events, happening(random))
			}
			handle(t, h, "ship", events...)
			for range events {
				live = append(live, (<-heard).Entry)
			}
		}
		outs := same(t, engine(t), store, "ship")
		if len(outs) != len(live) {
			t.Fatalf("%d outcomes, %d entries", len(outs), len(live))
		}
		changes := 0
		for i, out := range outs {
			changes += len(out.Changes)
			if diff := cmp.Diff(live[i].Changes, out.Changes); diff != "" {
				t.Fatalf("entry %d: %s", i+1, diff)
			}
		}
		if changes < 100 {
			t.Errorf("only %d changes: the test steers nothing", changes)
		}
	})
}

// happening is anything that may happen to a session.
func happening(r *rand.Rand) trimtab.Event {
	words := []string{"go on", "boom", "break it", "<b>&\u2028", "caf\xe9", "船\x00", strings.Repeat("long ", 900), ""}
	text := words[r.IntN(len(words))]
	call := trimtab.ToolCall{ID: fmt.Sprint("c", r.IntN(5)), Name: []string{"bash", "TodoWrite"}[r.IntN(2)]}
	call.Input = []json.RawMessage{
		nil, []byte(`null`), []byte(`{ "a": "<x>" }`), []byte(`{"cut`), []byte("\"\xff\""),
		[]byte(`{"todos":[{"content":"caulk","status":"pending"}, {"content":"<paint>","status":"in_progress"}]}`),
	}[r.IntN(6)]
	switch r.IntN(14) {
	case 0, 1, 2:
		return said(text)
	case 3, 4, 5:
		m := trimtab.Message{Role: trimtab.RoleAssistant, Model: fmt.Sprint("m-", r.IntN(2)), Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model}, call}}
		m.Usage = &trimtab.Usage{Input: r.IntN(9000), CacheRead: r.IntN(9000), Output: r.IntN(50)}
		return trimtab.Said{Message: m}
	case 6, 7:
		return trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{
			trimtab.ToolResult{ID: call.ID, Text: text, Failed: r.IntN(3) == 0},
			trimtab.Opaque{Kind: "image", Raw: []byte(`{ "data" : "<" }`)},
		}}}
	case 8:
		return trimtab.Using{Call: call}
	case 9:
		return trimtab.Asked{Command: []string{"tally", "none"}[r.IntN(2)], Args: []string{text}}
	case 10:
		return trimtab.Stopping{Continued: r.IntN(2) == 0}
	case 11:
		return []trimtab.Event{trimtab.Resumed{}, trimtab.Reset{}, trimtab.Rewritten{Lost: []string{trimtab.MessageID(r.IntN(50))}, Size: r.IntN(5000)}}[r.IntN(3)]
	default:
		return trimtab.Calling{}
	}
}

func TestReplay_SaysWhatIsMissing(t *testing.T) {
	store := memory.New()
	h := New(engine(t), store, Options{Clock: still})
	s := begin(t, h, "ship")
	handle(t, h, "ship", said("one"), said("two"), said("three"))
	all := messages(t, store, "ship")
	for name, history := range map[string][]trimtab.Message{"m2": {all[0], all[2]}, "m3": all[:2], "m1": nil} {
		_, _, err := Replay(engine(t), s.Info, values(history), store.Journal(t.Context(), "ship", 0))
		is(t, err, trimtab.ErrNotFound)
		if !strings.Contains(err.Error(), "message "+name+" is missing") {
			t.Errorf("error %q does not name %s", err, name)
		}
	}
	_, _, err := Replay(engine(t), s.Info, values(all), store.Journal(t.Context(), "ghost", 0))
	is(t, err, trimtab.ErrNotFound)
}

func values[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// BenchmarkHandle is a message and a request, stored.
func BenchmarkHandle(b *testing.B) {
	for name, store := range map[string]trimtab.Archive{"memory": memory.New(), "sqlite": file(b, b.TempDir()+"/trimtab.db")} {
		b.Run(name, func(b *testing.B) {
			h := New(engine(b), store, Options{Clock: still})
			id := fmt.Sprint("s", b.N)
			begin(b, h, id)
			for b.Loop() {
				handle(b, h, id, said("go on"), trimtab.Calling{})
			}
		})
	}
}
