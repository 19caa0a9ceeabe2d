package mode

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// The limits of a definition.
const (
	MaxFile     = 256 << 10 // bytes of a file
	maxText     = 32 << 10  // bytes of a text that is told again and again
	maxLine     = 300       // characters of a line that is shown
	maxPhases   = 50
	maxCriteria = 100
	maxCount    = 100_000 // messages, requests
)

// Flaw is something in a definition that cannot be, and where.
type Flaw struct {
	Path string // as in phases[1].maxMessages
	Text string
}

func (f Flaw) Error() string { return f.Path + ": " + f.Text }

var (
	modeID = lazyregexp.Pattern(`^[a-z][a-z0-9-]{0,39}$`)
	partID = lazyregexp.Pattern(`^[a-z0-9][a-z0-9_-]{0,59}$`)
)

// reserved are words that mean something else behind "trimtab mode".
var reserved = []string{"new", "list", "show", "validate", "schema", "help", "off", "none"}

// Check returns what is wrong with a definition, or nothing. It is for those that
// are not built in: an id that is taken is a flaw.
func Check(d Definition) []Flaw {
	c := &checker{}
	c.identity(d)
	c.texts(d)
	if d.Goal == "" && len(d.Phases) == 0 && d.Entry == "" && d.Reminder == "" {
		c.flaw("goalReminder", "the mode has no goal; give a goalReminder, phases, or an entryPrompt or reminderPrompt")
	}
	c.limits(d)
	c.phases(d.Phases)
	c.criteria("successCriteria", d.Success)
	if n := len(d.Criteria()); n > maxCriteria {
		c.flaw("successCriteria", "%d criteria with those of the phases; give at most %d", n, maxCriteria)
	}
	return c.flaws
}

type checker struct{ flaws []Flaw }

func (c *checker) flaw(path, format string, args ...any) {
	if len(c.flaws) < 100 {
		c.flaws = append(c.flaws, Flaw{path, fmt.Sprintf(format, args...)})
	}
}

func (c *checker) identity(d Definition) {
	switch {
	case d.ID == "":
		c.flaw("id", "it is missing; give a short name in small letters, as in product-naming")
	case !modeID().MatchString(d.ID):
		c.flaw("id", "%q is not allowed; give small letters, digits and -, beginning with a letter, at most 40", trimtab.Clip(d.ID, 60))
	case slices.Contains(reserved, d.ID):
		c.flaw("id", "%q is a word of the command line; give another", d.ID)
	case d.ID != Custom && Taken(d.ID):
		c.flaw("id", "%q is built in, and no file changes it; give another", d.ID)
	}
	if strings.TrimSpace(d.Name) == "" {
		c.flaw("name", "it is missing; give the name as it should be shown")
	}
	c.line("name", d.Name, 60)
	c.line("icon", d.Icon, 8)
	c.line("description", d.Description, maxLine)
	if len(d.Tools) > 200 {
		c.flaw("tools", "%d names; give at most 200", len(d.Tools))
	}
	for i, name := range d.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		c.line(at, name, 100)
		if strings.TrimSpace(name) == "" {
			c.flaw(at, "it is empty; give the name of a tool")
		}
	}
}

// Taken reports whether an id is that of a built-in mode.
func Taken(id string) bool {
	return slices.ContainsFunc(append(BuiltIn(), Sessions()...), func(d Definition) bool { return d.ID == id })
}

func (c *checker) texts(d Definition) {
	for _, t := range []struct{ path, text string }{
		{"entryPrompt", d.Entry}, {"reminderPrompt", d.Reminder}, {"goalReminder", d.Goal}, {"agentInstructions", d.Instructions},
	} {
		if len(t.text) > maxText && t.path != "entryPrompt" { // told once, as long as its file can hold
			c.flaw(t.path, "%d bytes; give at most %d", len(t.text), maxText)
		}
		c.harmless(t.path, t.text, true)
	}
}

// line checks a text of one line.
func (c *checker) line(path, text string, most int) {
	if n := utf8.RuneCountInString(text); n > most {
		c.flaw(path, "%d characters; give at most %d", n, most)
	}
	c.harmless(path, text, false)
}

