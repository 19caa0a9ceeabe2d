package subprocess

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Log is a file that holds what programs wrote, redacted. What is redacted is
// whole lines, since half a secret is not known for one; a key that spans lines is
// held back until it is whole.
type Log struct {
	file   *os.File
	redact func(string) string
	held   []byte
}

// maxHeld is how much is held back for the end of a line or of a key.
const maxHeld = 1 << 20

// Create makes a log of this name, readable by the person only. With no redactor
// there is no log: what is written here leaves the run.
func Create(name string, redact func(string) string) (*Log, error) {
	if redact == nil {
		return nil, errors.New("no redactor for the log")
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, fmt.Errorf("make the log: %w", err)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) // #nosec G304 -- the caller's folder
	if err != nil {
		return nil, fmt.Errorf("make the log: %w", err)
	}
	return &Log{file: file, redact: redact}, nil
}

// Name is the path of the file.
func (l *Log) Name() string { return l.file.Name() }

func (l *Log) Write(b []byte) (int, error) {
	l.held = append(l.held, b...)
	cut := bytes.LastIndexByte(l.held, '\n') + 1
	if begin := openKey(l.held); begin >= 0 {
		cut = min(cut, begin)
	}
	if cut == 0 && len(l.held) > maxHeld {
		cut = seam(l.held)
	}
	if cut > 0 {
		if err := l.put(l.held[:cut]); err != nil {
			return 0, err
		}
		l.held = append(l.held[:0], l.held[cut:]...)
	}
	return len(b), nil
}

// openKey is where a key begins that has not ended, -1 for none.
func openKey(b []byte) int {
	word := []byte("-----BEGIN ")
	if !bytes.Contains(b, word) { // much faster than to look from the end
		return -1
	}
	begin := bytes.LastIndex(b, word)
	_, behind, ended := bytes.Cut(b[begin:], []byte("-----END "))
	if ended && bytes.IndexByte(behind, '\n') >= 0 || len(b)-begin > maxHeld {
		return -1
	}
	return begin
}

// seam is where a line without end is cut: behind the last blank or quote of it,
// which no key has in the middle.
func seam(b []byte) int {
	if k := bytes.LastIndexAny(b, " \t\n\"',;"); k > len(b)/2 {
		return k + 1
	}
	return len(b)
}

func (l *Log) put(b []byte) error {
	if _, err := io.WriteString(l.file, l.redact(string(b))); err != nil {
		return fmt.Errorf("write the log: %w", err)
	}
	return nil
}

// Close writes what is held back and closes the file.
func (l *Log) Close() error {
	var err error
	if len(l.held) > 0 {
		err = l.put(append(l.held, '\n'))
		l.held = nil
	}
	return errors.Join(err, l.file.Close())
}
