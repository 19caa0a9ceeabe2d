package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/replay"
)

// Reader reads the sessions of a file; record.Sessions does, and finds the host out where
// it is "".
type Reader func(ctx context.Context, file, host string) iter.Seq2[replay.Recorded, error]

// Corpus is a set of recorded sessions: files, and what is read elsewhere.
type Corpus struct {
	Name  string
	Files []string
	More  iter.Seq2[replay.Recorded, error] // sessions that lie in no file, as those of a store; may be nil

	ends map[string]outcome // by session, where the corpus tells how runs ended
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

// Find lists the corpora that paths name. A file is part of one corpus with all other
// files; a folder of folders is a corpus for each of them; any other folder is one.
func Find(paths ...string) ([]Corpus, error) {
	var all []Corpus
	loose := Corpus{Name: "files"}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			loose.Files = append(loose.Files, path)
			continue
		}
		found, err := findBelow(path)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(loose.Files) > 0 {
		all = append(all, loose)
	}
	return all, nil
}

func findBelow(dir string) ([]Corpus, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []Corpus
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			c, err := readFolder(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	c, err := readFolder(dir)
	if err == nil && len(c.Files) == 0 {
		err = fmt.Errorf("%s holds no session; give files, a folder of files, or a folder with one folder for each corpus", dir)
	}
	return []Corpus{c}, err
}

// readFolder lists the files of a folder, and reads how its runs ended where the file
// NAME.meta.json beside it says so.
func readFolder(dir string) (Corpus, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Corpus{}, err
	}
	c := Corpus{Name: filepath.Base(dir)}
	files, err := os.ReadDir(dir)
	if err != nil {
		return c, err
	}
	for _, f := range files {
		if f.Type().IsRegular() && !strings.HasPrefix(f.Name(), ".") {
			c.Files = append(c.Files, filepath.Join(dir, f.Name()))
		}
	}
	raw, err := os.ReadFile(dir + ".meta.json")
	if err == nil {
		err = json.Unmarshal(raw, &c.ends)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("%s: %w", c.Name, err)
	}
	return c, nil
}

// recordings are all sessions of the corpus, each with the name of its file.
func (c Corpus) recordings(ctx context.Context, read Reader) iter.Seq2[string, func() (replay.Recorded, error)] {
	return func(yield func(string, func() (replay.Recorded, error)) bool) {
		for _, file := range c.Files {
			for r, err := range read(ctx, file, "") {
				if !yield(file, func() (replay.Recorded, error) { return r, err }) {
					return
				}
			}
		}
		if c.More == nil {
			return
		}
		for r, err := range c.More {
			if !yield("", func() (replay.Recorded, error) { return r, err }) {
				return
			}
		}
	}
}

// Played is a session that was played through the lineup.
type Played struct {
	ID    string
	Title string
	File  string
	Steps int
	Said  []Said

	story   [][]string // what happened, by step, where it was asked for
	prompts []int      // steps at which a person's prompt came
	stops   []int      // steps with which a turn ended
	alarms  []int      // steps at which the detector of loops alone would have fired
	label   *SessionLabels
	end     *outcome
}

// Said is something that the lineup said.
type Said struct {
	Session string  `json:"session"`
	Step    int     `json:"step"`
	Kind    Kind    `json:"kind"`
	By      string  `json:"by"`
	Slot    string  `json:"slot"`
	Why     string  `json:"why,omitempty"`
	Text    string  `json:"text,omitempty"`
	Last    bool    `json:"last,omitempty"`   // on a turn's last request
	Behind  bool    `json:"behind,omitempty"` // right behind a person's prompt
	Verdict Verdict `json:"verdict,omitempty"`
	End     string  `json:"end,omitempty"` // how the run ended, where that is known

	read bool // a person judged this very note
}

// Play plays the sessions of a corpus. A file that cannot be read is a warning: corpora
// are as people recorded them.
func (c Corpus) Play(ctx context.Context, o Options) (all []Played, warnings []string, err error) {
	for file, get := range c.recordings(ctx, o.Read) {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		rec, err := get()
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s is left out: %s", filepath.Base(file), err))
			continue
		}
		r, err := c.one(ctx, o, rec)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		r.File = file
		if l := o.Known[r.ID]; l != nil && !l.of(r.Steps) {
			warnings = append(warnings, fmt.Sprintf("session %s has %d steps, its labels are for %d: left unlabelled", r.ID, r.Steps, l.Steps))
		} else {
			r.label = l
		}
		all = append(all, r)
	}
	return all, warnings, nil
}

// one plays a session.
func (c Corpus) one(ctx context.Context, o Options, s replay.Recorded) (Played, error) {
	if end, ok := c.ends[s.Info.ID]; ok && end.Submitted {
		s.Events = submitted(s.Events)
	}
	report, err := replay.Run(o.Engine, s.Info, until(ctx, s.All()), replay.Prices{})
	if err != nil {
		return Played{}, err
	}
	r := Played{ID: s.Info.ID, Title: report.Title, Steps: report.Steps}
	if end, ok := c.ends[r.ID]; ok {
		r.end = &end
	}
	if err := r.shape(s.Events); err != nil {
		return Played{}, err
	}
	if o.Story {
		r.story = tell(s.Events)
	}
	for _, n := range report.Notes {
		r.add(o.Kinds, Said{Step: n.Step, By: n.By, Slot: n.Slot, Why: n.Why, Text: n.Text})
	}
	for _, sp := range report.Spoken {
		if sp.Kind != replay.Noticed { // the person's own affair: no word to the model
			r.add(o.Kinds, Said{Step: sp.Step, By: sp.By, Slot: string(sp.Kind), Why: sp.Why, Text: sp.Text})
		}
	}
	slices.SortStableFunc(r.Said, func(a, b Said) int { return a.Step - b.Step })
	return r, nil
}

// until is a session up to the end of ctx: one of many messages takes a while.
func until(ctx context.Context, events iter.Seq2[trimtab.Event, error]) iter.Seq2[trimtab.Event, error] {
	return func(yield func(trimtab.Event, error) bool) {
		for ev, err := range events {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

func (r *Played) add(kinds Kinds, s Said) {
	if s.End = "failed"; r.end == nil {
		s.End = ""
	} else if r.end.Resolved {
		s.End = "solved"
	}
	s.Session, s.Kind = r.ID, kinds.Of(s.By, s.Slot, s.Why)
	atEnd := s.Slot == string(replay.Continued)
	s.Last = !atEnd && slices.Contains(r.stops, s.Step+1)
	s.Behind = !atEnd && slices.Contains(r.prompts, s.Step)
	r.Said = append(r.Said, s)
}

// shape finds where prompts came and turns ended, and asks the detector of loops.
func (r *Played) shape(events []trimtab.Event) error {
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
