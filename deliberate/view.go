package deliberate

import (
	"cmp"
	_ "embed"
	"strings"

	"github.com/trimtab/trimtab"
)

//go:embed protocol.md
var protocol string

// system is what a persona is told about themselves and the debate. What the mode is
// for, its own entry prompt says.
func system(p Persona, cast []Persona, tools []string) string {
	var b strings.Builder
	b.WriteString(p.Prompt)
	b.WriteString("\n\n" + strings.TrimSpace(protocol) + "\n\n# At the table\n\n")
	for _, o := range cast {
		b.WriteString("- " + o.ID + " (" + o.Name + ")")
		if o.Short != "" {
			b.WriteString(": " + o.Short)
		}
		if o.ID == p.ID {
			b.WriteString(". That is you")
		}
		b.WriteString("\n")
	}
	b.WriteString("- " + You + ": this id is that of the person who wants this. They may join, and then their word counts double; often nobody is there, so wait for no answer\n")
	b.WriteString("- " + Researcher + ": answers research requests, and can look only where its tools reach: " + cmp.Or(strings.Join(tools, "; "), "it has none here") + "\n")
	return b.String()
}

// seen is a message in the two forms in which it is sent: to the one who said it,
// and to everybody else. Both are made once.
type seen struct {
	by          string
	own, others trimtab.Message
}

// see makes the forms of a message. A note of steering is the same to all. ok is
// false for what nobody is sent.
func see(m trimtab.Message) (s seen, ok bool) {
	s.by = speaker(m)
	switch s.by {
	case Moderator:
		return s, false
	case "":
		return seen{others: m, own: m}, m.From != ""
	}
	s.own = trimtab.Message{ID: m.ID, Role: trimtab.RoleAssistant, Model: m.Model, Parts: []trimtab.Part{trimtab.Text{Text: m.Text(), By: trimtab.Model}}}
	s.others = toAll(m, "")
	return s, true
}

// toAll is a message as everybody else gets it: with a mark that says who speaks, and
// to whom if that is said. Marks inside it are broken, so that nobody can speak in
// another's name or in the moderator's.
func toAll(m trimtab.Message, to string) trimtab.Message {
	who, by := speaker(m), trimtab.Host
	if who == You {
		by = trimtab.Person
	}
	text := "<message from=\"" + who + "\"" + to + ">\n" + harmless(m.Text()) + "\n</message>"
	return trimtab.Message{ID: m.ID, Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: text, By: by}}}
}

// answering is the mark of an answer: whose question it is for.
func answering(q *Request) string {
	topic := strings.NewReplacer("\"", "'", "<", "‹", ">", "›").Replace(oneLine(trimtab.Clip(q.Topic, 200)))
	return " answering=\"" + q.By + ": " + topic + "\""
}

// harmless breaks what looks like a mark of ours or of a host.
func harmless(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	return marks.Replace(text)
}

// marks are the beginnings of what a model may take for more than talk.
var marks = strings.NewReplacer(
	"<message", "‹message", "</message", "‹/message", "<Message", "‹Message", "</Message", "‹/Message",
	"<system", "‹system", "</system", "‹/system", "<SYSTEM", "‹SYSTEM", "</SYSTEM", "‹/SYSTEM",
)

// view is what a persona is sent: the history with steering's notes at their seats,
// then the cue.
func (d *Debate) view(who string, cue Cue) []trimtab.Message {
	shown := d.session.View(d.history)
	out := make([]trimtab.Message, 0, len(shown)+1)
	for _, m := range shown {
		s, known := d.forms[m.ID]
		if !known || m.ID == "" {
			var ok bool
			if s, ok = see(m); !ok {
				continue
			}
		}
		switch {
		case s.by == who:
			out = append(out, s.own)
		case len(s.others.Parts) > 0:
			out = append(out, s.others)
		}
	}
	return append(out, trimtab.Say(trimtab.RoleUser, trimtab.Host, cue.String()))
}
