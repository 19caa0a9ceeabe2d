package worker_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/improve/steps/stepstest"
)

// interrupted has an item worked on up to a step, and stops the worker in it.
func interrupted(t *testing.T, at improve.StepName) *port {
	t.Helper()
	p := newPort(t, 1)
	there := p.hang(at)
	stop := p.start(t)
	<-there
	stop()
	p.steps = nil
	return p
}

// edit changes what an item shows, behind the back of its worker.
func (p *port) edit(t *testing.T, change func(*improve.Item)) {
	t.Helper()
	if _, err := p.queue.Change(t.Context(), stepstest.Item("", 1).ID, 0, func(it *improve.Item) error { change(it); return nil }); err != nil {
		t.Fatal(err)
	}
}

// goesOn finishes the work, and checks how often the agent was asked for two of its steps.
func (p *port) goesOn(t *testing.T, implement, simplify int) {
	t.Helper()
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := complete(p.item(t, 1)); err != nil {
		t.Error(err)
	}
	p.check(t, whole(1))
	if i, s := len(p.asked("implement")), len(p.asked("simplify")); i != implement || s != simplify {
		t.Errorf("it was implemented %d times and simplified %d times, want %d and %d", i, s, implement, simplify)
	}
}

// TestX4_TheEngineSaysWhatIsDone: the item only shows it. One that shows less, more or
// something else than was recorded is set right, and the work goes on at its step.
func TestX4_TheEngineSaysWhatIsDone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*improve.Item){
		"less": func(it *improve.Item) { it.Evidence = it.Evidence[:3] },
		"more": func(it *improve.Item) {
			it.Evidence[5] = improve.Evidence{Number: 6, Step: steps.Simplify, Began: time.Now(), Ended: time.Now(), Facts: map[string]string{"exit": "0"}}
		},
		"other": func(it *improve.Item) {
			it.Evidence = slices.Clone(it.Evidence)
			it.Evidence[1].Facts = map[string]string{"number": "77"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := interrupted(t, steps.Simplify)
			before := p.item(t, 1).Evidence
			p.edit(t, change)
			p.goesOn(t, 1, 1)
			if got := p.item(t, 1).Evidence[1]; got.Facts["number"] != before[1].Facts["number"] || !got.Ended.Equal(before[1].Ended) {
				t.Errorf("the issue is %v, and was %v", got, before[1])
			}
		})
	}
}

// TestX4_WhatAnOlderProgramBeganGoesOn: its items name no run, and what they show was the
// record then. It is read once, with the older records of the engine there or gone.
func TestX4_WhatAnOlderProgramBeganGoesOn(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"with its records": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			p := interrupted(t, steps.Simplify)
			p.edit(t, func(it *improve.Item) { it.Run = "" })
			if gone {
				p.lose(t)
			}
			p.goesOn(t, 1, 1)
		})
	}
}

// TestX4_LostRecordsAreRebuilt: the work goes on from the copy that the item has.
func TestX4_LostRecordsAreRebuilt(t *testing.T) {
	t.Parallel()
	p := interrupted(t, steps.Simplify)
	p.lose(t)
	p.goesOn(t, 1, 1)
}

// lose takes the engine's records away.
func (p *port) lose(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.cfg.Folder, "flow.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
}

// TestX4_ADamagedItemStopsNoOther: it is named with what is wrong, and the others are done.
func TestX4_ADamagedItemStopsNoOther(t *testing.T) {
	t.Parallel()
	p := newPort(t, 3)
	p.limit = func(string) int { return 1 } // so that the worker lists them, too
	db, err := sql.Open("sqlite", filepath.Join(p.folder, "trimtab.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	first := stepstest.Item("", 1).ID
	if _, err := db.ExecContext(t.Context(), "UPDATE improvements SET body = '{\"id\":' WHERE id = $1", first); err != nil {
		t.Fatal(err)
	}
	if err := p.drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := complete(p.item(t, n+2)); err != nil {
			t.Error(err)
		}
	}
	p.check(t, whole(2))
	waiting, err := p.queue.Items(t.Context(), improve.Manual)
	if err != nil || len(waiting) != 1 || waiting[0].ID != first || !waiting[0].Damaged || !strings.Contains(waiting[0].Why, "cannot be read") {
		t.Errorf("%+v, %v", waiting, err)
	}
}
