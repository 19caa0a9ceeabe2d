package frame

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// context is what the model reads of the tree while it works below the root:
// the frames above as goal and summary so far, finished siblings as summaries,
// and the frame itself. At the root there is nothing to tell: all is in view. Where the
// settings want it told all the same, it is its goal.
func (d Frames) context(m Memory) string {
	path := m.path()
	if len(path) == 1 && *d.cfg.Root {
		return strings.Join(append([]string{"# Frame context\nYou work in the root frame."}, m.current(path[0], 4*d.cfg.Budget.Current)...), "\n")
	}
	if len(path) < 2 {
		return ""
	}
	b := d.cfg.Budget
	active := path[len(path)-1]
	rest := 4 * b.Total
	take := func(part int) int { return min(4*part, rest) }
	spent := func(texts []string) {
		for _, t := range texts {
			rest -= len(t)
		}
	}

	head := "# Frame context\nYou work in the last of these frames. Finish its goal, then pop it (flame_pop) with a summary of what the frames above need to know."
	if active.By == "auto" {
		head = "# Frame context\nEarlier work of this session is folded into the summaries below; you work in the last of these frames. Trimtab keeps this up to date; nothing is asked of you. flame_log or `trimtab frame log` reads what is folded."
	}
	out := []string{short(head, take(b.Overhead))}
	spent(out)
	// The frame in hand is served first: a budget too small for all drops the others.
	current := m.current(active, take(b.Current))
	spent(current)
	above := m.ancestors(path[:len(path)-1], take(b.Ancestors))
	spent(above)
	beside := m.siblings(active, take(b.Siblings))
	out = append(out, above...)
	out = append(out, beside...)
	return strings.Join(append(out, current...), "\n")
}

// current tells the frame in hand.
func (m Memory) current(f Frame, budget int) []string {
	text := fmt.Sprintf("→ %s (active) %s", f.ID, f.Goal)
	if f.Criteria != "" {
		text += "\n  Success criteria: " + f.Criteria
	}
	if len(f.Decisions) > 0 {
		text += "\n  Decisions: " + strings.Join(f.Decisions, "; ")
	}
	if len(f.Artifacts) > 0 {
		text += "\n  Artifacts: " + strings.Join(f.Artifacts, ", ")
	}
	for _, c := range m.Frames {
		if c.Parent == f.ID && c.Status == Planned {
			text += fmt.Sprintf("\n  ○ %s (planned) %s", c.ID, c.Goal)
		}
	}
	return fit([]string{text}, budget)
}

// ancestors tells the frames above, the nearest served first, the root printed
// first.
func (m Memory) ancestors(path []Frame, budget int) []string {
	var texts []string
	for i := len(path) - 1; i >= 0; i-- {
		f := path[i]
		var w Work
		if f.Held != nil {
			w = *f.Held
		}
		f.Artifacts = slices.Clone(f.Artifacts)
		for _, file := range w.Files {
			f.Artifacts = list(f.Artifacts, file)
		}
		f.Summary = m.extract(f, w, i < len(path)-1) // below the parent are the siblings
		texts = append(texts, fmt.Sprintf("→ %s %s\n%s", f.ID, f.Goal, indent(f.told())))
	}
	texts = fit(texts, budget)
	slices.Reverse(texts)
	return texts
}

// siblings tells the finished frames beside the active one, the most relevant
// served first: the newest, and those that share words with its goal.
func (m Memory) siblings(active Frame, budget int) []string {
	type rated struct {
		Frame
		points int
	}
	goal := keywords(active.Goal)
	var all []rated
	for _, f := range m.Frames {
		if f.Parent == active.Parent && f.ID != active.ID && f.ended() && f.Status != Invalidated {
			all = append(all, rated{f, 0})
		}
	}
	for i := range all {
		all[i].points = 3*shared(goal, keywords(all[i].Goal+" "+all[i].Summary)) + max(0, 5-(len(all)-1-i))
	}
	slices.SortStableFunc(all, func(a, b rated) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(number(b.ID), number(a.ID)))
	})
	var texts []string
	for _, f := range all {
		text := fmt.Sprintf("%s %s %s\n%s", f.Status.Mark(), f.ID, f.Goal, indent(f.told()))
		texts = append(texts, short(text, max(budget/3, scrap))) // one that is long leaves room for others
	}
	kept := fit(texts, budget)
	slices.SortStableFunc(kept, func(a, b string) int { return cmp.Compare(idOf(a), idOf(b)) })
	if n := len(texts) - len(kept); n > 0 {
		kept = append(kept, fmt.Sprintf("(%d more finished frames; flame_tree lists them)", n))
	}
	return kept
}

// idOf is the number of the frame that a text begins with.
func idOf(text string) int {
	fields := strings.SplitN(text, " ", 3)
	if len(fields) < 2 {
		return 0
	}
	return number(fields[1])
}

// scrap is a piece too small to tell anything.
const scrap = 40

// fit keeps texts, in their order, as long as the budget of bytes lasts. The one
// that no longer fits is cut at a word.
func fit(texts []string, budget int) []string {
	var out []string
	for _, t := range texts {
		cut := short(t, budget)
		if cut == "" || len(cut) < min(scrap, len(t)) {
			break
		}
		t = cut
		out = append(out, t)
		if budget -= len(t) + 1; budget <= 0 {
			break
		}
	}
	return out
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
