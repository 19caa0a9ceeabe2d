package row

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
	end, escaped, wide := r.quote()
	if end < 0 || wide && !utf8.ValidString(r.rest[:end]) {
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

// quote finds the end of a string, and whether it has escapes and bytes beyond
// ASCII.
func (r *reader) quote() (end int, escaped, wide bool) {
	s := r.rest
	i, wide := calm(s) // most strings have few escapes, or many: looking for long runs again and again does not pay
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i, escaped, wide
		case c == '\\':
			escaped = true
			if i++; i < len(s) && s[i] >= utf8.RuneSelf {
				wide = true
			}
		case c < ' ':
			return -1, false, false
		case c >= utf8.RuneSelf:
			wide = true
		}
	}
	return -1, false, false
}

// calm counts the bytes at the front, eight at a time, that neither end a string
// nor begin an escape, and reports whether any of those is beyond ASCII.
func calm(s string) (n int, wide bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	var seen uint64
	for ; len(s)-n >= 8; n += 8 {
		b := s[n : n+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quote, slash := w^ones*'"', w^ones*'\\'
		// A byte of x is less than k, for k up to 128, where x-k borrows and x had
		// no high bit. One that only seems so makes us look closer, no more.
		if ((w-ones*' ')&^w|(quote-ones)&^quote|(slash-ones)&^slash)&highs != 0 {
			break
		}
		seen |= w
	}
	return n, seen&highs != 0
}

// escapes is what stands for each letter behind a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (r *reader) unescape(s string) string {
	out := make([]byte, 0, len(s)) // what stands for an escape is never longer
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++ // quote saw to it that there is one more
		if plain := escapes[s[i]]; plain != 0 {
			out = append(out, plain)
			continue
		}
		if s[i] != 'u' {
			r.bad = true
			return ""
		}
		u, rest := r.point(s[i+1:])
		if r.bad { // it may have taken a backslash for a digit
			return ""
		}
		out = utf8.AppendRune(out, u)
		i = len(s) - len(rest) - 1
	}
	return string(out)
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
