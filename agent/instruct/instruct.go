// Package instruct reads what a project has to say to agents: its AGENTS.md files,
// from the root of the repository down to the folder of the session.
//
// They are somebody's words that end up in the system prompt, so they are read
// only where the person trusts the project, never from above the repository, never
// through a link that leads out of it, and only up to a size. What is left out is
// named with the reason. The package decides nothing about trust and keeps nothing.
//
//	found, err := instruct.Read(dir, trusted)
//	if err != nil {
//		return err
//	}
//	system += found.Text
//	for _, left := range found.Left {
//		fmt.Fprintln(os.Stderr, left)
//	}
package instruct

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/safe"
)

// Name is the file that is looked for.
const Name = "AGENTS.md"

// The limits of what is read.
const (
	maxFile    = 32 << 10
	maxAll     = 64 << 10
	maxFolders = 64
)

// Found is what a project says.
type Found struct {
	Text  string   // for the system prompt; "" if there is nothing
	Files []string // that are in it, from the root of the repository on
	Left  []Left
}

// Left is a file that was left out, or a part of one.
type Left struct {
	File string
	Why  string
}

func (l Left) String() string { return l.File + ": " + l.Why }

// Read reads the instructions that hold in a folder. The nearest file comes last,
// so that it has the last word.
func Read(dir string, trusted bool) (Found, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return Found{}, fmt.Errorf("read %s: %w", Name, err)
	}
	top := repository(abs)
	root, err := os.OpenRoot(top)
	if err != nil {
		return Found{}, fmt.Errorf("read %s: %w", Name, err)
	}
	defer root.Close()
	var found Found
	room := maxAll
	for _, name := range names(top, abs) { // the nearest first: it matters most
		text, why := read(root, name, trusted)
		shown := filepath.ToSlash(name)
		if text != "" && len(text) > room {
			text, why = "", fmt.Sprintf("left out: with the nearer ones it is over %d KiB", maxAll>>10)
		}
		if why != "" {
			found.Left = append(found.Left, Left{shown, why})
		}
		if text == "" {
			continue
		}
		room -= len(text)
		found.Files = append(found.Files, shown)
		found.Text = fmt.Sprintf("\n# From the project's %s\n\n%s\n", safe.Line(shown), text) + found.Text
	}
	slices.Reverse(found.Files)
	slices.Reverse(found.Left)
	return found, nil
}

// repository is the folder, from dir upward, that holds the repository; dir itself
// where there is none.
func repository(dir string) string {
	here := dir
	for range maxFolders {
		if _, err := os.Lstat(filepath.Join(here, ".git")); err == nil {
			return here
		}
		up := filepath.Dir(here)
		if up == here {
			break
		}
		here = up
	}
	return dir
}

// names are where a file may be, from the folder up.
func names(top, dir string) []string {
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		rel = "."
	}
	var out []string
	for here := rel; ; here = filepath.Dir(here) {
		out = append(out, filepath.Join(here, Name))
		if here == "." || len(out) == maxFolders {
			break
		}
	}
	return out
}

// read returns what a file says, and what is wrong with it.
func read(root *os.Root, name string, trusted bool) (text, why string) {
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", ""
	case err != nil:
		return "", "left out: " + plain(err)
	case !info.Mode().IsRegular():
		return "", "left out: it is no plain file"
	case !trusted:
		return "", "left out: the project is not trusted; look at it, then: trimtab trust"
	}
	file, err := root.Open(name)
	if err != nil {
		return "", "left out: " + plain(err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", "left out: " + plain(err)
	case len(raw) > maxFile:
		raw = raw[:maxFile]
		for len(raw) > 0 && !utf8.RuneStart(raw[len(raw)-1]) {
			raw = raw[:len(raw)-1]
		}
		raw = raw[:len(raw)-1]
		why = fmt.Sprintf("cut: only its first %d KiB are read", maxFile>>10)
	}
	if !utf8.Valid(raw) {
		return "", "left out: it is not UTF-8 text"
	}
	// What the eye cannot see is written out: the person who trusted the file did
	// not see it either.
	return strings.TrimSpace(safe.Text(strings.TrimPrefix(string(raw), "\uFEFF"))), why
}

// plain is an error without the path of this machine.
func plain(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
