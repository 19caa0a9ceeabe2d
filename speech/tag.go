package speech

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Kind is what a message, or a part of it, is meant as.
type Kind string

// The kinds. What a tag says counts only at the beginning of a line: a tag inside a
// sentence is talk about tags. Those two that ask and mark count anywhere in it.
const (
	Argument     Kind = "ARGUMENT"
	Question     Kind = "QUESTION"     // [QUESTION: skeptic] asks somebody
	Proposal     Kind = "PROPOSAL"     // followed by "new version of P2", one of those
	Agreement    Kind = "AGREEMENT"    // followed by "P2:", with that one; else with the newest
	Disagreement Kind = "DISAGREEMENT" //
	Synthesis    Kind = "SYNTHESIS"    //
	Research     Kind = "RESEARCH"     // [RESEARCH: topic] asks the researcher
	IsDone       Kind = "DONE"         // [DONE: id] marks a criterion
)

var kinds = []Kind{Argument, Question, Proposal, Agreement, Disagreement, Synthesis, Research, IsDone}

// Tag is one tag at the beginning of a line.
type Tag struct {
	Kind Kind   `json:"kind"`
	Arg  string `json:"arg,omitempty"` // what follows the colon, or the proposals that it is about
	Text string `json:"-"`             // what follows the tag, up to the next one

	line, from, to int // where its line and its text begin, and where that ends
}

// maxArg is the longest argument that is kept, in bytes.
const maxArg = 600

// tags looks at a line that begins at from, with its words at words. It returns what
// stands behind the tags that it begins with, if there are any.
func (s *Speech) tags(ln string, from, words int) (behind string, tagged bool) {
	if !strings.Contains(ln, "[") {
		return "", false
	}
	behind = lead(ln)
	first := len(s.Tags)
	for len(s.Tags) < maxTags {
		kind, arg, after, ok := cut(strings.TrimLeft(behind, " *_"))
		if !ok {
			break
		}
		if kind != IsDone { // this one may stand in the line that it is about
			s.close(0, from)
		}
		s.Tags = append(s.Tags, Tag{Kind: kind, Arg: arg, line: from, from: words + len(ln) - len(after)})
		behind = after
	}
	bare := uncode(behind)
	for i, t := range s.Tags[first:] {
		switch {
		case t.Kind == Research:
			s.Asked = append(s.Asked, Ask{Topic: cmp.Or(t.Arg, trimtab.Clip(strings.Trim(bare, " *_:"), maxArg)), tag: first + i + 1})
		case t.Kind == IsDone && t.Arg != "":
			s.Done = append(s.Done, Done{trimtab.Clip(t.Arg, 100), strings.TrimSpace(behind)})
		}
	}
	s.inside(bare, behind)
	return behind, len(s.Tags) > first
}

// lead takes off what may stand before the first tag of a line: the mark of a list
// or of a heading, and the speaker's own name.
func lead(ln string) string {
	rest := ln
	if level, _ := heading(ln); level > 0 {
		rest = strings.TrimLeft(ln, "#")
	} else if item := itemOf(ln); item != "" {
		rest = item
	}
	rest = strings.TrimLeft(rest, " \t*_")
	if i := strings.IndexByte(rest, ':'); i > 0 && i <= 40 && len(strings.Fields(rest[:i])) <= 3 && strings.IndexFunc(rest[:i], func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -'_*", r)
	}) < 0 {
		if named := strings.TrimLeft(rest[i+1:], " *_"); strings.HasPrefix(named, "[") {
			return named
		}
	}
	return rest
}

// cut takes a tag off the beginning of a text.
func cut(text string) (kind Kind, arg, after string, ok bool) {
	inside, found := strings.CutPrefix(text, "[")
	if !found {
		return "", "", "", false
	}
	inside, after, found = strings.Cut(inside, "]")
	if !found || strings.HasPrefix(after, "(") { // a link is none
		return "", "", "", false
	}
	word, arg, _ := strings.Cut(inside, ":")
	if name, about, two := strings.Cut(strings.TrimSpace(word), " "); two && arg == "" && named().MatchString(about) {
		word, arg = name, about // [AGREEMENT P1]
	}
	kind = Kind(strings.ToUpper(strings.TrimSpace(word)))
	if !slices.Contains(kinds, kind) {
		return "", "", "", false
	}
	return kind, trimtab.Clip(strings.Join(strings.Fields(arg), " "), maxArg), strings.TrimLeft(after, "*_"), true
}

