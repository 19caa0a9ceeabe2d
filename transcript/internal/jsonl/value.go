package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Null reports whether v is absent or null.
func Null(v []byte) bool { return len(v) == 0 || string(v) == "null" }

// Is reports whether v is the string s, which must need no escapes.
func Is(v []byte, s string) bool {
	return len(v) == len(s)+2 && v[0] == '"' && string(v[1:len(v)-1]) == s
}

// Bool reads true or false; absent and null are false.
func Bool(v []byte) (bool, error) {
	switch {
	case Null(v), string(v) == "false":
		return false, nil
	case string(v) == "true":
		return true, nil
	}
	return false, errors.New("not true or false")
}

// Int reads a whole number; absent and null are 0.
func Int(v []byte) (int, error) {
	if Null(v) {
		return 0, nil
	}
	n, err := strconv.Atoi(string(v))
	if err != nil {
		return 0, errors.New("not a whole number")
	}
	return n, nil
}

// String reads a string; absent and null are "".
func String(v []byte) (string, error) {
	if Null(v) {
		return "", nil
	}
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return "", errors.New("not a string")
	}
	v = v[1 : len(v)-1]
	k := bytes.IndexByte(v, '\\')
	if k < 0 {
		return string(v), nil
	}
	var out strings.Builder
	out.Grow(len(v))
	for ; k >= 0; k = bytes.IndexByte(v, '\\') {
		out.Write(v[:k])
		r, n := unescape(v[k:])
		if n == 0 {
			return "", fmt.Errorf("a string with the bad escape %.6q", v[k:])
		}
		out.WriteRune(r)
		v = v[k+n:]
	}
	out.Write(v)
	return out.String(), nil
}

// unescape reads the escape at the start of v and returns its length, 0 if it is
// none. Half a surrogate pair is the replacement character, as in encoding/json.
func unescape(v []byte) (rune, int) {
	if len(v) < 2 {
		return 0, 0
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
	case 'u':
	default:
		return 0, 0
	}
	r, ok := hex4(v)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := hex4(v[6:]); ok {
		if r := utf16.DecodeRune(r, low); r != utf8.RuneError {
			return r, 12
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
	for _, b := range v[2:6] {
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}
