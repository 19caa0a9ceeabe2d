package gateway

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/admit"
	"github.com/trimtab/trimtab/wire"
)

// Tracer hears of each main turn when it is over. Record must not wait for
// anything: it is called before the client's connection is free again.
type Tracer interface{ Record(t Trace) }

// Trace is what a main turn was. No word that was said is in it, no key, and of
// the headers only the parent.
type Trace struct {
	Began, Ended time.Time
	First        time.Time // when the first bytes of the reply came; zero where none did
	Parent       string    // the traceparent of the client as it came; "" where it sent none, or several

	Session  string
	Host     string // the agent, where it is known
	Provider string // "anthropic", "openai" or "gemini"
	Server   string // where the request went: a host, and a port where one was named
	Model    string // that the client asked for
	Stream   bool   // the client asked for a stream

	Steered bool // what left was not what came: it had notes or folds
	Notes   int  // injected with this request
	Tokens  int  // of them
	Lost    int  // tokens of cached prefix given up with this request

	Status  int            // of the reply; 0 where none came
	Replied string         // the model that replied
	Reason  string         // why the reply ended, in the provider's word
	Usage   *trimtab.Usage // nil where the provider did not say
	Fault   string         // how the provider failed: one of ours below, or its own word; "" where it did not, or Status says it
	Left    bool           // the client hung up before the reply was over
}

// The faults that no provider reports itself.
const (
	FaultUnreachable = "unreachable"
	FaultTimeout     = "timeout"
	FaultCut         = "cut" // the reply ended before its end
)

// trail is a request as its tracer will hear of it. All of it does nothing on a
// nil trail: that is what every request has while nobody traces.
type trail struct {
	Trace
	main    bool
	format  wire.Format
	changes []trimtab.Change
	faulted bool // steering failed

	sent, received int // bytes
}

// follow begins the trail of a request to a server that may be a main turn.
func (g *Steerer) follow(r *http.Request, to route, server string) *trail {
	if counted := g.opt.Guard != nil || g.opt.Calls != nil; !counted && (g.opt.Tracer == nil || to.format == nil) {
		return nil
	}
	way := &trail{format: to.format}
	way.Began, way.Provider, way.Server = g.opt.Clock(), to.provider, server
	if parents := r.Header["Traceparent"]; len(parents) == 1 {
		way.Parent = parents[0]
	}
	return way
}

// traced tells the tracer of a main turn. A bug in it does not reach the client.
func (g *Steerer) traced(way *trail) {
	if way == nil || !way.main || g.opt.Tracer == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			g.Stats.Faults.Add(1)
			g.opt.Log.Error("tracing panicked; the reply passed", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	way.Ended = g.opt.Clock()
	g.opt.Tracer.Record(way.Trace)
}

// turn notes that the request is a main turn, and of which session.
func (w *trail) turn(session, host string, to route, b *wire.Body) {
	if w == nil {
		return
	}
	w.main, w.Session, w.Host, w.Stream = true, session, host, streams(to, b)
	if w.Model = b.Model(); w.Model == "" {
		w.Model = modelIn(to.path)
	}
}

// aside notes that the request is no main turn after all.
func (w *trail) aside() {
	if w != nil {
		w.main = false
	}
}

// told notes what steering changed.
func (w *trail) told(out trimtab.Outcome) {
	if w == nil {
		return
	}
	w.changes = append(w.changes, out.Changes...)
	for _, c := range out.Changes {
		w.Lost += c.Lost
		if c.Kind == trimtab.Injected {
			w.Notes++
			w.Tokens += c.Tokens
		}
	}
}

// kind says what the call was for.
func (w *trail) kind() string {
	switch {
	case w.main:
		return admit.Main
	case w.format != nil:
		return admit.Side
	}
	return admit.Other
}

func (w *trail) fault() {
	if w != nil {
		w.faulted = true
	}
}

func (w *trail) steered() {
	if w != nil {
		w.Steered = true
	}
}

// unreached notes that no reply came.
func (w *trail) unreached(err error) {
	if w == nil {
		return
	}
	w.Fault = FaultUnreachable
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		w.Fault = FaultTimeout
	}
}

func (w *trail) left() {
	if w != nil {
		w.Left = true
	}
}

func (w *trail) replied(status int) {
	if w != nil {
		w.Status = status
	}
}

func (w *trail) cut() {
	if w != nil {
		w.Fault = FaultCut
	}
}

// piece notes that bytes of the reply came.
func (w *trail) piece(clock func() time.Time) {
	if w != nil && w.First.IsZero() {
		w.First = clock()
	}
}

// read notes what the copy of the reply said of itself.
func (w *trail) read(r wire.Result) {
	if w == nil {
		return
	}
	w.Replied, w.Reason, w.Usage = r.Message.Model, r.Reason, r.Message.Usage
	switch {
	case r.Fault != "":
		w.Fault = r.Fault
	case w.Stream && !r.Complete && !w.Left && len(r.Message.Parts) > 0:
		w.Fault = FaultCut
	}
}

// streams reports whether the client asked for a stream.
func streams(to route, b *wire.Body) bool {
	return b.Stream || strings.HasSuffix(to.path, ":streamGenerateContent")
}

// modelIn is the model that a path names, as in /v1beta/models/NAME:generateContent.
func modelIn(path string) string {
	_, name, _ := strings.Cut(path, "/models/")
	name, _, _ = strings.Cut(name, ":")
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}
