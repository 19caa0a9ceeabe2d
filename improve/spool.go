package improve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

// The limits of a request that another tool left in the spool.
const (
	MaxSpoolFile   = 256 << 10
	maxTitle       = 200
	maxDescription = 20_000
	maxContext     = 50  // keys
	maxValue       = 500 // bytes of a value
)

// ParseRequest reads a request as other tools leave it in the spool folder: the
// JSON of an ImprovementRequest. What is missing takes its default; a value of the
// wrong kind is refused by its name, and so is a request without a title or a
// pattern. Nothing in it is taken for redacted: the caller redacts.
func ParseRequest(data []byte) (Request, error) {
	if len(data) > MaxSpoolFile {
		return Request{}, fmt.Errorf("request: %d bytes: %w (at most %d)", len(data), trimtab.ErrTooLarge, MaxSpoolFile)
	}
	in, err := objectOf(data)
	if err != nil {
		return Request{}, fmt.Errorf("request: %w", err)
	}
	pattern, err := objectOf(in["source_pattern"])
	if err != nil {
		return Request{}, fmt.Errorf("request: source_pattern: %w", err)
	}
	f, pf := &fields{in: in}, &fields{in: pattern, path: "source_pattern."}
	p := Pattern{
		Type: kindName(pf.text("type", "", 60)), Severity: Severity(pf.word("severity", string(Low), severities...)), Count: pf.number("count", 1, 0, 1_000_000_000),
		Suggestion: pf.text("suggestion", "", maxDescription), Context: pf.context("context"), Samples: pf.samples(),
	}
	req := Request{
		Title: plainLine(f.text("issue_title", "", maxTitle)), Description: f.text("issue_description", "", maxDescription), Priority: Severity(f.word("priority", string(p.Severity), severities...)),
		Type: f.word("improvement_type", typeOf(p.Type), Tooling, PatternWork, Performance, ErrorHandling, Workflow), Context: f.context("context"),
		Complexity:    f.word("estimated_complexity", Simple, Simple, MediumEffort, Complex),
		MaxComponents: f.number("max_components", DefaultComponents, 1, 1000), MaxLines: f.number("max_lines_of_code", DefaultLines, 1, 100_000),
		SecurityReview: f.flag("requires_security_review") || p.Type == ErrorPatterns,
	}
	for _, err := range []error{f.err, pf.err} {
		if err != nil {
			return Request{}, fmt.Errorf("request: %w", err)
		}
	}
	if req.Title == "" || p.Type == "" {
		return Request{}, fmt.Errorf("request: it has no issue_title or no source_pattern.type")
	}
	signature := Fold(cmp.Or(p.Context.Text(KeySignature), p.Suggestion, req.Title))
	p.Fingerprint = Fingerprint(p.Type, signature) // never the one it claims: it decides what counts as filed
	p.Score = ScoreOf(p, time.Time{}, time.Time{})
	req.Pattern = p
	return req, nil
}

var severities = []string{string(Low), string(Medium), string(High), string(Critical)}

// kindName is the type of a pattern as a plain name.
func kindName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

func objectOf(data []byte) (map[string]json.RawMessage, error) {
	var object map[string]json.RawMessage
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("it is missing; give an object")
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	if object == nil {
		return nil, fmt.Errorf("null is not allowed; give an object")
	}
	return object, nil
}

// fields reads the values of an object and keeps the first that is wrong.
type fields struct {
	in   map[string]json.RawMessage
	path string
	err  error
}

func (f *fields) wrong(key, allowed string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s%s: %s is not allowed; give %s", f.path, key, shorten(string(f.in[key]), 40), allowed)
	}
}

// given reports whether a key has a value other than null.
func (f *fields) given(key string) bool {
	raw := bytes.TrimSpace(f.in[key])
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null"))
}

func (f *fields) text(key, otherwise string, most int) string {
	if !f.given(key) {
		return otherwise
	}
	var s string
	if json.Unmarshal(f.in[key], &s) != nil || len(s) > most || !utf8.ValidString(s) {
		f.wrong(key, fmt.Sprintf("text of at most %d bytes", most))
		return otherwise
	}
	return strings.TrimSpace(s)
}

func (f *fields) word(key, otherwise string, allowed ...string) string {
	s := f.text(key, otherwise, 60)
	if !slices.Contains(allowed, s) {
		f.wrong(key, strings.Join(allowed, " or "))
		return otherwise
	}
	return s
}

func (f *fields) number(key string, otherwise, least, most int) int {
	if !f.given(key) {
		return otherwise
	}
	var n int
	if json.Unmarshal(f.in[key], &n) != nil || n < least || n > most {
		f.wrong(key, fmt.Sprintf("a whole number from %d to %d", least, most))
		return otherwise
	}
	return n
}

func (f *fields) flag(key string) bool {
	if !f.given(key) {
		return false
	}
	var b bool
	if json.Unmarshal(f.in[key], &b) != nil {
		f.wrong(key, "true or false")
	}
	return b
}

// context reads an object of any values, which keep their types.
func (f *fields) context(key string) Context {
	out := Context{}
	if !f.given(key) {
		return out
	}
	var object Context
	if json.Unmarshal(f.in[key], &object) != nil || len(object) > maxContext {
		f.wrong(key, fmt.Sprintf("an object of at most %d keys", maxContext))
		return out
	}
	for _, k := range slices.Sorted(maps.Keys(object)) {
		name := kindName(trimtab.Clip(k, 60))
		if name == "" || name == KeyScope {
			continue
		}
		out[name] = limitValue(object[k])
	}
	return out
}

// samples reads a list of texts, as the seed writes them, or of our own objects.
func (f *fields) samples() []Sample {
	out := []Sample{}
	if !f.given("samples") {
		return out
	}
	var list []json.RawMessage
	if json.Unmarshal(f.in["samples"], &list) != nil {
		f.wrong("samples", "a list")
		return out
	}
	for _, raw := range list[:min(len(list), maxSamples)] {
		var s Sample
		if json.Unmarshal(raw, &s.Excerpt) != nil && json.Unmarshal(raw, &s) != nil {
			f.wrong("samples", "a list of texts")
			return []Sample{}
		}
		out = append(out, Sample{Session: shorten(s.Session, 128), Message: shorten(s.Message, 128), Excerpt: shorten(s.Excerpt, maxExcerpt)})
	}
	return out
}
