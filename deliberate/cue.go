package deliberate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/speech"
)

// Cue is what a speaker is told when it is their turn: where the debate stands and
// what is wanted of them. It is sent with one request and never stored.
type Cue struct {
	Who, Name string // whose turn it is
	Turn      int    // which of their own turns, from 1
	Ask       string
	About     string
	Means     string // what About should hold, where it is a section
	Final     bool   // it is a section of the document
	Phase     string // its id
	PhaseText string // its name, place and focus
	Missing   []string
	Open      []OpenProposal // on which they have not taken a side
	Taken     []string       // what the table has agreed on, the newest last
	Best      string         // what the table is closest to agreeing on and has not, as in P2
	Research  Quota
	Asked     string // who asked them something that they have not answered
	Closing   bool   // nothing new any more
}

// OpenProposal is a proposal that waits for a side.
type OpenProposal struct {
	N       int
	By      string
	Of      int // the proposal of which it is a new version
	Title   string
	Against []string
}

// fill puts the state of the debate into a turn's cue.
func (f floor) fill(t *Turn) {
	c, now := &t.Cue, f.goal.Now()
	c.Who, c.Name, c.Turn = t.Who, f.Name(t.Who), f.turns[t.Who]+1
	c.Phase = now.ID
	c.PhaseText = now.Name
	if len(f.goal.Phases) > 1 {
		c.PhaseText += fmt.Sprintf(" (%d of %d)", f.goal.Phase+1, len(f.goal.Phases))
	}
	if now.Focus != "" {
		c.PhaseText += ". " + oneLine(now.Focus)
	}
	for _, m := range f.goal.missing() {
		c.Missing = append(c.Missing, m.ID)
		if m.ID == c.About {
			c.Means = oneLine(m.Description)
			c.Final = f.goal.wants(m.ID)
		}
	}
	for _, p := range f.open(t.Who) {
		_, con := p.sides()
		c.Open = append(c.Open, OpenProposal{p.N, p.By, p.Of, gist(p, 140), con})
	}
	for _, p := range f.Proposals {
		if p.Open() && p.Agreed(len(f.Cast)) {
			c.Taken = append(c.Taken, p.Name()+", "+gist(p, 60))
		}
	}
	c.Taken = c.Taken[max(0, len(c.Taken)-maxTaken):]
	if p := f.best(); p != nil {
		c.Best = p.Name()
	}
	c.Research = f.goal.Research
	if by := f.asked(t.Who); t.Cue.Ask != AskReply {
		c.Asked = by
	}
}

// maxTaken is how much of what was agreed a speaker is told.
const maxTaken = 4

// gist is a proposal in a line: its title, and how it begins where that is only the
// name of a section.
func gist(p *Proposal, n int) string {
	text := p.Title
	if all := speech.Read(p.Text).Sections; len(all) > 0 && strings.HasPrefix(strings.TrimSpace(p.Text), "#") {
		text += ": " + strings.Trim(oneLine(trimtab.Clip(all[0].Body, 4*n)), "*# ")
	}
	text = strings.ReplaceAll(oneLine(text), ";", ",")
	if short := trimtab.Clip(text, n); short != text {
		return strings.TrimSpace(short) + "…"
	}
	return text
}

// String is the cue in words. Each line begins with a word of its own, so that it
// can be read back.
func (c Cue) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "It is your turn, %s (%s). This is your turn number %d.\n", c.Name, c.Who, c.Turn)
	if c.PhaseText != "" {
		fmt.Fprintf(&b, "Phase %s: %s\n", c.Phase, c.PhaseText)
	}
	if len(c.Missing) > 0 {
		fmt.Fprintf(&b, "Still missing: %s\n", strings.Join(c.Missing, ", "))
	}
	for _, p := range c.Open {
		fmt.Fprintf(&b, "Open, waiting for your side: P%d by %s", p.N, p.By)
		if p.Of != 0 {
			fmt.Fprintf(&b, ", new version of P%d", p.Of)
		}
		fmt.Fprintf(&b, ": %s\n", p.Title)
		if len(p.Against) > 0 {
			fmt.Fprintf(&b, "  against it so far: %s\n", strings.Join(p.Against, ", "))
		}
	}
	if len(c.Taken) > 0 {
		fmt.Fprintf(&b, "Agreed so far: %s\n", strings.Join(c.Taken, "; "))
	}
	if c.Best != "" {
		fmt.Fprintf(&b, "Nearest to agreement: %s\n", c.Best)
	}
	if c.Research.Max > 0 {
		fmt.Fprintf(&b, "Research used: %d of %d, at least %d\n", c.Research.Used, c.Research.Max, c.Research.Required)
	}
	fmt.Fprintf(&b, "Wanted now: %s", c.want())
	if c.Closing {
		b.WriteString(" This is the last round: begin nothing new.")
	}
	if c.Means != "" {
		fmt.Fprintf(&b, "\nIt should hold: %s", c.Means)
	}
	if c.Asked != "" {
		fmt.Fprintf(&b, "\nAsked by %s: answer their question in a line as well", c.Asked)
	}
	return b.String()
}

