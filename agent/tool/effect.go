package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab"
)

// FileChange is what a call did to a file.
type FileChange struct {
	Path            string // relative to the project folder, with forward slashes
	Existed, Exists bool
	Before, After   []byte
	Mode            fs.FileMode
	Left            string // why its content is not known; "" where it is
}

// CommandRun is a command that ran.
type CommandRun struct {
	Command string
	Dir     string // relative to the project folder; "" is the folder itself
	Exit    int    // -1 where it was stopped
	Output  string // what the model reads of it
}

// Effect is what a call did beyond its result.
type Effect struct {
	Files   []FileChange
	Command *CommandRun
	Note    string // what a person should know of the record itself; may be empty
	Spent   *Spent // what a model used that the call asked
}

// Spent is what a model used.
type Spent struct {
	Model string
	Usage trimtab.Usage
}

// Observer hears what a call does. What is nil is not told.
type Observer struct {
	Output func(chunk []byte) // what a command writes, as it writes it; it must not block
	Done   func(Effect)
}

type observerKey struct{}

// WithObserver returns a context whose call is observed.
func WithObserver(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

// ObserverOf is who observes a call; the zero Observer where nobody does.
func ObserverOf(ctx context.Context) Observer {
	o, _ := ctx.Value(observerKey{}).(Observer)
	return o
}

func (o Observer) done(e Effect) {
	if o.Done != nil {
		o.Done(e)
	}
}

// Write takes what a command writes.
func (o Observer) Write(p []byte) (int, error) {
	if o.Output != nil {
		o.Output(p)
	}
	return len(p), nil
}

// Snapshots tells what commands change in the files of a folder.
type Snapshots interface {
	Take(ctx context.Context) (snapshot string, err error)
	Changes(ctx context.Context, before, after string) ([]FileChange, error)
}

// Diff is how a file was changed, in the unified form, for eyes only.
func (c FileChange) Diff() string {
	switch {
	case c.Left != "":
		return fmt.Sprintf("--- %s\n+++ %s\n[%s]\n", display("a/"+c.Path), display("b/"+c.Path), c.Left)
	case kindOf(c.Before[:min(len(c.Before), sniffed)]) != "" || kindOf(c.After[:min(len(c.After), sniffed)]) != "":
		return fmt.Sprintf("--- %s\n+++ %s\n[%d bytes became %d; not text]\n", display("a/"+c.Path), display("b/"+c.Path), len(c.Before), len(c.After))
	}
	text := diff(c.Path, c.Before, c.After, !c.Existed)
	if !c.Exists {
		text = strings.Replace(text, "+++ b/"+display(c.Path), "+++ /dev/null", 1)
	}
	return text
}

// Restored is what came of putting files back.
type Restored struct {
	Done []string
	Left []string // paths with why: somebody else changed them, or they could not be written
}

// Restore puts files back to what they were before changes. One that is no longer as
// the change left it belongs to somebody else by now: it is left as it is, unless force
// says otherwise.
func (f *Folder) Restore(changes []FileChange, force bool) (r Restored) {
	for _, c := range changes {
		if why := f.restore(c, force); why != "" {
			r.Left = append(r.Left, display(c.Path)+": "+why)
		} else {
			r.Done = append(r.Done, c.Path)
		}
	}
	return r
}

func (f *Folder) restore(c FileChange, force bool) (why string) {
	name := filepath.FromSlash(c.Path)
	now, err := f.root.ReadFile(name)
	exists := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return inner(err).Error()
	case exists == c.Existed && string(now) == string(c.Before) && c.Left == "":
		return "" // it is so already
	case c.Left != "":
		return c.Left
	case !force && (exists != c.Exists || string(now) != string(c.After)):
		return "changed since by somebody else"
	case !c.Existed:
		err = f.root.Remove(name)
	default:
		err = f.overwrite(c)
	}
	if err != nil {
		return inner(err).Error()
	}
	return ""
}

// overwrite writes a file whole or not at all. It does not wait for the disk: what it
// writes is in the record too, and a thousand files should take no longer than a second.
func (f *Folder) overwrite(c FileChange) error {
	name := filepath.FromSlash(c.Path)
	mode := c.Mode.Perm()
	if mode == 0 {
		mode = 0o644
	}
	if dir := path.Dir(c.Path); dir != "." {
		if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return err
		}
	}
	temp := name + ".trimtab-restore"
	if err := f.root.WriteFile(temp, c.Before, mode); err != nil {
		return errors.Join(err, ignoreMissing(f.root.Remove(temp)))
	}
	if err := f.root.Rename(temp, name); err != nil {
		return errors.Join(err, ignoreMissing(f.root.Remove(temp)))
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// PlainOutput is what a person would see of a command's output: without colours and
// other sequences for terminals, and without what a line overwrote.
func PlainOutput(text string) string {
	if strings.ContainsAny(text, "\x1b\u009b") {
		text = ansi.Strip(text)
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !strings.ContainsAny(text, "\r\b") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, end := strings.CutSuffix(line, "\n")
		b.WriteString(overwritten(body))
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// overwritten is a line after its carriage returns and backspaces.
func overwritten(line string) string {
	line = strings.TrimRight(line, "\r")
	if at := strings.LastIndexByte(line, '\r'); at >= 0 { // progress bars write the whole line again
		line = line[at+1:]
	}
	if !strings.Contains(line, "\b") {
		return line
	}
	var out []rune
	for _, r := range line {
		switch {
		case r != '\b':
			out = append(out, r)
		case len(out) > 0:
			out = out[:len(out)-1]
		}
	}
	return string(out)
}
