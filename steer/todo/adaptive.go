package todo

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/plural"
)

const (
	maxFiles    = 16
	maxReminder = 8 << 10 // bytes; a host's own is short, but for the list in it
	leftFiles   = 3       // so many files that no open item names show that the list was left behind
	atHand      = 2       // times as many, where an item is in progress: they may well belong to it
	minParts    = 3       // so many points of a prompt make work in several parts
	manyFiles   = 4       // and so many files show that it is
	longStuck   = 3       // so many times the steps after which an item is called stuck
)

// follow notes what the person asks for and which files the agent changes.
func (m Memory) follow(step int, said trimtab.Message) Memory {
	if said.IsPrompt() {
		m.Prompt, m.Reminded, m.Files, m.Parts = step, false, nil, inParts(said.Typed())
	}
	m.Reminded = m.Reminded || reminds(said)
	if said.Role != trimtab.RoleAssistant || said.From != "" {
		return m
	}
	for _, p := range said.Parts {
		c, ok := p.(trimtab.ToolCall)
		if !ok {
			continue
		}
		call := evidence.ReadCall(c)
		if call.Command != "" { // agents write files with heredocs, sed and scripts as often as with an editor
			call.Files = evidence.ReadLine(call.Command).Files
		}
		for _, f := range call.Files {
			if f = path.Base(f); evidence.IsCode(f) && !slices.Contains(m.Files, f) && len(m.Files) < maxFiles {
				m.Files = append(slices.Clip(m.Files), f)
			}
		}
	}
	return m
}

// adaptive says why a reminder would tell the agent something, or nothing.
func (d Todo) adaptive(t trimtab.Turn, m Memory, open []trimtab.Todo) string {
	idle := t.Step - max(m.LastWrite, m.Prompt)
	if m.Reminded || idle < d.cfg.InitialTurns {
		return ""
	}
	if len(open) == 0 {
		if m.Parts && len(m.Files) >= manyFiles {
			return "work in several parts, " + plural.Count(len(m.Files), "file") + " changed and no todo list"
		}
		return ""
	}
	for _, it := range open {
		if age := t.Step - max(it.Since, m.Prompt); it.Status == trimtab.InProgress && age >= longStuck*d.cfg.StuckTaskTurns {
			return "an item has been in progress for " + steps(age)
		}
	}
	enough := leftFiles
	if slices.ContainsFunc(open, func(it trimtab.Todo) bool { return it.Status == trimtab.InProgress }) {
		enough *= atHand
	}
	if n := unnamed(m.Files, open); n >= enough && n == len(m.Files) {
		return fmt.Sprintf("%s changed that no open item names", plural.Count(n, "file"))
	}
	return ""
}

// unnamed counts the files that no open item names.
func unnamed(files []string, open []trimtab.Todo) int {
	n := 0
	for _, f := range files {
		stem := strings.ToLower(strings.TrimSuffix(f, path.Ext(f)))
		if !slices.ContainsFunc(open, func(it trimtab.Todo) bool {
			return strings.Contains(strings.ToLower(trimtab.Clip(it.Text, 500)), stem)
		}) {
			n++
		}
	}
	return n
}

// reminds reports whether the host itself reminds of its list, as Claude Code does: the same
// from two sides is once too often.
func reminds(said trimtab.Message) bool {
	return said.Role != trimtab.RoleAssistant && slices.ContainsFunc(said.Parts, func(p trimtab.Part) bool {
		t, ok := p.(trimtab.Text)
		return ok && t.By == trimtab.Host && len(t.Text) < maxReminder && strings.Contains(t.Text, "been used recently") && (strings.Contains(t.Text, "task tools") || strings.Contains(t.Text, "TodoWrite"))
	})
}

var point = lazyregexp.Pattern(`(?m)^\s{0,6}(?:[-*•]\s+|\d{1,2}[.)]\s+|#{2,4}\s+|\[ \]\s+)\S`)

// inParts reports whether a prompt asks for several things: a list, or a plan.
func inParts(prompt string) bool {
	return len(point().FindAllStringIndex(trimtab.Clip(prompt, 16<<10), minParts)) >= minParts
}
