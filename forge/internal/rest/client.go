package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab/forge"
)

// Options are what a Client works with.
type Options struct {
	Name      string            // of the forge, for errors
	Base      string            // address of the API, as Base returns it
	Token     forge.Token       // nil for none
	Auth      string            // the word before the token, "Bearer" where it is empty
	Header    map[string]string // sent with each request
	Timeout   time.Duration     // for one request, 30 s where it is 0
	Pace      time.Duration     // the distance between two writing requests
	Transport http.RoundTripper // the system's where it is nil
	Now       func() time.Time  // the clock
	Wait      func(context.Context, time.Duration) error
}

// Client sends requests to one API.
type Client struct {
	opt  Options
	http *http.Client

	mu    sync.Mutex
	until time.Time // nothing is sent before
	wrote time.Time // the last writing request
}

// Call is one request.
type Call struct {
	Doing  string // for errors: "open issue"
	Method string
	Path   string // as Path returns it
	Query  url.Values
	In     any // sent as JSON, unless nil
	Out    any // read from JSON, unless nil
}

const (
	maxAnswer = 32 << 20
	maxSaid   = 500
	agent     = "trimtab"
)

// New returns a client.
func New(opt Options) *Client {
	opt.Timeout = cmp.Or(opt.Timeout, 30*time.Second)
	opt.Auth = cmp.Or(opt.Auth, "Bearer")
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Wait == nil {
		opt.Wait = wait
	}
	return &Client{opt: opt, http: &http.Client{
		Transport:     opt.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Lag is the longest time from the beginning of a call until its request is
// given up.
func (c *Client) Lag() time.Duration { return c.opt.Timeout + c.opt.Pace }

// Wait lets time pass, by the clock of the client.
func (c *Client) Wait(ctx context.Context, d time.Duration) error { return c.opt.Wait(ctx, d) }

// Path joins the parts of a path and escapes each of them.
func Path(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String()
}

// Do sends a request and reads its answer.
func (c *Client) Do(ctx context.Context, call Call) error {
	_, err := c.do(ctx, call)
	return err
}

// do also returns the answer's header.
func (c *Client) do(ctx context.Context, call Call) (http.Header, error) {
	writes := call.Method != http.MethodGet
	if err := c.turn(ctx, call, writes); err != nil {
		return nil, err
	}
	token, err := c.token(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: the token: %w", c.opt.Name, call.Doing, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	var sent atomic.Bool
	req, err := c.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }, // from here on, something may have been written
	}), call, token)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.opt.Name, call.Doing, err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.broken(call, writes && sent.Load(), err, token)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = fmt.Errorf("it is longer than %d MB", maxAnswer>>20)
	}
	c.note(resp)
	if resp.StatusCode >= 300 {
		return nil, c.judge(call, writes, resp, body, token)
	}
	if err == nil && call.Out != nil {
		err = json.Unmarshal(body, call.Out)
	}
	if err != nil {
		return nil, c.broken(call, writes, fmt.Errorf("the answer cannot be read: %w", err), token)
	}
	return resp.Header, nil
}

func (c *Client) token(ctx context.Context) (string, error) {
	if c.opt.Token == nil {
		return "", nil
	}
	token, err := c.opt.Token(ctx)
	if err == nil && strings.ContainsAny(token, "\r\n\x00") {
		err = errors.New("it has a line end in it")
	}
	return token, err
}

func (c *Client) request(ctx context.Context, call Call, token string) (*http.Request, error) {
	var body io.Reader
	if call.In != nil {
		raw, err := json.Marshal(call.In)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(raw)
	}
	address := c.opt.Base + call.Path
	if len(call.Query) > 0 {
		address += "?" + call.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, call.Method, address, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", agent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for k, v := range c.opt.Header {
		req.Header.Set(k, v)
	}
	if token != "" {
		req.Header.Set("Authorization", c.opt.Auth+" "+token)
	}
	return req, nil
}

// turn waits until a request may be sent.
func (c *Client) turn(ctx context.Context, call Call, writes bool) error {
	c.mu.Lock()
	now := c.opt.Now()
	if now.Before(c.until) {
		until := c.until
		c.mu.Unlock()
		return &forge.Error{Forge: c.opt.Name, Doing: call.Doing, Err: forge.ErrLimited, Until: until}
	}
	var left time.Duration
	if writes {
		at := now
		if next := c.wrote.Add(c.opt.Pace); next.After(now) && next.Sub(now) <= c.opt.Pace {
			at = next
		}
		c.wrote, left = at, at.Sub(now)
	}
	c.mu.Unlock()
	if left <= 0 {
		return nil
	}
	return c.opt.Wait(ctx, left)
}

// wait waits on the system's clock.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
