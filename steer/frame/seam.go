package frame

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

// Frames move at seams only: a person's new task, a todo item begun or done, a commit, a
// check that turned green. In the middle of work nothing is pushed, popped or suggested:
// what is folded there is what the model has in hand.
const (
	seamPrompt = "prompt"
	seamTodo   = "todo"
)

// commits reports whether a call makes a commit.
func commits(p trimtab.ToolCall) bool {
	command := commandOf(p.Input)
	return strings.Contains(command, "git commit") || strings.Contains(command, "jj commit")
}

// forItem reports whether the active frame was opened for an item of the agent's list.
// What led to the list is still being worked with, so nothing above is folded for it.
func (m Memory) forItem(path []Frame) bool {
	return len(path) > 0 && path[len(path)-1].Item != ""
}

// atSeam moves the tree at the level auto, where a seam says so: the item that is done
// ends its frame, the one that is begun opens one, and a new task of the person ends what
// the heuristics opened for the one before.
func (d Frames) atSeam(t trimtab.Turn, m Memory, seam string) (Memory, []trimtab.Action, bool) {
	i := m.index(m.Active)
	if i < 0 {
		return m, nil, false
	}
	switch active := m.Frames[i]; {
	case seam == seamPrompt && active.Undone != Push && m.newTask(active):
		return d.nextTask(t, m)
	case seam == seamTodo:
		return d.nextItem(t, m)
	}
	return m, nil, false
}

// minWords is how many words that mean something a prompt has at least to be a task.
const minWords = 3

// newTask reports whether what the person asked is another task than the one in hand: it
// has words of its own, and hardly any that the work so far has.
func (m Memory) newTask(active Frame) bool {
	if m.Asked.Seq == 0 || m.Asked.Next.Seq != 0 || m.Asked.Text == "" || active.First.Seq == 0 || m.Asked.Seq <= active.First.Seq {
		return false
	}
	asked := keywords(m.Asked.Text)
	if len(asked) < minWords || evidenceOfMore(m.Asked.Text) {
		return false
	}
	known := keywords(strings.Join(slices.Concat([]string{active.Goal, active.Item, m.Work.Said, m.Work.Prior}, m.Work.Files), " "))
	return 4*shared(asked, known) < len(asked)
}

// evidenceOfMore reports whether a prompt speaks of what was just done: it goes on with
// that, whatever its words are.
func evidenceOfMore(text string) bool {
	first := strings.ToLower(trimtab.Clip(text, 60))
	if r, _ := utf8.DecodeRuneInString(first); !unicode.IsLetter(r) {
		return true // pasted output
	}
	for _, word := range []string{"follow up", "follow-up", "this change", "was just", "you just", "your "} {
		if strings.Contains(first, word) {
			return true
		}
	}
	for _, lead := range []string{"it ", "it's", "this ", "that ", "these ", "still ", "again", "now it", "yes", "no ", "no,", "ok", "sure", "why ", "but ", "and ", "also ", "instead", "actually", "hmm", "wait", "the same", "continue", "go on", "fix it", "try ", "you ", "did you", "can you also", "undo", "revert", "great", "thanks", "perfect", "nice", "good", "what about", "question"} {
		if strings.HasPrefix(first, lead) {
			return true
		}
	}
	return false
}

// nextTask ends what was opened for the task before and opens a frame for the new one, in
// one step: what is above stays folded as it is.
func (d Frames) nextTask(t trimtab.Turn, m Memory) (Memory, []trimtab.Action, bool) {
	next, ended := m, []string(nil)
	for {
		i := next.index(next.Active)
		if i < 0 || next.Frames[i].By != "auto" || next.Frames[i].Parent == "" {
			break
		}
		status := Completed
		if next.Work.Broken != "" {
			status = Blocked
		}
		var err error
		var f Frame
		if next, f, err = next.pop(status, "", t.Now); err != nil {
			return m, nil, false
		}
		next = next.resume(f.ID)
		ended = append(ended, f.ID)
	}
	next, f, err := next.push(m.Asked.Text, "", "auto", t.Now)
	if err != nil {
		return m, nil, false // at a limit of the tree: work goes on in the open frame
	}
	next, acts := d.commit(m, next, "push "+f.ID)
	next.Asked.Text = ""
	next.Stats.AutoPush++
	next.Stats.AutoPop += len(ended)
	text := fmt.Sprintf("pushed frame %s for %q - Reason: a new task", f.ID, short(f.Goal, 80))
	if len(ended) > 0 {
		text += ", and popped " + strings.Join(ended, ", ")
	}
	return next, append(acts, trimtab.Notify{Text: text + "; undo takes it back"}), true
}

// nextItem ends the frame of an item that is no longer in progress, and opens one for the
// item that is.
func (d Frames) nextItem(t trimtab.Turn, m Memory) (Memory, []trimtab.Action, bool) {
	running := ""
	for _, it := range t.Todos.Items {
		if it.Status == trimtab.InProgress {
			running = trimtab.Clip(oneLine(it.Text), maxGoal)
			break
		}
	}
	active := m.Frames[m.index(m.Active)]
	next, what, told := m, "", []string(nil)
	if active.Item != "" && active.Item != running && active.Undone != Pop {
		status := Blocked // given up, or put off
		if slices.ContainsFunc(t.Todos.Items, func(it trimtab.Todo) bool {
			return it.Status == trimtab.Completed && trimtab.Clip(oneLine(it.Text), maxGoal) == active.Item
		}) {
			status = Completed
		}
		var err error
		if next, _, err = next.pop(status, "", t.Now); err != nil {
			return m, nil, false
		}
		next.Stats.AutoPop++
		what, told = "pop "+active.ID, append(told, fmt.Sprintf("popped frame %s as %s", active.ID, status))
	}
	parent := next.Frames[next.index(next.Active)]
	several := len(t.Todos.Items) > 1
	if running != "" && several && parent.Item == "" && parent.Undone != Push {
		from := next
		if what != "" {
			from = next.resume(active.ID)
		}
		pushed, f, err := from.push(running, "", "auto", t.Now)
		if err == nil {
			pushed.Frames[pushed.index(f.ID)].Item = running
			pushed.Stats.AutoPush++
			next, what, told = pushed, "push "+f.ID, append(told, fmt.Sprintf("pushed frame %s for %q", f.ID, short(f.Goal, 80)))
		}
	}
	if what == "" {
		return m, nil, false
	}
	next, acts := d.commit(m, next, what)
	return next, append(acts, trimtab.Notify{Text: strings.Join(told, ", ") + " - Reason: the todo list; undo takes it back"}), true
}
