package gateway

import (
	"context"
	"net/http"

	"github.com/trimtab/trimtab/wire"
)

// observer follows a reply on its way back. It reads a copy, and when the reply has
// ended it tells the session and the trace of it. One of whole, left and cut ends
// it, once.
type observer struct {
	gate   *Steerer
	turn   *turn
	way    *trail
	copied copier // nil where nobody wants to know
}

func (g *Steerer) observe(reply *http.Response, t *turn, way *trail) *observer {
	g.Stats.Streams.Add(1)
	way.replied(reply.StatusCode)
	return &observer{g, t, way, g.copying(reply, t, way)}
}

// came notes that bytes of the reply are there.
func (o *observer) came() { o.way.piece(o.gate.opt.Clock) }

// write reads a copy of what passed.
func (o *observer) write(p []byte) {
	if o.way != nil {
		o.way.received += len(p)
	}
	if o.copied != nil {
		o.copied.Write(p)
	}
}

// whole says that the reply came to its end.
func (o *observer) whole() {
	defer o.gate.Stats.Streams.Add(-1)
	result, _ := o.close()
	o.gate.record(o.turn, result)
}

// left says that the client wants no more of it.
func (o *observer) left() {
	defer o.gate.Stats.Streams.Add(-1)
	o.way.left()
	o.close()
	o.gate.unanswered(o.turn)
}

// closed says that a client in this process wants no more of it. Many stop reading
// at the last event of a stream, before its end: what they have is whole then.
func (o *observer) closed() {
	defer o.gate.Stats.Streams.Add(-1)
	switch result, ok := o.close(); {
	case !ok, result.Complete:
		o.gate.record(o.turn, result)
	default:
		o.way.left()
		o.gate.unanswered(o.turn)
	}
}

// cut says that the connection to the provider broke, or that the client of this
// context ended it.
func (o *observer) cut(ctx context.Context) {
	defer o.gate.Stats.Streams.Add(-1)
	if ctx.Err() != nil {
		o.way.left()
	} else {
		o.way.cut()
	}
	o.close()
	o.gate.unanswered(o.turn)
}

func (o *observer) close() (result wire.Result, ok bool) {
	if o.copied == nil {
		return result, false
	}
	result = o.copied.Close()
	o.way.read(result)
	return result, true
}
