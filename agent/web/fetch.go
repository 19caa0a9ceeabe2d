package web

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/settingtag"
	"github.com/trimtab/trimtab/llm"
)

// Config is what a person may set about the web. A project may set none of it.
type Config struct {
	Off     bool     `json:"off" guard:"user" doc:"no tool that reads pages of the web"`
	Allow   []string `json:"allow" guard:"user" doc:"hosts whose pages are read without asking, such as pkg.go.dev"`
	Private []string `json:"private" guard:"user" doc:"hosts with their port that are read although they are private, such as localhost:3000"`
	Seconds int      `json:"seconds" guard:"user" default:"20" min:"1" max:"120" doc:"how long a page may take"`
	Bytes   int      `json:"bytes" guard:"user" default:"2097152" min:"1024" max:"33554432" doc:"how much of a page is read"`
}

// Options are what the tool is made of.
type Options struct {
	Config
	Version string // of this program, told to the servers
}

//go:embed fetch.md
var words string

const schema = `{
  "type": "object",
  "properties": {
    "url": {"type": "string", "minLength": 8, "maxLength": 2048, "description": "the address, with https:// or http://"},
    "after": {"type": "integer", "minimum": 0, "description": "go on behind this many characters, as the piece before said"}
  },
  "required": ["url"],
  "additionalProperties": false
}`

// maxPiece is how much of a page one call returns, in bytes, and maxHops how many redirects
// of one host are followed.
const (
	maxPiece = 32 << 10
	maxHops  = 5
)

type fetcher struct {
	Options
	client *http.Client

	mu    sync.Mutex
	hosts map[string]map[string]bool // that the person allows, by session
}

// Fetch returns the tool.
func Fetch(opt Options) (tool.Tool, error) {
	cfg, err := settingtag.Fill(opt.Config)
	if err != nil {
		return tool.Tool{}, fmt.Errorf("tools.web: %w", err)
	}
	opt.Config = cfg
	f := &fetcher{Options: opt, hosts: map[string]map[string]bool{}}
	f.client = &http.Client{
		Timeout: time.Duration(cfg.Seconds) * time.Second,
		Transport: &http.Transport{
			DialContext: f.dial, DisableKeepAlives: true, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10, TLSHandshakeTimeout: 10 * time.Second,
		},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) >= maxHops {
				return errors.New("too many redirects")
			}
			if !sameHost(next.URL, via[0].URL) {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
	return tool.Tool{
		Tool: llm.Tool{Name: "web_fetch", Description: strings.TrimSpace(words), Schema: json.RawMessage(schema), ReadOnly: true},
		Run:  f.run, Ask: f.ask, Always: f.always,
	}, nil
}

// sameHost reports whether a redirect stays where the person allowed it: on the host, and
// not from an encrypted page to one that is not.
func sameHost(next, first *url.URL) bool {
	return strings.EqualFold(next.Hostname(), first.Hostname()) && (next.Port() == first.Port() || next.Scheme == "https" && next.Port() == "" && first.Port() == "") && (next.Scheme == "https" || next.Scheme == first.Scheme)
}

type input struct {
	URL   string `json:"url"`
	After int    `json:"after"`
}

func read(raw json.RawMessage) (in input, at *url.URL, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return in, nil, errors.New("the input does not fit the tool's schema: give a url")
	}
	at, err = url.Parse(strings.TrimSpace(in.URL))
	switch {
	case err != nil || len(in.URL) > 2048:
		return in, nil, errors.New("this is no address")
	case at.Scheme != "https" && at.Scheme != "http", at.Hostname() == "":
		return in, nil, errors.New("give a full address that begins with https:// or http://")
	case at.User != nil:
		return in, nil, errors.New("an address with a name or password is not read")
	}
	at.Fragment = ""
	return in, at, nil
}

