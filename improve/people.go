package improve

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
)

// people is what a person said that tells of trouble.
type people struct {
	angry   tally    // complaints, each different
	said    []uint64 // their hashes
	after   string   // the signature of the error before the first one
	trouble string   // the same in words
	stops   tally    // the person had to say go on
	prompts []prompt
	again   []*tally // instructions that were given twice
	denied  table    // what the person said no to
	red     table    // checks that the person said are red
	broken  tally    // the person broke the model off, and said why
	broke   bool     // since their last prompt
	last    uint64   // their last prompt, hashed
	words   string   // the same
}

// prompt is an instruction to compare later ones with.
type prompt struct {
	words []uint64
	label string
	reply int // replies of the model before it
	id    string
	row   *tally // once it was given again
}

const (
	maxTyped     = 4000 // bytes of a prompt that are looked at
	maxComplaint = 800  // a longer prompt is no complaint and no correction
)

// hear takes in what a person typed. Nothing else is ever taken for a person's
// word: not a tool's text, not the model's, not the host's.
func (r *Reflector) hear(m trimtab.Message) {
	typed := ownWords(m.Typed())
	if typed == "" {
		return
	}
	r.keepPrompt(m)
	r.afterBreak(m, typed)
	defer func() { r.people.last, r.people.words = hashOf(typed), typed }()
	if kind := reportedRed(typed); kind != "" {
		if row := r.people.red.at(kind, r.seen); row != nil {
			row.sign, row.label = kind, kind
			if named := r.work.Named; len(named) > 0 && row.check == "" {
				row.check = shorten(r.redact(named[0]), maxLabel)
			}
			r.quote(row, m.ID, typed)
		}
	}
	switch {
	case goOn(typed):
		if r.stop.id != "" && !r.stop.calls && !r.stop.question {
			r.people.stops.n++
			r.quote(&r.people.stops, m.ID, typed)
		}
		return
	case strings.HasPrefix(typed, "/"): // a command of the host
		return
	case len(typed) > maxComplaint:
		return // a text that was brought along: it speaks of something else
	case complains(typed):
		r.angered(m.ID, typed)
	}
	r.instructed(m.ID, typed)
}

// angered counts a complaint. Only different ones count: a prompt that was sent
// twice is one.
func (r *Reflector) angered(id, typed string) {
	p := &r.people
	h := hashOf(strings.Join(strings.Fields(strings.ToLower(typed)), " "))
	if slices.Contains(p.said, h) || len(p.said) >= maxAngry {
		return
	}
	p.said = append(p.said, h)
	p.angry.n++
	if p.angry.n == 1 {
		p.after, p.trouble = r.failed, r.trouble
	}
	r.quote(&p.angry, id, typed)
}

const (
	leastWords = 4   // an instruction with fewer different ones is not compared
	alike      = 0.8 // share of words in common from which two say the same
)

// instructed compares an instruction with those before it. It was given again
// only where the model replied in between: else it was merely sent twice.
func (r *Reflector) instructed(id, typed string) {
	words := wordsOf(typed)
	if len(words) < leastWords {
		return
	}
	p := &r.people
	replies := r.metrics.AssistantMessages
	for i := range p.prompts {
		o := &p.prompts[i]
		if o.reply == replies || similarity(o.words, words) < alike || !insists(typed) && !insists(o.label) {
			continue
		}
		if o.row == nil {
			o.row = &tally{n: 1, label: shorten(r.redact(o.label), maxLabel), sign: Fold(o.label)}
			p.again = append(p.again, o.row)
			r.quote(o.row, o.id, o.label)
		}
		o.row.n++
		o.reply = replies
		r.quote(o.row, id, typed)
		return
	}
	p.prompts = append(p.prompts, prompt{words: words, label: typed, reply: replies, id: id})
	p.prompts = p.prompts[max(0, len(p.prompts)-maxPrompts):]
}

