package feed

import (
	"bytes"
	"errors"
	"io"
)

// errLong is a line that is longer than allowed. The next call of Next goes on
// behind it.
var errLong = errors.New("line too long")

const (
	chunk = 256 << 10 // the size of a read
	large = 4 * chunk // a buffer that grew beyond this is given back after use
)

// splitter splits a stream into lines. It never holds more than one, and passes over those that
// are too long without holding them.
type splitter struct {
	N int // the number of the line that Next returned last, from 1

	r    io.Reader
	max  int
	buf  []byte
	i, j int   // buf[i:j] is read from r and not yet returned
	err  error // how r ended
}

// newSplitter returns the lines of r. One that is longer than max bytes is passed
// over without being held.
func newSplitter(r io.Reader, max int) *splitter {
	return &splitter{r: r, max: max, buf: make([]byte, chunk)}
}

// Next returns the next line without its end. It is valid until the following
// call. The error is errLong for a line that was passed over, io.EOF at the end,
// and otherwise that of the reader.
func (l *splitter) Next() ([]byte, error) {
	for seen := 0; ; {
		if k := bytes.IndexByte(l.buf[l.i+seen:l.j], '\n'); k >= 0 {
			end := l.i + seen + k
			return l.cut(end, end+1)
		}
		seen = l.j - l.i
		switch {
		case l.err == io.EOF && seen > 0:
			return l.cut(l.j, l.j)
		case l.err != nil:
			return nil, l.err
		case seen > l.max:
			return nil, l.pass()
		}
		l.fill()
	}
}

// cut returns the line that ends at end and goes on at next.
func (l *splitter) cut(end, next int) ([]byte, error) {
	line := l.buf[l.i:end]
	l.i = next
	l.N++
	if len(line) > l.max {
		return nil, errLong
	}
	if l.N == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // a byte order mark
	}
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// pass drops the rest of a line that is too long to hold.
func (l *splitter) pass() error {
	l.N++
	for l.err == nil {
		l.i, l.j = 0, 0
		l.fill()
		if k := bytes.IndexByte(l.buf[:l.j], '\n'); k >= 0 {
			l.i = k + 1
			return errLong
		}
	}
	l.i = l.j
	return errLong
}

// fill reads more, freeing or growing the buffer first.
func (l *splitter) fill() {
	if held := l.buf[l.i:l.j]; l.i > 0 || len(held) == len(l.buf) {
		to := l.buf
		switch {
		case len(held) > len(l.buf)/2:
			to = make([]byte, 2*len(l.buf))
		case len(l.buf) > large && len(held) < chunk/2:
			to = make([]byte, chunk)
		}
		l.i, l.j, l.buf = 0, copy(to, held), to
	}
	for range 100 {
		n, err := l.r.Read(l.buf[l.j:])
		l.j += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}
