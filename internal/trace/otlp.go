package trace

import (
	"encoding/json"
	"strconv"
	"time"
)

// The shapes of OTLP in its JSON form: ids in hex, names of fields as in the
// protocol but in camel case, 64-bit numbers as text, enumerations as numbers.

type request struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scopeSpans struct {
	Scope     scope  `json:"scope"`
	Spans     []span `json:"spans"`
	SchemaURL string `json:"schemaUrl"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId,omitempty"`
	Flags      int         `json:"flags"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes"`
	Status     status      `json:"status"`
}

const (
	kindClient  = 3
	codeError   = 2
	flagSampled = 0x001
	flagKnown   = 0x100 // that the parent is remote, or not, is known
	flagRemote  = 0x200
)

type status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is one of its fields.
type value struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
	Array  *array   `json:"arrayValue,omitempty"`
}

type array struct {
	Values []value `json:"values"`
}

func text(v string) value { return value{String: &v} }

func number(v int) value {
	s := strconv.Itoa(v)
	return value{Int: &s}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// response is what a collector answers: how many spans it did not take, where it
// took the others.
type response struct {
	Partial struct {
		Rejected json.Number `json:"rejectedSpans"`
	} `json:"partialSuccess"`
}

// rejected reads a collector's answer. One that cannot be read rejects nothing.
func rejected(body []byte) int {
	var r response
	if json.Unmarshal(body, &r) != nil {
		return 0
	}
	n, err := strconv.Atoi(r.Partial.Rejected.String())
	if err != nil || n < 0 {
		return 0
	}
	return n
}
