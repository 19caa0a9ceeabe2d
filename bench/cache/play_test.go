package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay/cache"
	"github.com/trimtab/trimtab/steer"
)

var begin = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

func ways(t *testing.T) []lineup {
	t.Helper()
	all, err := lineups()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// plain is a session of so many steps with a tool, every message 400 bytes.
func plain(steps int) session {
	s := session{name: "plain", info: trimtab.Info{ID: "s", Created: begin}}
	c := chance(7)
	say := func(m trimtab.Message) { s.events = append(s.events, trimtab.Said{Message: m}) }
	say(trimtab.Prompt(c.text(400)))
	for i := range steps {
		call := trimtab.ToolCall{ID: c.text(9), Name: "bash", Input: encode(c.text(394))}
		say(trimtab.Message{Role: trimtab.RoleAssistant, At: begin.Add(time.Duration(i) * time.Second), Parts: []trimtab.Part{call}})
		say(trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: call.ID, Text: c.text(400)}}})
	}
	return s
}

func free(name string) cache.Provider {
	for _, p := range cache.Known() {
		if p.Name == name {
			p.Least, p.Lookback = 0, 0
			return p
		}
	}
	return cache.Provider{}
}

func TestWithoutNotesSteeringCostsNothing(t *testing.T) {
	silent, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []cache.Provider{free("marks"), free("blocks")} {
		without, with := play(lineup{}, plain(7), p, 8000), play(lineup{name: "silent", engine: silent}, plain(7), p, 8000)
		if with.Notes != 0 {
			t.Fatalf("%d notes in seven steps", with.Notes)
		}
		if diff := cmp.Diff(without, with); diff != "" {
			t.Errorf("%s: %s", p.Name, diff)
		}
	}
}

func TestASessionAloneReadsAllButWhatIsNew(t *testing.T) {
	// The first of 10 requests writes system and prompt, each further one two messages.
	got := play(lineup{}, plain(10), free("marks"), 8000)
	want := cache.Bill{Write: 8400 + 9*800}
	for n := range 9 {
		want.Read += 8400 + n*800
	}
	if got.Write < want.Write-9*10 || got.Write > want.Write+9*10 || got.Requests != 10 || got.Steps != 10 {
		t.Errorf("%+v, want about %+v", got, want)
	}
	if d := got.Read - want.Read; d < -500 || d > 500 || got.Plain != 0 {
		t.Errorf("read %d, plain %d; want %d and 0", got.Read, got.Plain, want.Read)
	}
}

func TestTheEngineAndTheCacheAgreeOnWhatANoteCosts(t *testing.T) {
	// One reminder comes at step 8, and another takes its place at step 12. Nothing that was sent changes, so
	// nothing is given up, by either account.
	all := ways(t)
	for _, name := range []string{"marks", "blocks"} {
		p := free(name)
		l := tableLine{}
		for _, w := range all {
			l.by = append(l.by, play(w, plain(13), p, 8000))
		}
		const within = 150 // a block, and the message that the note stood behind
		for i := 1; i < len(all); i++ {
			if l.by[i].Notes != 2 || l.by[i].Lost != 0 {
				t.Errorf("%s, %s: %d notes, %d tokens lost by the engine's account", name, all[i].name, l.by[i].Notes, l.by[i].Lost)
			}
			if got := l.rewritten(i); got < -within || got > within {
				t.Errorf("%s, %s: %d tokens given up", name, all[i].name, got)
			}
		}
	}
}

func TestAnAppendedNoteIsWrittenOnce(t *testing.T) {
	for _, own := range []bool{false, true} {
		p := free("marks")
		p.Own = own
		r := play(ways(t)[1], plain(11), p, 8000)
		if r.Notes != 1 || r.OursWrite != r.Added || (r.OursPlain == 0) != own {
			t.Errorf("own mark %v: %d bytes of notes, %d written, %d plain", own, r.Added, r.OursWrite, r.OursPlain)
		}
	}
}

// A note that rides is behind every mark: the three requests that it is part of pay for it in full.
func TestANoteAtTheTailIsPaidWithEachRequest(t *testing.T) {
	r := play(ways(t)[2], plain(11), free("marks"), 8000)
	if r.Notes != 1 || r.OursWrite != 0 || r.OursRead != 0 || r.OursPlain != 3*r.Added {
		t.Errorf("%d bytes of notes, %d written, %d read, %d plain", r.Added, r.OursWrite, r.OursRead, r.OursPlain)
	}
}

