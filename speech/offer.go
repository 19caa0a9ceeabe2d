package speech

import (
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

// MinBody is how many characters make a section.
const MinBody = 80

// Whole reports whether there is enough below the heading to be a section.
func (s Section) Whole() bool { return utf8.RuneCountInString(s.Body) >= MinBody }

// Offer is something that the table can take or leave.
type Offer struct {
	Tag          // with the proposals of which it is a new version, or a name
	Title string // in a few words
}

// Offers are the proposals that a text makes: its parts that are tagged as such, and
// sections of the document with or without a tag, since who writes one down wants it
// taken. Sections that stand beside a proposal belong to it, the last if there are
// several; those of a text without one are a proposal together.
func (s Speech) Offers(document func(slug string) bool) []Offer {
	var all []Offer
	for _, t := range s.Tags {
		if t.Kind == Proposal {
			all = append(all, Offer{Tag: t, Title: titleOf(t.Text)})
		}
	}
	var beside []string
	for _, sec := range s.Sections {
		if !document(sec.Slug) || !sec.Whole() || s.proposed(sec) {
			continue
		}
		beside = append(beside, "## "+sec.Title+"\n\n"+sec.Body)
	}
	switch text := strings.Join(beside, "\n\n"); {
	case text == "":
	case len(all) == 0:
		all = append(all, Offer{Tag: Tag{Kind: Proposal, Text: text}, Title: titleOf(text)})
	default:
		last := &all[len(all)-1]
		last.Text = strings.TrimSpace(last.Text + "\n\n" + text)
	}
	return all
}

// proposed reports whether a section stands inside a proposal.
func (s Speech) proposed(sec Section) bool {
	for _, t := range s.Tags {
		if t.Kind == Proposal && sec.from >= t.from && sec.from <= t.to {
			return true
		}
	}
	return false
}

// maxTitle is the longest title, in bytes.
const maxTitle = 90

// titleOf is a proposal in a few words: its first line, or, where that is a heading
// or only announces one, its headings.
func titleOf(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimSpace(first)
	level, _ := heading(first)
	if level == 0 && !strings.HasSuffix(first, ":") && first != "" {
		return shorten(strings.Trim(first, "*_ "))
	}
	var titles []string
	all := Read(text).Sections
	for _, sec := range all {
		if sec.level <= all[0].level {
			titles = append(titles, sec.Title)
		}
	}
	if len(titles) == 0 {
		return shorten(strings.Trim(first, "*_ "))
	}
	return shorten(strings.Join(titles, ", "))
}

func shorten(line string) string {
	if short := trimtab.Clip(line, maxTitle); short != line {
		return strings.TrimSpace(short) + "…"
	}
	return line
}