// harmless refuses what a terminal would obey or hide.
func (c *checker) harmless(path, text string, lines bool) {
	for _, r := range text {
		ok := !unicode.IsControl(r) || lines && (r == '\n' || r == '\t' || r == '\r')
		if ok && !hidden(r) {
			continue
		}
		c.flaw(path, "it holds the control character U+%04X; take it out", r)
		return
	}
}

// hidden are characters that turn or hide what stands beside them. The joiners
// and selectors that icons are made of are not.
func hidden(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f || r == 0xfeff
}

func (c *checker) limits(d Definition) {
	for _, n := range []struct {
		path  string
		value int
		most  int
	}{
		{"goalReminderFrequency", d.Every, 1000},
		{"maxResearchRequests", d.Research, maxCount},
		{"maxResearchPerTopic", d.PerTopic, maxCount},
		{"requiredResearch", d.Needed, maxCount},
		{"maxMessages", d.Most, maxCount},
		{"loopDetection.windowSize", d.Loop.Window, 1000},
		{"loopDetection.maxSimilarMessages", d.Loop.Similar, 1000},
	} {
		c.number(n.path, n.value, n.most)
	}
	if s := d.Loop.Similarity; s != 0 && !(s >= 0.01 && s <= 1) { // NaN is neither
		c.flaw("loopDetection.similarityThreshold", "%v is not allowed; give a number from 0.01 to 1", s)
	}
	if d.Loop.Window == 1 {
		c.flaw("loopDetection.windowSize", "1 is not allowed; two messages at least are compared")
	}
	if d.Research > 0 && d.Needed > d.Research {
		c.flaw("requiredResearch", "%d are required and only %d allowed (maxResearchRequests)", d.Needed, d.Research)
	}
}

func (c *checker) number(path string, n, most int) {
	if n < 0 || n > most {
		c.flaw(path, "%d is not allowed; give a whole number from 0 to %d", n, most)
	}
}

func (c *checker) phases(list []Phase) {
	if len(list) > maxPhases {
		c.flaw("phases", "%d phases; give at most %d", len(list), maxPhases)
		return
	}
	seen := map[string]bool{}
	for i, p := range list {
		at := fmt.Sprintf("phases[%d]", i)
		switch {
		case p.ID == "":
			c.flaw(at+".id", "it is missing")
		case !partID().MatchString(p.ID):
			c.flaw(at+".id", "%q is not allowed; give small letters, digits, - and _, at most 60", trimtab.Clip(p.ID, 60))
		case seen[p.ID]:
			c.flaw(at+".id", "phase %q comes twice; phases follow each other and never go in a circle", p.ID)
		}
		seen[p.ID] = true
		c.line(at+".name", p.Name, 60)
		c.number(at+".maxMessages", p.Most, maxCount)
		if len(p.Focus) > maxText {
			c.flaw(at+".focus", "%d bytes; give at most %d", len(p.Focus), maxText)
		}
		c.harmless(at+".focus", p.Focus, true)
		c.criteria(at+".exitCriteria", p.Exit)
	}
}

func (c *checker) criteria(path string, list []Criterion) {
	seen := map[string]bool{}
	for i, k := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case k.ID == "":
			c.flaw(at+".id", "it is missing")
		case !partID().MatchString(k.ID):
			c.flaw(at+".id", "%q is not allowed; give small letters, digits, - and _, at most 60", trimtab.Clip(k.ID, 60))
		case seen[k.ID]:
			c.flaw(at+".id", "criterion %q comes twice", k.ID)
		}
		seen[k.ID] = true
		c.line(at+".description", k.Description, maxLine)
		c.line(at+".check", k.Check, maxLine)
		c.number(at+".items", k.Items, 1000)
		if len(k.Aliases) > 20 {
			c.flaw(at+".aliases", "%d names; give at most 20", len(k.Aliases))
		}
		for j, a := range k.Aliases {
			c.line(fmt.Sprintf("%s.aliases[%d]", at, j), a, 60)
		}
	}
}
