// Package frame keeps a session's work as a tree of frames. A finished frame
// leaves what the model sees and its summary stays, so the context follows the
// work in hand and not the whole past.
//
// A person or the model pushes a frame for a piece of work and pops it when it
// is done; heuristics over the session's own events say when that would be
// wise, and at the level "auto" do it. The package never reads the history: it
// gathers what it needs as messages pass, folds by reference, and loses
// nothing; every step can be undone and every fold opened again.
//
//	frames, err := frame.New(frame.Config{}, frame.Autonomy{Level: "auto"})
//	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(frames))
//	s, out := engine.Step(s, trimtab.Asked{Command: "push", Args: []string{"Fix", "the", "parser"}}, now)
//	…
//	s, out = engine.Step(s, trimtab.Asked{Command: "pop", Args: []string{"completed", "it", "reads", "tabs"}}, now)
//	request := s.View(history) // the summary in the place of the work
package frame

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config sets how frames are shown to the model. Zero values take the defaults.
type Config struct {
	Budget    Budget `json:"budget" doc:"tokens of the frame context, by its parts"`
	Ancestors string `json:"ancestors" default:"fold" enum:"fold,keep" doc:"fold: while a frame is worked on, those above it are seen as goal and summary; keep: their messages stay"`
	Summaries string `json:"summaries" default:"extract" enum:"extract,model" doc:"who writes a summary that was not given: extract takes it from the frame's own messages; model also asks a model for a better one"`
	Model     string `json:"model" guard:"user" doc:"which model writes summaries; empty is the one that the chat takes by itself"`
	Root      *bool  `json:"rootContext" default:"false" doc:"tell the model of the root frame too, where everything is in view"`
	Payback   int    `json:"payback" default:"50" min:"1" max:"10000" doc:"fold only what saves its price, in prompt cache, within so many requests"`
	Limit     int    `json:"contextLimit" default:"0" min:"0" max:"100000000" doc:"tokens of the model's context; 0 goes by the model's name, and is 100,000 for an unknown one"`
}

// Budget is how many tokens each part of the frame context may take.
type Budget struct {
	Total     int `json:"total" default:"4000" min:"100" max:"100000" doc:"all parts together"`
	Ancestors int `json:"ancestors" default:"1500" min:"1" max:"100000" doc:"the frames above: goals and summaries so far"`
	Siblings  int `json:"siblings" default:"1500" min:"1" max:"100000" doc:"summaries of finished frames beside it"`
	Current   int `json:"current" default:"800" min:"1" max:"100000" doc:"the frame itself: goal, criteria, decisions"`
	Overhead  int `json:"overhead" default:"200" min:"1" max:"100000" doc:"headings"`
}

// Frames is the intervention.
type Frames struct {
	cfg  Config
	auto Autonomy
}

// New returns the intervention. A value out of range is an error that names it.
func New(cfg Config, auto Autonomy) (Frames, error) {
	cfg, err1 := settingtag.Fill(cfg)
	budget, err2 := settingtag.Fill(cfg.Budget)
	auto, err3 := auto.fill()
	cfg.Budget = budget
	for at, err := range map[string]*error{"frames": &err1, "frames.budget": &err2, "autonomy": &err3} {
		if *err != nil {
			*err = fmt.Errorf("%s: %w", at, *err)
		}
	}
	return Frames{cfg, auto}, errors.Join(err1, err2, err3)
}

// Memory is the tree of a session and what was gathered for it. All lists in it
// are bounded.
type Memory struct {
	Frames []Frame     `json:"frames,omitempty"` // in the order of their making
	Active string      `json:"active,omitempty"`
	Next   int         `json:"next,omitempty"` // frames made so far
	Work   Work        `json:"work,omitzero"`  // of the active frame
	Open   []call      `json:"open,omitempty"`
	Torn   []int       `json:"torn,omitempty"`   // messages that hold half of a tool pair
	TornTo int         `json:"tornTo,omitempty"` // up to there they are no longer told apart
	Whole  trimtab.Ref `json:"whole,omitzero"`   // the newest message behind which no call was open
	Tail   int         `json:"tail,omitempty"`   // bytes said after Whole
	Asked  words       `json:"asked,omitzero"`   // the person's newest prompt
	Bytes  int         `json:"bytes,omitempty"`
	Sent   int         `json:"sent,omitempty"`   // tokens of the last request, as the provider counted
	Model  string      `json:"model,omitempty"`  // for its limit
	Folds  []fold      `json:"folds,omitempty"`  // as the engine holds them
	Hot    []stay      `json:"hot,omitempty"`    // what shows the present state of files, and is not folded
	Seeing []uint32    `json:"seeing,omitempty"` // files that the calls under way showed
	Unseen []glimpse   `json:"unseen,omitempty"` // what showed files and may be folded
	Seam   string      `json:"seam,omitempty"`   // what ended just now, at which frames may move
	Past   []past      `json:"past,omitempty"`   // what can be undone, the newest last
	Set    *Autonomy   `json:"set,omitempty"`    // settings changed in this session
	Looked int         `json:"looked,omitempty"`
	Told   int         `json:"told,omitempty"` // the step at which a suggestion was told last

	Weighed uint64 `json:"weighed,omitempty,string"` // what the last evaluation of a push depended on

	Suggestions []Suggestion `json:"suggestions,omitempty"` // the newest last
	Stats       Stats        `json:"stats,omitzero"`
}

