package jsonscan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
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

// UnquoteHead is Unquote of no more than the first n bytes between the quotes, as
// written. An escape or a character that begins there and ends behind is left out.
func UnquoteHead(v []byte, n int) (text string, ok bool) {
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return "", false
	}
	if v = v[1 : len(v)-1]; len(v) > n {
		v = dropPartial(v[:n])
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
	dst, _ = appendText(dst, v, false)
	return dst
}

// The flaws that soundText finds in a string.
var (
	errEscape = errors.New("a bad escape")
	errUTF8   = errors.New("not valid UTF-8")
	errNUL    = errors.New("a NUL byte")
)

// soundText is AppendText for text that must be sound: a bad escape, a byte that is
// not UTF-8 and a NUL byte are errors.
func soundText(dst, v []byte) ([]byte, error) { return appendText(dst, v, true) }

// appendText takes a single character where decode does not go on.
func appendText(dst, v []byte, strict bool) ([]byte, error) {
	for len(v) > 0 {
		dst = slices.Grow(dst, len(v)+8)
		i, n := decode(dst[len(dst):cap(dst)], v)
		if dst, v = dst[:len(dst)+n], v[i:]; len(v) == 0 {
			break
		}
		r, size, err := character(v)
		if strict && err != nil {
			return dst, err
		}
		dst = utf8.AppendRune(dst, r)
		v = v[size:]
	}
	return dst, nil
}

// decode takes eight bytes at a time where they say what they are, and escapes of
// one letter. It returns how far it came, and how much it wrote. Out must be at least
// eight bytes longer than v.
func decode(out, v []byte) (i, n int) {
	for i+8 <= len(v) && n+8 <= len(out) {
		x := binary.LittleEndian.Uint64(v[i : i+8])
		binary.LittleEndian.PutUint64(out[n:n+8], x)
		special := marked(x)
		if special == 0 {
			i, n = i+8, n+8
			continue
		}
		k := bits.TrailingZeros64(special) >> 3
		i, n = i+k, n+k
		if i+1 >= len(v) || v[i] != '\\' {
			break
		}
		c := simple[v[i+1]]
		if c == 0 {
			break
		}
		out[n] = c
		i, n = i+2, n+1
	}
	return i, n
}

// sound reports whether soundText would return v as it is: it is ASCII without
// backslashes and NUL bytes.
func sound(v []byte) bool {
	if len(v) < 8 {
		for _, c := range v {
			if c == 0 || c == '\\' || c >= utf8.RuneSelf {
				return false
			}
		}
		return true
	}
	for i := 0; i+8 < len(v); i += 8 {
		if marked(binary.LittleEndian.Uint64(v[i:])) != 0 {
			return false
		}
	}
	return marked(binary.LittleEndian.Uint64(v[len(v)-8:])) == 0
}

// marked sets the top bit of the first byte that is a backslash, NUL or not
// ASCII, and perhaps of later ones.
func marked(x uint64) uint64 {
	slash := x ^ ('\\' * ones)
	return ((slash-ones)&^slash | (x-ones)&^x | x) & (0x80 * ones)
}

// character decodes the first character of v and says what is wrong with it.
func character(v []byte) (r rune, size int, err error) {
	switch c := v[0]; {
	case c == '\\':
		if r, size = unescape(v); size == 1 {
			err = errEscape
		}
		return r, size, err
	case c == 0:
		return 0, 1, errNUL
	case c < utf8.RuneSelf:
		return rune(c), 1, nil
	}
	if r, size = utf8.DecodeRune(v); size == 1 {
		err = errUTF8
	}
	return r, size, err
}

// simple is what an escape of one letter stands for, 0 for any other.
var simple = [256]byte{'n': '\n', '"': '"', '\\': '\\', '/': '/', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// unescape decodes the escape at the start of v and returns its length.
func unescape(v []byte) (rune, int) {
	if len(v) < 2 {
		return '\\', 1
	}
	if c := simple[v[1]]; c != 0 {
		return rune(c), 2
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
