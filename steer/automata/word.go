package automata

import (
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

const most = 1 << 20 // a prompt's first megabyte is looked at

var (
	word    = lazyregexp.Pattern(`(?i)(^|[^\pL\pN])automata([^\pL\pN]|$)`)
	speaker = lazyregexp.Pattern(`(?i)^\s*(\[|\*\*)?(user|human|assistant|model|system|tool|person)(\]|\*\*)?\s*:`)
	remark  = lazyregexp.Pattern("(?s)<!--.*?(-->|$)|`[^`\n]*`")
	element = lazyregexp.Pattern(`(?s)<([A-Za-z][A-Za-z0-9]*[-_:][A-Za-z0-9_:-]*)[^<>]*>.*?</\s*([A-Za-z][A-Za-z0-9_:-]*)\s*>`)
)

// called reports whether a person's words hold the word, outside of what they
// quote: lines behind ">", code, comments of HTML, host tags, and transcripts. An underscore or a
// hyphen ends a word: automata_mode holds it.
func (a Automata) called(text string) bool {
	if len(text) > most {
		text = text[:most]
	}
	if a.cfg.Match == "anywhere" {
		return mentioned(text)
	}
	return mentioned(text) && word().MatchString(text) && word().MatchString(own(text))
}

// mentioned reports whether the letters are there at all. Most prompts do without
// them, and then no pattern has to be made.
func mentioned(text string) bool {
	const letters = "automata"
	for len(text) >= len(letters) {
		if strings.EqualFold(text[:len(letters)], letters) {
			return true
		}
		k := strings.IndexAny(text[1:], "aA")
		if k < 0 {
			return false
		}
		text = text[1+k:]
	}
	return false
}

// own is what is left of a text without its quotations.
func own(text string) string {
	text = remark().ReplaceAllStringFunc(element().ReplaceAllString(text, " "), func(s string) string {
		if strings.HasPrefix(s, "``") { // part of a fence
			return s
		}
		return " "
	})
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(bare, fence) {
				fence = ""
			}
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			fence = bare[:3]
		case strings.HasPrefix(bare, ">"), speaker().MatchString(line):
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}
