package tool

import (
	"context"
	"strings"
	"unicode"
)

// maxPaths is how many files and folders a person can choose from.
const maxPaths = 300_000

// Paths returns the files and folders of the folder, without those that ignore files
// name. Folders end with a slash.
func (f *Folder) Paths(ctx context.Context) ([]string, error) {
	var out []string
	w := &walk{Folder: f, depth: maxDepth, visit: func(e entry) error {
		switch {
		case e.hidden, strings.ContainsFunc(e.path, unicode.IsControl), strings.Contains(e.path, `"`): // nobody could type it
			return nil
		case len(out) == maxPaths:
			return errEnough
		case e.dir():
			out = append(out, e.path+"/")
		default:
			out = append(out, e.path)
		}
		return nil
	}}
	err := w.from(ctx, ".")
	return out, err
}