// inside looks for [DONE: id] and [RESEARCH: topic] inside a line, of which whole has the
// code too.
func (s *Speech) inside(ln, whole string) {
	for rest := ln; len(s.Done)+len(s.Asked) < maxTags; {
		i := strings.IndexByte(rest, '[')
		if i < 0 {
			return
		}
		rest = rest[i+1:]
		inside, after, ok := strings.Cut(rest, "]")
		word, value, _ := strings.Cut(inside, ":")
		value = strings.Join(strings.Fields(value), " ")
		if !ok || value == "" || strings.HasPrefix(after, "(") {
			continue
		}
		switch Kind(strings.ToUpper(strings.TrimSpace(word))) {
		case IsDone:
			s.Done = append(s.Done, Done{trimtab.Clip(value, 100), strings.TrimSpace(strings.Replace(whole, "["+inside+"]", "", 1))})
		case Research:
			s.Asked = append(s.Asked, Ask{Topic: trimtab.Clip(value, maxArg)})
		}
	}
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

// finish gives every tag its text, and its argument where it stands in that.
func (s *Speech) finish() {
	for i := range s.Tags {
		t := &s.Tags[i]
		t.to = len(s.text)
		if i+1 < len(s.Tags) {
			if t.to = s.Tags[i+1].line; t.line == t.to { // the same line
				t.to = t.from
			}
		}
		t.Text = strings.TrimSpace(s.text[t.from:max(t.from, t.to)])
		if t.Arg == "" {
			t.target()
		}
	}
}

// words gives what was asked the words that follow it.
func (s *Speech) words() {
	for i, a := range s.Asked {
		if a.tag > 0 && s.Tags[a.tag-1].Text != a.Topic {
			s.Asked[i].Words = trimtab.Clip(s.Tags[a.tag-1].Text, maxArg)
		}
	}
}

// about is the beginning of what follows a tag, where it names proposals; named is
// nothing but their numbers.
var (
	about = lazyregexp.Pattern(`^(?i:(new version of|revision of)\s+)?([Pp#]\d{1,6}(?:\s*(?:,|and)\s*[Pp#]\d{1,6})*)\s*[:.,–-]?\s*`)
	named = lazyregexp.Pattern(`^[Pp#]\d{1,6}(?:\s*(?:,|and)\s*[Pp#]\d{1,6})*$`)
)

// target takes the proposals that a tag is about from what follows it. Written
// inside the brackets they mean the same.
func (t *Tag) target() {
	m := about().FindStringSubmatch(t.Text)
	switch {
	case m == nil:
	case t.Kind == Agreement || t.Kind == Disagreement || t.Kind == Proposal && m[1] != "":
		t.Arg, t.Text = strings.Join(strings.Fields(strings.ReplaceAll(m[2], "and", ",")), " "), t.Text[len(m[0]):]
	}
}

// Numbers are the proposals that a tag is about.
func (t Tag) Numbers() []int {
	var all []int
	for _, word := range strings.FieldsFunc(t.Arg, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		word = strings.TrimLeft(word, "pP#")
		if n, err := strconv.Atoi(word); err == nil && n > 0 && n < 1e6 && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// Names are those whom a question is for.
func (t Tag) Names() []string {
	var all []string
	for _, word := range strings.FieldsFunc(strings.ReplaceAll(t.Arg, " and ", ","), func(r rune) bool { return r == ',' || r == ';' || r == '/' }) {
		if word = strings.TrimPrefix(strings.TrimSpace(word), "@"); word != "" {
			all = append(all, word)
		}
	}
	return all
}
