package jsonscan

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

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
	text, err := unquoted(v)
	if err != nil || sound(text) {
		return string(text), err
	}
	out, err := soundText(nil, text)
	if err != nil {
		return "", describe(err, text)
	}
	return string(out), nil
}

// Time reads a time as JavaScript and most others write it; the zero time where it
// is none.
func Time(v []byte) time.Time {
	text, err := unquoted(v)
	if err != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}
	}
	return t
}

// unquoted returns what stands between the quotes of a string.
func unquoted(v []byte) ([]byte, error) {
	if Null(v) {
		return nil, nil
	}
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return nil, errors.New("not a string")
	}
	return v[1 : len(v)-1], nil
}

// describe says what is wrong with a string without repeating more of it than an
// escape.
func describe(err error, text []byte) error {
	switch {
	case errors.Is(err, errUTF8):
		return errors.New("it is not valid UTF-8")
	case errors.Is(err, errNUL):
		return errors.New("it holds NUL bytes")
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if _, err := soundText(nil, text[i:min(len(text), i+2)]); err != nil {
			if _, err := soundText(nil, text[i:min(len(text), i+6)]); err != nil {
				return fmt.Errorf("a string with the bad escape %.6q", text[i:])
			}
		}
		i++
	}
	return errors.New("a string with a bad escape")
}
