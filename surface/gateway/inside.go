package gateway

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/surface/inside"
	"github.com/trimtab/trimtab/wire"
)

// escapes finds what the person did in the agent's own shell since the last request.
// Output of theirs vouches for the commands whose tokens it holds, and output of the
// model's tools drops them. Lines that the host wrote for it in the model's name, and
// what was typed beside their results, are noted.
func (g *Steerer) escapes(from client, f wire.Format, b *wire.Body, seen *reading) {
	waits, after := len(g.opt.Run.Waiting()) > 0, from.Escape.After
	if from.Escape.Prompt {
		seen.typed = typedCommand(f, b, *seen)
	}
	if !waits && after == "" {
		return
	}
	own := false // the tool that is called next is called by the host
	for _, n := range seen.new {
		m := wire.Whole(f, b, seen.items[n])
		switch {
		case m.Role == trimtab.RoleAssistant:
			if own {
				seen.escaped = append(seen.escaped, n)
			}
		case slices.ContainsFunc(m.Parts, isResult):
			if own {
				seen.escaped = append(seen.escaped, n)
			}
			if waits {
				g.heard(m, from.Escape, own)
			}
			own = lastText(m) == after
		default:
			if waits {
				g.heard(m, from.Escape, false)
			}
			own = lastText(m) == after
		}
		own = own && after != ""
	}
}

// typedCommand is the command that the newest prompt is, where it is nothing else.
func typedCommand(f wire.Format, b *wire.Body, seen reading) []trimtab.Event {
	n := len(seen.new)
	if n == 0 || seen.new[n-1] != len(seen.lines)-1 {
		return nil
	}
	m := wire.Whole(f, b, seen.items[seen.new[n-1]])
	words := strings.Fields(m.Typed())
	if !m.IsPrompt() || len(words) < 2 || words[0] != "!trimtab" || strings.Contains(strings.TrimSpace(m.Typed()), "\n") {
		return nil
	}
	return []trimtab.Event{trimtab.Asked{Command: words[1], Args: words[2:], Away: true}}
}

func isResult(p trimtab.Part) bool { _, ok := p.(trimtab.ToolResult); return ok }

// lastText is the text that a message ends with.
func lastText(m trimtab.Message) string {
	if n := len(m.Parts); n > 0 {
		if t, ok := m.Parts[n-1].(trimtab.Text); ok {
			return strings.TrimSpace(t.Text)
		}
	}
	return ""
}

// heard looks for tokens of commands in a message. A text of the user's side counts where
// it begins with the host's own words for the person's shell; any other may be a summary,
// a list or a file that the model wrote.
func (g *Steerer) heard(m trimtab.Message, escape host.Escape, own bool) {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			if m.Role == trimtab.RoleUser && slices.ContainsFunc(escape.Begins, func(words string) bool { return strings.HasPrefix(strings.TrimSpace(p.Text), words) }) {
				g.vouchFor(inside.Tokens(p.Text))
			}
		case trimtab.ToolResult:
			if tokens := inside.Tokens(p.Text); own {
				g.vouchFor(tokens)
			} else {
				g.opt.Run.Drop(tokens...)
			}
		}
	}
}

func (g *Steerer) vouchFor(tokens []string) {
	for _, token := range tokens {
		if err := g.opt.Run.Vouch(token); err != nil {
			g.opt.Log.Warn("a command from inside the agent was not noted", "error", err)
		}
	}
}

// commands are those that the person gave, to be told before what they typed, and what to
// do once they are told.
func (g *Steerer) commands() (events []trimtab.Event, told func()) {
	var tokens []string
	for _, o := range g.opt.Run.Waiting() {
		if o.Sure {
			events, tokens = append(events, o.Event()), append(tokens, o.Token)
		}
	}
	return events, func() { g.opt.Run.Drop(tokens...) }
}

// escaped gives the words of a message that the host wrote for the person's shell to who
// wrote them: nobody replied, and what stands beside the result was typed.
func escaped(m *trimtab.Message) {
	if m.Role == trimtab.RoleAssistant {
		m.From = byHost
		return
	}
	var d markup.Divider
	var parts []trimtab.Part
	for _, p := range m.Parts {
		if t, ok := p.(trimtab.Text); ok {
			parts = append(parts, d.Divide(t.Text)...)
			continue
		}
		parts = append(parts, p)
	}
	m.Parts = parts
}
