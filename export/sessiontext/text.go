// Package sessiontext writes a stored session as plain text for a terminal: entries
// of its journal, messages, changes, and the log of a frame. Texts of models, tools
// and files are made harmless. It reads no store and knows no colours.
//
//	for e, err := range store.Journal(ctx, id, 0) {
//		…
//		err = sessiontext.Entry(os.Stdout, e, messages, false)
//	}
package sessiontext

import (
	"cmp"
	"io"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// Entry writes one entry of a journal: what happened, and what steering did then.
// Messages are those of the session by id; full gives whole texts.
func Entry(w io.Writer, e trimtab.Entry, messages map[string]trimtab.Message, full bool) error {
	p := termsafe.NewPrinter(w)
	switch ev := e.Event.(type) {
	case trimtab.Said:
		if m, ok := messages[ev.Message.ID]; ok {
			writeMessage(p, m, full)
		}
	case trimtab.Asked:
		p.Printf("%5s  %-8s /%s %s\n", "", "command", ev.Command, strings.Join(ev.Args, " "))
	case trimtab.Resumed:
		p.Printf("%5s  %-8s\n", "", "resumed")
	case trimtab.Rewritten:
		p.Printf("%5s  %-8s the host rewrote its history\n", "", "host")
	case trimtab.Reset:
		p.Printf("%5s  %-8s\n", "", "reset")
	}
	for _, c := range e.Changes {
		if c.Kind == trimtab.Copied { // a note that was told, sent again
			continue
		}
		p.Printf("%5s  %s\n", "", Change(c))
		if c.Text != "" && c.Kind == trimtab.Injected {
			writeWords(p, c.Text, full)
		}
	}
	for _, t := range e.Actions {
		switch n := t.Action.(type) {
		case trimtab.Notify:
			p.Printf("%5s  %-8s %s\n", "", "notice", n.Text)
		case trimtab.Continue:
			p.Printf("%5s  > %s: sent on: %s\n", "", t.By, n.Why)
			writeWords(p, n.Text, full)
		}
	}
	for _, f := range e.Faults {
		p.Printf("%5s  %-8s %s\n", "", "fault", f.Error())
	}
	return p.Err()
}

// writeWords writes what the model was told: whole, or its first line.
func writeWords(p *termsafe.Printer, text string, full bool) {
	if !full {
		text = "  " + termsafe.FirstLine(text, 100)
	}
	p.Printf("%s\n", indent(text))
}

// Message writes a message, a line or a paragraph for each part.
func Message(w io.Writer, m trimtab.Message, full bool) error {
	p := termsafe.NewPrinter(w)
	writeMessage(p, m, full)
	return p.Err()
}

func writeMessage(p *termsafe.Printer, m trimtab.Message, full bool) {
	for _, part := range m.Parts {
		who, text := said(part)
		if !full {
			text = termsafe.FirstLine(text, 100)
			p.Printf("%5s  %-8s %s\n", m.ID, who, text)
			continue
		}
		p.Printf("%5s  %-8s\n%s\n", m.ID, who, indent(text))
	}
}

// said names who is behind a part, and what it holds.
func said(p trimtab.Part) (who, text string) {
	switch p := p.(type) {
	case trimtab.Text:
		switch p.By {
		case trimtab.Person:
			return "you", p.Text
		case trimtab.Unvouched:
			return "you?", p.Text
		case trimtab.Model:
			return "agent", p.Text
		case trimtab.Ours:
			return p.From, p.Text
		}
		return cmp.Or(string(p.By), "host"), p.Text
	case trimtab.ToolCall:
		return "agent", "calls " + p.Name + " " + string(jsonscan.Readable(p.Input))
	case trimtab.ToolResult:
		if p.Failed {
			return "tool", "failed: " + p.Text
		}
		return "tool", p.Text
	case trimtab.Opaque:
		return cmp.Or(string(p.By), "host"), "(" + p.Kind + ")"
	}
	return "?", ""
}

// Change tells a change in one line: a sign, who, where, why, at what price.
func Change(c trimtab.Change) string {
	sign := map[trimtab.ChangeKind]string{trimtab.Injected: "+", trimtab.Removed: "-", trimtab.Retired: "~", trimtab.Withheld: "x", trimtab.Heeded: "✓", trimtab.FoldedUp: ">", trimtab.Unfolded: "<"}[c.Kind]
	line := sign + " " + c.By + "/" + c.Slot + ": " + c.Why
	if c.Kind == trimtab.Injected {
		line += " (" + plural.Count(c.Tokens, "token")
		if c.Lost > 0 {
			line += ", " + plural.Count(c.Lost, "token") + " of cached prefix"
		}
		line += ")"
	} else if c.Lost > 0 {
		line += " (" + plural.Count(c.Lost, "token") + " of cached prefix)"
	}
	return line
}

func indent(text string) string {
	return "       " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n       ")
}
