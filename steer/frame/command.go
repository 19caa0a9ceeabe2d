package frame

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// verb is a command below "frame".
type verb struct {
	trimtab.Command
	run func(Frames, trimtab.Turn, Memory, []string) (Memory, []trimtab.Action, error)
}

// verbs are all commands of the package. Each takes words, or one JSON object with
// the same fields.
func verbs() []verb {
	v := func(name, usage, short, example string, run func(Frames, trimtab.Turn, Memory, []string) (Memory, []trimtab.Action, error)) verb {
		return verb{trimtab.Command{Name: name, Usage: usage, Short: short, Examples: []string{example}}, run}
	}
	return []verb{
		v("push", "GOAL", "Open a frame below the active one", "Fix the parser", Frames.doPush),
		v("pop", "[completed|failed|blocked] [SUMMARY]", "End the active frame; its messages fold into the summary", "completed It reads tabs now", Frames.doPop),
		v("plan", "GOAL; GOAL…", "Add planned frames below the active one", "Write the reader; Write the tests", Frames.doPlan),
		v("activate", "ID", "Start a planned frame", "f3", Frames.doActivate),
		v("invalidate", "ID REASON", "Give up a frame and what is planned below it", "f3 the format changed", Frames.doInvalidate),
		v("status", "", "The path, the tree, what folding saves, pending suggestions", "", Frames.doStatus),
		v("tree", "", "Show the tree of frames", "", Frames.doTree),
		v("show", "[ID]", "A frame with all that is known of it", "f3", Frames.doShow),
		v("log", "[ID]", "Which messages of the stored history a frame holds", "f3", Frames.doShow),
		v("undo", "", "Take back the last push, pop, plan, activate, invalidate, fold or unfold", "", Frames.doUndo),
		v("unfold", "ID", "Show the messages of a finished frame to the model again", "f3", Frames.doUnfold),
		v("fold", "ID", "Fold a finished frame again", "f3", Frames.doFold),
		v("turns", "FIRST LAST GOAL", "Make a finished frame of messages that were said, and fold it", "1 8 the parser", Frames.doTurns),
		v("goal", "GOAL", "Set the goal of the active frame", "Fix the parser for good", Frames.doGoal),
		v("artifact", "TEXT", "Note what the active frame brought forth", "parser.go", Frames.doArtifact),
		v("decision", "TEXT", "Note a decision in the active frame", "tabs count as eight", Frames.doDecision),
		v("summary", "ID TEXT", "Give a finished frame another summary", "f3 It reads tabs now", Frames.doSummary),
		v("context", "", "What the model is told of the tree now, and what it weighs", "", Frames.doContext),
		v("autonomy", "[KEY=VALUE…]", "Show or change what the heuristics may do in this session", "level=auto pushThreshold=60", Frames.doAutonomy),
		v("should-push", "[KEY=VALUE…]", "Evaluate the push heuristics", "potentialGoal=Fix the bug errorCount=2", Frames.doShouldPush),
		v("should-pop", "[KEY=VALUE…]", "Evaluate the pop heuristics", "noProgressTurns=4", Frames.doShouldPop),
		v("suggest", "[on|off|history]", "Switch suggestions in the model's context, or list them", "history", Frames.doSuggest),
		v("stats", "", "What came of suggestions so far", "", Frames.doStats),
	}
}

// Verbs returns the commands below "frame" as data.
func Verbs() []trimtab.Command {
	var all []trimtab.Command
	for _, v := range verbs() {
		all = append(all, v.Command)
	}
	return all
}

// shortcuts are verbs that are commands of their own too.
var shortcuts = []string{"push", "pop", "plan", "tree"}

// Commands declares "frame", with its verbs, and a few of them for short.
func (Frames) Commands() []trimtab.Command {
	frame := trimtab.Command{Name: "frame", Usage: "VERB [ARGUMENTS]", Short: "Work in frames: a finished one leaves the context and its summary stays"}
	all := []trimtab.Command{frame}
	for _, c := range Verbs() {
		all[0].Values = append(all[0].Values, c.Name)
		all[0].Examples = append(all[0].Examples, strings.TrimSpace(c.Name+" "+c.Examples[0]))
		if slices.Contains(shortcuts, c.Name) {
			all = append(all, c)
		}
	}
	return all
}

