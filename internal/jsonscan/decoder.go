package jsonscan

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

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
	text, err := unquoted(v)
	if err != nil || text == nil {
		return "", err
	}
	cut := len(text) > n
	if cut {
		text = dropPartial(text[:n])
	}
	if sound(text) {
		return d.keep(text), nil
	}
	d.buf, err = soundText(d.buf[:0], text)
	s := ""
	if err == nil {
		s = d.keep(d.buf)
	} else {
		err = describe(err, text)
	}
	if cap(d.buf) > maxBuffer {
		d.buf = nil
	}
	return s, err
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

// dropPartial takes from the end of a text that was cut off what is part of a longer
// escape or character.
func dropPartial(v []byte) []byte {
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

// Raw copies a value that is passed on as it is, and so must be valid. Absent and
// null are nil.
func (d *Decoder) Raw(v []byte) ([]byte, error) {
	if Null(v) {
		return nil, nil
	}
	if !Strict(v) {
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
func Raw(v []byte) ([]byte, error) {
	d := Decoder{raws: make([]byte, 0, len(v))}
	return d.Raw(v)
}
