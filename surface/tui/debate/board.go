package debate

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/surface/tui/page"
)

// Board is what is seen of a debate. It learns everything from events, so it can be
// drawn while the debate goes on elsewhere.
type Board struct {
	page  *page.Page
	theme page.Theme
	plan  deliberate.Plan
	names map[string]string

	speaking string
	why      string
	queue    []string
	reply    page.ID // of who speaks
	looking  string
	paused   string
	stands   map[int]deliberate.Voted
	order    []int // proposals, the newest last
	now      deliberate.Measured
}

// NewBoard returns the board of a debate as it stands before a run.
func NewBoard(d *deliberate.Debate, theme page.Theme) *Board {
	b := &Board{page: page.New(theme), theme: theme, plan: d.Plan(), names: map[string]string{}, stands: map[int]deliberate.Voted{}, now: d.Measure()}
	table := d.Table()
	for _, p := range b.plan.Cast {
		b.names[p.ID] = p.Name
	}
	for _, id := range []string{deliberate.You, deliberate.Researcher} {
		b.names[id] = table.Name(id)
	}
	for _, u := range table.Said {
		b.said(u)
	}
	n := len(b.plan.Cast)
	for _, p := range table.Proposals {
		pro, con := p.Shares(n)
		b.voted(deliberate.Voted{Proposal: *p, Support: pro, Opposition: con, Agreed: p.Agreed(n), Contested: p.Contested(n)})
	}
	return b
}

// Take learns of an event.
func (b *Board) Take(ev deliberate.Event) {
	switch ev := ev.(type) {
	case deliberate.Speaking:
		b.speaking, b.why, b.queue, b.paused = ev.Turn.Who, ev.Turn.Why, ev.Queue, ""
		b.reply = b.page.Reply()
		b.page.Append(b.reply, b.head(ev.Turn.Who))
	case deliberate.Delta:
		b.page.Append(b.reply, ev.Text)
	case deliberate.Spoke:
		if b.speaking == ev.By && ev.By != "" {
			b.page.Close(b.reply, b.head(ev.By)+ev.Text)
			b.speaking = ""
			return
		}
		b.said(ev.Utterance)
	case deliberate.Missed:
		b.page.Close(b.reply, b.head(ev.Who)+"*did not speak*")
		b.speaking = ""
		b.page.Notice(Plainly(ev))
	case deliberate.Looking:
		b.looking = ev.Request.Topic
	case deliberate.Found:
		b.looking = ""
	case deliberate.Steered:
		c := ev.Change
		if c.Kind == "injected" {
			b.page.Notice(fmt.Sprintf("%s/%s: %s", c.By, c.Slot, short(c.Why, 120)))
			b.page.Note(c.By, c.Slot, c.Text, c.Why)
		}
	case deliberate.Noticed:
		b.page.Notice(short(ev.Text, 300))
		if strings.HasPrefix(ev.Text, "paused") {
			b.paused = ev.Text
		}
	case deliberate.Faulted:
		b.page.Fault(ev.Fault.Error())
	case deliberate.Moved:
		b.page.Notice(fmt.Sprintf("phase %d: %s", ev.Index+1, ev.To.Name))
	case deliberate.Ticked:
		b.page.Notice(ticked(ev.Criterion))
	case deliberate.Voted:
		b.voted(ev)
	case deliberate.Measured:
		b.now = ev
	case deliberate.Paused:
		b.paused = "paused: " + ev.Why
	case deliberate.Ended:
		b.page.Notice("ended: " + string(ev.Reason))
	}
}

// Plainly is Plain without what lines it up.
func Plainly(ev deliberate.Event) string { return strings.TrimSpace(Plain(ev)) }

func (b *Board) voted(ev deliberate.Voted) {
	n := ev.Proposal.N
	if _, known := b.stands[n]; !known {
		b.order = append(b.order, n)
	}
	b.stands[n] = ev
}

// said puts a whole message on the page.
func (b *Board) said(u deliberate.Utterance) {
	switch u.By {
	case "", deliberate.Moderator:
	case deliberate.You:
		b.page.Prompt(u.Text)
	default:
		id := b.page.Reply()
		b.page.Close(id, b.head(u.By)+u.Text)
	}
}

func (b *Board) head(who string) string {
	name := b.names[who]
	if name == "" {
		name = who
	}
	return "**" + name + "**\n\n"
}

// Top is what stands above the conversation: the phases and the criteria.
func (b *Board) Top(width int) []string {
	spent := fmt.Sprintf("%d tokens", b.now.Tokens)
	if b.now.Priced {
		spent += fmt.Sprintf(", $%.2f", b.now.Cost)
	}
	title := b.paint(b.theme.Strong, termsafe.Line(b.plan.Mode)) + "  " + short(b.plan.Brief, max(10, width/2))
	lines := []string{pair(title, b.paint(b.theme.Dim, spent), width), b.phases(width), b.criteria(width)}
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], width, "…")
	}
	return lines
}

