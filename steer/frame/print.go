package frame

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

// View is a frame as programs read it.
type View struct {
	Frame
	Session string `json:"session"`
	Tokens  int    `json:"tokens"`    // with those of the frames below it
	Own     int    `json:"ownTokens"` // without
	Active  bool   `json:"active,omitempty"`
}

// Tree is the whole tree as programs read it.
type Tree struct {
	Session string `json:"session"`
	Active  string `json:"active,omitempty"`
	Frames  []View `json:"frames"`
	Before  int    `json:"tokensBefore"` // of the history
	After   int    `json:"tokensAfter"`  // of what is in view
}

func (m Memory) view(t trimtab.Turn, f Frame) View { return m.viewOf(t, f, m.weights()) }

func (m Memory) viewOf(t trimtab.Turn, f Frame, weights map[string]int) View {
	if f.ID == m.Active {
		f.Bytes, f.Messages = m.Work.Bytes, m.Work.Messages
	}
	f.Held, f.Split, f.Upto = nil, nil, trimtab.Ref{} // the package's own business
	return View{Frame: f, Session: t.Session.ID, Tokens: tokens(weights[f.ID]), Own: tokens(f.Bytes), Active: f.ID == m.Active}
}

// weights are the bytes of each frame and of all below it.
func (m Memory) weights() map[string]int {
	sum := make(map[string]int, len(m.Frames))
	for i := len(m.Frames) - 1; i >= 0; i-- { // a parent was made before its children
		f := &m.Frames[i]
		if f.ID == m.Active {
			sum[f.ID] += m.Work.Bytes
		} else {
			sum[f.ID] += f.Bytes
		}
		if f.Parent != "" {
			sum[f.Parent] += sum[f.ID]
		}
	}
	return sum
}

func (m Memory) tree(t trimtab.Turn) Tree {
	out := Tree{Session: t.Session.ID, Active: m.Active, Frames: []View{}, Before: tokens(m.Bytes), After: tokens(max(0, m.Bytes-m.saved()))}
	weights := m.weights()
	for _, f := range m.Frames {
		out.Frames = append(out.Frames, m.viewOf(t, f, weights))
	}
	return out
}

// lines prints the tree, children below their parents.
func (m Memory) lines() []string {
	var out []string
	var walk func(parent, indent string)
	walk = func(parent, indent string) {
		for i := range m.Frames {
			f := &m.Frames[i]
			if f.Parent != parent {
				continue
			}
			line := fmt.Sprintf("%s%s %s %s", indent, f.Status.Mark(), f.ID, short(f.Goal, 100))
			switch {
			case m.foldable(*f):
				line += " (folded)"
			case f.Reason != "":
				line += " (" + short(f.Reason, 80) + ")"
			}
			if f.ID == m.Active {
				line += " ← active"
			}
			out = append(out, line)
			walk(f.ID, indent+"  ")
		}
	}
	walk("", "")
	if len(out) == 0 {
		return []string{"no frames yet; the first prompt opens the root"}
	}
	return out
}

func (d Frames) doTree(t trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	return m, []trimtab.Action{answer(strings.Join(m.lines(), "\n"), m.tree(t))}, nil
}

func (d Frames) doStatus(t trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	tree := m.tree(t)
	lines := []string{cmp.Or(d.Status(m), "at the root"), ""}
	lines = append(lines, m.lines()...)
	lines = append(lines, "", fmt.Sprintf("%d tokens of history, %d in view; %s folded", tree.Before, tree.After, plural.Count(len(m.Folds), "run")))
	a := d.settings(m)
	lines = append(lines, fmt.Sprintf("autonomy: %s, push from %d%%, pop from %d%% (%s)", a.Level, *a.Push, *a.Pop, a.Confidence))
	for _, s := range m.Suggestions {
		if s.State == pending {
			lines = append(lines, s.String())
		}
	}
	return m, []trimtab.Action{answer(strings.Join(lines, "\n"), tree)}, nil
}

func (d Frames) doShow(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	id, _, err := target(args)
	if err != nil {
		return m, nil, err
	}
	i, err := m.find(cmp.Or(id, m.Active))
	if err != nil {
		return m, nil, err
	}
	f := m.Frames[i]
	v := m.view(t, f)
	lines := []string{fmt.Sprintf("%s %s %s (%s)", f.Status.Mark(), f.ID, f.Goal, f.Status)}
	add := func(label, text string) {
		if text != "" {
			lines = append(lines, label+": "+text)
		}
	}
	add("Parent", f.Parent)
	add("Success criteria", f.Criteria)
	add("Reason", f.Reason)
	if f.First.Seq > 0 {
		last := "now"
		if f.Last.Seq > 0 {
			last = f.Last.ID
		}
		add("Messages", fmt.Sprintf("%s to %s, %d of its own, %d tokens", f.First.ID, last, v.Messages, v.Own))
	}
	add("Artifacts", strings.Join(f.Artifacts, ", "))
	add("Decisions", strings.Join(f.Decisions, "; "))
	add("Results", f.Results)
	if f.ended() {
		add("Summary", f.Summary)
		if f.Parent != "" {
			lines = append(lines, d.folding(m, f))
		}
	}
	return m, []trimtab.Action{answer(strings.Join(lines, "\n"), v)}, nil
}

func (d Frames) doContext(_ trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	text := d.context(m)
	data := struct {
		Text   string `json:"text"`
		Tokens int    `json:"tokens"`
		Budget Budget `json:"budget"`
	}{text, tokens(len(text)), d.cfg.Budget}
	return m, []trimtab.Action{answer(cmp.Or(text, "At the root the model is told nothing of frames: all is in view."), data)}, nil
}

