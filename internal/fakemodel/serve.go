package fakemodel

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// ServeHTTP logs a request, checks it, and answers by the script.
func (m *Model) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	at := routeOf(hr)
	r := &Request{Method: hr.Method, Path: hr.URL.Path}
	r.mask(hr.Header, hr.URL.Query())
	var bodyErr error
	r.Body, r.Encoding, bodyErr = readBody(hr, m.maxBody)
	r.read(at)
	if m.thinks && r.Format == Anthropic && r.tree["thinking"] == nil && claudeOf(r.Model).binds() {
		r.Thinks = "hidden"
	}
	if at.format != "" {
		r.Refused = m.verdict(r, at, bodyErr)
	}
	if r.Refused == nil && (at.ask == askReply || at.ask == askCount) {
		r.prompt = promptOf(r, m.memory.prompt(str(r.tree, "previous_response_id")))
		r.Prompt = m.cache.look(r.prompt)
	}
	m.log.add(r)

	out := &output{w: w, ctx: hr.Context(), format: r.Format, n: r.N}
	var refusal *Refusal
	switch {
	case errors.As(r.Refused, &refusal) && !(m.lenient && at.ask == askReply && refusal.Status == http.StatusBadRequest && r.tree != nil):
		out.fail(refusal)
	case at.ask == askReply:
		m.reply(out, r, hr.URL.Query().Get("alt") == "sse")
	case at.ask == askCount:
		out.whole(http.StatusOK, countBody(r))
	case at.ask == askModels:
		m.list(out, r)
	case at.ask == askUpgrade:
		out.fail(failure(Responses, http.StatusUpgradeRequired, "this server does not speak WebSocket"))
	default:
		out.fail(failure(guess(r), http.StatusNotFound, fmt.Sprintf("there is no %s %s", hr.Method, hr.URL.Path)))
	}
}

// verdict checks a request as a provider would: who asks, how, then what.
func (m *Model) verdict(r *Request, at route, bodyErr error) error {
	switch {
	case errors.Is(bodyErr, errTooLarge):
		return failure(r.Format, http.StatusRequestEntityTooLarge, "Request exceeds the maximum size")
	case bodyErr != nil:
		return failure(r.Format, http.StatusBadRequest, bodyErr.Error())
	case !r.authorized():
		return unauthorized(r.Format)
	case r.Format == Anthropic && r.Header.Get("Anthropic-Version") == "":
		return refuseAnthropic("anthropic-version: header is required")
	}
	switch at.ask {
	case askReply:
		if err := ValidateRequest(r.Format, r.Header, r.Body); err != nil {
			return err
		}
	case askCount:
		if err := validateCount(r); err != nil {
			return err
		}
	default:
		return nil
	}
	return m.memory.check(r, m.binding)
}

func validateCount(r *Request) error {
	if r.Format == Anthropic {
		return validate(Anthropic, askCount, r.Header, r.Body)
	}
	if inner := r.Raw("generateContentRequest"); inner != nil {
		return Validate(Gemini, inner)
	}
	return Validate(Gemini, r.Body)
}

func unauthorized(f Format) error {
	switch f {
	case Anthropic:
		return failure(f, http.StatusUnauthorized, "x-api-key header is required")
	case Gemini:
		return failure(f, http.StatusForbidden, "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.")
	}
	r := failure(f, http.StatusUnauthorized, "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).")
	r.Code = ""
	return r
}

// guess is whose error form a client expects on a path that nobody has.
func guess(r *Request) Format {
	switch {
	case strings.HasPrefix(r.Path, "/v1beta/"):
		return Gemini
	case strings.HasPrefix(r.Path, "/v1/messages"), strings.HasPrefix(r.Path, "/api/"), r.Header.Get("Anthropic-Version") != "":
		return Anthropic
	}
	return Chat
}

