package deliberate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/internal/late"
)

// Kind is what a message, or a part of it, is meant as.
type Kind string

// The kinds. What a tag says counts only at the beginning of a line: a tag inside a
// sentence, a quotation or a block of code is talk about tags.
const (
	Argument     Kind = "ARGUMENT"
	Question     Kind = "QUESTION"     // [QUESTION: skeptic] asks somebody
	Offer        Kind = "PROPOSAL"     // followed by "new version of P2", one of those
	Agreement    Kind = "AGREEMENT"    // followed by "P2:", with that one; else with the newest
	Disagreement Kind = "DISAGREEMENT" //
	Synthesis    Kind = "SYNTHESIS"    //
	Research     Kind = "RESEARCH"     // [RESEARCH: topic] asks the researcher
	Done         Kind = "DONE"         // [DONE: id] marks a criterion; the mode's controller reads it
)

var kinds = []Kind{Argument, Question, Offer, Agreement, Disagreement, Synthesis, Research, Done}

// Tag is one tag of a message.
type Tag struct {
	Kind Kind   `json:"kind"`
	Arg  string `json:"arg,omitempty"` // what follows the colon
	Text string `json:"-"`             // what follows the tag, up to the next one
}

// What a message may hold.
const (
	maxTags = 16
	maxArg  = 160
)

// Tags reads the tags of a message, in order, at most sixteen.
func Tags(text string) []Tag {
	var all []Tag
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if mark := fenceOf(trimmed); mark != "" && (fence == "" || fence == mark) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		var tags []Tag
		if fence == "" {
			tags, trimmed = lineTags(trimmed)
		}
		for _, t := range tags {
			if len(all) < maxTags {
				all = append(all, t)
			}
		}
		if n := len(all); n > 0 && (trimmed != "" || all[n-1].Text != "") {
			all[n-1].Text += trimmed + "\n"
		}
	}
	for i := range all {
		all[i].Text = strings.TrimSpace(all[i].Text)
		if all[i].Arg == "" {
			all[i].target()
		}
	}
	return all
}

// about is the beginning of what follows a tag, where it names proposals.
var about = late.Pattern(`^(?i:(new version of|revision of)\s+)?([Pp#]\d{1,6}(?:\s*(?:,|and)\s*[Pp#]\d{1,6})*)\s*[:.,–-]?\s*`)

// target takes the proposals that a tag is about from what follows it. Written
// inside the brackets they mean the same.
func (t *Tag) target() {
	m := about().FindStringSubmatch(t.Text)
	switch {
	case m == nil:
	case t.Kind == Agreement || t.Kind == Disagreement || t.Kind == Offer && m[1] != "":
		t.Arg, t.Text = strings.Join(strings.Fields(strings.ReplaceAll(m[2], "and", ",")), " "), t.Text[len(m[0]):]
	}
}

func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// lineTags takes the tags from the beginning of a line.
func lineTags(line string) (tags []Tag, rest string) {
	rest = line
	for {
		bare := strings.TrimPrefix(rest, "**")
		if !strings.HasPrefix(bare, "[") {
			return tags, rest
		}
		end := strings.IndexByte(bare, ']')
		if end < 0 || end > maxArg+20 {
			return tags, rest
		}
		word, arg, _ := strings.Cut(bare[1:end], ":")
		kind := Kind(strings.ToUpper(strings.TrimSpace(word)))
		after := bare[end+1:]
		if !slices.Contains(kinds, kind) || strings.HasPrefix(after, "(") || strings.HasPrefix(after, "[") && after[1:] != "" && !isTag(after) {
			return tags, rest // a link, or a word in brackets
		}
		tags = append(tags, Tag{Kind: kind, Arg: strings.Join(strings.Fields(arg), " ")})
		rest = strings.TrimSpace(strings.TrimPrefix(after, "**"))
	}
}

func isTag(text string) bool {
	tags, _ := lineTags(text)
	return len(tags) > 0
}

// numbers are the proposals that an argument names, as in "P2, P3".
func numbers(arg string) []int {
	var all []int
	for _, word := range strings.FieldsFunc(arg, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		word = strings.TrimLeft(word, "pP#")
		if n, err := strconv.Atoi(word); err == nil && n > 0 && n < 1e6 && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// headings returns the sections of a text by the slugs of their Markdown headings,
// in order. The body of a section ends at the next heading or tag.
func headings(text string) []section {
	var all []section
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if mark := fenceOf(trimmed); mark != "" && (fence == "" || fence == mark) {
			fence = map[bool]string{true: mark, false: ""}[fence == ""]
		}
		level := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
		if fence == "" && level >= 1 && level <= 6 && strings.HasPrefix(trimmed[level:], " ") {
			title := strings.Trim(strings.TrimSpace(trimmed[level:]), "#* ")
			all = append(all, section{Slug: slug(title), Title: title})
			continue
		}
		if n := len(all); n > 0 {
			if tags, _ := lineTags(trimmed); fence == "" && len(tags) > 0 {
				all = append(all, section{})
				continue
			}
			all[n-1].Body += line
		}
	}
	all = slices.DeleteFunc(all, func(s section) bool { return s.Slug == "" })
	for i := range all {
		all[i].Body = strings.TrimSpace(all[i].Body)
	}
	return all
}

// section is a piece of a document.
type section struct{ Slug, Title, Body string }

// slug makes an id of a heading: small letters and digits, the rest one underscore.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	return strings.Trim(b.String(), "_")
}
