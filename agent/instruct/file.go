package instruct

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// File is a file that speaks to agents, as it was when it was read.
type File struct {
	Path string // of the file, absolute; its folder without symbolic links
	Name string // from the root of the repository, with slashes
	Text []byte // all that counts of it, as it is on the disk
	Cut  bool   // there is more, which does not count
}

// words are what the file says to a model. What the eye cannot see is written
// out: the person who trusted the file did not see it either.
func (f File) words() string {
	return strings.TrimSpace(termsafe.Text(strings.TrimPrefix(string(f.Text), "\uFEFF")))
}

// read reads the file once, and says why it cannot be used. A file that does not
// exist has no words.
func (f *File) read(root *os.Root, name string) (why string) {
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return plain(err)
	case !info.Mode().IsRegular():
		return "it is not a regular file"
	}
	return f.take(root, name)
}

// take reads what is there now: something else may have taken the file's place
// since it was looked at, even a pipe, on which nobody may wait.
func (f *File) take(root *os.Root, name string) (why string) {
	file, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return plain(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "it was replaced while it was read"
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return plain(err)
	}
	if f.Cut = len(raw) > maxFile; f.Cut {
		raw = whole(raw[:maxFile])
	}
	if !utf8.Valid(raw) {
		return "it is not UTF-8 text"
	}
	f.Text = raw
	return ""
}

// whole is the text without a character at its end that was cut through.
func whole(raw []byte) []byte {
	for back := 1; back <= min(utf8.UTFMax, len(raw)); back++ {
		if tail := raw[len(raw)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return raw[:len(raw)-back]
			}
			return raw
		}
	}
	return raw
}

// plain is an error without the path of this machine.
func plain(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return fmt.Sprint(err)
}