// want says what is asked, in a sentence that begins with a word for it.
func (c Cue) want() string {
	switch c.Ask {
	case AskOpen:
		return "open. Say where you stand on what this phase is about, from your own point of view."
	case AskPropose:
		return "propose " + c.About + ". Put one proposal on the table, tagged [PROPOSAL], concrete enough to be voted on and different from those before it."
	case AskVote:
		name := "P1"
		if len(c.Open) > 0 {
			name = fmt.Sprintf("P%d", c.Open[0].N)
		}
		return "vote. Take a side on each open proposal, each on a line of its own with its number and your reason: [AGREEMENT] " + name + ": … or [DISAGREEMENT] " + name + ": …"
	case AskWrite:
		return "write " + c.About + ". Tag it " + c.tag() + " and write the section in full under the Markdown heading \"## " + Heading(c.About) + "\": the text itself, not a description of it."
	case AskRevise:
		return "revise " + c.About + ". Make a new version that meets the objections, beginning with \"[PROPOSAL] New version of " + c.About + ":\"; a section again in full, under its heading."
	case AskResearch:
		return "research. Ask for the one thing that we most need to know here, tagged [RESEARCH: topic]."
	case AskReply:
		text := "reply to " + c.About + ". You were asked or contradicted: answer."
		if len(c.Open) > 0 {
			text += " Then take a side on each open proposal, each on a line of its own."
		}
		return text
	}
	return "talk. Add what is missing, or draw together what is there; do not repeat what was said."
}

// tag is how a section is tagged: one of the document is for the table to take or
// leave, one on the way to it draws together what was said.
func (c Cue) tag() string {
	if c.Final {
		return "[PROPOSAL]"
	}
	return "[SYNTHESIS]"
}

// Heading is the Markdown heading for a criterion.
func Heading(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '_' || r == '-' })
	text := strings.Join(words, " ")
	switch {
	case text == "":
		return id
	case len(text) <= 3:
		return strings.ToUpper(text)
	}
	return capital(text)
}

// parseCue reads a cue back, for a model that follows a plan.
func parseCue(text string) (c Cue, ok bool) {
	rest, ok := strings.CutPrefix(text, "It is your turn, ")
	if !ok {
		return c, false
	}
	c.Name, rest, _ = strings.Cut(rest, " (")
	c.Who, _, _ = strings.Cut(rest, ")")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "It is your turn"):
			_, n, _ := strings.Cut(line, "turn number ")
			c.Turn, _ = strconv.Atoi(strings.TrimSuffix(n, "."))
		case key == "Still missing":
			c.Missing = strings.Split(value, ", ")
		case key == "It should hold":
			c.Means = value
		case key == "Agreed so far":
			c.Taken = strings.Split(value, "; ")
		case key == "Nearest to agreement":
			c.Best = value
		case key == "Research used":
			_, _ = fmt.Sscanf(value, "%d of %d, at least %d", &c.Research.Used, &c.Research.Max, &c.Research.Required)
		case key == "against it so far" && len(c.Open) > 0:
			c.Open[len(c.Open)-1].Against = strings.Split(value, ", ")
		case strings.HasPrefix(key, "Asked by "):
			c.Asked = strings.TrimPrefix(key, "Asked by ")
		case key == "Wanted now":
			order, _, _ := strings.Cut(value, ". ")
			c.Ask, c.About, _ = strings.Cut(order, " ")
			c.About = strings.TrimPrefix(c.About, "to ")
			c.Final = strings.Contains(value, "Tag it [PROPOSAL]")
			c.Closing = strings.HasSuffix(value, "begin nothing new.")
		case strings.HasPrefix(key, "Phase "):
			c.Phase, c.PhaseText = strings.TrimPrefix(key, "Phase "), value
		case key == "Open, waiting for your side":
			var p OpenProposal
			made, title, _ := strings.Cut(value, ": ")
			made, of, _ := strings.Cut(made, ", new version of P")
			p.Title = title
			p.Of, _ = strconv.Atoi(of)
			if _, err := fmt.Sscanf(made, "P%d by %s", &p.N, &p.By); err == nil {
				c.Open = append(c.Open, p)
			}
		}
	}
	return c, true
}