func countBody(r *Request) object {
	if r.Format == Gemini {
		return object{"totalTokens": r.Prompt.context()}
	}
	return object{"input_tokens": r.Prompt.context()}
}

// list answers with the models, or with the one that the path names.
func (m *Model) list(out *output, r *Request) {
	entry := func(id string) object {
		switch r.Format {
		case Anthropic:
			return object{"type": "model", "id": id, "display_name": id, "created_at": "2026-01-01T00:00:00Z"}
		case Gemini:
			return object{"name": "models/" + id, "displayName": id, "inputTokenLimit": 1_000_000, "outputTokenLimit": 64_000, "supportedGenerationMethods": []any{"generateContent", "countTokens"}}
		}
		return object{"id": id, "object": "model", "created": created, "owned_by": "fake"}
	}
	if _, id, one := strings.Cut(r.Path, "/models/"); one {
		if !slices.Contains(m.models, id) {
			out.fail(failure(r.Format, http.StatusNotFound, "there is no model "+id))
			return
		}
		out.whole(http.StatusOK, entry(id))
		return
	}
	var all []any
	for _, id := range m.models {
		all = append(all, entry(id))
	}
	switch r.Format {
	case Anthropic:
		out.whole(http.StatusOK, object{"data": all, "has_more": false, "first_id": m.models[0], "last_id": m.models[len(m.models)-1]})
	case Gemini:
		out.whole(http.StatusOK, object{"models": all})
	default:
		out.whole(http.StatusOK, object{"object": "list", "data": all})
	}
}

// reply asks the script and writes what it says.
func (m *Model) reply(out *output, r *Request, sse bool) {
	reply := m.script(*r)
	out.before, out.headers = reply.Before, reply.Headers
	switch {
	case reply.CutAfter < 0:
		out.cut()
		return
	case reply.CutAfter > 0:
		out.limited, out.left = true, reply.CutAfter
	}
	if reply.Status != 0 && !reply.Broken {
		out.fail(failure(r.Format, reply.Status, reply.Text))
		return
	}
	n := m.memory.number()
	for r.hasCall(fmt.Sprintf(callID[r.Format], n, 1)) { // made before this server was started
		n = m.memory.number()
	}
	a, err := settle(r, reply, n)
	if err != nil { // a fault of the script: say it where the test will see it
		out.fail(failure(r.Format, http.StatusInternalServerError, "fakemodel: "+err.Error()))
		return
	}
	m.cache.keep(r.prompt)
	m.memory.remember(r, a)
	if !r.Stream {
		out.whole(http.StatusOK, bodyOf(r.Format, a))
		return
	}
	events := eventsOf(r, a)
	if reply.Broken {
		events = append(events[:(len(events)+1)/2], brokenEvent(r.Format, reply.Status))
	}
	if r.Format == Gemini && !sse {
		out.array(events)
		return
	}
	out.stream(events)
}

func bodyOf(f Format, a answer) object {
	switch f {
	case Anthropic:
		return anthropicBody(a)
	case Responses:
		return responsesBody(a)
	case Gemini:
		return geminiBody(a)
	}
	return chatBody(a)
}

func eventsOf(r *Request, a answer) []event {
	switch r.Format {
	case Anthropic:
		return anthropicEvents(a)
	case Responses:
		return responsesEvents(a)
	case Gemini:
		return geminiEvents(a)
	}
	return chatEvents(a, flag(obj(r.tree, "stream_options"), "include_usage"))
}

// brokenEvent is an error that comes when the stream has begun.
func brokenEvent(f Format, status int) event {
	if status == 0 {
		status = http.StatusInternalServerError
	}
	fault := failure(f, status, "")
	e := event{raw: string(fault.Body())}
	switch f {
	case Anthropic:
		e.name = "error"
	case Responses:
		e = event{name: "error", data: object{"type": "error", "code": orNull(fault.Code), "message": fault.Message, "param": nil, "sequence_number": 0}}
	}
	return e
}
