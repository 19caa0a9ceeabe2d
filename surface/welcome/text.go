package welcome

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/replay/judge"
)

// Layout is how a look is shown to a person.
type Layout struct {
	Width int
	Zone  *time.Location
}

// words say what a note of a kind tells an agent.
var words = map[judge.Kind]string{
	"loop": "this was tried before, with the same result", "unproved finish": "this is not finished: nothing shows that it works", "same report": "the person has reported this before",
	"open todo": "the list has open items", "announced step": "the step that you announced is not done", "todo": "look at your todo list", "goal": "this is what the person wanted",
	"reflection": "stop and look back", "frame": "this part of the work is done",
}

// nextColumn is where it is said what a command does.
const nextColumn = 27

// maxExample is the longest example in lines: all of a look fits on a screen.
const maxExample = 6

// Text writes a look as one screen.
func (l Look) Text(w io.Writer, page Layout) error {
	var b strings.Builder
	l.agents(&b)
	l.troubles(&b, page)
	l.would(&b, page)
	l.next(&b, page)
	_, err := io.WriteString(w, b.String())
	return err
}

func (l Look) agents(b *strings.Builder) {
	if len(l.Agents) == 0 {
		b.WriteString("No agent that Trimtab knows was found here, and no session of one.\n")
		return
	}
	b.WriteString("Agents here\n")
	for _, a := range l.Agents {
		state := "not steered yet"
		switch {
		case a.Program == "":
			state = "not installed"
		case a.Hooks:
			state = "steered by hooks"
		case !a.Takes:
			state = "steered with trimtab run " + a.Name
		}
		fmt.Fprintf(b, "  %-10s %-14s %s\n", a.Name, plural.Grouped(a.Sessions, "session"), state)
	}
}

func (l Look) troubles(b *strings.Builder, page Layout) {
	since := l.Since.In(page.Zone).Format("2 January 2006")
	switch {
	case l.Sessions == 0:
		fmt.Fprintf(b, "\nNo session was at work since %s, so there is nothing to look back at.\n", since)
		return
	case len(l.Do) == 0:
		fmt.Fprintf(b, "\nNothing went wrong in several of the %s since %s.\n", plural.Grouped(l.Sessions, "session"), since)
		return
	}
	fmt.Fprintf(b, "\nWhat went wrong more than once in %s since %s\n", plural.Grouped(l.Sessions, "session"), since)
	for _, line := range l.Do {
		wrap(b, "  ", "     ", line, page.Width, 0)
	}
}

func (l Look) would(b *strings.Builder, page Layout) {
	if l.Played == 0 {
		return
	}
	over := fmt.Sprintf("the newest %s (%s)", plural.Grouped(l.Played, "session"), plural.Grouped(l.Steps, "step"))
	if len(l.Would) == 0 {
		fmt.Fprintf(b, "\nIn %s Trimtab would have said nothing.\n", over)
		return
	}
	fmt.Fprintf(b, "\nWhat Trimtab would have said in %s\n", over)
	for _, s := range l.Would {
		fmt.Fprintf(b, "  %4d× %-50s in %s\n", s.Count, cmp.Or(words[s.Kind], string(s.Kind)), plural.Grouped(s.Sessions, "session"))
	}
	if e := l.Example; e != nil {
		name := filepath.Base(e.File)
		if e.Title != "" {
			name = ansi.Truncate(termsafe.Line(e.Title), max(20, page.Width-40), "…")
		}
		fmt.Fprintf(b, "  For example at step %d of %q:\n", e.Step, name)
		wrap(b, "  │ ", "  │ ", e.Text, page.Width, maxExample)
	}
}

// next says what a person can do now.
func (l Look) next(b *strings.Builder, page Layout) {
	b.WriteString("\nNothing was written or sent. From here:\n")
	for _, a := range l.Agents {
		if a.Ready() {
			row(b, "trimtab install "+a.Name, "steer all its sessions; shows the change first", page)
			row(b, "trimtab run "+a.Name, "steer one session, with nothing installed", page)
			break
		}
	}
	if l.Sessions > 0 {
		row(b, "trimtab reflect", "all that went wrong, with evidence", page)
		row(b, "trimtab judge", "judge every note that would be given", page)
	}
	row(b, "trimtab", "a chat with an agent that is steered", page)
	row(b, "trimtab open --demo", "sample sessions as pages", page)
}

// row says what a command does.
func row(b *strings.Builder, command, what string, page Layout) {
	wrap(b, fmt.Sprintf("  %-*s ", nextColumn-3, command), strings.Repeat(" ", nextColumn), what, page.Width, 0)
}

// wrap writes a text within the width, at most so many lines of it; 0 is all.
func wrap(b *strings.Builder, first, rest, text string, width, most int) {
	lines := strings.Split(ansi.Wrap(termsafe.Text(strings.TrimSpace(text)), max(20, width-len(rest)), ""), "\n")
	if most > 0 && len(lines) > most {
		lines = append(lines[:most-1], "…")
	}
	for i, line := range lines {
		b.WriteString(first + line + "\n")
		if i == 0 {
			first = rest
		}
	}
}
