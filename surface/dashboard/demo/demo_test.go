package demo_test

import (
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/dashboard/demo"
)

// The sample shows what the dashboard is for: a loop that is noticed, a message that is
// heeded and one that is not, a mode, and an agent that would have stopped too early. All
// of it is what the engine did with the agents' words, by the settings that people have.
func TestTheSampleShowsWhatSteeringDoes(t *testing.T) {
	cfg, _ := config.Load[steer.Config](config.Sources{})
	engine, err := steer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	if err := demo.Play(t.Context(), engine, st, time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	type said struct {
		by     string
		heeded timeline.Heeded
	}
	for id, want := range map[string][]said{
		"demo-loop":   {{"guard", timeline.No}, {"guard", timeline.Yes}, {"stop", timeline.Yes}},
		"demo-plan":   {{"mode", timeline.NoAsk}, {"mode", timeline.NoAsk}},
		"demo-export": {{"stop", timeline.Yes}},
	} {
		s, err := st.Load(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := export.FromArchive(t.Context(), st, s)
		if err != nil {
			t.Fatal(err)
		}
		var got []said
		line := doc.Timeline()
		for _, turn := range line.Turns {
			for _, i := range turn.Items {
				switch i.Kind {
				case timeline.Ours:
					got = append(got, said{i.Note.By, i.Note.Heeded})
					if i.Note.Why == "" || i.Note.Next == "" {
						t.Errorf("%s: a note without its reason or what came next: %+v", id, *i.Note)
					}
				case timeline.Broken:
					t.Errorf("%s: %s", id, i.Text)
				case timeline.Call:
					if !i.Done {
						t.Errorf("%s: %s has no result", id, i.Tool)
					}
				}
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %v; want %v", id, got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: message %d is %v; want %v", id, i+1, got[i], want[i])
			}
		}
	}
	n := 0
	for _, err := range st.List(t.Context(), trimtab.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d sessions", n)
	}
}
