package stop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
)

// In the mode "run" the missing check is not asked for: the surface runs it and comes back
// with a receipt. Only what failed, and did not fail before the prompt, sends the agent on, at
// most mostChecks times a turn. A check that passes, takes too long or is not there blocks
// nothing.

const (
	mostChecks = 3
	maxShown   = 1500 // bytes of the output of a check that the agent gets to see
)

// check is the command that is to be run, or nothing: one of the person's settings, else one
// that passed in this session and was thus allowed to run.
func (d Stop) check(ev trimtab.Stopping, m Memory) string {
	if d.verify.Mode != "run" || !ev.Runs || m.Checked >= mostChecks {
		return ""
	}
	if c := strings.TrimSpace(d.verify.Command); c != "" {
		return c
	}
	gap, open := m.Work.Unproved()
	if !open || len(gap.Weak) > 0 {
		return ""
	}
	ran := func(n evidence.Ran) bool { return n.Kind == evidence.Check && n.Green > 0 && n.Dir == "" }
	if i := slices.IndexFunc(m.Work.Ran, func(n evidence.Ran) bool { return ran(n) && n.Command == gap.Check.Command }); i >= 0 {
		return m.Work.Ran[i].Command
	}
	for _, n := range slices.Backward(m.Work.Ran) {
		if ran(n) {
			return n.Command
		}
	}
	return ""
}

// checked takes a receipt in.
func (d Stop) checked(m Memory, r trimtab.Receipt) (Memory, []trimtab.Action) {
	m.Checked++
	before := !r.Since.IsZero() && r.Since.Before(m.Began) || m.Work.FailedBefore(r.Command)
	r.Output = end(r.Output, maxShown)
	m.Receipt = &r
	switch {
	case r.Lapsed != "":
		return m, []trimtab.Action{trimtab.Notify{Text: fmt.Sprintf("not proved: %s %s", quote(r.Command), r.Lapsed)}}
	case r.Exit == 0:
		m.Work = m.Work.Shown(r.Command, evidence.Passed)
		return m, nil
	case before:
		return m, []trimtab.Action{trimtab.Notify{Text: fmt.Sprintf("%s fails (exit code %d), as it did before this prompt", quote(r.Command), r.Exit)}}
	}
	m.Work = m.Work.Shown(r.Command, evidence.Failed)
	m.Continued++
	m.Asked = true
	text := fmt.Sprintf("%s was run for you on the work as it is now, and it failed (exit code %d). The end of its output:\n%s\nMend what it shows; or, if that is not for now, say plainly in your answer that it fails, and why.", quote(r.Command), r.Exit, r.Output)
	if gap, _ := m.Work.Unproved(); len(gap.Weak) > 0 {
		text += " Tests were switched off or removed in this turn: " + names(gap.Weak) + "."
	}
	return m, []trimtab.Action{trimtab.Continue{Text: Opening + text, Why: r.Command + " was run and failed", Urgency: trimtab.UnprovenDone}}
}

// found are the files that were written since the person's prompt.
func (m Memory) found(wrote []trimtab.Written) (files []string) {
	for _, w := range wrote {
		if !m.Began.IsZero() && !w.At.Before(m.Began) {
			files = append(files, w.File)
		}
	}
	return files
}

// end is the end of a text, from the beginning of a line on if that is near.
func end(text string, n int) string {
	text = strings.TrimRight(text, "\n ")
	if len(text) <= n {
		return text
	}
	text = strings.ToValidUTF8(text[len(text)-n:], "")
	if i := strings.IndexByte(text, '\n'); i >= 0 && i < n/4 {
		text = text[i+1:]
	}
	return "…\n" + text
}
