package feed

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestLinesAreTheSameHoweverTheyArrive(t *testing.T) {
	long := strings.Repeat("y", 3*chunk)
	in := "one\r\n\n" + long + "\nlast"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)),
		"halves": iotest.HalfReader(strings.NewReader(in)), "end with data": iotest.DataErrReader(strings.NewReader(in)),
	} {
		if diff := cmp.Diff([]string{"one", "", long, "last"}, lines(t, newSplitter(r, 4*chunk))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		r = strings.NewReader(in)
		if diff := cmp.Diff([]string{"one", "", errLong.Error(), "last"}, lines(t, newSplitter(r, 100))); diff != "" {
			t.Errorf("%s, with a limit (-want +got):\n%s", name, diff)
		}
	}
}

func lines(t *testing.T, l *splitter) (out []string) {
	t.Helper()
	for {
		line, err := l.Next()
		switch {
		case err == io.EOF:
			return out
		case errors.Is(err, errLong):
			out = append(out, err.Error())
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, string(line))
		}
		if l.N != len(out) {
			t.Fatalf("number %d, line %d", l.N, len(out))
		}
	}
}

func TestALongLastLineIsLong(t *testing.T) {
	for _, size := range []int{101, chunk, chunk + 1, 3 * chunk} {
		if got := lines(t, newSplitter(strings.NewReader("a\n"+strings.Repeat("x", size)), 100)); len(got) != 2 || got[1] != errLong.Error() {
			t.Errorf("%d bytes: %.40q", size, got)
		}
	}
}

func TestALargeBufferIsGivenBack(t *testing.T) {
	l := newSplitter(strings.NewReader(strings.Repeat("x", 2*large)+"\n"+strings.Repeat("short\n", chunk)), 4*large)
	if got := len(lines(t, l)); got != chunk+1 || len(l.buf) != chunk {
		t.Errorf("%d lines, buffer of %d bytes", got, len(l.buf))
	}
}

// stuck never reads anything.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestAReaderThatGivesNothingEnds(t *testing.T) {
	if _, err := newSplitter(stuck{}, 100).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\r\n\nccc"), 2)
	f.Fuzz(func(t *testing.T, data []byte, max int) {
		if max < 1 {
			return
		}
		l := newSplitter(iotest.HalfReader(bytes.NewReader(data)), max)
		for _, want := range bytes.Split(data, []byte("\n")) {
			if l.N == bytes.Count(data, []byte("\n")) && len(want) == 0 {
				break // nothing behind the last newline
			}
			got, err := l.Next()
			if (len(want) > max) != errors.Is(err, errLong) {
				t.Fatalf("%q: %v", want, err)
			}
			if l.N == 1 {
				want = bytes.TrimPrefix(want, []byte("\xef\xbb\xbf"))
			}
			if err == nil && string(got) != string(bytes.TrimSuffix(want, []byte("\r"))) {
				t.Fatalf("%q, want %q", got, want)
			}
		}
		if _, err := l.Next(); err != io.EOF {
			t.Fatalf("no end: %v", err)
		}
	})
}
