package sqlite

import (
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// reader takes JSON apart from the front. bad sticks.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) skip(token string) bool {
	rest, ok := strings.CutPrefix(r.rest, token)
	r.rest = rest
	return ok
}

func (r *reader) object(member func(key string)) {
	if r.bad = r.bad || !r.skip("{"); !r.bad && !r.skip("}") {
		r.members(member)
	}
}

// members reads the rest of an object of at least one member.
func (r *reader) members(member func(key string)) {
	var seen [8]string
	for n := 0; !r.bad; n++ {
		key := r.text()
		r.bad = r.bad || n == len(seen) || !r.skip(":")
		for i := 0; i < n && !r.bad; i++ {
			r.bad = seen[i] == key
		}
		if r.bad {
			return
		}
		seen[n] = key
		if member(key); r.skip("}") {
			return
		}
		r.bad = r.bad || !r.skip(",")
	}
}

func (r *reader) array(element func()) {
	r.bad = r.bad || !r.skip("[")
	if r.bad || r.skip("]") {
		return
	}
	for !r.bad {
		if element(); r.skip("]") {
			return
		}
		r.bad = r.bad || !r.skip(",")
	}
}

// number reads a count.
func (r *reader) number() (n int) {
	i := 0
	for ; i < len(r.rest) && i < 10 && '0' <= r.rest[i] && r.rest[i] <= '9'; i++ {
		n = n*10 + int(r.rest[i]-'0')
	}
	r.bad = r.bad || i == 0 || i == 10 || i > 1 && r.rest[0] == '0'
	r.rest = r.rest[i:]
	return n
}

// raw reads an object as it is.
func (r *reader) raw() json.RawMessage {
	if !strings.HasPrefix(r.rest, "{") {
		r.bad = true
		return nil
	}
	depth, quoted := 0, false
	for i := 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && !quoted {
			out := json.RawMessage(r.rest[:i+1])
			r.bad = r.bad || !json.Valid(out)
			r.rest = r.rest[i+1:]
			return out
		}
	}
	r.bad = true
	return nil
}

// text reads a string. What has no escapes is not copied.
func (r *reader) text() string {
	if r.bad = r.bad || !r.skip(`"`); r.bad {
		return ""
	}
	end, escaped := r.quote()
	if end < 0 || !utf8.ValidString(r.rest[:end]) {
		r.bad = true
		return ""
	}
	s := r.rest[:end]
	r.rest = r.rest[end+1:]
	if escaped {
		return r.unescape(s)
	}
	return s
}

// quote finds the end of a string.
func (r *reader) quote() (end int, escaped bool) {
	for i := 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '"':
			return i, escaped
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return -1, false
		}
	}
	return -1, false
}

func (r *reader) unescape(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(s[:i])
		c := s[i+1] // quote saw to it that there is one
		s = s[i+2:]
		if c == 'u' {
			var u rune
			u, s = r.point(s)
			out.WriteRune(u)
			continue
		}
		at := strings.IndexByte(`"\/bfnrt`, c)
		if at < 0 {
			r.bad = true
			return ""
		}
		out.WriteByte("\"\\/\b\f\n\r\t"[at])
	}
}

// point reads the digits of \uXXXX, and those of a second half.
func (r *reader) point(s string) (rune, string) {
	u, s := r.hex(s)
	if !utf16.IsSurrogate(u) {
		return u, s
	}
	if second, ok := strings.CutPrefix(s, `\u`); ok {
		v, rest := r.hex(second)
		if both := utf16.DecodeRune(u, v); both != utf8.RuneError {
			return both, rest
		}
	}
	r.bad = true // half a character
	return 0, s
}

func (r *reader) hex(s string) (u rune, rest string) {
	if len(s) < 4 {
		r.bad = true
		return 0, ""
	}
	for i := range 4 {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			u = u<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			u = u<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			u = u<<4 | rune(c-'A'+10)
		default:
			r.bad = true
		}
	}
	return u, s[4:]
}