// A note at the tail costs its own tokens and nothing of the client's; where the
// request is marked as a whole, it takes the mark with it, unless it clears itself.
func TestNotesAtTheTailLeaveTheClientsCacheAlone(t *testing.T) {
	given := func(way string, whole bool) (tokens int, notes int) {
		t.Helper()
		p := free("marks")
		p.Whole = whole
		l := tableLine{}
		for _, w := range ways(t) {
			if w.engine == nil || w.name == way {
				l.by = append(l.by, play(w, plain(40), p, 8000))
			}
		}
		return l.rewritten(1), l.by[1].Notes
	}
	for _, c := range []struct {
		way   string
		whole bool
		free  bool
	}{{"tail", false, true}, {"clearing", false, true}, {"clearing", true, true}, {"tail", true, false}, {"append", false, true}, {"append", true, true}} {
		if got, notes := given(c.way, c.whole); notes < 2 || (got == 0) != c.free {
			t.Errorf("%+v: %d tokens given up for %d notes", c, got, notes)
		}
	}
}

func TestCompactionLeavesTheSummary(t *testing.T) {
	summary := trimtab.Say(trimtab.RoleUser, trimtab.Host, strings.Repeat("s", 1000))
	s := plain(9)
	s.events = append(s.events, trimtab.Said{Message: summary}, trimtab.Rewritten{All: true, Size: 1000})
	before := play(lineup{}, s, free("marks"), 8000)
	s.events = append(s.events, trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "on we go")})
	after := play(lineup{}, s, free("marks"), 8000)
	if got := after.Total() - before.Total(); got != 9000 {
		t.Errorf("the request behind the summary has %d bytes, want 9000", got)
	}
	if after.Read-before.Read != 8000 {
		t.Errorf("%d bytes were read, want the 8000 before the messages", after.Read-before.Read)
	}
}

func TestMadeUpSessionsAreWholeAndTheSameEveryTime(t *testing.T) {
	again := madeUp()
	for i, s := range madeUp() {
		if !reflect.DeepEqual(s.events, again[i].events) {
			t.Fatalf("%s: not the same the second time", s.name)
		}
		open, steps, last := map[string]bool{}, 0, time.Time{}
		for _, ev := range s.events {
			said, ok := ev.(trimtab.Said)
			if !ok {
				continue
			}
			if said.Message.At.Before(last) {
				t.Errorf("%s: time goes back", s.name)
			}
			last = said.Message.At
			if said.Message.Role == trimtab.RoleAssistant {
				steps++
			}
			for _, p := range said.Message.Parts {
				switch p := p.(type) {
				case trimtab.ToolCall:
					open[p.ID] = true
				case trimtab.ToolResult:
					if !open[p.ID] {
						t.Errorf("%s: a result without a call", s.name)
					}
					delete(open, p.ID)
				}
			}
		}
		if len(open) > 0 || steps != plans()[i].steps || steps < 100 || steps > 300 {
			t.Errorf("%s: %d steps, %d calls without a result", s.name, steps, len(open))
		}
	}
}

// Whichever way notes travel; and in long sessions a note that is gone is cheaper than
// one that is read to the end.
func TestSteeringKeepsTheShareWithinHalfAPoint(t *testing.T) {
	tab := table{Provider: free("marks")}
	tab.Lookback = 20
	for _, s := range madeUp() {
		tab.add(s, ways(t), 64_000)
	}
	all := tab.sum()
	for i, w := range ways(t)[1:] {
		if d := all.moved(i + 1); d < -shareGoal || d > shareGoal {
			t.Errorf("%s: the share that is read moves by %.2f points", w.name, d)
		}
		if lost := all.rewritten(i + 1); lost != 0 {
			t.Errorf("%s: %d tokens of cached prefix given up", w.name, lost)
		}
	}
	if all.by[1].Cost(tab.Prices) <= all.by[2].Cost(tab.Prices) {
		t.Error("append is not dearer than tail in long sessions")
	}
}