const maxArgs = 64 << 10

func (d Frames) command(t trimtab.Turn, m Memory, ev trimtab.Asked) (Memory, []trimtab.Action) {
	name, args := ev.Command, ev.Args
	if name == "frame" {
		if len(args) == 0 {
			args = []string{"status"}
		}
		name, args = args[0], args[1:]
	}
	refuse := func(text string) (Memory, []trimtab.Action) {
		return m, []trimtab.Action{trimtab.Reply{Text: text, Failed: true}}
	}
	size := 0
	for _, a := range args {
		size += len(a)
	}
	if size > maxArgs {
		return refuse(fmt.Sprintf("%s: %d bytes of arguments; give at most %d", trimtab.Clip(name, 40), size, maxArgs))
	}
	all := verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.Name == name })
	if i < 0 {
		return refuse(fmt.Sprintf("frame takes one of: %s; not %q", strings.Join(d.Commands()[0].Values, ", "), trimtab.Clip(name, 40)))
	}
	next, acts, err := all[i].run(d, t, m, args)
	if err != nil {
		return refuse(name + ": " + err.Error())
	}
	return next, acts
}

// answer is a reply with data.
func answer(text string, data any) trimtab.Action {
	raw, err := json.Marshal(data)
	if err != nil {
		return trimtab.Reply{Text: text + "\n(" + err.Error() + ")"}
	}
	return trimtab.Reply{Text: text, Data: raw}
}

func (d Frames) doPush(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	in := struct {
		Goal     string `json:"goal"`
		Criteria string `json:"successCriteria"`
	}{}
	if err := object(args, &in); err != nil {
		return m, nil, err
	}
	if !isObject(args) {
		in.Goal = strings.Join(args, " ")
	}
	next, f, acts, err := d.push(t, m, in.Goal, in.Criteria, "")
	if err != nil {
		return m, nil, err
	}
	text := fmt.Sprintf("Frame %s is open", f.ID)
	if f.Parent != "" {
		text += " below " + f.Parent
	}
	return next, append(acts, answer(text+": "+f.Goal, next.view(t, f))), nil
}

func (d Frames) doPop(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	in := struct {
		Status  Status `json:"status"`
		Summary string `json:"summary"`
	}{Status: Completed}
	if err := object(args, &in); err != nil {
		return m, nil, err
	}
	if !isObject(args) {
		if len(args) > 0 && slices.Contains([]Status{Completed, Failed, Blocked}, Status(args[0])) {
			in.Status, args = Status(args[0]), args[1:]
		}
		in.Summary = strings.Join(args, " ")
	}
	next, f, acts, err := d.pop(t, m, in.Status, in.Summary)
	if err != nil {
		return m, nil, err
	}
	text := fmt.Sprintf("Frame %s is %s. ", f.ID, f.Status)
	if f.Parent == "" {
		text += "It was the root: the tree has ended, its messages stay, and the next prompt opens a new one."
	} else {
		text += fmt.Sprintf("Frame %s is active. ", f.Parent) + d.folding(next, f)
	}
	var left []string
	for _, c := range next.Frames {
		if c.Parent == f.ID && c.Status == Planned {
			left = append(left, c.ID)
		}
	}
	if len(left) > 0 {
		text += " Planned below it and not started: " + strings.Join(left, ", ") + "."
	}
	return next, append(acts, answer(text, next.view(t, f))), nil
}

func (d Frames) doPlan(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	var in struct {
		Goals  []string `json:"goals"`
		Goal   string   `json:"goal"`
		Parent string   `json:"parent"`
	}
	if err := object(args, &in); err != nil {
		return m, nil, err
	}
	if in.Goal != "" {
		in.Goals = append(in.Goals, in.Goal)
	}
	if !isObject(args) {
		in.Goals = strings.Split(strings.Join(args, " "), ";")
	}
	if in.Parent != "" {
		i, err := m.find(in.Parent)
		if err != nil {
			return m, nil, err
		}
		in.Parent = m.Frames[i].ID
	}
	next, made, err := m.plan(in.Parent, in.Goals, t.Now)
	if err != nil {
		return m, nil, err
	}
	next, acts := d.commit(m, next, "plan")
	var lines []string
	var views []View
	for _, f := range made {
		lines = append(lines, fmt.Sprintf("%s %s %s", f.Status.Mark(), f.ID, f.Goal))
		views = append(views, next.view(t, f))
	}
	return next, append(acts, answer(strings.Join(lines, "\n"), views)), nil
}

