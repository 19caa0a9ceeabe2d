package rest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
)

// broken makes an error of an answer that did not arrive. perhaps says that the
// request may have done its work.
func (c *Client) broken(call Call, perhaps bool, err error, token string) error {
	e := &forge.Error{Forge: c.opt.Name, Doing: call.Doing, Err: forge.ErrUnreachable}
	if perhaps {
		e.Err = forge.ErrUnclear
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which may hold words that are not for a log
	}
	e.Said = hide(err.Error(), token)
	return e
}

// judge makes an error of an answer that is none of success.
func (c *Client) judge(call Call, writes bool, resp *http.Response, body []byte, token string) error {
	e := &forge.Error{Forge: c.opt.Name, Doing: call.Doing, Status: resp.StatusCode, Said: hide(said(body), token)}
	if limited(resp, body) {
		e.Err, e.Until = forge.ErrLimited, c.reset(resp.Header)
		c.hold(e.Until)
		return e
	}
	switch status := resp.StatusCode; {
	case status < 400:
		e.Err, e.Said = forge.ErrRefused, "it has moved"
		if to, err := resp.Location(); err == nil {
			e.Said += " to " + to.Host + to.Path
		}
		e.Do = "write the new address into the settings; a token is not sent along to another"
	case status == http.StatusUnauthorized:
		e.Err, e.Do = forge.ErrRefused, "see that the token is set and has not expired"
	case status == http.StatusForbidden:
		e.Err, e.Do = forge.ErrRefused, "see that the token may do this"
	case status == http.StatusNotFound:
		e.Err = forge.ErrNotFound
	case status == http.StatusConflict:
		e.Err = forge.ErrExists
	case status == http.StatusRequestTimeout, status >= 500:
		e.Err = forge.ErrUnreachable
		if writes {
			e.Err = forge.ErrUnclear
		}
	default:
		e.Err = forge.ErrRefused
	}
	return e
}

// limited reports whether an answer is about too many requests. GitHub says so
// with 403 as well, and tells it from a lack of rights by its header or its words.
func limited(resp *http.Response, body []byte) bool {
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		words := strings.ToLower(said(body))
		return resp.Header.Get("Retry-After") != "" || remaining(resp.Header) == 0 || strings.Contains(words, "rate limit") || strings.Contains(words, "abuse detection")
	}
	return false
}

// The bounds of a wait: GitHub asks for a minute where it names no time, and a
// time further off than a day is a mistake.
const (
	shortHold = time.Minute
	longHold  = 24 * time.Hour
)

// reset reads when a limit ends.
func (c *Client) reset(h http.Header) time.Time {
	now := c.opt.Now()
	at := now.Add(shortHold)
	if after := h.Get("Retry-After"); after != "" {
		if n, err := strconv.ParseInt(after, 10, 64); err == nil && n >= 0 {
			at = now.Add(time.Duration(min(n, int64(longHold/time.Second))) * time.Second)
		} else if t, err := http.ParseTime(after); err == nil {
			at = t
		}
	} else if n, ok := number(h, "X-RateLimit-Reset", "RateLimit-Reset"); ok && remaining(h) == 0 {
		at = time.Unix(int64(n), 0)
	}
	if most := now.Add(longHold); at.After(most) {
		at = most
	}
	return at
}

// note remembers that an answer was the last one before a limit.
func (c *Client) note(resp *http.Response) {
	if resp.StatusCode < 300 && remaining(resp.Header) == 0 {
		c.hold(c.reset(resp.Header))
	}
}

func (c *Client) hold(until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.After(c.until) {
		c.until = until
	}
}

// remaining is how many requests are left, -1 where nothing is said of it.
func remaining(h http.Header) int {
	if n, ok := number(h, "X-RateLimit-Remaining", "RateLimit-Remaining"); ok {
		return n
	}
	return -1
}

func number(h http.Header, names ...string) (int, bool) {
	for _, name := range names {
		if n, err := strconv.Atoi(h.Get(name)); err == nil {
			return n, true
		}
	}
	return 0, false
}

// said finds the words in an error's body. GitLab's may be a text, a list or a
// table of lists.
func said(body []byte) string {
	var c struct {
		Message json.RawMessage `json:"message"`
		Error   json.RawMessage `json:"error"`
		Errors  json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &c) != nil {
		return ""
	}
	var all []string
	for _, raw := range []json.RawMessage{c.Message, c.Error, c.Errors} {
		var v any
		if json.Unmarshal(raw, &v) == nil {
			all = append(all, words(v)...)
		}
	}
	return strings.Join(all, ": ")
}

func words(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			out = append(out, words(one)...)
		}
		return out
	case map[string]any:
		if m, ok := v["message"].(string); ok {
			return []string{m}
		}
		var out []string
		for _, k := range []string{"resource", "field", "code", "title", "name", "base"} {
			if w := words(v[k]); len(w) > 0 {
				out = append(out, strings.Join(w, " "))
			}
		}
		return []string{strings.Join(out, " ")}
	}
	return nil
}

// hide makes a text fit for an error: one line, not too long, no control
// characters, no token.
func hide(s, token string) string {
	if token != "" {
		s = strings.ReplaceAll(s, token, "[token]")
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxSaid {
		s = strings.ToValidUTF8(s[:maxSaid], "") + "…"
	}
	return s
}

// Base reads the address of a forge, without a slash at its end. It refuses one
// that would show a secret or carry the token in the open.
func Base(raw, fallback string) (string, error) {
	u, err := url.Parse(cmp.Or(strings.TrimSpace(raw), fallback))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", errors.New("invalid url; write it as https://host")
	case u.User != nil:
		return "", fmt.Errorf("url: the address of %s holds a name or password; leave it out", u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("url: the address of %s has a ? or #; leave out what follows", u.Host)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "", fmt.Errorf("url: %s would get the token unencrypted; write it with https", u.Host)
	}
	return strings.TrimRight(u.String(), "/"), nil
}