// UnmarshalJSON reads a stored memory and refuses one whose tree is none.
func (m *Memory) UnmarshalJSON(b []byte) error {
	type plain Memory
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	*m = Memory(p)
	return m.check()
}

// check refuses a tree with circles or strangers in it.
func (m *Memory) check() error {
	last := 0
	for _, f := range m.Frames {
		n := number(f.ID)
		if n <= last || n > m.Next || m.Next > maxFrames+1 {
			return fmt.Errorf("frame %q is out of order", trimtab.Clip(f.ID, 40))
		}
		last = n
		if f.Parent != "" && (number(f.Parent) >= n || m.index(f.Parent) < 0) {
			return fmt.Errorf("frame %s cannot have the parent %q", f.ID, trimtab.Clip(f.Parent, 40))
		}
	}
	for _, p := range m.Past {
		for _, f := range p.Frames {
			if f.Parent != "" && (number(f.Parent) >= number(f.ID) || m.index(f.Parent) < 0) {
				return fmt.Errorf("past frame %s cannot have the parent %q", trimtab.Clip(f.ID, 40), trimtab.Clip(f.Parent, 40))
			}
		}
	}
	if m.Active != "" && m.index(m.Active) < 0 {
		return fmt.Errorf("there is no frame %q to be active", trimtab.Clip(m.Active, 40))
	}
	return nil
}

// words is what the person said last, and the messages around it. It is never
// folded away before it was answered, nor while a frame opened for it is active.
type words struct {
	trimtab.Ref
	Text   string      `json:"text,omitempty"`
	Before trimtab.Ref `json:"before,omitzero"`
	Next   trimtab.Ref `json:"next,omitzero"` // the reply to it
	Size   int         `json:"size,omitempty"`
}

// Name is "frame".
func (Frames) Name() string { return "frame" }

const slotContext, slotSuggestion, slotShown = "context", "suggestion", "suggested"

// Steer gathers what is said, answers commands, and looks at the signals
// whenever a request leaves.
func (d Frames) Steer(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	m, acts := d.expire(t.Now, m)
	switch ev := t.Event.(type) {
	case trimtab.Said:
		return d.listen(t, m, ev.Message), acts
	case trimtab.Asked:
		m, more := d.command(t, m, ev)
		return m, append(acts, more...)
	case trimtab.Rewritten:
		m, more := d.rewritten(t, m, ev)
		return m, append(acts, more...)
	case trimtab.Using:
		return m, append(acts, m.unseen(t, ev.Call)...)
	case trimtab.Calling:
		m, more := d.look(t, m)
		return m, append(acts, more...)
	}
	return m, acts
}

// listen opens the root frame at the first prompt and gathers what is said.
func (d Frames) listen(t trimtab.Turn, m Memory, said trimtab.Message) Memory {
	if t.Session.Model != "" {
		m.Model = t.Session.Model
	}
	if said.IsPrompt() {
		next := words{Ref: t.At, Text: trimtab.Clip(oneLine(said.Typed()), maxGoal), Before: m.Whole, Size: said.Size()}
		if m.Asked.Seq > 0 && m.Asked.Next.Seq == 0 { // the one before waits too
			next.Before, next.Size = m.Asked.Before, next.Size+m.Asked.Size
		}
		m.Asked = next
		if goal := goalOf(said, m.Asked.Text); m.Active == "" && goal != "" {
			m, _ = m.open(Frame{Goal: goal, Status: InProgress}, t.Now)
		}
	}
	return m.gather(t, said)
}

// goalOf is the goal of the root. Text that nobody vouches for is none: it may be a file's.
func goalOf(said trimtab.Message, typed string) string {
	if typed == "" && slices.ContainsFunc(said.Parts, func(p trimtab.Part) bool { t, ok := p.(trimtab.Text); return ok && t.By == trimtab.Unvouched }) {
		return "the task"
	}
	return typed
}

// Status is the path from the root to the active frame, where there is one.
func (d Frames) Status(m Memory) string {
	path := m.path()
	if len(path) < 2 {
		return ""
	}
	var goals []string
	for _, f := range path {
		goals = append(goals, f.ID+" "+short(f.Goal, 24))
	}
	return strings.Join(goals, " › ")
}

// path is the active frame with those above it, the root first.
func (m Memory) path() []Frame { return m.above(m.Active) }

func (m Memory) above(id string) []Frame {
	var path []Frame
	for id != "" && len(path) <= maxDepth {
		i := m.index(id)
		if i < 0 {
			break
		}
		path = append(path, m.Frames[i])
		id = m.Frames[i].Parent
	}
	slices.Reverse(path)
	return path
}

func (m Memory) index(id string) int {
	return slices.IndexFunc(m.Frames, func(f Frame) bool { return f.ID == id })
}

// settings are those of the session where it has its own.
func (d Frames) settings(m Memory) Autonomy {
	if m.Set != nil {
		if own, err := m.Set.fill(); err == nil {
			return own
		}
	}
	return d.auto
}

// pendingFor is how long a suggestion waits.
const pendingFor = 5 * time.Minute
