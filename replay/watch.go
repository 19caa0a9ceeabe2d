package replay

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay/cache"
	"github.com/trimtab/trimtab/steer/frame"
)

// watch looks on while a session is played.
type watch struct {
	engine   *trimtab.Engine
	report   *FrameReport
	way      FrameWay
	level    string
	last     trimtab.Session
	memory   frame.Memory
	shown    map[string]string // file → the message that showed it last
	open     map[string]calledBy
	made     map[string]string // call → the message that made it last
	promised int               // bytes that the folds of now keep from a request, by their own account
	sums     [2]int
}

func (w *watch) step(s cache.Step) {
	before, tree := w.last, w.memory.Frames
	w.last = s.Session
	for _, f := range s.Outcome.Faults {
		w.fault(f.Error())
	}
	changed := false
	for _, c := range s.Outcome.Changes {
		if c.Kind == trimtab.FoldedUp {
			w.way.Folds++
		}
		changed = changed || c.Kind == trimtab.FoldedUp || c.Kind == trimtab.Unfolded
	}
	if said, ok := s.Event.(trimtab.Said); ok && said.Message.From == "" {
		w.needs(s, said.Message)
	}
	_, calling := s.Event.(trimtab.Calling)
	if changed {
		w.recall()
		w.promised = 0
		for _, f := range w.memory.Folds {
			w.promised += f.Saved
		}
	}
	if (calling || changed) && len(s.Session.Folds) > 0 {
		w.weigh(s, calling)
	}
	switch {
	case calling && w.level == "suggest":
		w.peak()
	case calling && w.level == "auto" && slices.ContainsFunc(s.Outcome.Actions, notice):
		w.boundary(before, tree)
	}
}

// needs counts what a reply needs of what is folded away: a file that it edits and whose
// newest showing the request did not have, and an answer that it asks for again. What
// the host itself took away is not ours, and a call that failed shows nothing.
func (w *watch) needs(s cache.Step, said trimtab.Message) {
	if w.shown == nil {
		w.shown, w.made, w.open = map[string]string{}, map[string]string{}, map[string]calledBy{}
	}
	hidden := w.foldedAway(s)
	for _, p := range said.Parts {
		switch p := p.(type) {
		case trimtab.ToolCall:
			w.open[p.ID] = calledBy{p, said.ID}
			for _, file := range frame.FilesEdited(p) {
				if at, known := w.shown[file]; known {
					w.way.Edits++
					w.way.Unseen += count(hidden(at))
				}
			}
			key := p.Name + string(p.Input)
			if at, known := w.made[key]; known {
				w.way.Again += count(hidden(at))
			}
			w.made[key] = said.ID
		case trimtab.ToolResult:
			c, known := w.open[p.ID]
			delete(w.open, p.ID)
			if known && !p.Failed {
				for _, file := range slices.Concat(frame.FilesEdited(c.call), frame.FilesRead(c.call)) {
					w.shown[file] = c.message
				}
			}
		}
	}
}

// calledBy is a call under way, and the message that made it.
type calledBy struct {
	call    trimtab.ToolCall
	message string
}

// foldedAway tells of a message whether the history has it and the model does not see it.
func (w *watch) foldedAway(s cache.Step) func(id string) bool {
	if len(s.Session.Folds) == 0 {
		return func(string) bool { return false }
	}
	var away map[string]bool
	return func(id string) bool {
		if away == nil {
			away = map[string]bool{}
			for _, m := range s.History {
				away[m.ID] = true
			}
			for _, m := range s.Session.View(s.History) {
				delete(away, m.ID)
			}
		}
		return away[id]
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func notice(t trimtab.Taken) bool {
	_, ok := t.Action.(trimtab.Notify)
	return ok
}

// weigh compares what the folds say they keep from the model with what they do.
func (w *watch) weigh(s cache.Step, sent bool) {
	open := s.Session
	open.Folds = nil
	kept := size(open.View(s.History)) - size(s.Session.View(s.History))
	w.way.Short = max(w.way.Short, tokens(w.promised-kept))
	if sent {
		w.sums[0] += w.promised
		w.sums[1] += kept
	}
}

// recall reads the tree that the session holds.
func (w *watch) recall() {
	raw, err := w.last.Memory("frame")
	if err == nil && len(raw) > 0 {
		w.memory = frame.Memory{}
		err = json.Unmarshal(raw, &w.memory)
	}
	if err != nil {
		w.fault(err.Error())
	}
}

// maxFaults is how many are told; more of them say no more.
const maxFaults = 20

func (w *watch) fault(text string) {
	if w.level != "suggest" && len(w.report.Faults) < maxFaults {
		w.report.Faults = append(w.report.Faults, fmt.Sprintf("%s, step %d: %s", w.level, w.last.Step, text))
	}
}

// evaluate asks for the scores of one side, and leaves the session as it is.
func (w *watch) evaluate(s trimtab.Session, side frame.Side) (frame.Evaluation, bool) {
	var e frame.Evaluation
	_, out := w.engine.Step(s, trimtab.Asked{Command: "frame", Args: []string{"should-" + string(side)}}, s.Updated)
	reply, err := out.Reply()
	return e, err == nil && !reply.Failed && json.Unmarshal(reply.Data, &e) == nil
}

// peak keeps the moments nearest to the thresholds.
func (w *watch) peak() {
	for i, side := range []frame.Side{frame.Push, frame.Pop} {
		e, ok := w.evaluate(w.last, side)
		if !ok {
			continue
		}
		if len(w.report.Highest) == i {
			w.report.Highest = append(w.report.Highest, Peak{e, w.last.Step})
		}
		if i < len(w.report.Highest) && e.Confidence > w.report.Highest[i].Confidence {
			w.report.Highest[i] = Peak{e, w.last.Step}
		}
	}
}

// boundary notes what the heuristics did just now.
func (w *watch) boundary(before trimtab.Session, tree []frame.Frame) {
	w.recall()
	for _, f := range w.memory.Frames {
		i := slices.IndexFunc(tree, func(o frame.Frame) bool { return o.ID == f.ID })
		b := Boundary{Kind: frame.Push, Step: w.last.Step, Frame: f.ID, Goal: f.Goal}
		switch {
		case i < 0 && f.By == "auto":
		case i >= 0 && tree[i].Status == frame.InProgress && f.Status != frame.InProgress:
			b.Kind, b.Status = frame.Pop, f.Status
		default:
			continue
		}
		if e, ok := w.evaluate(before, b.Kind); ok {
			b.Reason, b.Confidence, b.Scores = e.Reason, e.Confidence, e.Scores
		}
		w.report.Boundaries = append(w.report.Boundaries, b)
	}
}

func (w *watch) end() {
	w.recall()
	for _, f := range w.memory.Frames {
		w.way.Frames++
		if f.Parent != "" && (f.Status == frame.Completed || f.Status == frame.Failed || f.Status == frame.Blocked) {
			w.way.Popped++
		}
	}
	w.way.Promised, w.way.Kept = tokens(w.sums[0]), tokens(w.sums[1])
	if w.level == "suggest" {
		w.report.Suggested = w.memory.Stats.Total
	}
	if w.report.Title == "" {
		w.report.Title = w.last.Title
	}
}

func size(messages []trimtab.Message) int {
	n := 0
	for _, m := range messages {
		n += m.Size()
	}
	return n
}

// tokens rounds up, away from zero.
func tokens(bytes int) int {
	if bytes < 0 {
		return -tokens(-bytes)
	}
	return (bytes + cache.TokenBytes - 1) / cache.TokenBytes
}
