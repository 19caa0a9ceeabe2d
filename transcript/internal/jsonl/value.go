package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/scan"
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
	text, err := between(v)
	if err != nil || scan.Sound(text) {
		return string(text), err
	}
	out, err := scan.Text(nil, text)
	if err != nil {
		return "", flaw(err, text)
	}
	return string(out), nil
}

// Decoder reads values that are kept. The short ones of them share a piece of
// memory, so that a line does not cost an allocation for each of its ids; a piece
// is small, since one string that is kept keeps the piece. The zero value is ready.
type Decoder struct {
	buf   []byte
	last  map[string]string
	texts strings.Builder // the piece that short strings are put into
	raws  []byte          // the piece for values
}

const (
	maxBuffer  = 1 << 20 // a larger buffer is given back after use
	maxKnown   = 1024    // words that Word remembers
	maxWordLen = 128
	piece      = 4 << 10
	maxShared  = piece / 4 // a longer value has memory of its own
)

// keep copies a text that is read to memory that stays.
func (d *Decoder) keep(text []byte) string {
	if len(text) == 0 || len(text) > maxShared {
		return string(text)
	}
	if d.texts.Cap()-d.texts.Len() < len(text) {
		d.texts.Reset()
		d.texts.Grow(piece)
	}
	from := d.texts.Len()
	d.texts.Write(text)
	return d.texts.String()[from:]
}

// String reads a string; absent and null are "".
func (d *Decoder) String(v []byte) (string, error) { return d.Clip(v, len(v)) }

// Clip reads no more of a string than its first n bytes, and a character begun
// there. What stands behind them is not looked at.
func (d *Decoder) Clip(v []byte, n int) (string, error) {
	text, err := between(v)
	if err != nil || text == nil {
		return "", err
	}
	cut := len(text) > n
	if cut {
		text = whole(text[:n])
	}
	if scan.Sound(text) {
		return d.keep(text), nil
	}
	d.buf, err = scan.Text(d.buf[:0], text)
	s := ""
	if err == nil {
		s = d.keep(d.buf)
	} else {
		err = flaw(err, text)
	}
	if cap(d.buf) > maxBuffer {
		d.buf = nil
	}
	return s, err
}

// Time reads a time as JavaScript and most others write it; the zero time where it
// is none.
func Time(v []byte) time.Time {
	text, err := between(v)
	if err != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}
	}
	return t
}

// Word reads a string that is likely to come again, such as a name: the same
// word is allocated once.
func (d *Decoder) Word(v []byte) (string, error) {
	if Null(v) {
		return "", nil
	}
	if s, ok := d.last[string(v)]; ok {
		return s, nil
	}
	s, err := d.String(v)
	if err != nil || len(v) > maxWordLen {
		return s, err
	}
	if d.last == nil || len(d.last) >= maxKnown {
		d.last = map[string]string{}
	}
	d.last[string(v)] = s
	return s, nil
}

// between returns what stands between the quotes of a string.
func between(v []byte) ([]byte, error) {
	if Null(v) {
		return nil, nil
	}
	if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
		return nil, errors.New("not a string")
	}
	return v[1 : len(v)-1], nil
}

// whole takes from the end of a text that was cut off what is part of a longer
// escape or character.
func whole(v []byte) []byte {
	for i := max(0, len(v)-12); i < len(v); i++ {
		if v[i] != '\\' {
			continue
		}
		k := i
		for k > 0 && v[k-1] == '\\' {
			k--
		}
		if (i-k)%2 == 1 {
			continue // it is what the one before it escapes
		}
		need := 2
		if i+1 < len(v) && v[i+1] == 'u' {
			need = 6
		}
		if i+need > len(v) {
			v = v[:i]
			break
		}
		i += need - 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(v); n++ {
		if c := v[len(v)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(v[len(v)-n:]) {
				v = v[:len(v)-n]
			}
			break
		}
	}
	return v
}

// flaw says what is wrong with a string without repeating more of it than an
// escape.
func flaw(err error, text []byte) error {
	switch {
	case errors.Is(err, scan.ErrUTF8):
		return errors.New("it is not valid UTF-8")
	case errors.Is(err, scan.ErrNUL):
		return errors.New("it holds NUL bytes")
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if _, err := scan.Text(nil, text[i:min(len(text), i+2)]); err != nil {
			if _, err := scan.Text(nil, text[i:min(len(text), i+6)]); err != nil {
				return fmt.Errorf("a string with the bad escape %.6q", text[i:])
			}
		}
		i++
	}
	return errors.New("a string with a bad escape")
}

// Raw copies a value that is passed on as it is, and so must be valid. Absent and
// null are nil.
func (d *Decoder) Raw(v []byte) (json.RawMessage, error) {
	if Null(v) {
		return nil, nil
	}
	if !scan.Strict(v) {
		return nil, errors.New("not valid JSON")
	}
	if !utf8.Valid(v) {
		return nil, errors.New("it is not valid UTF-8")
	}
	if len(v) > maxShared {
		return slices.Clone(v), nil
	}
	if cap(d.raws)-len(d.raws) < len(v) {
		d.raws = make([]byte, 0, piece)
	}
	from := len(d.raws)
	d.raws = append(d.raws, v...)
	return d.raws[from:len(d.raws):len(d.raws)], nil
}

// Raw is Decoder.Raw for a value that stands alone.
func Raw(v []byte) (json.RawMessage, error) {
	d := Decoder{raws: make([]byte, 0, len(v))}
	return d.Raw(v)
}
