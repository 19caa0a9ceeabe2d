package gateway

import (
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// way is how the notes of a request reach the model.
type way struct {
	travel  trimtab.Travel
	channel wire.Channel
	bound   bool // the model's thinking is bound to all that stands before it
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

// claude reads the name of a model, as the providers that offer it write it:
// claude-opus-5-5, claude-3-5-haiku-20241022, anthropic.claude-opus-5-5-v1:0.
func claude(model string) (is, bound, system bool) {
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

// way decides how notes travel: by what the model and the provider allow, and by the
// setting within that.
func (g *Steerer) way(to route, b *wire.Body, refused bool) way {
	w := way{travel: trimtab.Tail}
	marked := len(b.Find("cache_control")) > 0 || b.Previous() != "" // the whole request is kept, with all that rides at its end
	switch to.provider {
	case "anthropic":
		_, bound, system := claude(b.Model())
		w.bound = bound
		if system && !refused {
			w.channel = wire.Operator
		}
		switch {
		case bound && w.channel == wire.Operator:
			w.travel = trimtab.Clearing
		case bound || marked:
			w.travel = trimtab.Append
		}
	case "openai":
		takes := g.opt.Developer
		if to.base != nil {
			takes = TakesDeveloper(to.base.String())
		}
		if takes && !refused {
			w.channel = wire.Operator
		}
		if marked {
			w.travel = trimtab.Append
		}
	}
	switch t := g.opt.Travel; {
	case t == "append", t == "host":
		w.travel = trimtab.Append
	case t == "tail" && !w.bound && !marked:
		w.travel = trimtab.Tail
	case t == "clearing" && to.provider == "anthropic" && w.channel == wire.Operator:
		w.travel = trimtab.Clearing
	}
	return w
}

// The headers by which Anthropic's API takes what is not for everybody yet.
const (
	betaHeader   = "Anthropic-Beta"
	betaClearing = "mid-conversation-system-clear-at-2026-08-21"
	betaBinding  = "thinking-binding-controls-2026-08-01"
)