func (f *fetcher) ask(ctx context.Context, raw json.RawMessage) (tool.Ask, bool) {
	_, at, err := read(raw)
	if err != nil {
		return tool.Ask{}, false // it never gets to run
	}
	host := strings.ToLower(at.Hostname())
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hosts[tool.SessionOf(ctx)][host] {
		return tool.Ask{}, false
	}
	for _, known := range f.Allow {
		if strings.EqualFold(known, host) {
			return tool.Ask{}, false
		}
	}
	return tool.Ask{Tool: "web_fetch", Title: trimtab.Clip(at.String(), 200), Detail: "GET " + at.String(), Rule: "web_fetch: pages of " + host}, true
}

func (f *fetcher) always(ctx context.Context, ask tool.Ask, _ tool.Scope) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := tool.SessionOf(ctx)
	if f.hosts[id] == nil {
		f.hosts[id] = map[string]bool{}
	}
	f.hosts[id][strings.TrimPrefix(ask.Rule, "web_fetch: pages of ")] = true
	return nil
}

func (f *fetcher) run(ctx context.Context, raw json.RawMessage) (string, error) {
	in, at, err := read(raw)
	if err != nil {
		return "", fmt.Errorf("web_fetch: %w", err)
	}
	text, err := f.get(ctx, at)
	if err != nil {
		return "", fmt.Errorf("web_fetch: %s: %w", at.Host, err)
	}
	return piece(text, in.After), nil
}

// piece is a part of a long text, and says how to get the next one.
func piece(text string, after int) string {
	rest := text[min(max(after, 0), len(text)):]
	for len(rest) > 0 && !utf8.RuneStart(rest[0]) {
		rest = rest[1:]
	}
	if len(rest) <= maxPiece {
		return rest
	}
	part := trimtab.Clip(rest, maxPiece)
	return part + fmt.Sprintf("\n[%d of %d characters; after=%d goes on]", len(text)-len(rest)+len(part), len(text), len(text)-len(rest)+len(part))
}

func (f *fetcher) get(ctx context.Context, at *url.URL) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return "", err
	}
	req.Header.Set("User-Agent", "trimtab/"+f.Version)
	req.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.1")
	resp, err := f.client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			if err = u.Err; u.Timeout() {
				err = fmt.Errorf("no answer within %d seconds", f.Seconds)
			}
		}
		return "", err
	}
	defer resp.Body.Close()
	if to, err := resp.Location(); err == nil && resp.StatusCode/100 == 3 {
		return fmt.Sprintf("[%d: this leads to %s, which is another host; ask for that address if you want it]", resp.StatusCode, to), nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(f.Bytes)+1))
	if err != nil {
		return "", fmt.Errorf("the page broke off: %w", err)
	}
	note := ""
	if len(body) > f.Bytes {
		body, note = body[:f.Bytes], fmt.Sprintf("\n[cut: the first %d bytes of the page]", f.Bytes)
	}
	text, err := readable(resp.Header.Get("Content-Type"), body, resp.Request.URL)
	if err != nil {
		return "", err
	}
	if resp.StatusCode >= 400 {
		return "", fmt.Errorf("the server answered %s\n%s", resp.Status, trimtab.Clip(text, 2000))
	}
	return text + note, nil
}

// readable is the text of a page.
func readable(contentType string, body []byte, at *url.URL) (string, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" {
		kind, params, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	if set := strings.ToLower(params["charset"]); set != "" && set != "utf-8" && set != "us-ascii" && !utf8.Valid(body) {
		body = latin(body) // the nearest guess; what is not Latin stays readable where it is ASCII
	}
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml":
		return Text(bytes.NewReader(body), at)
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"), strings.HasSuffix(kind, "xml"), strings.HasSuffix(kind, "yaml"), strings.HasSuffix(kind, "javascript"):
		return strings.ToValidUTF8(string(body), "\uFFFD"), nil
	}
	return "", fmt.Errorf("it is %s, which is no text", kind)
}

func latin(body []byte) []byte {
	var b bytes.Buffer
	for _, c := range body {
		b.WriteRune(rune(c))
	}
	return b.Bytes()
}
