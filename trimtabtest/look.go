package trimtabtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
)

func (p *player) print(format string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		p.out.WriteString(strings.TrimRight("| "+line, " ") + "\n")
	}
}

// outcome prints what a step changed and asked for.
func (p *player) outcome(out trimtab.Outcome) {
	signs := map[trimtab.ChangeKind]string{
		trimtab.Injected: "+", trimtab.Removed: "-", trimtab.Retired: "~",
		trimtab.Withheld: "x", trimtab.Heeded: "✓", trimtab.FoldedUp: ">", trimtab.Unfolded: "<",
	}
	for _, c := range out.Changes {
		if c.Kind == trimtab.Copied {
			continue
		}
		at := ""
		if c.Seat.ID != "" {
			at = " " + seat(c.Seat)
		}
		p.print("%s %s/%s%s: %s", signs[c.Kind], c.By, c.Slot, at, c.Why)
	}
	for _, t := range out.Actions {
		switch a := t.Action.(type) {
		case trimtab.Reply:
			p.print("reply: %s", a.Text)
		case trimtab.Notify:
			p.print("notice: %s", a.Text)
		case trimtab.Pause:
			p.print("pause: %s", a.Why)
		case trimtab.Continue:
			p.print("continue: %s (%s)", a.Text, a.Why)
		case trimtab.Check:
			p.print("check: %s (%s)", a.Command, a.Why)
		case trimtab.Deny:
			p.print("deny: %s", a.Why)
		default:
			p.print("%T by %s: %+v", a, t.By, a)
		}
	}
	for _, f := range out.Faults {
		p.print("fault: %s", f.Error())
	}
}

func (p *player) look(verb string, args []string) error {
	full := slices.Contains(args, "full")
	args = slices.DeleteFunc(args, func(a string) bool { return a == "full" })
	switch verb {
	case "see":
		view := p.session.View(p.history)
		if len(args) > 0 {
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			view = view[max(0, len(view)-n):]
		}
		p.messages(view, full)
	case "record":
		p.messages(p.session.Record(p.history), full)
	case "notes":
		for _, n := range p.session.Notes {
			state := "due"
			if n.Seated() {
				state = seat(n.Seat)
			}
			if n.Stale {
				state += ", stale"
			}
			p.print("%s/%s %s, %s: %s", n.By, n.Slot, state, n.Life, n.Why)
		}
	case "status":
		p.print("step %d", p.session.Step)
		for _, st := range p.engine.Status(p.session) {
			p.print("%s: %s", st.By, st.Text)
		}
	case "state":
		raw, err := p.session.Memory(strings.Join(args, " "))
		if err != nil {
			return err
		}
		p.print("%s", raw)
	case "title":
		p.print("%s", p.session.Title)
	case "price":
		p.print("added %d tokens, lost %d of cached prefix", p.session.Meter.Added, p.session.Meter.Lost)
	default:
		return fmt.Errorf("unknown line; see the package comment")
	}
	return nil
}

func (p *player) messages(view []trimtab.Message, full bool) {
	for _, m := range view {
		for _, part := range m.Parts {
			who, text := spoken(part)
			if !full {
				text = short(text)
			}
			first, rest, more := strings.Cut(text, "\n")
			p.print("%-8s %s", who, first)
			if more {
				p.print("         %s", strings.ReplaceAll(rest, "\n", "\n         "))
			}
		}
	}
}

// spoken says who wrote a part, and what it holds.
func spoken(part trimtab.Part) (who, text string) {
	switch part := part.(type) {
	case trimtab.Text:
		if part.From != "" {
			return part.From, part.Text
		}
		return string(part.By), part.Text
	case trimtab.ToolCall:
		return "model", "calls " + part.Name + " " + string(part.Input)
	case trimtab.ToolResult:
		if part.Failed {
			return "tool", "fails: " + part.Text
		}
		return "tool", part.Text
	case trimtab.Opaque:
		return string(part.By), "(" + part.Kind + ")"
	}
	return "?", fmt.Sprintf("%T", part)
}

func seat(s trimtab.Seat) string {
	if s.After {
		return "after " + s.ID
	}
	return "before " + s.ID
}

// short is the first line of a text, cut to fit a screen.
func short(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if r := []rune(line); len(r) > 70 {
		line, more = string(r[:70]), true
	}
	if more {
		line += " …"
	}
	return line
}