func (d Frames) doActivate(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	id, _, err := target(args)
	if err != nil {
		return m, nil, err
	}
	next, f, err := m.activate(id, t.Now)
	if err != nil {
		return m, nil, err
	}
	next, acts := d.commit(m, next, "activate "+f.ID)
	next, heeded := next.heed(Push, m.Active)
	acts = append(d.hint(next, "a frame was activated", heeded), acts...)
	return next, append(acts, answer(fmt.Sprintf("Frame %s is active: %s", f.ID, f.Goal), next.view(t, f))), nil
}

func (d Frames) doInvalidate(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	id, reason, err := target(args)
	if err != nil {
		return m, nil, err
	}
	next, f, warn, err := m.invalidate(id, reason, t.Now)
	if err != nil {
		return m, nil, err
	}
	next, acts := d.commit(m, next, "invalidate "+f.ID)
	acts = append(d.hint(next, "a frame was invalidated", false), acts...)
	text := fmt.Sprintf("Frame %s is invalidated: %s. Frame %s is active.", f.ID, f.Reason, next.Active)
	if len(warn) > 0 {
		text += " Still in progress below it: " + strings.Join(warn, ", ") + "; invalidate them too if their work is void."
	}
	return next, append(acts, answer(text, next.view(t, f))), nil
}

func (d Frames) doUndo(t trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	next, what, err := m.undo()
	if err != nil {
		return m, nil, err
	}
	next.align()
	acts := append(d.hint(next, "undo "+what, false), d.tell(m, next, "undo "+what)...)
	next, folds := next.refold("undo " + what)
	return next, append(append(acts, folds...), answer("Undone: "+what+". Active: "+cmp.Or(next.Active, "none"), next.tree(t))), nil
}

func (d Frames) doUnfold(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	return d.setFolded(t, m, args, false)
}

func (d Frames) doFold(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	return d.setFolded(t, m, args, true)
}

func (d Frames) setFolded(t trimtab.Turn, m Memory, args []string, folded bool) (Memory, []trimtab.Action, error) {
	id, _, err := target(args)
	if err != nil {
		return m, nil, err
	}
	i, err := m.find(id)
	if err != nil {
		return m, nil, err
	}
	f := m.Frames[i]
	if outer := m.foldedAround(f); outer != "" {
		return m, nil, fmt.Errorf("frame %s stands inside %s, which is folded; unfold %s first", f.ID, outer, outer)
	}
	switch {
	case folded && (!f.ended() || f.Last.Seq == 0 || f.Gone || m.torn(f.First, f.Last)):
		return m, nil, fmt.Errorf("frame %s cannot be folded: it is %s. %s", f.ID, f.Status, d.folding(m, f))
	case folded == f.Folded && folded:
		return m, nil, fmt.Errorf("frame %s is folded already", f.ID)
	case folded == f.Folded:
		return m, nil, fmt.Errorf("frame %s is not folded", f.ID)
	}
	next := m.begin()
	next.Frames[i].Folded = folded
	what, text := "unfold ", "Unfolded %s: the model sees its %d messages again."
	if folded {
		what, text = "fold ", "Folded %s: the model sees its %d messages as the summary."
	}
	next, acts := d.commit(m, next, what+f.ID)
	return next, append(acts, answer(fmt.Sprintf(text, f.ID, f.Messages), next.view(t, next.Frames[i]))), nil
}

// foldedAround is the folded frame that hides another, if any.
func (m Memory) foldedAround(f Frame) string {
	for _, up := range m.above(f.ID) {
		if up.ID != f.ID && (m.foldable(up) || up.Above) {
			return up.ID
		}
	}
	return ""
}
