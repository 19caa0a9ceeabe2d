package focus

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

const person = "person"

// author is who wrote a span: a person, the model, or, where several speak, the
// speaker's name. What is neither has no voice.
func author(t trimtab.Text, role trimtab.Role) string {
	switch {
	case t.By == trimtab.Person:
		return person
	case t.By == trimtab.Model || t.By == "" && role == trimtab.RoleAssistant:
		if t.From != "" {
			return trimtab.Clip(t.From, 60)
		}
		return "model"
	}
	return ""
}

// reading is the structure of a text.
type reading struct {
	done     []doneTag
	research []string // topics that are asked for
	kinds    []voice  // PROPOSAL and the like, at the beginning of a line
	sections []section
	open     []int  // those of them that the present line stands in, the outermost first
	items    int    // of its longest list
	first    string // the first of them
}

type doneTag struct{ id, line string }

// voice is a tag of a speaker's own words, and the proposal that it is about: 0 is
// the newest.
type voice struct {
	kind  string
	about int
}

// section is a heading and what stands below it, up to the next of its rank.
type section struct {
	slug  string
	level int
	size  int    // characters below it
	text  string // the first of them
}

// The limits of what is read of one text.
const maxRead, maxSections, maxTags = 256 << 10, 200, 50

// readText reads a text line by line. Code and quotations are somebody else's words,
// or examples: they fill a section and mean nothing.
func readText(text string) reading {
	var r reading
	fence := ""
	run, first := 0, ""
	for raw := range strings.Lines(trimtab.Clip(text, maxRead)) {
		ln := strings.TrimSpace(raw)
		if mark := fenceOf(ln); mark != "" && (fence == "" || strings.HasPrefix(ln, fence) && strings.Trim(ln, fence[:1]) == "") {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" || strings.HasPrefix(ln, ">") || strings.HasPrefix(raw, "\t") || strings.HasPrefix(raw, "    ") && run == 0 {
			r.fill(ln)
			continue
		}
		if level, title := heading(ln); level > 0 {
			r.begin(level, title)
			run = 0
			continue
		}
		r.fill(ln)
		r.tags(ln)
		if item := itemOf(ln); item != "" {
			if run++; run == 1 {
				first = item
			}
			if run > r.items {
				r.items, r.first = run, line(first, 80)
			}
		} else if ln != "" && !strings.HasPrefix(raw, " ") {
			run = 0
		}
	}
	return r
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

func (r *reading) begin(level int, title string) {
	for n := len(r.open); n > 0 && r.sections[r.open[n-1]].level >= level; n-- {
		r.open = r.open[:n-1]
	}
	if len(r.sections) < maxSections {
		r.open = append(r.open, len(r.sections))
		r.sections = append(r.sections, section{slug: slug(title), level: level})
	}
}

// fill adds a line to the sections that it stands in: six at most.
func (r *reading) fill(ln string) {
	n := utf8.RuneCountInString(ln)
	for _, i := range r.open {
		s := &r.sections[i]
		s.size += n
		if len(s.text) < maxEvidence {
			s.text += trimtab.Clip(ln, maxEvidence+1) + " "
		}
	}
}

// tags looks for [DONE: id] and [RESEARCH: topic] in a line, and for the tags that
// say what kind of words these are at its beginning.
func (r *reading) tags(ln string) {
	if !strings.Contains(ln, "[") {
		return
	}
	bare := uncode(ln)
	r.kind(bare)
	for rest := bare; len(r.done)+len(r.research) < maxTags; {
		i := strings.IndexByte(rest, '[')
		if i < 0 {
			return
		}
		rest = rest[i+1:]
		inside, after, ok := strings.Cut(rest, "]")
		word, value, two := strings.Cut(inside, ":")
		value = strings.TrimSpace(value)
		if !ok || !two || value == "" || strings.HasPrefix(after, "(") { // a link is none
			continue
		}
		switch strings.ToUpper(strings.TrimSpace(word)) {
		case "DONE":
			r.done = append(r.done, doneTag{trimtab.Clip(value, 100), strings.TrimSpace(strings.Replace(bare, "["+inside+"]", "", 1))})
		case "RESEARCH":
			r.research = append(r.research, trimtab.Clip(value, 200))
		}
	}
}

var kinds = []string{"ARGUMENT", "QUESTION", "PROPOSAL", "AGREEMENT", "DISAGREEMENT", "SYNTHESIS"}

// kind reads the tags that a line begins with, behind a speaker's name perhaps.
func (r *reading) kind(ln string) {
	ln = strings.TrimLeft(ln, " *_-")
	if i := strings.Index(ln, ": ["); i > 0 && i <= 40 && !strings.Contains(ln[:i], "[") {
		ln = ln[i+2:]
	}
	for len(r.kinds) < maxTags {
		inside, ok := strings.CutPrefix(strings.TrimLeft(ln, " *_"), "[")
		if !ok {
			return
		}
		word, after, ok := strings.Cut(inside, "]")
		if !ok {
			return
		}
		word, named, _ := strings.Cut(word, ":") // [AGREEMENT: P1], or [AGREEMENT] P1
		about := proposalNumber(named)
		if about == 0 {
			about = proposalNumber(after)
		}
		for _, k := range kinds {
			if strings.TrimSpace(word) == k {
				r.kinds = append(r.kinds, voice{k, about})
			}
		}
		ln = after
	}
}

// proposalNumber reads the number of a proposal that a text begins with, as in P2;
// 0 is none.
func proposalNumber(text string) int {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " *_:"), "P")
	if !ok {
		return 0
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.Atoi(rest[:digits])
	if err != nil || digits > 4 {
		return 0
	}
	return n
}

// uncode takes out what stands between backticks.
func uncode(ln string) string {
	if !strings.Contains(ln, "`") {
		return ln
	}
	var out strings.Builder
	for i, part := range strings.Split(ln, "`") {
		if i%2 == 0 {
			out.WriteString(part)
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

// slug is a title without case, numbering and all that is neither letter nor digit.
func slug(title string) string {
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
