package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/trimtab/trimtab/llm"
)

// trouble is an error of one try, with what only this package needs to know of it.
type trouble struct {
	fault
	again bool          // another try may help
	after time.Duration // the provider asks to wait so long
	asked bool          // it does
	bound bool          // the model's earlier thinking is not taken back
}

// fault is what other packages get to see.
type fault = llm.Error

func (t *trouble) Unwrap() error { return &t.fault }

// maxComplaint is how much of an error's body is read.
const maxComplaint = 64 << 10

// complaint is an error's body in any provider's form.
type complaint struct {
	Error   json.RawMessage `json:"error"` // an object, or a text
	Message string          `json:"message"`
}

type detail struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`
	Status  string          `json:"status"`
	Code    json.RawMessage `json:"code"` // a word, or a number
	Details []struct {
		RetryDelay string `json:"retryDelay"`
	} `json:"details"`
}

// refused makes an error of an answer that is no reply.
func (s *Sender) refused(l Letter, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxComplaint)) // half a complaint is better than none
	d := read(body)
	t := &trouble{fault: fault{Where: host(l.URL), Status: resp.StatusCode}}
	kind := strings.Trim(string(d.Code), `"`)
	said := strings.TrimSpace(cmp.Or(d.Type, d.Status, kind) + ": " + d.Message)
	t.Said = l.Key.Hide(clean(strings.Trim(said, ": ")))
	v := judge(resp.StatusCode, strings.Join([]string{d.Type, d.Status, kind, d.Message}, " "), l)
	t.Err, t.Do, t.again = v.kind, v.do, v.again
	t.bound = bound(resp.StatusCode, d.Message)
	switch resp.Header.Get("X-Should-Retry") {
	case "true":
		t.again = true
	case "false":
		t.again = false
	}
	t.after, t.asked = after(resp.Header, s.opt.Clock())
	for _, more := range d.Details {
		if wait, err := time.ParseDuration(more.RetryDelay); err == nil && !t.asked {
			t.after, t.asked = wait, true
		}
	}
	return t
}

// read finds the words of a complaint.
func read(body []byte) detail {
	var d detail
	if len(body) > 0 && body[0] == '[' { // Gemini, to those who ask for no events
		var all []json.RawMessage
		if json.Unmarshal(body, &all) == nil && len(all) > 0 {
			body = all[0]
		}
	}
	var c complaint
	if json.Unmarshal(body, &c) != nil {
		d.Message = string(body[:min(len(body), 400)])
		if strings.HasPrefix(strings.TrimSpace(d.Message), "<") { // a page for people with browsers
			d.Message = ""
		}
		return d
	}
	if json.Unmarshal(c.Error, &d) != nil {
		var text string
		if json.Unmarshal(c.Error, &text) == nil {
			d.Message = text
		}
	}
	d.Message = cmp.Or(d.Message, c.Message)
	return d
}

// verdict is what kind of error an answer is, what to do, and whether another try
// may help.
type verdict struct {
	kind  error
	do    string
	again bool
}

// judge reads a verdict from the status and the words of an answer.
func judge(status int, words string, l Letter) verdict {
	low := strings.ToLower(words)
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.Contains(low, s) })
	}
	switch {
	case status/100 == 3:
		return verdict{llm.ErrRefused, "it sends us to another address, which is not followed; set the base URL to where the API really is", false}
	case status == http.StatusUnauthorized || status == http.StatusForbidden,
		status == http.StatusBadRequest && has("api key not valid", "api_key_invalid", "invalid api key"):
		return verdict{llm.ErrKey, keyAdvice(l), false}
	case status == http.StatusPaymentRequired || has("insufficient_quota", "credit balance"):
		return verdict{llm.ErrRefused, "see to the balance of your account with the provider, or choose another model", false}
	case status == http.StatusRequestEntityTooLarge,
		status == http.StatusBadRequest && has("prompt is too long", "context_length_exceeded", "maximum context length", "context window", "exceeds the maximum number of tokens"):
		return verdict{llm.ErrLong, "start a new chat, fold what is done, or choose a model with a larger window", false}
	case status == http.StatusBadRequest && has("does not support tools"):
		return verdict{llm.ErrRefused, "choose a model that can call tools", false}
	case status == http.StatusNotFound:
		return verdict{llm.ErrModel, "check the model's name and the base URL", false}
	case status == http.StatusTooManyRequests:
		return verdict{llm.ErrBusy, "too much was asked in a short time; wait a little, or choose another model", true}
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly || status >= 500:
		return verdict{llm.ErrBusy, "try again in a minute, or choose another model", status != http.StatusNotImplemented}
	}
	return verdict{llm.ErrRefused, "", false}
}

// bound reports whether a provider refuses to take thinking back.
func bound(status int, words string) bool {
	return status == http.StatusBadRequest && strings.Contains(words, "thinking") &&
		(strings.Contains(words, "signature") || strings.Contains(words, "modified") || strings.Contains(words, "bound to"))
}

func keyAdvice(l Letter) string {
	switch {
	case l.Key.Empty() && l.Key.From() == "":
		return "it wants a key, and this model has none; name the variable that holds it in the settings"
	case l.Key.Empty():
		return "set " + l.Key.From() + " to a key of the provider"
	}
	return "check " + l.Key.String() + ": it may be mistyped, revoked, or not allowed to do this"
}

// faulted makes an error of one that was reported inside a stream.
func (s *Sender) faulted(l Letter, word string) error {
	status := 400
	switch low := strings.ToLower(word); {
	case strings.Contains(low, "rate") || low == "resource_exhausted" || low == "requests" || low == "tokens":
		status = http.StatusTooManyRequests
	case slices.Contains([]string{"overloaded_error", "api_error", "server_error", "internal", "unavailable", "timeout_error", "deadline_exceeded", "error", "internal_server_error"}, low):
		status = http.StatusServiceUnavailable
	}
	t := &trouble{fault: fault{Where: host(l.URL), Said: l.Key.Hide(clean(word))}}
	v := judge(status, word, l)
	t.Err, t.Do, t.again = v.kind, v.do, v.again
	return t
}

// unreached makes an error of a request that got no answer.
func (s *Sender) unreached(l Letter, err error) error {
	err = bare(err)
	t := &trouble{fault: fault{Err: llm.ErrReach, Where: host(l.URL), Said: l.Key.Hide(clean(err.Error()))}, again: true}
	t.Do = "check the connection and the base URL"
	if errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "refused") {
		t.again, t.Do = false, "nothing listens there; start the server, or set the base URL"
	}
	return t
}

// page is the error for a page that came where a reply was to come: from a wrong
// address, or from a network that wants its visitors to sign in.
func page(l Letter) error {
	return &llm.Error{Err: llm.ErrReach, Where: host(l.URL), Said: "a web page came instead of a reply", Do: "check the base URL, and whether the network wants you to sign in"}
}

// bare is an error without the URL that was asked, of which only the host may be
// shown.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// clean makes words of a provider fit for one line: no control characters, and
// not many.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 300 {
		text = string(r[:300]) + "…"
	}
	return text
}

// advise adds what only the provider's list of models can tell.
func (s *Sender) advise(ctx context.Context, l Letter, err error) error {
	var t *trouble
	if !errors.As(err, &t) {
		return err
	}
	out := t.fault
	if errors.Is(out.Err, llm.ErrModel) && l.Near != nil {
		if near := l.Near(ctx); len(near) > 0 {
			out.Do = "near it: " + strings.Join(near, ", ")
		}
	}
	return &out
}
