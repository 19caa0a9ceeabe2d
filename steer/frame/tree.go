package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
)

// Frame is a piece of work.
type Frame struct {
	ID        string      `json:"id"`
	Parent    string      `json:"parent,omitempty"`
	Goal      string      `json:"goal"`
	Criteria  string      `json:"successCriteria,omitempty"`
	Status    Status      `json:"status"`
	Summary   string      `json:"summary,omitempty"`
	Results   string      `json:"results,omitempty"`
	Artifacts []string    `json:"artifacts,omitempty"`
	Decisions []string    `json:"decisions,omitempty"`
	First     trimtab.Ref `json:"firstMessage,omitzero"`
	Last      trimtab.Ref `json:"lastMessage,omitzero"`
	Upto      trimtab.Ref `json:"upto,omitzero"`   // its newest message before the child that was opened last
	Split     *split      `json:"split,omitempty"` // where a prompt stands out of what is folded up to there
	Bytes     int         `json:"bytes,omitempty"` // of its own messages, without its children's
	Messages  int         `json:"messages,omitempty"`
	Created   time.Time   `json:"createdAt,omitzero"`
	Updated   time.Time   `json:"updatedAt,omitzero"`
	Reason    string      `json:"invalidationReason,omitempty"`
	By        string      `json:"by,omitempty"`     // "auto" where the heuristics opened it
	Item      string      `json:"item,omitempty"`   // the todo item that it was opened for
	Undone    Side        `json:"undone,omitempty"` // what somebody took back in it; auto does not do it again
	Folded    bool        `json:"folded,omitempty"` // its messages are seen as its summary
	Above     bool        `json:"above,omitempty"`  // folded while a frame below it is active
	Keeps     bool        `json:"keeps,omitempty"`  // what shows the present state of files stays in view where it is folded
	Gone      bool        `json:"gone,omitempty"`   // the host rewrote its messages
	Held      *Work       `json:"held,omitempty"`   // gathered so far, while another frame is active
}

// Status is where a frame stands.
type Status string

// The statuses.
const (
	Planned     Status = "planned"
	InProgress  Status = "in_progress"
	Completed   Status = "completed"
	Failed      Status = "failed"
	Blocked     Status = "blocked"
	Invalidated Status = "invalidated"
)

// Mark is the sign of a status in the printed tree.
func (s Status) Mark() string {
	return map[Status]string{Completed: "✓", InProgress: "→", Planned: "○", Invalidated: "✗", Blocked: "!", Failed: "⚠"}[s]
}

// Limits of the tree: what is longer is cut or refused, never kept.
const (
	maxFrames    = 400
	maxHeld      = 512 << 10 // bytes of all frames; beyond it no new one is made
	maxDepth     = 32
	maxGoal      = 1000
	maxSummary   = 4000
	maxListed    = 50
	maxListedLen = 200
	maxPast      = 10
)

// open makes a frame and, if it is in progress, makes it the active one.
func (m Memory) open(f Frame, now time.Time) (Memory, Frame) {
	m.Next++
	f.ID, f.Created, f.Updated = "f"+strconv.Itoa(m.Next), now, now
	m.Frames = append(slices.Clip(m.Frames), f)
	if f.Status == InProgress {
		m.Active, m.Work = f.ID, Work{}
	}
	return m, f
}

// push opens a child of the active frame, or a root where there is none.
func (m Memory) push(goal, criteria, by string, now time.Time) (Memory, Frame, error) {
	goal = trimtab.Clip(oneLine(goal), maxGoal)
	switch {
	case goal == "":
		return m, Frame{}, fmt.Errorf("it takes the goal of the new frame")
	case m.Next >= maxFrames:
		return m, Frame{}, fmt.Errorf("this session has made %d frames, which is the most; go on in the one that is open, or start a new session", maxFrames)
	case m.heavy():
		return m, Frame{}, fmt.Errorf("the frames of this session hold %d KB of text, which is the most; go on in the one that is open, or start a new session", maxHeld>>10)
	case len(m.path()) >= maxDepth:
		return m, Frame{}, fmt.Errorf("frames are %d deep, which is the most; pop one first", maxDepth)
	}
	m = m.begin().leave()
	m, f := m.open(Frame{Parent: m.Active, Goal: goal, Criteria: trimtab.Clip(oneLine(criteria), maxGoal), Status: InProgress, By: by}, now)
	return m, f, nil
}

