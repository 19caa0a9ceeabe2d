// Package improvement is what pages and API show of requests for improvement: exactly what
// would be sent, the change, the papers that steps left. It decides nothing: see
// improve/decide.
//
//	src := improvement.Source{Queue: store.Queue(), Sends: assembly.Preview, Folder: folder}
//	outgoing, err := src.Preview(ctx, item)
package improvement

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
)

// Source is where it comes from. Only Queue is needed.
type Source struct {
	Queue   improve.Backlog
	Sends   func(ctx context.Context, it improve.Item) ([]improve.Outgoing, error) // exactly what would be sent; nil cannot say
	Environ []string                                                               // of git, which says what was changed
	Decided func(improve.Item)                                                     // told of each decision
	Folder  string                                                                 // the papers and logs of each item are in a folder of its name below it
	Works   bool                                                                   // this process does what is approved
}

// maxPaper is how much of a paper is shown.
const maxPaper = 256 << 10

// Preview is what would be sent for an item that waits for a person.
func (s Source) Preview(ctx context.Context, it improve.Item) ([]improve.Outgoing, error) {
	if s.Sends == nil || it.State != improve.Awaiting && it.State != improve.Manual {
		return nil, nil
	}
	return s.Sends(ctx, it)
}

// Change is what was changed, as a patch; "" where nothing was, or the repository is
// elsewhere.
func (s Source) Change(ctx context.Context, it improve.Item) string {
	base, head := "", ""
	for _, e := range it.Evidence {
		switch e.Step {
		case improve.StepBranch:
			base = e.Facts["base"]
		case improve.StepCommit, improve.StepFeedback:
			head = cmp.Or(e.Facts["commit"], head)
		}
	}
	if base == "" || head == "" {
		return ""
	}
	patch, err := git.New(s.Environ).In(it.Project).Patch(ctx, base, head)
	if err != nil {
		return ""
	}
	return patch
}

// Paper is one that a step left: only what its evidence names is read.
func (s Source) Paper(it improve.Item, name string) (string, error) {
	if s.Folder == "" || !slices.ContainsFunc(it.Evidence, func(e improve.Evidence) bool { return slices.Contains(e.Files, name) }) {
		return "", os.ErrNotExist
	}
	root, err := os.OpenRoot(filepath.Join(s.Folder, it.ID)) // an id is no path: the queue has checked it
	if err != nil {
		return "", err
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", errors.Join(err, root.Close())
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxPaper))
	return string(raw), errors.Join(err, f.Close(), root.Close())
}
