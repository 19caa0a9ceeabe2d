package jsonscan

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// plainEnd is what stringEnd should find, byte by byte.
func plainEnd(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

func checkEnds(t *testing.T, b []byte) {
	t.Helper()
	if got, want := stringEnd(b, 1), plainEnd(b, 1); got != want {
		t.Fatalf("%q ends at %d, want %d", b, got, want)
	}
}

// TestStringsEndAsBytesDo puts runs of backslashes and a quote at every distance:
// some are found near, eight bytes at a time, and some far.
func TestStringsEndAsBytesDo(t *testing.T) {
	for size := range 3*64 + 2 {
		for run := range min(size, 67) {
			b := bytes.Repeat([]byte{'x'}, 1+size+70)
			b[0] = '"'
			for i := size - run; i < size; i++ {
				b[1+i] = '\\'
			}
			b[1+size] = '"'
			checkEnds(t, b)
			checkEnds(t, b[:1+size])
			checkEnds(t, b[:2+size])
			b[len(b)-1] = '"'
			checkEnds(t, b)
		}
	}
}

func TestDenseEscapesEndAsBytesDo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		b := make([]byte, 1+r.IntN(300))
		few := 1 + r.IntN(40)
		for i := range b {
			switch r.IntN(few + 2) {
			case 0:
				b[i] = '\\'
			case 1:
				b[i] = "\"\\"[min(1, r.IntN(8))]
			default:
				b[i] = byte(r.IntN(256))
			}
		}
		b[0] = '"'
		checkEnds(t, b)
		checkText(t, b[1:])
	}
}

// plainBracketEnd is what bracketEnd should find, byte by byte.
func plainBracketEnd(b []byte, i int) int {
	depth, inside := 0, false
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

func checkBrackets(t *testing.T, b []byte) {
	t.Helper()
	for i, c := range b[:min(len(b), 70)] {
		if c != '{' && c != '[' {
			continue
		}
		if got, want := bracketEnd(b, i), plainBracketEnd(b, i); got != want {
			t.Fatalf("%q: what opens at %d ends at %d, want %d", b, i, got, want)
		}
	}
}

func TestBracketsEndAsBytesDo(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		b := make([]byte, 1+r.IntN(300))
		few := 1 + r.IntN(60)
		for i := range b {
			b[i] = "{}[]{}\"\\\"x"[r.IntN(10)]
			if r.IntN(few) > 2 {
				b[i] = byte(r.IntN(256))
			}
		}
		b[0] = '{'
		checkBrackets(t, b)
	}
}

// checkText holds decoding eight bytes at a time against decoding character by
// character.
func checkText(t *testing.T, v []byte) {
	t.Helper()
	for _, strict := range []bool{false, true} {
		var want []byte
		var wrong error
		for rest := v; len(rest) > 0; {
			r, size, err := character(rest)
			if strict && err != nil {
				wrong = err
				break
			}
			want, rest = utf8.AppendRune(want, r), rest[size:]
		}
		got, err := appendText(nil, v, strict)
		if !bytes.Equal(got, want) || !errors.Is(err, wrong) {
			t.Fatalf("%q became %q, %v, want %q, %v", v, got, err, want, wrong)
		}
	}
}

// TestTextsOfEveryLengthAreDecoded puts an escape, and what cannot be copied as it
// is, at every place.
func TestTextsOfEveryLengthAreDecoded(t *testing.T) {
	for size := range 100 {
		for at := range size {
			for _, put := range []string{`\n`, `\\`, `\u00e9`, `\x`, `\`, "é", "\xff", "\x00", `\"\"`} {
				v := bytes.Repeat([]byte{'x'}, size)
				copy(v[at:], put)
				checkText(t, v)
			}
		}
	}
}

// FuzzEnds holds the ways to the end of a string, to the end of an object and
// through a text against a walk byte by byte, from every distance.
func FuzzEnds(f *testing.F) {
	f.Add([]byte(`abc`), 3)
	f.Add([]byte(`"{\"}]",[{}],"]"]}`), 2)
	f.Add([]byte(`a\"b\\\"c\\"d`), 60)
	f.Add(bytes.Repeat([]byte(`\`), 64), 64)
	f.Add(append(bytes.Repeat([]byte(`\`), 129), '"', '"'), 0)
	f.Fuzz(func(t *testing.T, text []byte, before int) {
		if before < 0 || before > 128 {
			return
		}
		checkEnds(t, append(append([]byte{'"'}, bytes.Repeat([]byte{'x'}, before)...), text...))
		checkEnds(t, append([]byte{'"'}, text...))
		checkText(t, append(bytes.Repeat([]byte{'x'}, before), text...))
		checkBrackets(t, append(append([]byte{'{'}, bytes.Repeat([]byte{'['}, before)...), text...))
	})
}
