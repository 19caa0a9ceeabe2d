package jsonscan

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Members yields the members of an object, names decoded and values as written.
// It ends early at what is no object, or no JSON.
func Members(v []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		s := Scanner{B: v}
		i := s.Space(0)
		if i >= len(v) || v[i] != '{' {
			return
		}
		i, more := s.Open(i)
		for more {
			from, to, at := s.Name(i)
			if at < 0 {
				return
			}
			name := v[from:to]
			if bytes.IndexByte(name, '\\') >= 0 {
				name = AppendText(nil, name)
			}
			end := s.Skip(at, 1)
			if end < 0 || !yield(name, v[at:end]) {
				return
			}
			i, more = s.Next(end, '}')
		}
	}
}

// Elements yields the elements of an array as written. It ends early at what is
// no array, or no JSON.
func Elements(v []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		s := Scanner{B: v}
		i := s.Space(0)
		if i >= len(v) || v[i] != '[' {
			return
		}
		i, more := s.Open(i)
		for more {
			end := s.Skip(i, 1)
			if end < 0 || !yield(v[i:end]) {
				return
			}
			i, more = s.Next(end, ']')
		}
	}
}

// Find returns the value at a path of names in v, as written; nil where there is
// none. Of two members with one name the later counts.
func Find(v []byte, path ...string) []byte {
	for _, want := range path {
		var found []byte
		for name, value := range Members(v) {
			if string(name) == want {
				found = value
			}
		}
		if v = found; v == nil {
			return nil
		}
	}
	return v
}

// Three returns the values of three members of v, as Find does, in one pass.
func Three(v []byte, a, b, c string) (x, y, z []byte) {
	for name, value := range Members(v) {
		switch string(name) {
		case a:
			x = value
		case b:
			y = value
		case c:
			z = value
		}
	}
	return x, y, z
}

// Word decodes what stands between the quotes of a name or a short literal.
func Word(v []byte) string {
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v)
	}
	return string(AppendText(nil, v))
}

// Valid reports whether v is one value and nothing else.
func Valid(v []byte) bool {
	s := Scanner{B: v}
	end := s.Skip(s.Space(0), 0)
	return end >= 0 && s.Space(end) == len(v)
}

// Null reports whether v is absent or null.
func Null(v []byte) bool { return len(v) == 0 || string(v) == "null" }

// CommonPrefix is how many bytes a and b begin with alike.
func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for step := 32 << 10; step >= 32; step >>= 5 {
		for i+step <= n && bytes.Equal(a[i:i+step], b[i:i+step]) {
			i += step
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// Strict reports whether v is one value whose strings are sound too: no raw
// control characters and no bad escapes. Such a value can be put into other JSON.
func Strict(v []byte) bool {
	if !Valid(v) {
		return false
	}
	if plain(v) {
		return true
	}
	inside := false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '"':
			inside = !inside
		case !inside:
		case c < ' ':
			return false
		case c == '\\':
			_, n := unescape(v[i:])
			if n == 1 {
				return false
			}
			i++ // what is escaped; hex digits need no more care
		}
	}
	return true
}

// plain reports whether v holds no backslash and nothing below a space, as most
// short values do: then its strings are sound.
func plain(v []byte) bool {
	i := 0
	for ; i+8 <= len(v); i += 8 {
		x := binary.LittleEndian.Uint64(v[i:])
		slash := x ^ ('\\' * ones)
		if ((slash-ones)&^slash|(x-' '*ones)&^x)&(0x80*ones) != 0 {
			return false
		}
	}
	for ; i < len(v); i++ {
		if v[i] < ' ' || v[i] == '\\' {
			return false
		}
	}
	return true
}
