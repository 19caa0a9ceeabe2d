package agent

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// joinPrompts makes one message of prompts that follow each other: what a person said
// before a reply that never came, and what they said then. The same words again, and
// words that only ask to try again, are said once, so that a provider which failed four
// times does not hear four prompts in a row. The same beginning gives the same beginning:
// prompt caches depend on it.
func joinPrompts(view []trimtab.Message) []trimtab.Message {
	joins := func(i int) bool { return i > 0 && plainPrompt(view[i]) && plainPrompt(view[i-1]) }
	if !slices.ContainsFunc(view, plainPrompt) {
		return view
	}
	var out []trimtab.Message
	for i, m := range view {
		if !joins(i) {
			out = append(out, m)
			continue
		}
		last := &out[len(out)-1]
		if !joins(i - 1) {
			last.Parts = slices.Clone(last.Parts)
		}
		for _, p := range m.Parts {
			if t, ok := p.(trimtab.Text); ok && (tryAgain(t) || said(last.Parts, t)) {
				continue
			}
			last.Parts = append(last.Parts, p)
		}
	}
	return out
}

// said reports whether parts hold a text already.
func said(parts []trimtab.Part, text trimtab.Text) bool {
	return slices.ContainsFunc(parts, func(p trimtab.Part) bool {
		t, ok := p.(trimtab.Text)
		return ok && t.By == text.By && t.Text == text.Text
	})
}

// plainPrompt reports whether a message is a prompt whose parts can be compared: texts,
// and what goes with them.
func plainPrompt(m trimtab.Message) bool {
	return m.Role == trimtab.RoleUser && m.From == "" && m.IsPrompt() && !slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool {
		_, text := p.(trimtab.Text)
		return !text
	})
}

// tryAgain reports whether a person asked for nothing but another try, as the error of a
// failed one suggests.
func tryAgain(t trimtab.Text) bool {
	if t.By != trimtab.Person {
		return false
	}
	switch strings.ToLower(strings.Trim(t.Text, " \t\n.!")) {
	case "go on", "again", "try again", "continue", "retry":
		return true
	}
	return false
}