// insists reports whether an instruction says how things are to be: a request that is
// merely made again, such as for another review, corrects nothing.
func insists(typed string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(typed), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		switch w {
		case "not", "don't", "dont", "never", "always", "must", "should", "instead", "again", "still", "already", "said", "told", "no", "stop", "only", "wrong", "every", "nicht", "immer", "nie", "pas", "jamais", "toujours", "siempre", "nunca":
			return true
		}
	}
	return false
}

// ownWords is what a person says in a prompt, without what they only show: blocks
// of code and quoted lines.
func ownWords(text string) string {
	var out []string
	fenced := false
	for line := range strings.SplitSeq(trimtab.Clip(text, maxTyped), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
		case fenced || strings.HasPrefix(trimmed, ">"):
		default:
			out = append(out, trimmed)
		}
	}
	return strings.TrimSpace(strings.NewReplacer("’", "'", "‘", "'").Replace(strings.Join(out, "\n")))
}

// complaints are phrases by which a person says that it does not work. English
// only.
var complaints = []string{
	"doesn't work", "does not work", "doesnt work", "didn't work", "did not work", "not working", "isn't working", "still failing", "still fails", "still broken", "still not", "still doesn't",
	"still does not", "still wrong", "still the same", "still getting", "why isn't", "why is it not", "why doesn't", "why does it not", "why won't", "why is it still", "why are you still",
	"same error", "same problem", "same issue", "keeps failing", "wrong again", "you broke", "nothing works", "not what i asked", "not what i wanted", "i already told you", "i told you", "how many times",
	"frustrating", "frustrated",
}

// complains reports whether a prompt holds a complaint, but for one that only
// speaks of what would be ("if it doesn't work, …").
func complains(typed string) bool {
	low := strings.ToLower(typed)
	for _, phrase := range complaints {
		for from := 0; ; {
			i := strings.Index(low[from:], phrase)
			if i < 0 {
				break
			}
			i += from
			from = i + len(phrase)
			if bounded(low, i, from) && !supposed(low[:i]) {
				return true
			}
		}
	}
	return false
}

// bounded reports whether the words from i to end stand alone.
func bounded(s string, i, end int) bool {
	return (i == 0 || !letter(s[i-1])) && (end == len(s) || !letter(s[end]))
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80 }

// supposed reports whether the words before a phrase make it a condition.
func supposed(before string) bool {
	if i := strings.LastIndexAny(before, ".!?\n"); i >= 0 {
		before = before[i+1:]
	}
	words := strings.FieldsFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	for _, w := range words[max(0, len(words)-4):] {
		switch w {
		case "if", "unless", "whether", "case":
			return true
		}
	}
	return false
}

// goOn reports whether a prompt says no more than that the model should go on.
func goOn(typed string) bool {
	low := strings.ToLower(strings.Trim(typed, " .!…"))
	if len(low) > 60 || strings.Contains(low, "\n") {
		return false
	}
	for _, polite := range []string{"please ", "ok ", "ok, ", "okay ", "okay, ", "yes ", "yes, ", "and ", "just ", "now "} {
		low = strings.TrimPrefix(low, polite)
	}
	for _, w := range []string{"continue", "go on", "keep going", "carry on", "proceed", "don't stop", "do not stop", "keep working", "weiter", "continue working", "why did you stop", "you stopped"} {
		rest, ok := strings.CutPrefix(low, w)
		if !ok {
			continue
		}
		next, _, _ := strings.Cut(strings.TrimLeft(rest, " ,"), " ")
		if rest == "" || slices.Contains([]string{"please", "with", "until", "then", "from", "where", "now", "and", "please,", "till", "working"}, next) && strings.IndexByte(" ,", rest[0]) >= 0 {
			return true
		}
	}
	return false
}

const maxWords = 64

// wordsOf are the different words of a text, hashed and in order.
func wordsOf(text string) []uint64 {
	var out []uint64
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !wordly(r) }) {
		if len(w) < 2 {
			continue
		}
		if h := hashOf(w); !slices.Contains(out, h) {
			if out = append(out, h); len(out) == maxWords {
				break
			}
		}
	}
	slices.Sort(out)
	return out
}

// similarity is the share of words that two sets have in common.
func similarity(a, b []uint64) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			both++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
