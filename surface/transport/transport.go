// Package transport steers the requests of a client in the same process: it is an
// http.RoundTripper, so any SDK that takes an http.Client can be steered, with no
// proxy and no other address.
//
//	client := http.Client{Transport: transport.New(transport.Options{Sessions: service})}
//
// A request that is known as one to a model (Anthropic Messages, OpenAI Chat
// Completions and Responses, Gemini generateContent) goes out with the notes of its
// session; every other passes untouched. Replies come back byte by byte as they
// arrive, and a copy is read.
//
// It changes neither the address nor the headers nor the key of a request, and it
// never fails one: where steering goes wrong or takes too long, the request goes
// out as it came.
package transport

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/gateway"
)

// SessionHeader names the session of one request. It is not sent on.
const SessionHeader = "X-Trimtab-Session"

// Options are what a Transport is made of. Only Sessions must be given.
type Options struct {
	Sessions *session.Service
	Base     http.RoundTripper // sends the requests; http.DefaultTransport if nil

	// Session names the session of a request that has no SessionHeader. Where it is
	// nil or returns "", the session is that of the host's own id, else that of the
	// conversation's first message.
	Session func(*http.Request) string

	Host     string        // the agent, kept with each new session
	Travel   string        // how notes reach the model, as steering.travel of the settings; empty is auto
	Project  string        // the folder it works in, likewise
	MaxBody  int           // largest request to steer, in bytes; 0 is 64 MB. A larger one passes untouched
	Patience time.Duration // how long a request may wait for steering; 0 is one second
	Clock    func() time.Time
	Log      *slog.Logger
}

// Transport is an http.RoundTripper. It is safe for use by several goroutines and
// starts none that outlives a request.
type Transport struct {
	steerer *gateway.Steerer
	openai  *gateway.Steerer // for OpenAI's own hosts, which take developer messages
	opt     Options
	err     error
}

// New returns a transport. With options that cannot work every request fails and
// says why.
func New(opt Options) *Transport {
	if opt.Base == nil {
		opt.Base = http.DefaultTransport
	}
	t := &Transport{opt: opt}
	if opt.Sessions == nil {
		t.err = errors.New("transport: Options.Sessions is missing")
		return t
	}
	steering := gateway.Options{
		Config:  gateway.Config{MaxBody: opt.MaxBody, Patience: int(opt.Patience / time.Millisecond)},
		Service: opt.Sessions, History: opt.Sessions, Host: opt.Host, Project: opt.Project, Travel: opt.Travel, Clock: opt.Clock, Log: opt.Log,
	}
	if t.steerer, t.err = gateway.NewSteerer(steering); t.err == nil {
		steering.Developer = true
		t.openai, t.err = gateway.NewSteerer(steering)
	}
	return t
}

// RoundTrip sends a request, steered where it is one to a model.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, t.err
	}
	id := ""
	if t.opt.Session != nil {
		id = t.opt.Session(r)
	}
	if gateway.TakesDeveloper(r.URL.String()) {
		return t.openai.RoundTrip(r, id, t.opt.Base)
	}
	return t.steerer.RoundTrip(r, id, t.opt.Base)
}

// Flush tells the sessions their last replies and waits until all is stored. A
// reply is otherwise told with the request that follows it; call this when a
// conversation has ended.
func (t *Transport) Flush(ctx context.Context) error {
	if t.err != nil {
		return t.err
	}
	t.steerer.Flush(ctx, 0)
	t.openai.Flush(ctx, 0)
	return t.opt.Sessions.Flush(ctx)
}

// CloseIdleConnections lets http.Client close those of the base.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.opt.Base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
