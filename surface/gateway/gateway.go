package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/admit"
	"github.com/trimtab/trimtab/surface/inside"
)

// Service is the part of session.Service that the gateway goes through.
type Service interface {
	Open(ctx context.Context, info trimtab.Info) (s trimtab.Session, fresh bool, err error)
	Steer(ctx context.Context, id string, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
	Try(ctx context.Context, id string, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
	Flush(ctx context.Context, ids ...string) error
	Hurry()
	Forget(keep int)
}

// Config sets where requests go and what is refused. Zero values take the
// defaults.
type Config struct {
	Upstreams map[string]string `json:"upstreams" guard:"user" doc:"base URL of each provider: anthropic, openai, gemini, codeassist"`
	MaxBody   int               `json:"maxBody" default:"67108864" min:"1024" max:"1073741824" doc:"largest request to steer, in bytes; a larger one passes untouched"`
	Patience  int               `json:"patience" default:"1000" min:"10" max:"60000" doc:"milliseconds that steering may take before a request goes out as it came"`
	Sessions  int               `json:"sessions" default:"512" min:"1" max:"100000" doc:"sessions to keep in memory"`
}

// providers are where requests go unless told otherwise.
var providers = map[string]string{
	"anthropic": "https://api.anthropic.com",
	"openai":    "https://api.openai.com",
	"gemini":    "https://generativelanguage.googleapis.com",

	// Gemini CLI after a login with Google.
	"codeassist": "https://cloudcode-pa.googleapis.com",
}

// Options are what a gateway is made of.
type Options struct {
	Config
	Service   Service
	History   History
	Project   string            // the folder that sessions belong to, where it is known
	Host      string            // the agent, where it is known
	Model     string            // that a new session is expected to ask, where it is known
	Session   string            // the session of requests that name none
	Named     map[string]string // base URLs of upstreams that requests name in their path, /u/{name}/…
	Opening   []trimtab.Event   // told to each session that begins here
	Run       *inside.Run       // whose requests these are: commands that its person gives; nil is none
	Travel    string            // how notes travel, where it is not for the model and the provider alone to say: see trimtab.Config
	Developer bool              // the provider of OpenAI's format takes developer messages: it is OpenAI itself
	FromFile  func(string) bool // a file that the agent reads by itself holds a line of this text; may be nil
	Transport http.RoundTripper // to the providers; a plain one if nil
	Tracer    Tracer            // hears of main turns; may be nil
	Guard     admit.Guard       // decides who may ask for what, where there are callers with keys; may be nil
	Calls     func(admit.Call)  // hears of every call when it is over, and must not wait; may be nil
	Shared    func() bool       // other gateways may steer the same sessions now: nothing is kept back from the store; nil is never
	Rested    func()            // called when requests have stopped coming for a while; may be nil
	Clock     func() time.Time  // time.Now if nil
	Log       *slog.Logger
}

// Gateway is an http.Handler.
type Gateway struct {
	*Steerer
	upstreams map[string]*url.URL
	named     map[string]*url.URL
	transport http.RoundTripper
	rest      rest
}

// New returns a gateway.
func New(opt Options) (*Gateway, error) {
	steerer, err := NewSteerer(opt)
	if err != nil {
		return nil, err
	}
	g := &Gateway{Steerer: steerer, transport: opt.Transport, upstreams: map[string]*url.URL{}, named: map[string]*url.URL{}}
	for name, address := range providers {
		if given := opt.Upstreams[name]; given != "" {
			address = given
		}
		if g.upstreams[name], err = upstream(address); err != nil {
			return nil, fmt.Errorf("gateway: upstream %s: %w", name, err)
		}
	}
	for name := range opt.Upstreams {
		if providers[name] == "" {
			return nil, fmt.Errorf("gateway: upstream %q is not known; there are anthropic, openai, gemini and codeassist", name)
		}
	}
	for name, address := range opt.Named {
		if g.named[name], err = upstream(address); err != nil {
			return nil, fmt.Errorf("gateway: upstream %s: %w", name, err)
		}
	}
	if g.transport == nil {
		g.transport = newTransport()
	}
	return g, nil
}

func upstream(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL")
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not a plain http or https address", u.Redacted())
	}
	return u, nil
}

// newTransport goes to the providers: TLS, HTTP/2, proxies from the environment, no
// compression of its own, no limit on how long a reply may stream.
func newTransport() http.RoundTripper {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   128,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
		// A provider cannot fill the memory with headers.
		MaxResponseHeaderBytes: 1 << 20,
	}
}
