package gateway

import (
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/travel"
	"github.com/trimtab/trimtab/wire"
)

// way is how the notes of a request reach the model.
type way struct {
	travel  trimtab.Travel
	channel wire.Channel
	bound   bool // the model's thinking is bound to all that stands before it
}

// claude reads the name of a model.
func claude(model string) (is, bound, system bool) { return travel.Claude(model) }

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
