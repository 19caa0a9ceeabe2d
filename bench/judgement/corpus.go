package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/record"
)

// corpus is a folder of recorded sessions.
type corpus struct {
	name  string
	files []string
	ends  map[string]outcome // by session, where the corpus tells how runs ended
}

// outcome is how a run ended.
type outcome struct {
	Resolved  bool   `json:"resolved"`
	Submitted bool   `json:"submitted"`
	Mode      string `json:"mode"`
}

// sure reports whether the verdict is about the work: where the verifier itself failed,
// it is not.
func (o outcome) sure() bool { return o.Mode != "parse_error" && o.Mode != "test_timeout" }

// readCorpora lists the folders of a folder.
func readCorpora(dir string) ([]corpus, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []corpus
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		c := corpus{name: e.Name()}
		files, err := os.ReadDir(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if f.Type().IsRegular() && !strings.HasPrefix(f.Name(), ".") {
				c.files = append(c.files, filepath.Join(dir, e.Name(), f.Name()))
			}
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()+".meta.json"))
		if err == nil {
			err = json.Unmarshal(raw, &c.ends)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no folder; give a folder with one folder for each corpus", dir)
	}
	return all, nil
}

// run is a session that was played.
type run struct {
	id      string
	steps   int
	prompts []int // steps at which a person's prompt came
	stops   []int // steps with which a turn ended
	said    []said
	alarms  []int // steps at which the detector of loops alone would have fired
	label   *session
	end     *outcome
}

// said is something that the lineup said.
type said struct {
	Session string  `json:"session"`
	Step    int     `json:"step"`
	Kind    kind    `json:"kind"`
	By      string  `json:"by"`
	Slot    string  `json:"slot"`
	Why     string  `json:"why,omitempty"`
	Last    bool    `json:"last,omitempty"`   // on a turn's last request
	Behind  bool    `json:"behind,omitempty"` // right behind a person's prompt
	Verdict verdict `json:"verdict,omitempty"`
	End     string  `json:"end,omitempty"` // how the run ended, where that is known

	read bool // a person judged this very note
}

// play plays the sessions of a corpus. A file that cannot be read is a warning: corpora
// are as people recorded them.
func (c corpus) play(ctx context.Context, engine *trimtab.Engine, kinds kindTable, known map[string]*session) (runs []run, warnings []string, err error) {
	for _, file := range c.files {
		for s, err := range record.Sessions(ctx, file, "") {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if err != nil {
				warnings = append(warnings, fmt.Sprintf("%s is left out: %s", filepath.Base(file), err))
				continue
			}
			r, err := c.one(engine, kinds, s)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", file, err)
			}
			if l := known[r.id]; l != nil && l.Steps != r.steps {
				warnings = append(warnings, fmt.Sprintf("session %s has %d steps, its labels are for %d: left unlabelled", r.id, r.steps, l.Steps))
			} else {
				r.label = l
			}
			runs = append(runs, r)
		}
	}
	return runs, warnings, nil
}

// one plays a session.
func (c corpus) one(engine *trimtab.Engine, kinds kindTable, s record.Session) (run, error) {
	if end, ok := c.ends[s.Info.ID]; ok && end.Submitted {
		s.Events = submitted(s.Events)
	}
	report, err := replay.Run(engine, s.Info, s.All(), replay.Prices{})
	if err != nil {
		return run{}, err
	}
	r := run{id: s.Info.ID, steps: report.Steps}
	if end, ok := c.ends[r.id]; ok {
		r.end = &end
	}
	if err := r.shape(s.Events); err != nil {
		return run{}, err
	}
	for _, n := range report.Notes {
		r.add(kinds, said{Step: n.Step, By: n.By, Slot: n.Slot, Why: n.Why})
	}
	for _, sp := range report.Spoken {
		if sp.Kind != replay.Noticed { // the person's own affair: no word to the model
			r.add(kinds, said{Step: sp.Step, By: sp.By, Slot: string(sp.Kind), Why: sp.Why})
		}
	}
	slices.SortStableFunc(r.said, func(a, b said) int { return a.Step - b.Step })
	return r, nil
}

func (r *run) add(kinds kindTable, s said) {
	s.Session, s.Kind = r.id, kinds.of(s.By, s.Slot, s.Why)
	if s.End = "failed"; r.end == nil {
		s.End = ""
	} else if r.end.Resolved {
		s.End = "solved"
	}
	atEnd := s.Slot == string(replay.Continued)
	s.Last = !atEnd && slices.Contains(r.stops, s.Step+1)
	s.Behind = !atEnd && slices.Contains(r.prompts, s.Step)
	r.said = append(r.said, s)
}

// shape finds where prompts came and turns ended, and asks the detector of loops.
func (r *run) shape(events []trimtab.Event) error {
	detectors, err := loop.Named("progress")
	if err != nil {
		return err
	}
	step, ending := 0, false
	stop := func() {
		if ending {
			r.stops = append(r.stops, step)
		}
		ending = false
	}
	for _, ev := range events {
		s, ok := ev.(trimtab.Said)
		if !ok || s.Message.From != "" {
			continue
		}
		switch s.Message.Role {
		case trimtab.RoleUser:
			if !markup.Interrupted(s.Message.Text()) {
				stop()
			}
			ending = false
			if s.Message.IsPrompt() {
				r.prompts = append(r.prompts, step)
			}
		case trimtab.RoleAssistant:
			step++
			ending = len(callsOf(s.Message)) == 0
		}
		if detectors[0].See(s.Message) != nil {
			r.alarms = append(r.alarms, step)
		}
	}
	stop()
	return nil
}

func callsOf(m trimtab.Message) (calls []trimtab.ToolCall) {
	for _, p := range m.Parts {
		if c, ok := p.(trimtab.ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// submission is the command with which a run of mini-SWE-agent hands in its work.
const submission = "COMPLETE_TASK_AND_SUBMIT"

// submitted makes the end of a turn of the call that hands a run in: there the agent
// says that it is done. What it says beside the call it says before it, and what
// follows is not the agent's.
func submitted(events []trimtab.Event) []trimtab.Event {
	for i, ev := range events {
		s, ok := ev.(trimtab.Said)
		if !ok || !slices.ContainsFunc(callsOf(s.Message), func(c trimtab.ToolCall) bool { return strings.Contains(string(c.Input), submission) }) {
			continue
		}
		m := s.Message
		m.Parts = []trimtab.Part{trimtab.Text{Text: "Done.", By: trimtab.Model}}
		return append(slices.Clone(events[:i]), trimtab.Said{Message: m})
	}
	return events
}
