package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// The limits of a file.
const (
	maxFile  = 1 << 20 // bytes
	maxDepth = 64      // objects and lists inside each other
)

// fault is why a text could not be read, and where.
type fault struct {
	offset int // -1 is nowhere in particular
	text   string
}

func (f *fault) Error() string { return f.text }

// parse reads JSON with comments and trailing commas.
func parse(data []byte) (hujson.Value, error) {
	if len(data) > maxFile {
		return hujson.Value{}, &fault{-1, fmt.Sprintf("it is larger than %d bytes", maxFile)}
	}
	if i := invalidUTF8(data); i >= 0 {
		return hujson.Value{}, &fault{i, "it is not UTF-8 text"}
	}
	// The parser calls itself for each level, so the depth is looked at first.
	if i := tooDeep(data); i >= 0 {
		return hujson.Value{}, &fault{i, fmt.Sprintf("objects and lists are nested deeper than %d", maxDepth)}
	}
	// A comment in the last line may end without a line break.
	v, err := hujson.Parse(append(slices.Clip(data), '\n'))
	if err != nil {
		return hujson.Value{}, syntax(data, err)
	}
	return v, nil
}

// Standardize returns JSON with comments and trailing commas as plain JSON, with
// spaces in their place: every value stands where it stood. Where it cannot, line
// is where that was found, from 1; 0 is nowhere in particular.
func Standardize(data []byte) (plain []byte, line int, err error) {
	v, err := parse(data)
	if err != nil {
		if f := (*fault)(nil); errors.As(err, &f) && f.offset >= 0 {
			line = linesOf(data).line(f.offset)
		}
		return nil, line, err
	}
	v.Standardize()
	return v.Pack(), 0, nil
}

// syntax finds the place in the words of the parser's error, which has it
// nowhere else.
func syntax(data []byte, err error) *fault {
	var line, column int
	words := err.Error()
	if _, e := fmt.Sscanf(words, "hujson: line %d, column %d:", &line, &column); e != nil {
		return &fault{-1, "it is not valid JSON: " + clean(words)}
	}
	offset := 0
	for ; line > 1; line-- {
		next := bytes.IndexByte(data[offset:], '\n')
		if next < 0 { // the line break that parse put there
			offset = len(data)
			break
		}
		offset += next + 1
	}
	_, words, _ = strings.Cut(words, ", ")
	_, words, _ = strings.Cut(words, ": ")
	return &fault{min(offset+column-1, len(data)), "it is not valid JSON: " + clean(words)}
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// tooDeep returns where the nesting passes maxDepth, or -1.
func tooDeep(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(data, i)
		}
	}
	return -1
}

// skipComment returns the last byte of the comment that begins at i, or i where
// none does.
func skipComment(data []byte, i int) int {
	rest := data[i:]
	var end, length int
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end, length = bytes.IndexByte(rest, '\n'), 1
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			end += 2
		}
		length = 2
	default:
		return i
	}
	if end < 0 {
		return len(data)
	}
	return i + end + length - 1
}

// lines finds the line and column of an offset.
type lines struct {
	data   []byte
	starts []int
}

func linesOf(data []byte) lines {
	l := lines{data: data, starts: []int{0}}
	for i, c := range data {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// line counts from 1.
func (l lines) line(offset int) int {
	i, found := slices.BinarySearch(l.starts, offset)
	if found {
		i++
	}
	return i
}

// column counts characters from 1, as editors do.
func (l lines) column(offset int) int {
	start := l.starts[l.line(offset)-1]
	return 1 + utf8.RuneCount(l.data[start:min(offset, len(l.data))])
}