func (d Frames) doAutonomy(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	a := d.settings(m)
	var acts []trimtab.Action
	if len(args) > 0 {
		next, err := named(args, a.clone())
		if err == nil {
			next, err = next.fill()
		}
		if err != nil {
			return m, nil, err
		}
		a, m.Set, m.Weighed = next, &next, 0
		if asked, ok := t.Event.(trimtab.Asked); ok && asked.By == trimtab.Model {
			acts = append(acts, trimtab.Notify{Text: "the model changed what frames may do by themselves: " + trimtab.Clip(strings.Join(args, " "), 200)})
		}
		acts = append(acts, d.hint(m, "the settings changed", false)...)
	}
	text := fmt.Sprintf("# Autonomy\n\n- **Level:** %s\n- **Push Threshold:** %d%%\n- **Pop Threshold:** %d%%\n- **Suggest in Context:** %t\n- **Enabled Heuristics:** %s\n- **Confidence:** %s\n- **Learn:** %t",
		a.Level, *a.Push, *a.Pop, *a.InContext, cmp.Or(strings.Join(a.Heuristics, ", "), "none"), a.Confidence, *a.Learn)
	return m, append(acts, answer(text, a)), nil
}

func (d Frames) doShouldPush(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	in, err := named(args, pushArgs{})
	if err != nil {
		return m, nil, err
	}
	e := d.evaluatePush(t, m, in)
	e.Missing = e.toCross()
	return m, []trimtab.Action{answer(d.evaluation(t, m, e), e)}, nil
}

func (d Frames) doShouldPop(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	in, err := named(args, popArgs{})
	if err != nil {
		return m, nil, err
	}
	e := d.evaluatePop(m, in)
	e.Missing = e.toCross()
	return m, []trimtab.Action{answer(d.evaluation(t, m, e), e)}, nil
}

// evaluation prints scores, confidence, threshold and what is missing.
func (d Frames) evaluation(t trimtab.Turn, m Memory, e Evaluation) string {
	var out strings.Builder
	name, yes := "Push", "NO"
	if e.Side == Pop {
		name = "Pop"
	}
	if e.Recommended {
		yes = "YES"
	}
	fmt.Fprintf(&out, "# %s Heuristic Evaluation\n\n**Session:** %s\n**Autonomy Level:** %s\n\n", name, t.Session.ID, d.settings(m).Level)
	fmt.Fprintf(&out, "## Recommendation\n- **Should %s:** %s\n- **Confidence:** %d%% (threshold: %d%%)\n- **Primary Reason:** %s\n", name, yes, e.Confidence, e.Threshold, e.Reason)
	if e.Side == Push {
		fmt.Fprintf(&out, "- **Suggested Goal:** %q\n", e.Goal)
	} else {
		fmt.Fprintf(&out, "- **Suggested Status:** %s\n", e.Status)
	}
	out.WriteString("\n## Heuristic Scores\n")
	for _, s := range e.Scores {
		off := ""
		if !s.Enabled {
			off = " (off)"
		}
		fmt.Fprintf(&out, "- %s: %d%s\n", s.Name, s.Score, off)
	}
	fmt.Fprintf(&out, "- %s: %d\n", e.How, e.Confidence)
	if d.settings(m).Confidence == byLevel {
		fmt.Fprintf(&out, "- mean: %d (what auto goes by)\n", e.mean())
	}
	fmt.Fprintf(&out, "\n## To Reach the Threshold\n%s", e.Missing)
	if e.Side == Pop && len(m.path()) < 2 {
		out.WriteString("\nThe root is never suggested for popping.")
	}
	return out.String()
}

func (d Frames) doSuggest(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	in := struct {
		Enable  *bool `json:"enable"`
		History *bool `json:"showHistory"`
	}{}
	if err := object(args, &in); err != nil {
		return m, nil, err
	}
	on, all := new(true), false
	switch arg := strings.Join(args, " "); {
	case isObject(args):
		on, all = in.Enable, in.History != nil && *in.History
	case arg == "off":
		on = new(false)
	case arg == "history":
		on, all = nil, true
	case arg == "":
		on = nil
	case arg != "on":
		return m, nil, fmt.Errorf("it takes on, off or history, not %q", trimtab.Clip(arg, 40))
	}
	var acts []trimtab.Action
	if on != nil {
		a := d.settings(m)
		a.InContext = on
		m.Set = &a
		acts = d.hint(m, "the settings changed", false)
	}
	lines := []string{fmt.Sprintf("suggestions in the model's context: %t", *d.settings(m).InContext)}
	for _, s := range m.Suggestions {
		if all || s.State == pending {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", s.At.UTC().Format("15:04:05"), s.State, s.Frame, s))
		}
	}
	return m, append(acts, answer(strings.Join(lines, "\n"), m.Suggestions)), nil
}

func (d Frames) doStats(_ trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	s := m.Stats
	lines := []string{
		"# Autonomy Statistics", "",
		fmt.Sprintf("- suggestions: %d (%d push, %d pop)", s.Total, s.Push, s.Pop),
		fmt.Sprintf("- acted upon: %d, ignored: %d, action rate: %d%%", s.Acted, s.Ignored, s.Rate()),
		fmt.Sprintf("- auto pushes: %d, auto pops: %d", s.AutoPush, s.AutoPop),
	}
	for _, h := range s.By {
		lines = append(lines, fmt.Sprintf("- %s: %d of %d acted upon", h.Name, h.Acted, h.Suggested))
	}
	data := struct {
		Stats
		Rate int `json:"actionRate"`
	}{s, s.Rate()}
	return m, []trimtab.Action{answer(strings.Join(lines, "\n"), data)}, nil
}
