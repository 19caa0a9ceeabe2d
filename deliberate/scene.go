package deliberate

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

// scene is one turn that the player plays.
type scene struct {
	*Player
	cue   Cue
	topic topic
}

// say decides what the persona says.
func (s scene) say() string {
	var parts []string
	switch s.cue.Ask {
	case AskWrite:
		return s.cue.tag() + "\n## " + Heading(s.cue.About) + "\n\n" + s.section(s.cue.About)
	case AskPropose:
		return "[PROPOSAL] " + s.line("any propose", s.cue.Turn+len(s.cue.Who))
	case AskRevise:
		return "[PROPOSAL] New version of " + s.cue.About + ": " + s.line("any propose", s.cue.Turn+len(s.cue.Who)+2) + " The objections are met by saying less."
	case AskResearch:
		parts = append(parts, fmt.Sprintf("[ARGUMENT] One fact would change what we write, and none of us has it.\n[RESEARCH: %s in this folder]", cmp.Or(s.topic.word, "anything")))
	case AskReply:
		parts = append(parts, "[ARGUMENT] "+strings.ReplaceAll(s.line(s.who()+" reply", s.cue.Turn), "{name}", Heading(s.cue.About)))
	case AskVote:
	default:
		parts = append(parts, "[ARGUMENT] "+s.line(s.who()+" talk", s.cue.Turn-1))
	}
	for _, p := range s.cue.Open {
		parts = append(parts, s.side(p))
	}
	if len(parts) == 0 {
		parts = append(parts, "[ARGUMENT] "+s.line(s.who()+" talk", s.cue.Turn-1))
	}
	return strings.Join(parts, "\n")
}

// side takes a side. Who sits for doubt is against some first versions; nobody is
// against everything.
func (s scene) side(p OpenProposal) string {
	against := s.cue.Who == "contrarian" && p.N%2 == 1 || s.cue.Who == "skeptic" && p.N%3 == 1
	tag, kind := "[AGREEMENT]", " agree"
	if against {
		tag, kind = "[DISAGREEMENT]", " disagree"
	}
	text := strings.ReplaceAll(s.line(s.who()+kind, p.N+s.cue.Turn), "{title}", "\""+trimtab.Clip(p.Title, 60)+"\"")
	return fmt.Sprintf("%s P%d: %s", tag, p.N, text)
}

// who is the persona whose lines are spoken.
func (s scene) who() string {
	if slices.Contains([]string{"skeptic", "pragmatist", "analyst", "advocate", "contrarian"}, s.cue.Who) {
		return s.cue.Who
	}
	return "other"
}

// line is the nth line for a purpose, round and round.
func (s scene) line(of string, n int) string {
	all := s.lines[of]
	if len(all) == 0 {
		return "I have nothing to add."
	}
	if strings.HasPrefix(of, "other ") { // several may share these lines
		n += int(crc32.ChecksumIEEE([]byte(s.cue.Who)) % 97)
		n %= len(all) * (1 + s.cue.Turn/len(all))
	}
	round := n / len(all)
	text := s.fill(all[((n%len(all))+len(all))%len(all)])
	if round > 0 && strings.HasSuffix(of, " talk") { // said before: say what it comes down to now
		text = fmt.Sprintf("Once more, and shorter, after %d turns: %s", s.cue.Turn, trimtab.Clip(text, max(40, len(text)/(round+1))))
	}
	return text
}

// section is a section of the document.
func (s scene) section(id string) string {
	if text := s.sections[id]; text != "" {
		return s.fill(text)
	}
	return s.line("any section", s.cue.Turn%3)
}

func (s scene) fill(text string) string {
	means := cmp.Or(s.cue.Means, Heading(s.cue.About))
	return strings.NewReplacer("{subject}", s.topic.subject, "{thing}", s.topic.thing, "{core}", s.topic.core, "{Core}", capital(s.topic.core), "{trait}", s.topic.trait, "{brief}", s.topic.brief, "{self}", s.cue.Name, "{means}", means, "{Means}", capital(means)).Replace(text)
}

func capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 || r == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(r)) + text[n:]
}
