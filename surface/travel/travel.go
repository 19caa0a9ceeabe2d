// Package travel is what every way of a note to a model has in common, be it the
// gateway or a plugin inside the host: which models bind their thinking to what stands
// before it, and how a note says who wrote it and until when it holds. It knows no
// request and no host.
//
//	_, bound, _ := travel.Claude("claude-opus-5-5")
package travel

import (
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
)

// Author stands before notes that are written as the user's text: the person did not
// write them.
const Author = "(A note of Trimtab, which steers this session, and not of the person.)"

// Lasting is the text of a note that stays where it was sent: it says itself until when
// it holds, for nothing takes it away.
func Lasting(n trimtab.Note) string {
	until := ""
	switch n.Life {
	case trimtab.Once, trimtab.OneTurn:
		until = "\n\n(This holds until the next prompt.)"
	case trimtab.Standing:
		until = "\n\n(This replaces every earlier note of its kind.)"
	case trimtab.Kept:
	}
	if !n.Fixed || n.Urgency > 0 || strings.HasSuffix(n.Text, until) { // what nobody asked for says it itself; a host may have dropped it, and is given it again
		return n.Text
	}
	return n.Text + until
}

// family is a line of models of one provider, by the versions from which on they do
// something. The zero version is never.
type family struct {
	name   string
	bound  version // thinking is bound to what stands before it
	system version // system messages may stand inside the conversation
}

type version struct{ major, minor int }

func (v version) before(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

// families are those of Claude. A model of a family that is not here counts as bound
// and is given no system messages: that is right for whatever it turns out to be.
var families = []family{
	{"opus", version{5, 5}, version{4, 8}},
	{"sonnet", version{5, 5}, version{5, 5}},
	{"haiku", version{5, 5}, version{5, 5}},
	{"fable", version{5, 1}, version{5, 0}},
	{"mythos", version{5, 1}, version{5, 0}},
}

// Claude reads the name of a model, as the providers that offer it write it:
// claude-opus-5-5, claude-3-5-haiku-20241022, anthropic.claude-opus-5-5-v1:0.
func Claude(model string) (is, bound, system bool) {
	_, name, is := strings.Cut(strings.ToLower(model), "claude-")
	if !is {
		return false, false, false
	}
	var f *family
	var v version
	numbers := 0
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune("-.@:_[", r) }) {
		for i := range families {
			if families[i].name == word {
				f = &families[i]
			}
		}
		n, err := strconv.Atoi(word)
		switch {
		case err != nil || n > 99: // a date is no version
		case numbers == 0:
			v.major, numbers = n, 1
		case numbers == 1:
			v.minor, numbers = n, 2
		}
	}
	if f == nil || numbers == 0 {
		return true, true, false
	}
	return true, !v.before(f.bound), !v.before(f.system)
}
