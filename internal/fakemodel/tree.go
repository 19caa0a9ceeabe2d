package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// object is a JSON object. Keys are compared exactly, as the APIs do, and not
// without regard to case, as encoding/json does for structs.
type object = map[string]any

const maxDepth = 500 // of nested arrays and objects

// parse reads a body that is one JSON object. It is stricter than encoding/json:
// a key given twice, half of a surrogate pair and bytes that are not UTF-8 are
// errors, so that no edit of ours can hide behind a lenient reader.
func parse(body []byte) (object, error) {
	v, err := parseValue(body)
	if err != nil {
		return nil, err
	}
	o, ok := v.(object)
	if !ok {
		return nil, errors.New("the body is not an object")
	}
	return o, nil
}

func parseValue(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("the body is not UTF-8")
	}
	if bytes.Contains(body, []byte(`\ud`)) || bytes.Contains(body, []byte(`\uD`)) { // rare, and the pattern is slow
		for _, m := range escape.FindAllSubmatch(body, -1) {
			if len(m[1]) > 0 {
				return nil, fmt.Errorf("half of a surrogate pair: %s", m[0])
			}
		}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	v, err := readValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("something follows the value: byte %d", dec.InputOffset())
	}
	return v, nil
}

// escape matches what a backslash begins, a surrogate pair as a whole; half of one
// is its group. A backslash only occurs inside strings, so strings need not be told
// apart.
var escape = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u([dD][89a-fA-F][0-9a-fA-F]{2})|(?s:\\.)`)

// readValue reads by tokens, since Decode takes a key that is given twice.
func readValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	tok, err := dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	switch tok {
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			tok, err := dec.Token()
			if err != nil {
				return nil, err
			}
			key, _ := tok.(string) // Token takes nothing else there
			if _, twice := o[key]; twice {
				return nil, fmt.Errorf("duplicate key %q: byte %d", key, dec.InputOffset())
			}
			if o[key], err = readValue(dec, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = dec.Token()
		return o, err
	case json.Delim('['):
		all := []any{}
		for dec.More() {
			v, err := readValue(dec, depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		_, err = dec.Token()
		return all, err
	}
	return tok, err
}

// The readers below give the zero value where a key is missing or of another
// kind; the rules ask kind where that matters.

func str(o object, key string) string { s, _ := o[key].(string); return s }

func obj(o object, key string) object { v, _ := o[key].(object); return v }

func list(o object, key string) []any { v, _ := o[key].([]any); return v }

func flag(o object, key string) bool { v, _ := o[key].(bool); return v }

// objects returns the members of a list that are objects; others are empty ones,
// so that positions stay true.
func objects(l []any) []object {
	out := make([]object, len(l))
	for i, v := range l {
		out[i], _ = v.(object)
	}
	return out
}

// whole returns a number that is a whole one.
func whole(v any) (int, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(n.String())
	return i, err == nil
}

// either returns the first of the keys that is there: the APIs that come from
// protocol buffers take both spellings of a name.
func either(o object, keys ...string) any {
	for _, k := range keys {
		if v, ok := o[k]; ok {
			return v
		}
	}
	return nil
}

// text is a value as compact JSON, with < and > as they are, as the APIs write it.
func text(v any) string {
	if v == nil {
		return ""
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// canonical rewrites JSON text in one form, so that formats which carry a call's
// input as a string compare with those that carry an object.
func canonical(s string) string {
	v, err := parseValue([]byte(s))
	if err != nil {
		return s
	}
	return text(v)
}
