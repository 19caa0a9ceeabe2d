package tui

import (
	"io"
	"os"
	"runtime"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
)

// input is what the chat reads keys from: nil leaves it to the library.
func input(in io.Reader) io.Reader {
	f, ok := in.(*os.File)
	switch {
	case in == nil && runtime.GOOS != "windows" && isatty.IsTerminal(os.Stdin.Fd()): // there the console is no file
		f = os.Stdin
	case !ok:
		return in
	}
	return &wholeRunes{File: f}
}

// wholeRunes is a terminal whose reads end between characters. The library waits 50 ms for
// the rest of one that a read has cut, and drops it then: of a long paste on a busy machine
// or a slow line, letters were lost. It is a file still, for the library to poll.
type wholeRunes struct {
	*os.File
	held []byte // the beginning of a character
}

func (w *wholeRunes) Read(p []byte) (int, error) {
	if len(p) < utf8.UTFMax {
		return w.File.Read(p) // nobody does; nothing could be held back
	}
	n := copy(p, w.held)
	w.held = w.held[:0]
	m, err := w.File.Read(p[n:])
	n += m
	if err != nil {
		return n, err
	}
	cut := unfinished(p[:n])
	w.held = append(w.held, p[n-cut:n]...)
	return n - cut, nil
}

// unfinished is how many bytes at the end are the beginning of a character.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		b := p[len(p)-n]
		if b < utf8.RuneSelf {
			return 0
		}
		if utf8.RuneStart(b) {
			if utf8.FullRune(p[len(p)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
