package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// Options are what a Recorder works with. Folder, Redact and Item are needed.
type Options struct {
	Folder  string                                                     // of papers: one for each item
	Redact  func(string) string                                        // of all that is written
	Item    func(ctx context.Context, id string) (improve.Item, error) // of the queue
	Project func(project string) (improve.ProjectSettings, error)      // nil is none with files of its own
	Failed  func(error)                                                // told what could not be written; may be nil
	Now     func() time.Time                                           // time.Now where it is nil
}

// Recorder writes the files. It may be used by several goroutines.
type Recorder struct {
	opt Options
	mu  sync.Mutex // one line at a time
}

// New returns a recorder.
func New(opt Options) *Recorder {
	if opt.Project == nil {
		opt.Project = func(string) (improve.ProjectSettings, error) { return improve.ProjectSettings{}, nil }
	}
	if opt.Failed == nil {
		opt.Failed = func(error) {}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Recorder{opt: opt}
}

// The levels of a line.
const (
	info    = "INFO"
	warning = "WARNING"
	failure = "ERROR"
)

// Event notes what a worker tells.
func (r *Recorder) Event(ctx context.Context, e improve.Event) {
	it, err := r.opt.Item(context.WithoutCancel(ctx), e.Item)
	if err != nil {
		r.failed(e.Item, err)
		it = improve.Item{ID: e.Item}
	}
	if e.Number == 0 && it.Project != "" && string(it.State) == e.State {
		r.files(it)
	}
	level, text := line(e)
	r.log(it, e.At, level, text)
}

// Changed notes that a person, or reflection, has given an item its state.
func (r *Recorder) Changed(it improve.Item) {
	r.files(it)
	text := "Workflow is " + strings.ReplaceAll(string(it.State), "_", " ") + ": " + it.Request.Title
	if it.Why != "" {
		text += " (" + it.Why + ")"
	}
	r.log(it, r.opt.Now(), info, text)
}

// line is an event as a line of the log.
func line(e improve.Event) (level, text string) {
	step := fmt.Sprintf("step %d (%s)", e.Number, e.Step)
	if e.Number > 0 {
		switch e.State {
		case "began":
			return info, "Begin " + step
		case "done":
			return info, "Completed " + step
		case "failed":
			return failure, fmt.Sprintf("Workflow failed at step %d: %s", e.Number, e.Text)
		}
		return info, step + ": " + e.Text
	}
	switch improve.State(e.State) {
	case improve.Done:
		return info, "Workflow completed successfully"
	case improve.Failed:
		return failure, "Workflow failed: " + e.Text
	case improve.Manual:
		return warning, "Workflow waits for a person: " + e.Text
	case improve.Cancelled, improve.Queued:
		return warning, "Workflow is " + e.State + ": " + e.Text
	case improve.Awaiting, improve.Running, improve.Rejected:
	}
	return info, "Workflow is " + e.State + ": " + e.Text
}

// The limits of a log, in bytes: of a line, and of the file, to which no more is added.
const (
	maxLine = 4 << 10
	maxLog  = 4 << 20
)

// logName is the name of the log in the folder of an item.
const logName = "workflow.log"

// Line is one line of a workflow.log: [time] LEVEL: message.
func Line(at time.Time, level, text string) string {
	text = trimtab.Clip(strings.Join(strings.Fields(text), " "), maxLine)
	return fmt.Sprintf("[%s] %s: %s\n", at.UTC().Format("2006-01-02T15:04:05.000000Z07:00"), level, text)
}

// log adds a line to the item's log, here and in its project.
func (r *Recorder) log(it improve.Item, at time.Time, level, text string) {
	if trimtab.CheckID(it.ID) != nil || !filepath.IsLocal(it.ID) {
		return
	}
	out := Line(at, level, r.opt.Redact(text))
	r.mu.Lock()
	defer r.mu.Unlock()
	root, err := openRoot(r.opt.Folder, 0o700)
	if err == nil {
		err = errors.Join(add(root, it.ID, out), root.Close())
	}
	if err != nil {
		r.failed(it.ID, err)
	}
	if err := r.inProject(it, func(root *os.Root) error {
		return add(root, filepath.Join(filepath.FromSlash(improve.LogFolder), it.ID), out)
	}); err != nil {
		r.failed(it.ID, err)
	}
}

func openRoot(folder string, mode fs.FileMode) (*os.Root, error) {
	if err := os.MkdirAll(folder, mode); err != nil {
		return nil, err
	}
	return os.OpenRoot(folder)
}

// add adds a line to the log of a folder.
func add(root *os.Root, folder, text string) error {
	if err := root.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	name := filepath.Join(folder, logName)
	if info, err := root.Lstat(name); err == nil && (!info.Mode().IsRegular() || info.Size() > maxLog) {
		return nil
	}
	f, err := root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// inProject does something in the folder of an item's project, where that has files of
// its own.
func (r *Recorder) inProject(it improve.Item, do func(*os.Root) error) error {
	if it.Project == "" {
		return nil
	}
	of, err := r.opt.Project(it.Project)
	if err != nil || !of.HasFile {
		return err
	}
	root, err := os.OpenRoot(it.Project)
	if err != nil {
		return err
	}
	return errors.Join(do(root), root.Close())
}

func (r *Recorder) failed(id string, err error) {
	r.opt.Failed(fmt.Errorf("the records of %s: %w", id, err))
}