// pop ends the active frame and returns to its parent. The root's messages stay:
// popping it ends the tree and nothing else.
func (m Memory) pop(status Status, summary string, now time.Time) (Memory, Frame, error) {
	i := m.index(m.Active)
	switch {
	case i < 0:
		return m, Frame{}, fmt.Errorf("no frame is open; the next prompt opens one, or push GOAL")
	case status != Completed && status != Failed && status != Blocked:
		return m, Frame{}, fmt.Errorf("a frame ends as completed, failed or blocked, not %q", status)
	case len(summary) > maxSummary:
		return m, Frame{}, fmt.Errorf("the summary has %d bytes; give at most %d", len(summary), maxSummary)
	}
	m = m.begin()
	f := &m.Frames[i]
	f.Status, f.Updated, f.Summary = status, now, strings.TrimSpace(summary)
	m.finish(f)
	m.Active = f.Parent
	return m, *f, nil
}

// finish notes what a frame comes to: its last message, artifacts and, where
// none was given, its summary.
func (m Memory) finish(f *Frame) {
	reached := slices.ContainsFunc(m.path(), func(p Frame) bool { return p.ID == f.ID })
	last := m.Whole
	if m.Asked.Seq > 0 && m.Asked.Next.Seq == 0 {
		last = m.Asked.Before // what the person just said is for the parent to hear
	}
	if reached && f.First.Seq > 0 && last.Seq >= f.First.Seq {
		f.Last = last
		if p := m.index(f.Parent); last != m.Whole && p >= 0 && m.Asked.Seq >= f.First.Seq {
			f.Bytes = max(0, f.Bytes-m.Asked.Size)
			m.Frames[p].hear(m.Asked.Size)
		}
	}
	var w Work
	if f.Held != nil {
		w = *f.Held
	}
	for _, file := range w.Files {
		f.Artifacts = list(f.Artifacts, file)
	}
	if len(w.Results) > 0 {
		f.Results = w.Results[len(w.Results)-1]
	}
	if f.Summary == "" {
		f.Summary = m.extract(*f, w, true)
	}
	f.Held = nil
}

// hear adds what was said while a frame below was active, and is this one's.
func (f *Frame) hear(size int) {
	f.Bytes += size
	if f.Held != nil {
		w := *f.Held
		w.Bytes += size
		f.Held = &w
	}
}

// plan adds planned children.
func (m Memory) plan(parent string, goals []string, now time.Time) (Memory, []Frame, error) {
	if parent == "" {
		parent = m.Active
	}
	i := m.index(parent)
	goals = slices.DeleteFunc(slices.Clone(goals), func(g string) bool { return oneLine(g) == "" })
	switch {
	case i < 0:
		return m, nil, fmt.Errorf("no frame is open to plan under; the first prompt opens one")
	case m.Frames[i].Status != InProgress && m.Frames[i].Status != Planned:
		return m, nil, fmt.Errorf("frame %s is %s; plan under one that is planned or in progress", parent, m.Frames[i].Status)
	case len(goals) == 0:
		return m, nil, fmt.Errorf("it takes goals, separated by ;")
	case m.heavy() || m.Next+len(goals) > maxFrames:
		return m, nil, fmt.Errorf("this session has made %d frames; %d more would be over the limit of %d, or of %d KB of text", m.Next, len(goals), maxFrames, maxHeld>>10)
	case len(m.above(parent)) >= maxDepth:
		return m, nil, fmt.Errorf("frames are %d deep, which is the most", maxDepth)
	}
	m = m.begin()
	var made []Frame
	for _, g := range goals {
		var f Frame
		m, f = m.open(Frame{Parent: parent, Goal: trimtab.Clip(oneLine(g), maxGoal), Status: Planned}, now)
		made = append(made, f)
	}
	return m, made, nil
}