// phases is the bar: those that are done, the present one with its count, those to
// come.
func (b *Board) phases(width int) string {
	goal := b.now.Progress
	var parts []string
	for i, ph := range goal.Phases {
		name := termsafe.Line(ph.Name)
		switch {
		case i < goal.Phase:
			parts = append(parts, b.paint(b.theme.Good, b.theme.Marks.Done+" "+name))
		case i > goal.Phase:
			parts = append(parts, b.paint(b.theme.Dim, b.theme.Marks.Open+" "+name))
		default:
			text := fmt.Sprintf("%s %s %d", b.theme.Marks.Doing, name, goal.Messages)
			if ph.MaxMessages > 0 {
				text += fmt.Sprintf("/%d %s", ph.MaxMessages, bar(goal.Messages, ph.MaxMessages, 8))
			}
			parts = append(parts, b.paint(b.theme.Busy, text))
		}
	}
	line := strings.Join(parts, "  ")
	if ansi.StringWidth(line) > width && len(goal.Phases) > 0 { // too narrow for all: the present one
		return fmt.Sprintf("%d of %d  ", goal.Phase+1, len(goal.Phases)) + parts[min(goal.Phase, len(parts)-1)]
	}
	return line
}

// bar is a share as a row of signs.
func bar(n, of, width int) string {
	full := min(width, n*width/max(1, of))
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", width-full) + "]"
}

func (b *Board) criteria(int) string {
	goal := b.now.Progress
	var parts []string
	seen := map[string]bool{}
	for _, list := range [][]deliberate.Criterion{goal.Now().Criteria, goal.Criteria} {
		for _, c := range list {
			if seen[c.ID] {
				continue
			}
			seen[c.ID] = true
			if c.Met {
				parts = append(parts, b.paint(b.theme.Good, b.theme.Marks.Done+" "+termsafe.Line(c.ID)))
			} else {
				parts = append(parts, b.paint(b.theme.Dim, b.theme.Marks.Open+" "+termsafe.Line(c.ID)))
			}
		}
	}
	return strings.Join(parts, "  ")
}

// shownVotes is how many proposals are shown at once.
const shownVotes = 3

// Bottom is what stands below the conversation: votes, meters, and who speaks.
func (b *Board) Bottom(width int) []string {
	var lines []string
	for _, n := range b.order[max(0, len(b.order)-shownVotes):] {
		v := b.stands[n]
		style := b.theme.Dim
		switch {
		case v.Agreed:
			style = b.theme.Good
		case v.Contested:
			style = b.theme.Bad
		}
		lines = append(lines, b.paint(style, bar(int(100*v.Support), 100, 10)+" "+voted(v)+": "+short(v.Proposal.Title, 60)))
	}
	lines = append(lines, b.paint(b.theme.Dim, b.meters()), b.floor())
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], width, "…")
	}
	return lines
}

func (b *Board) meters() string {
	m := b.now.Meters
	changed := "nobody changed sides"
	if share, ok := m.Conformity(); ok {
		last := m.Changes[len(m.Changes)-1]
		changed = fmt.Sprintf("%d changed sides, %.0f %% to the majority; last %s", len(m.Changes), 100*share, last.Who)
		if last.After != "" {
			changed += " after " + last.After
		}
	}
	v := m.Vocabulary
	text := fmt.Sprintf("%s · %d votes, %d without a reason · shared words %.0f %% (%.0f %% at first), new %.0f %%", changed, m.Votes, m.Bare, 100*v.Overlap, 100*v.First, 100*v.Fresh)
	if v.Collapsed() {
		text += " · they sound alike"
	}
	return termsafe.Line(text)
}

// floor is who speaks, why, and who waits.
func (b *Board) floor() string {
	switch {
	case b.paused != "":
		return b.paint(b.theme.Busy, termsafe.Line(b.paused))
	case b.speaking == "":
		return ""
	}
	text := b.names[b.speaking] + " speaks"
	if b.why != "" {
		text += " (" + b.why + ")"
	}
	if len(b.queue) > 0 {
		text += ", then " + strings.Join(b.queue, ", ")
	}
	if b.looking != "" {
		text += " · looking up: " + short(b.looking, 60)
	}
	return b.paint(b.theme.Notice, termsafe.Line(text))
}

func (b *Board) paint(style page.Style, s string) string {
	if style == "" || s == "" {
		return s
	}
	return "\x1b[" + string(style) + "m" + s + "\x1b[m"
}

// pair puts two ends of a line apart, the right one only where it fits.
func pair(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 2 {
		return left
	}
	return left + strings.Repeat(" ", gap) + right
}
