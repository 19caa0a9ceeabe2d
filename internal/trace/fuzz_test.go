package trace

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trimtab/trimtab/surface/gateway"
)

func TestG6_ATraceparentIsReadAsTheStandardSays(t *testing.T) {
	const trace, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for text, want := range map[string]parent{
		"00-" + trace + "-" + span + "-01":                    {trace, span, true},
		"00-" + trace + "-" + span + "-03":                    {trace, span, true},
		"00-" + trace + "-" + span + "-00":                    {trace, span, false},
		"00-" + trace + "-" + span + "-02":                    {trace, span, false},
		"cc-" + trace + "-" + span + "-01":                    {trace, span, true},
		"cc-" + trace + "-" + span + "-01-more":               {trace, span, true},
		"":                                                    {},
		"00-" + trace + "-" + span:                            {},
		"00-" + trace + "-" + span + "-01-more":               {},
		"cc-" + trace + "-" + span + "-01more":                {},
		"ff-" + trace + "-" + span + "-01":                    {},
		"00-" + strings.ToUpper(trace) + "-" + span + "-01":   {},
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01":  {},
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01": {},
		"00_" + trace + "-" + span + "-01":                    {},
		"00-" + trace + "-" + span + "-0g":                    {},
		" 00-" + trace + "-" + span + "-01":                   {},
		strings.Repeat("00-"+trace+"-"+span+"-01", 2):         {},
	} {
		if got, ok := parseParent(text); got != want || ok != (want.trace != "") {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
}

// FuzzSpan: whatever the client and the provider say, the span is JSON of limited
// size with ids that are ids.
func FuzzSpan(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "m", "end_turn", "", "h:1", 200)
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", "é\xff", "a b", "overloaded_error", "[::1]:80", 529)
	f.Add("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", "", "", "unreachable", "", 0)
	f.Fuzz(func(t *testing.T, parent, model, reason, fault, server string, status int) {
		random := bytes.NewReader(make([]byte, 24))
		s, ok, err := spanOf(gateway.Trace{Parent: parent, Model: model, Reason: reason, Fault: fault, Server: server, Session: model, Status: status}, random)
		if err != nil {
			t.Fatal(err)
		}
		p, given := parseParent(parent)
		if ok != (!given || p.recorded) {
			t.Fatalf("%q: %v", parent, ok)
		}
		if !ok {
			return
		}
		raw, err := json.Marshal(s)
		if err != nil || !json.Valid(raw) || !utf8.Valid(raw) || len(raw) > 16<<10 {
			t.Fatalf("%d bytes: %v\n%s", len(raw), err, raw)
		}
		if len(s.TraceID) != 32 || len(s.SpanID) != 16 || !lowerHex(s.TraceID+s.SpanID+s.ParentID) || zero(s.TraceID) || zero(s.SpanID) {
			t.Fatalf("ids %q %q %q", s.TraceID, s.SpanID, s.ParentID)
		}
		if failed := fault != "" || status >= 400; failed != (s.Status.Code == codeError) {
			t.Fatalf("%+v", s.Status)
		}
	})
}

// FuzzPairs: what is taken can be a header, and limits hold.
func FuzzPairs(f *testing.F) {
	for _, seed := range []string{"", "a=b", "a=b,c=d%20e", ",,", "=", "a", "a=%zz", "a=b=c", "a b=c", "ä=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := pairs(text)
		if len(all) > maxPairs || err != nil && all != nil {
			t.Fatalf("%d pairs, %v", len(all), err)
		}
		for _, p := range all {
			if p.Name == "" {
				t.Fatal("a pair without a name")
			}
			if token(p.Name) && printable(p.Value) {
				h := http.Header{}
				h.Set(p.Name, p.Value)
				if err := h.Write(&bytes.Buffer{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// FuzzRejected: a collector's answer can be anything.
func FuzzRejected(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"partialSuccess":{"rejectedSpans":"3"}}`, `{"partialSuccess":{"rejectedSpans":3}}`, `{"partialSuccess":{"rejectedSpans":-1}}`, `{"partialSuccess":null}`, `[]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if n := rejected([]byte(body)); n < 0 {
			t.Fatal(n)
		}
	})
}