// activate starts a planned child of the active frame.
func (m Memory) activate(id string, now time.Time) (Memory, Frame, error) {
	i, err := m.find(id)
	if err != nil {
		return m, Frame{}, err
	}
	switch f := m.Frames[i]; {
	case f.Status != Planned:
		return m, Frame{}, fmt.Errorf("frame %s is %s; only a planned one can be activated", f.ID, f.Status)
	case f.Parent != m.Active:
		return m, Frame{}, fmt.Errorf("frame %s is planned under %s, and %s is active; go back to %s first", f.ID, f.Parent, cmp.Or(m.Active, "none"), f.Parent)
	}
	m = m.begin().leave()
	f := &m.Frames[i]
	f.Status, f.Updated = InProgress, now
	m.Active = f.ID
	return m, *f, nil
}

// invalidate marks a frame and the planned ones below it. Those in progress
// below it are named and left; finished ones are kept. If the active frame was
// among them, the parent is active now.
func (m Memory) invalidate(id, reason string, now time.Time) (Memory, Frame, []string, error) {
	i, err := m.find(id)
	if err != nil {
		return m, Frame{}, nil, err
	}
	f := m.Frames[i]
	switch {
	case f.Status != Planned && f.Status != InProgress:
		return m, Frame{}, nil, fmt.Errorf("frame %s is %s; only a planned one or one in progress can be invalidated", f.ID, f.Status)
	case f.Parent == "":
		return m, Frame{}, nil, fmt.Errorf("frame %s is the root; pop it to end the tree", f.ID)
	}
	reason = cmp.Or(trimtab.Clip(oneLine(reason), maxGoal), "no reason given")
	m = m.begin()
	active := slices.ContainsFunc(m.path(), func(p Frame) bool { return p.ID == f.ID })
	var warn []string
	for j := range m.Frames {
		o := &m.Frames[j]
		if j != i && !m.under(o.ID, f.ID) {
			continue
		}
		switch {
		case j == i:
			o.Reason = reason
		case o.Status == Planned:
			o.Reason = fmt.Sprintf("its ancestor %s was invalidated: %s", f.ID, reason)
		case o.Status == InProgress:
			warn = append(warn, o.ID)
			continue
		default:
			continue
		}
		begun := o.Status == InProgress
		o.Status, o.Updated = Invalidated, now
		if begun {
			m.finish(o)
		}
	}
	if active {
		m.Active = f.Parent
	}
	return m, m.Frames[i], warn, nil
}

// leave notes how far the active frame came before a child takes over.
func (m Memory) leave() Memory {
	if i := m.index(m.Active); i >= 0 {
		m.Frames[i].Upto = m.Whole
	}
	return m
}

// heavy reports whether the frames hold all the text they may.
func (m Memory) heavy() bool {
	n := 0
	for _, f := range m.Frames {
		n += len(f.Goal) + len(f.Criteria) + len(f.Summary) + len(f.Results) + len(f.Reason)
		for _, s := range slices.Concat(f.Artifacts, f.Decisions) {
			n += len(s)
		}
	}
	return n > maxHeld
}

// align lets a frame begin no later than those below it, so that what is folded
// nests.
func (m Memory) align() {
	for i := len(m.Frames) - 1; i >= 0; i-- {
		f := m.Frames[i]
		p := m.index(f.Parent)
		if p < 0 || f.Gone || f.First.Seq == 0 || m.Frames[p].Status != InProgress {
			continue
		}
		if up := &m.Frames[p]; up.First.Seq == 0 || up.First.Seq > f.First.Seq {
			up.First = f.First
		}
	}
}

// under reports whether a frame stands below another.
func (m Memory) under(id, top string) bool {
	if id == top {
		return false
	}
	return slices.ContainsFunc(m.above(id), func(f Frame) bool { return f.ID == top })
}

// find takes an id as it is printed, or its number alone.
func (m Memory) find(id string) (int, error) {
	if id == "" {
		return -1, fmt.Errorf("which frame? give its id; tree lists them")
	}
	want := id
	if _, err := strconv.Atoi(id); err == nil {
		want = "f" + id
	}
	if i := m.index(want); i >= 0 {
		return i, nil
	}
	return -1, fmt.Errorf("no frame %q; tree lists them", trimtab.Clip(id, 60))
}

func number(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "f"))
	return n
}

// list adds a text to a bounded list of different ones.
func list(to []string, text string) []string {
	text = trimtab.Clip(oneLine(text), maxListedLen)
	if text == "" || slices.Contains(to, text) || len(to) >= maxListed {
		return to
	}
	return append(slices.Clip(to), text)
}
