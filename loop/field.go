package loop

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
)

// The input of a tool call is read without being decoded: calls are hashed on
// every message, and some of them carry a whole file.

const maxDepth = 64 // of nested JSON; deeper is hashed as it stands

// callKey is the identity of a call: its name and its input, whatever the order
// of the keys and the space between them. Top-level keys in but do not count,
// unless there are no others.
func callKey(name string, input []byte, but ...string) uint64 {
	h := xxhash.Sum64String(name)
	if len(but) == 0 || len(input) == 0 || input[0] != '{' {
		return mix(h ^ mix(valueHash(input)+1))
	}
	sum, n := uint64('{'), 0
	for key, value := range fields(input) {
		if !slices.Contains(but, string(key)) {
			sum += member(key, value)
			n++
		}
	}
	if n == 0 {
		sum = valueHash(input)
	}
	return mix(h ^ mix(mix(sum)+1))
}

func member(key, value []byte) uint64 { return mix(xxhash.Sum64(key)*3 + valueHash(value)) }

// valueHash hashes a JSON value. What is not JSON is hashed as bytes.
func valueHash(raw []byte) uint64 {
	h, rest, ok := hashValue(raw, 0)
	if !ok || len(space(rest)) > 0 {
		return xxhash.Sum64(raw)
	}
	return h
}

func hashValue(raw []byte, depth int) (h uint64, rest []byte, ok bool) {
	raw = space(raw)
	if len(raw) == 0 || depth > maxDepth {
		return 0, raw, false
	}
	switch raw[0] {
	case '{':
		return hashObject(raw[1:], depth)
	case '[':
		return hashList(raw[1:], depth)
	case '"':
		text, rest, ok := cutString(raw)
		return xxhash.Sum64(text), rest, ok
	}
	n := 0
	for n < len(raw) && !delimiter(raw[n]) {
		n++
	}
	return xxhash.Sum64(raw[:n]) + 1, raw[n:], n > 0
}

func hashObject(raw []byte, depth int) (uint64, []byte, bool) {
	sum := uint64('{')
	for first := true; ; first = false {
		raw = space(raw)
		if len(raw) > 0 && raw[0] == '}' {
			return mix(sum), raw[1:], true
		}
		if !first {
			if len(raw) == 0 || raw[0] != ',' {
				return 0, raw, false
			}
			raw = space(raw[1:])
		}
		key, rest, ok := cutString(raw)
		if rest = space(rest); !ok || len(rest) == 0 || rest[0] != ':' {
			return 0, raw, false
		}
		value, rest, ok := hashValue(rest[1:], depth+1)
		if !ok {
			return 0, raw, false
		}
		sum += mix(xxhash.Sum64(key[1:len(key)-1])*3 + value)
		raw = rest
	}
}

func hashList(raw []byte, depth int) (uint64, []byte, bool) {
	sum := uint64('[')
	for first := true; ; first = false {
		raw = space(raw)
		if len(raw) > 0 && raw[0] == ']' {
			return mix(sum), raw[1:], true
		}
		if !first {
			if len(raw) == 0 || raw[0] != ',' {
				return 0, raw, false
			}
			raw = raw[1:]
		}
		value, rest, ok := hashValue(raw, depth+1)
		if !ok {
			return 0, raw, false
		}
		sum = mix(sum*31 + value)
		raw = rest
	}
}

// fields yields the keys of a JSON object, without their quotes and as they are
// escaped, with their raw values. It ends where the text is no longer JSON.
func fields(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		raw = space(raw)
		if len(raw) == 0 || raw[0] != '{' {
			return
		}
		raw = space(raw[1:])
		for len(raw) > 0 && raw[0] == '"' {
			key, rest, ok := cutString(raw)
			if rest = space(rest); !ok || len(rest) == 0 || rest[0] != ':' {
				return
			}
			rest = space(rest[1:])
			_, after, ok := hashValue(rest, 1)
			if !ok || !yield(key[1:len(key)-1], rest[:len(rest)-len(after)]) {
				return
			}
			if raw = space(after); len(raw) == 0 || raw[0] != ',' {
				return
			}
			raw = space(raw[1:])
		}
	}
}

// text returns the string under the first of these keys that is one, at most n
// bytes of it.
func text(input []byte, n int, keys ...string) string {
	best, found := len(keys), ""
	for key, value := range fields(input) {
		i := slices.Index(keys, string(key))
		if i < 0 || i >= best || len(value) < 2 || value[0] != '"' {
			continue
		}
		if most := 6 * n; len(value) > most { // an escape takes six bytes at most
			value = cutEscaped(value, most)
		}
		var s string
		if json.Unmarshal(value, &s) == nil && s != "" {
			best, found = i, trimtab.Clip(s, n)
		}
	}
	return found
}

// cutEscaped shortens a JSON string to at most n bytes and a quote, and tears no
// escape apart.
func cutEscaped(raw []byte, n int) []byte {
	i := 1
	for i < n {
		step := 1
		if raw[i] == '\\' {
			if step = 2; i+1 < len(raw) && raw[i+1] == 'u' {
				step = 6
			}
		}
		if i+step > n {
			break
		}
		i += step
	}
	return append(slices.Clip(raw[:i]), '"')
}

func cutString(raw []byte) (text, rest []byte, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return nil, raw, false
	}
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return raw[:i+1], raw[i+1:], true
		}
	}
	return nil, raw, false
}

func space(raw []byte) []byte {
	for len(raw) > 0 && (raw[0] == ' ' || raw[0] == '\n' || raw[0] == '\t' || raw[0] == '\r') {
		raw = raw[1:]
	}
	return raw
}

func delimiter(c byte) bool {
	switch c {
	case ' ', '\n', '\t', '\r', ',', ':', ']', '}', '{', '[', '"':
		return true
	}
	return false
}

// mix spreads the bits of a number, so that sums of hashes do not cancel out.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
