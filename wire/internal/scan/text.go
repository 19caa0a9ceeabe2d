package scan

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes a string literal as encoding/json does: half a surrogate pair
// and each byte that is not UTF-8 become U+FFFD. ok is false where v is no string.
func Unquote(v []byte) (text string, ok bool) {
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return "", false
	}
	v = v[1 : len(v)-1]
	if bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v) {
		return string(v), true
	}
	return string(AppendText(nil, v)), true
}

// Plain returns what stands between the quotes of a literal without decoding it,
// for comparing it with words that need no escapes.
func Plain(v []byte) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	return string(v[1 : len(v)-1])
}

// AppendText appends what stands between the quotes of a literal, decoded. A
// bad escape stays as it is.
func AppendText(dst, v []byte) []byte {
	for len(v) > 0 {
		k := plain(v)
		dst = append(dst, v[:k]...)
		if v = v[k:]; len(v) == 0 {
			break
		}
		if v[0] != '\\' {
			r, n := utf8.DecodeRune(v)
			dst = utf8.AppendRune(dst, r)
			v = v[n:]
			continue
		}
		r, n := unescape(v)
		dst = utf8.AppendRune(dst, r)
		v = v[n:]
	}
	return dst
}

// plain is how much of v is ASCII without a backslash.
func plain(v []byte) int {
	for i, c := range v {
		if c == '\\' || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(v)
}

// unescape decodes the escape at the start of v and returns its length.
func unescape(v []byte) (rune, int) {
	if len(v) < 2 {
		return '\\', 1
	}
	switch v[1] {
	case '"', '\\', '/':
		return rune(v[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r, ok := hex4(v)
	if !ok {
		return '\\', 1
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := hex4(v[6:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// hex4 reads \uXXXX at the start of v.
func hex4(v []byte) (rune, bool) {
	if len(v) < 6 || v[0] != '\\' || v[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range v[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

const hexDigits = "0123456789abcdef"

// AppendQuote appends text as a string literal. Control characters and the line
// ends U+2028 and U+2029 are escaped; what is not UTF-8 becomes U+FFFD.
func AppendQuote(dst []byte, text string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		n := 1
		var r rune
		if c >= utf8.RuneSelf {
			if r, n = utf8.DecodeRuneInString(text[i:]); n > 1 && r != '\u2028' && r != '\u2029' {
				i += n
				continue
			}
		}
		dst = append(dst, text[from:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case n > 1:
			dst = append(dst, '\\', 'u', '2', '0', '2', hexDigits[r&15])
		default:
			dst = append(dst, "\ufffd"...)
		}
		i += n
		from = i
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}
