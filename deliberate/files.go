package deliberate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/atomicfile"
)

// CheckFolder refuses a folder with the result of another debate.
func CheckFolder(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, "result.md")); err == nil {
		return fmt.Errorf("%s holds the result of another debate", dir)
	}
	return nil
}

// WriteFiles writes result.md, transcript.md and session.json into a folder, each whole
// or not at all. journal is that of the debate's session, and session writes it.
func (d *Debate) WriteFiles(dir string, journal []trimtab.Entry, session func(io.Writer) error) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("the result: %w", err)
	}
	write := func(name string, text []byte, err error) error {
		if err == nil {
			err = atomicfile.Write(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("the result: %w", err)
		}
		return nil
	}
	var doc bytes.Buffer
	failed := session(&doc) // the others are written all the same: there is always something to use
	return errors.Join(
		write("result.md", []byte(d.Result().Markdown()), nil),
		write("transcript.md", []byte(d.Transcript(journal)), nil),
		write("session.json", doc.Bytes(), failed))
}
