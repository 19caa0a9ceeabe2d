// Package speech reads what words are meant as: tags at the beginning of lines,
// sections under Markdown headings, lists, marks of what is done and requests for
// research. The goal controller and the debate read the same words with it, so that
// both count the same proposals and see the same sections.
//
//	s := speech.Read("[AGREEMENT] P2: it is true on any day\n\n## Hero copy\nStay in. …")
//	s.Tags[0].Numbers() // [2]
//	s.Sections[0].Slug  // hero-copy
//
// Code and quotations are somebody else's words, or examples: they fill a section
// and mean nothing. What is found is bounded, whatever the text.
package speech

import (
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
)

// Speech is what a text holds.
type Speech struct {
	Tags     []Tag
	Done     []Done
	Asked    []Ask
	Sections []Section
	Items    int    // of its longest list
	First    string // the first of them

	text string
	open []int // the sections that the present line stands in, the outermost first
}

// Section is a heading and what stands below it, up to the next one of its rank or
// the next tag.
type Section struct {
	Slug, Title, Body string
	level, from       int
}

// Ask is something that is to be looked up.
type Ask struct {
	Topic string // "" where that was not said
	Words string // what was said behind it, the question itself perhaps

	tag int // which tag it is, from 1; 0 for one inside a line
}

// Done is a line that says that something is there, as in [DONE: id].
type Done struct {
	ID   string
	Line string // the line without the tag
}

// The limits of what is read of one text.
const (
	maxRead     = 256 << 10
	maxSections = 200
	maxTags     = 50
	maxItem     = 400
)

// Read takes a text apart, line by line.
func Read(text string) Speech {
	s := Speech{text: trimtab.Clip(text, maxRead)}
	fence := ""
	run, first, at := 0, "", 0
	for raw := range strings.Lines(s.text) {
		ln, from := strings.TrimSpace(raw), at
		at += len(raw)
		if mark := fenceOf(ln); mark != "" && (fence == "" || strings.HasPrefix(ln, fence) && strings.Trim(ln, fence[:1]) == "") {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" || strings.HasPrefix(ln, ">") || strings.HasPrefix(raw, "\t") || strings.HasPrefix(raw, "    ") && run == 0 {
			continue
		}
		behind, tagged := s.tags(ln, from, from+strings.Index(raw, ln))
		if level, title := heading(ln); level > 0 {
			if tagged { // "## [PROPOSAL] Hero copy"
				title = strings.TrimSpace(behind)
			}
			if title != "" {
				s.begin(level, title, from, at)
			}
			run = 0
			continue
		}
		if item := itemOf(ln); item != "" {
			if run++; run == 1 {
				first = item
			}
			if run > s.Items {
				s.Items, s.First = run, trimtab.Clip(first, maxItem)
			}
		} else if ln != "" && !strings.HasPrefix(raw, " ") {
			run = 0
		}
	}
	s.close(0, len(s.text))
	s.finish()
	s.words()
	return s
}

func (s *Speech) begin(level int, title string, from, body int) {
	if n := len(s.open); n > 0 { // a headline right below the name of a section is its text
		if top := s.Sections[s.open[n-1]]; level < top.level && strings.TrimSpace(s.text[top.from:from]) == "" {
			level = min(6, top.level+1)
		}
	}
	s.close(level, from)
	if len(s.Sections) < maxSections {
		s.open = append(s.open, len(s.Sections))
		s.Sections = append(s.Sections, Section{Slug: Slug(title), Title: strings.Trim(title, "#* "), level: level, from: body})
	}
}

// close ends the open sections of this rank or a lower one.
func (s *Speech) close(level, at int) {
	for n := len(s.open); n > 0 && s.Sections[s.open[n-1]].level >= level; n-- {
		sec := &s.Sections[s.open[n-1]]
		sec.Body = strings.TrimSpace(s.text[min(sec.from, at):at])
		s.open = s.open[:n-1]
	}
}

func fenceOf(ln string) string {
	for _, f := range []string{"```", "~~~"} {
		if strings.HasPrefix(ln, f) {
			n := len(ln) - len(strings.TrimLeft(ln, f[:1]))
			return ln[:n]
		}
	}
	return ""
}

// heading reads a line such as "## Hero copy".
func heading(ln string) (level int, title string) {
	title = strings.TrimLeft(ln, "#")
	level = len(ln) - len(title)
	if level == 0 || level > 6 || title == "" || title[0] != ' ' && title[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimRight(strings.TrimSpace(title), "# ")
}

// Words is a text without its headings.
func Words(text string) string {
	var out strings.Builder
	for ln := range strings.Lines(text) {
		if level, _ := heading(strings.TrimSpace(ln)); level == 0 {
			out.WriteString(ln)
		}
	}
	return out.String()
}

// itemOf returns the text of a list item, or nothing.
func itemOf(ln string) string {
	for _, mark := range []string{"- ", "* ", "+ ", "• "} {
		if rest, ok := strings.CutPrefix(ln, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	digits := strings.TrimLeft(ln, "0123456789")
	if n := len(ln) - len(digits); n > 0 && n < 4 && len(digits) > 2 && (digits[0] == '.' || digits[0] == ')') && digits[1] == ' ' {
		return strings.TrimSpace(digits[2:])
	}
	return ""
}

// Slug is a title without case, numbering and all that is neither letter nor digit.
func Slug(title string) string {
	title = strings.TrimSpace(title)
	if rest := strings.TrimLeft(title, "0123456789"); rest != title && rest != "" && (rest[0] == '.' || rest[0] == ')') {
		title = rest[1:]
	}
	var out strings.Builder
	gap := false
	for _, r := range trimtab.Clip(title, 200) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = out.Len() > 0
			continue
		}
		if gap {
			out.WriteByte('-')
			gap = false
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
