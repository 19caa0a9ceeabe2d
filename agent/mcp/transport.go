package mcp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab/internal/procgroup"
)

// patience is how long a server has to end after each way of telling it to.
const patience = time.Second

// transport is the way to the server.
func (s *server) transport() (sdk.Transport, error) {
	if s.URL != "" {
		headers, err := s.headers(s.opt.Environ)
		if err != nil {
			return nil, err
		}
		return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: httpClient(s.URL, headers), MaxRetries: 1}, nil
	}
	env, err := s.environ(s.opt.Environ, s.clean)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(s.Command, s.Args...) // the person's own config names it
	if errors.Is(cmd.Err, exec.ErrDot) {
		return nil, fmt.Errorf("start %s: it would be one from the folder itself; give its full path", s.Command)
	}
	cmd.Dir, cmd.Env, cmd.Stderr = s.opt.Dir, env, s.said
	cmd.WaitDelay = patience // for what it started and left behind with our pipes
	procgroup.Set(cmd)
	s.cmd = cmd
	return &sdk.CommandTransport{Command: cmd, TerminateDuration: patience}, nil
}

// httpClient sends the headers to the server and to nobody else: redirects are
// not followed.
func httpClient(address string, headers map[string]string) *http.Client {
	host := ""
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	return &http.Client{
		Transport:     &sender{host: host, headers: headers, next: http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// sender adds headers to requests and limits answers.
type sender struct {
	host    string
	headers map[string]string
	next    http.RoundTripper
}

func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != s.host {
		return nil, fmt.Errorf("a request to %s, which is not the server", r.URL.Host)
	}
	r = r.Clone(r.Context())
	for name, value := range s.headers {
		r.Header.Set(name, value)
	}
	res, err := s.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") { // whose events have a limit of their own
		res.Body = &limited{io.LimitReader(res.Body, maxBody), res.Body}
	}
	return res, nil
}

type limited struct {
	io.Reader
	io.Closer
}
