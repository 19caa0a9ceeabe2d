package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

// turns say which messages a frame is made of after they were said.
type turns struct {
	First   int    `json:"first"` // numbers of messages
	Last    int    `json:"last"`
	Goal    string `json:"goal"`
	Summary string `json:"summary"`
	Reason  string `json:"reason"` // not empty: they were taken back
	Bytes   int    `json:"bytes"`  // that they have together
}

// doTurns makes a finished frame of turns that are over, and folds it whatever that
// costs: whoever asks for it has no other space left, or wants them out of sight.
func (d Frames) doTurns(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	in, err := readTurns(args)
	if err != nil {
		return m, nil, err
	}
	if err := m.checkTurns(t, in); err != nil {
		return m, nil, err
	}
	ref := func(seq int) trimtab.Ref { return trimtab.Ref{ID: trimtab.MessageID(seq), Seq: seq} }
	f := Frame{
		Parent: m.holder(in.First), Goal: trimtab.Clip(oneLine(in.Goal), maxGoal), Status: Completed, Summary: trimtab.Clip(strings.TrimSpace(in.Summary), maxSummary),
		First: ref(in.First), Last: ref(in.Last), Bytes: max(in.Bytes, 0), Messages: in.Last - in.First + 1, By: "auto",
	}
	if in.Reason != "" {
		f.Status, f.Reason, f.By = Invalidated, trimtab.Clip(oneLine(in.Reason), maxGoal), ""
	}
	before := m.begin()
	m.Work.Bytes = max(0, m.Work.Bytes-f.Bytes)
	next := m.begin()
	next, f = next.open(f, t.Now)
	next.align()
	next = next.cool()
	d.settle(before, next)
	i := next.index(f.ID)
	next.Frames[i].Folded, next.Frames[i].Keeps = true, false
	next = next.end(before, "turns "+f.ID)
	next, acts := next.refold("turns " + f.ID)
	text := fmt.Sprintf("Frame %s: %s are now seen as their summary. frame unfold %s shows them again.", f.ID, plural.Count(f.Messages, "message"), f.ID)
	return next, append(acts, answer(text, next.view(t, next.Frames[i]))), nil
}

func readTurns(args []string) (in turns, err error) {
	if isObject(args) {
		err = object(args, &in)
		return in, err
	}
	if len(args) < 3 {
		return in, fmt.Errorf("it takes the numbers of the first and the last message, and a goal")
	}
	var err1, err2 error
	in.First, err1 = strconv.Atoi(strings.TrimPrefix(args[0], "m"))
	in.Last, err2 = strconv.Atoi(strings.TrimPrefix(args[1], "m"))
	in.Goal = strings.Join(args[2:], " ")
	if err := cmp.Or(err1, err2); err != nil {
		return in, fmt.Errorf("it takes the numbers of the first and the last message: %w", err)
	}
	return in, nil
}

// checkTurns refuses what cannot be folded.
func (m Memory) checkTurns(t trimtab.Turn, in turns) error {
	ref := func(seq int) trimtab.Ref { return trimtab.Ref{Seq: seq} }
	switch {
	case oneLine(in.Goal) == "":
		return fmt.Errorf("it takes the goal of the frame")
	case in.First < 1 || in.Last < in.First || in.Last > t.At.Seq:
		return fmt.Errorf("there are %s; %d to %d are none", plural.Count(t.At.Seq, "message"), in.First, in.Last)
	case m.Next >= maxFrames || m.heavy():
		return fmt.Errorf("this session has made %d frames, or they hold %d KB of text, which is the most", maxFrames, maxHeld>>10)
	case m.torn(ref(in.First), ref(in.Last)):
		return fmt.Errorf("a tool call in messages %d to %d was never answered, and a pair is never parted", in.First, in.Last)
	}
	for _, f := range m.Frames {
		if f.Folded && f.First.Seq > 0 && !f.Gone && (f.First.Seq < in.First && in.First <= f.Last.Seq || f.First.Seq <= in.Last && in.Last < f.Last.Seq) {
			return fmt.Errorf("messages %d to %d cut frame %s, which is folded, in two", in.First, in.Last, f.ID)
		}
	}
	return nil
}

// holder is the frame to which messages belong that begin at a number: the innermost that
// is worked on and began before, else the newest root.
func (m Memory) holder(seq int) string {
	for _, f := range slices.Backward(m.path()) {
		if f.First.Seq > 0 && f.First.Seq <= seq || f.Parent == "" {
			return f.ID
		}
	}
	for _, f := range slices.Backward(m.Frames) {
		if f.Parent == "" {
			return f.ID
		}
	}
	return ""
}
