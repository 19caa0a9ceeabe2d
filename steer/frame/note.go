package frame

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// edit changes the active frame by a word of somebody.
func (d Frames) edit(t trimtab.Turn, m Memory, args []string, what string, change func(f *Frame, text string) error) (Memory, []trimtab.Action, error) {
	in := struct {
		Text string `json:"text"`
		Goal string `json:"goal"`
	}{}
	if err := object(args, &in); err != nil {
		return m, nil, err
	}
	switch {
	case !isObject(args):
		in.Text = strings.Join(args, " ")
	case in.Text == "":
		in.Text = in.Goal
	}
	i := m.index(m.Active)
	switch {
	case i < 0:
		return m, nil, fmt.Errorf("no frame is open; the first prompt opens one, or push GOAL")
	case oneLine(in.Text) == "":
		return m, nil, fmt.Errorf("it takes a text")
	}
	next := m.begin()
	f := &next.Frames[i]
	if err := change(f, in.Text); err != nil {
		return m, nil, err
	}
	f.Updated = t.Now
	id := f.ID
	next, acts := d.commit(m, next, what+" of "+id)
	return next, append(acts, answer(fmt.Sprintf("Frame %s: %s noted.", id, what), next.view(t, next.Frames[i]))), nil
}

func (d Frames) doGoal(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	return d.edit(t, m, args, "goal", func(f *Frame, text string) error {
		f.Goal = trimtab.Clip(oneLine(text), maxGoal)
		return nil
	})
}

func (d Frames) doArtifact(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	return d.edit(t, m, args, "artifact", func(f *Frame, text string) (err error) {
		f.Artifacts, err = add(f.Artifacts, text)
		return err
	})
}

func (d Frames) doDecision(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	return d.edit(t, m, args, "decision", func(f *Frame, text string) (err error) {
		f.Decisions, err = add(f.Decisions, text)
		return err
	})
}

func add(to []string, text string) ([]string, error) {
	if len(to) >= maxListed {
		return to, fmt.Errorf("the frame has %d of them, which is the most", maxListed)
	}
	return list(to, text), nil
}

// doSummary replaces the summary of a finished frame, and what it is seen as.
func (d Frames) doSummary(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	id, text, err := target(args)
	if err != nil {
		return m, nil, err
	}
	i, err := m.find(id)
	if err != nil {
		return m, nil, err
	}
	text = strings.TrimSpace(text)
	switch f := m.Frames[i]; {
	case !f.ended():
		return m, nil, fmt.Errorf("frame %s is %s; a summary is for one that ended", f.ID, f.Status)
	case text == "" || len(text) > maxSummary:
		return m, nil, fmt.Errorf("the summary has %d bytes; give 1 to %d", len(text), maxSummary)
	}
	next := m.begin()
	f := &next.Frames[i]
	f.Summary, f.Updated = text, t.Now
	if f.Folded {
		f.Folded = d.pays(next.shown(*f)-next.hotSize(*f, f.Last), len(f.foldText()), m.Tail+next.hotSize(*f, f.Last))
	}
	next, acts := d.commit(m, next, "summary of "+f.ID)
	done := next.Frames[i]
	return next, append(acts, answer(fmt.Sprintf("Frame %s has a new summary. %s", done.ID, d.folding(next, done)), next.view(t, done))), nil
}
