package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Guide is what a project's own DEFAULT_WORKFLOW.md says of the steps. It adds to what
// agents are told and may change an order, but takes away no step and no check.
type Guide struct {
	Texts map[improve.StepName]string // for the agent that does the step
	Notes []string                    // what of it is not followed, and why

	issueFirst bool // the issue is opened before the requirements are clarified
}

// The limits of a guide.
const (
	maxGuideText  = 8 << 10 // bytes for one step
	maxGuideSteps = 100
	maxGuideNotes = 20
)

// section is one step as the file has it.
type section struct {
	title, text string
	step        improve.StepName // "" for one that we do not have
}

// ReadGuide reads a DEFAULT_WORKFLOW.md: headings such as "### Step 4: Research and
// Design", or, where there is none, a list "4. Research and Design". Each is known by
// what it is called, not by its number.
func ReadGuide(text string) Guide {
	g := Guide{Texts: map[improve.StepName]string{}}
	if strings.TrimSpace(text) == "" {
		return g
	}
	all := sections(text, heading())
	if len(all) == 0 {
		all = sections(text, listed())
	}
	if len(all) == 0 {
		g.note("%s has no step that we can tell: headings such as \"### Step 1: …\" are looked for", improve.WorkflowFile)
		return g
	}
	g.fillTexts(all)
	g.order(all)
	return g
}

func (g *Guide) note(format string, args ...any) {
	if len(g.Notes) < maxGuideNotes {
		g.Notes = append(g.Notes, fmt.Sprintf(format, args...))
	}
}

var (
	heading = lazyregexp.Pattern(`^#{1,6}\s+(?:\*\*)?(?:(?i:step)\s+\d+[a-z]?|\d+)\s*[:.)–—-]\s*(.+?)(?:\*\*)?\s*#*$`)
	listed  = lazyregexp.Pattern(`^\d+[.)]\s+(.+)$`)
)

// sections are the steps of a text whose first line matches. What stands in a block of
// code is no heading.
func sections(text string, first interface{ FindStringSubmatch(string) []string }) []section {
	var out []section
	fenced, open := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if m := first.FindStringSubmatch(line); m != nil && !fenced {
			if open = len(out) < maxGuideSteps; open {
				title := strings.Trim(strings.TrimSpace(m[1]), "*")
				out = append(out, section{title: trimtab.Clip(title, 120), step: stepOf(title)})
			}
			continue
		}
		if strings.HasPrefix(line, "#") && !fenced { // another heading ends the step
			open = open && strings.HasPrefix(line, "#####")
		}
		if open {
			out[len(out)-1].text += line + "\n"
		}
	}
	return out
}

// known says by which words of its title a step is known. The first that matches counts:
// a title such as "Implement review feedback" has words of several.
var known = []struct {
	step  improve.StepName
	words []string
}{
	{Mergeable, []string{"mergeable", "ready to merge", "merge ready"}},
	{Feedback, []string{"feedback", "review comment", "address review"}},
	{Compliance, []string{"complian", "philosophy"}},
	{Review, []string{"review"}},
	{Check, []string{"pre-commit", "run test", "run the test", "run all test", "lint", "format", "verify test"}},
	{Commit, []string{"commit", "push"}},
	{PullRequest, []string{"pull request", "merge request", "open pr", "create pr", "open the pr", "draft pr"}},
	{Simplify, []string{"simplif", "refactor", "clean up", "cleanup"}},
	{Branch, []string{"branch", "worktree"}},
	{Issue, []string{"issue"}},
	{Design, []string{"design", "tdd", "research", "architect", "write test", "failing test"}},
	{Clarify, []string{"clarif", "requirement", "rewrite"}},
	{Implement, []string{"implement", "build", "code the"}},
}

func stepOf(title string) improve.StepName {
	title = strings.ToLower(title)
	for _, k := range known {
		if slices.ContainsFunc(k.words, func(w string) bool { return strings.Contains(title, w) }) {
			return k.step
		}
	}
	return ""
}

// asked are the steps that an agent does, and so the only ones whose text anybody reads.
var asked = []improve.StepName{Clarify, Design, Implement, Simplify, Check, Review, Feedback}

// fillTexts gives each text to the agent of its step. That of a step that we do not have
// goes to the agent that is asked last before it.
func (g *Guide) fillTexts(all []section) {
	last := Clarify
	var unread []string
	for _, s := range all {
		to := s.step
		if slices.Contains(asked, to) {
			last = to
		}
		switch {
		case to == "":
			to = last
			g.note("%q is no step of ours: its text is told to the agent of the step %s", s.title, to)
			s.text = "Also, " + s.title + ":\n" + s.text
		case !slices.Contains(asked, to):
			if strings.TrimSpace(s.text) != "" {
				unread = append(unread, s.title)
			}
			continue
		}
		if text := strings.TrimSpace(s.text); text != "" {
			g.Texts[to] = trimtab.Clip(strings.TrimSpace(g.Texts[to]+"\n\n"+text), maxGuideText)
		}
	}
	if len(unread) > 0 {
		g.note("no agent does %s, so their texts are not followed: trimtab does that itself, always the same way", strings.Join(unread, ", "))
	}
}

// order follows the order of the file as far as it may. Each step builds on what the ones
// before it left and checks that: nothing is pushed that was not tested, nothing is
// proposed that was not pushed. Only the issue may come before the requirements.
func (g *Guide) order(all []section) {
	ours := Steps()
	var theirs []section
	for _, s := range all {
		if s.step != "" && !slices.ContainsFunc(theirs, func(o section) bool { return o.step == s.step }) {
			theirs = append(theirs, s)
		}
	}
	at := func(step improve.StepName) int {
		return slices.IndexFunc(theirs, func(s section) bool { return s.step == step })
	}
	if i, c := at(Issue), at(Clarify); i >= 0 && c > i {
		g.issueFirst = true
		ours = inOrder(ours, true)
	}
	for i := 1; i < len(theirs); i++ {
		a, b := theirs[i-1], theirs[i]
		if Place(ours, a.step) > Place(ours, b.step) {
			g.note("%q stays behind %q: each step checks what the ones before it left", a.title, b.title)
		}
	}
	var missing []string
	for _, s := range ours {
		if at(s.Name) < 0 {
			missing = append(missing, string(s.Name))
		}
	}
	if len(missing) > 0 {
		g.note("%s has no step for %s: that is done all the same", improve.WorkflowFile, strings.Join(missing, ", "))
	}
}

// inOrder returns a list with the issue before the requirements, where that is asked for
// and the list has both.
func inOrder(list []Step, issueFirst bool) []Step {
	c, i := Place(list, Clarify), Place(list, Issue)
	if !issueFirst || c < 0 || i != c+1 {
		return list
	}
	list = slices.Clone(list)
	list[c], list[i] = list[i], list[c]
	return Numbered(list)
}

// Order returns a list of steps in the order in which this job does them.
func (j *Job) Order(list []Step) []Step { return inOrder(list, j.env.guide.issueFirst) }
