package trace

import (
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/surface/gateway"
)

// schema is the version of the conventions that the names below are of: the last
// one that had those for GenAI.
const schema = "https://opentelemetry.io/schemas/1.41.0"

// provider is the name that the conventions have for one of the gateway's.
func provider(name string) string {
	if name == "gemini" || name == "codeassist" {
		return "gcp.gemini"
	}
	return name
}

// spanOf makes the span of a turn. ok is false where the client does not record
// the trace that the turn belongs to.
func spanOf(t gateway.Trace, random io.Reader) (s span, ok bool, err error) {
	var id [24]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return span{}, false, err
	}
	id[0], id[16] = id[0]|1, id[16]|1 // never all zero
	s = span{TraceID: hex.EncodeToString(id[:16]), SpanID: hex.EncodeToString(id[16:]), Flags: flagSampled | flagKnown, Kind: kindClient}
	if p, given := parseParent(t.Parent); given {
		if !p.recorded {
			return span{}, false, nil
		}
		s.TraceID, s.ParentID, s.Flags = p.trace, p.span, s.Flags|flagRemote
	}
	s.Start, s.End = nanos(t.Began), nanos(t.Ended)
	s.Name = strings.TrimSpace("chat " + clip(t.Model))
	s.asked(t)
	s.steered(t)
	s.answered(t)
	s.failed(t)
	return s, true, nil
}

func (s *span) set(key string, v value) { s.Attributes = append(s.Attributes, attribute{key, v}) }

// name sets an attribute, unless its value is not known.
func (s *span) name(key, v string) {
	if v != "" {
		s.set(key, text(clip(v)))
	}
}

func (s *span) asked(t gateway.Trace) {
	s.name("gen_ai.operation.name", "chat")
	s.name("gen_ai.provider.name", provider(t.Provider))
	s.name("gen_ai.request.model", t.Model)
	s.name("gen_ai.conversation.id", t.Session)
	s.set("gen_ai.request.stream", value{Bool: &t.Stream})
	host, port, err := net.SplitHostPort(t.Server)
	if err != nil {
		host = strings.Trim(t.Server, "[]")
	}
	s.name("server.address", host)
	if n, err := strconv.Atoi(port); err == nil {
		s.set("server.port", number(n))
	}
}

func (s *span) steered(t gateway.Trace) {
	s.name("trimtab.host", t.Host)
	s.set("trimtab.steered", value{Bool: &t.Steered})
	s.set("trimtab.notes", number(t.Notes))
	s.set("trimtab.note_tokens", number(t.Tokens))
	s.set("trimtab.cached_prefix_lost", number(t.Lost))
}

func (s *span) answered(t gateway.Trace) {
	s.name("gen_ai.response.model", t.Replied)
	if t.Reason != "" {
		s.set("gen_ai.response.finish_reasons", value{Array: &array{[]value{text(word(t.Reason))}}})
	}
	if u := t.Usage; u != nil {
		s.set("gen_ai.usage.input_tokens", number(u.Context())) // by the conventions, those from a cache are among them
		s.set("gen_ai.usage.output_tokens", number(u.Output))
		if u.CacheRead > 0 {
			s.set("gen_ai.usage.cache_read.input_tokens", number(u.CacheRead))
		}
		if u.CacheWrite > 0 {
			s.set("gen_ai.usage.cache_creation.input_tokens", number(u.CacheWrite))
		}
	}
	if t.Stream && !t.First.IsZero() && t.Status == http.StatusOK {
		seconds := t.First.Sub(t.Began).Seconds()
		s.set("gen_ai.response.time_to_first_chunk", value{Double: &seconds})
	}
	if t.Status != 0 {
		s.set("http.response.status_code", number(t.Status))
	}
	if t.Left {
		s.set("trimtab.client_left", value{Bool: &t.Left})
	}
}

// failed marks the span of a turn whose provider failed. A client that hung up
// is no failure.
func (s *span) failed(t gateway.Trace) {
	kind, why := word(t.Fault), "the provider reported an error"
	switch t.Fault {
	case gateway.FaultUnreachable:
		why = "the provider could not be reached"
	case gateway.FaultTimeout:
		why = "the provider did not answer in time"
	case gateway.FaultCut:
		why = "the reply was cut off"
	case "":
		if t.Status < http.StatusBadRequest {
			return
		}
		kind, why = strconv.Itoa(t.Status), "the provider answered with an error"
	}
	s.name("error.type", kind)
	s.Status = status{codeError, why}
}

const (
	maxName = 256
	maxWord = 64
)

// clip bounds a name that somebody else chose.
func clip(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName], "")
}

// word lets only single words pass: a provider that puts a sentence where a word
// belongs might put anything there.
func word(s string) string {
	if len(s) > maxWord {
		return "_OTHER"
	}
	for _, c := range []byte(s) {
		if !letter(c) && !strings.ContainsRune("_-.:", rune(c)) {
			return "_OTHER"
		}
	}
	return s
}
