// Package permission keeps what a person allows the tools of the chat beyond one
// session: in one project, or in all. It is a file of the person's data folder, which
// commands of the chat can neither read nor write, and never one of the project: what
// somebody else commits must not allow anything here.
//
//	book := permission.Open(filepath.Join(data, "permissions.json"), dir)
//	folder.SetGrants(book)
package permission

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/atomicfile"
)

// Book is the file, for one project.
type Book struct {
	path    string
	project string

	mu    sync.Mutex
	stamp os.FileInfo // of what was read
	now   tool.Grant
}

// file is what the file holds.
type file struct {
	User     tool.Grant            `json:"user"`
	Projects map[string]tool.Grant `json:"projects"`
}

// Open returns the book of a project. The file need not exist.
func Open(path, project string) *Book { return &Book{path: path, project: project} }

// Granted is what is allowed in the project now. A file that cannot be read allows nothing.
func (b *Book) Granted() tool.Grant {
	b.mu.Lock()
	defer b.mu.Unlock()
	info, err := os.Stat(b.path)
	if err != nil {
		b.stamp, b.now = nil, tool.Grant{}
		return b.now
	}
	if b.stamp != nil && os.SameFile(info, b.stamp) && info.ModTime().Equal(b.stamp.ModTime()) && info.Size() == b.stamp.Size() {
		return b.now
	}
	all, err := b.read()
	if err != nil {
		return tool.Grant{}
	}
	b.stamp, b.now = info, join(all.User, all.Projects[b.project])
	return b.now
}

// Add allows something more.
func (b *Book) Add(scope tool.Scope, g tool.Grant) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.read()
	if err != nil {
		return err
	}
	switch scope {
	case tool.ForUser:
		all.User = join(all.User, g)
	case tool.ForProject:
		if all.Projects == nil {
			all.Projects = map[string]tool.Grant{}
		}
		all.Projects[b.project] = join(all.Projects[b.project], g)
	default:
		return nil
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	b.stamp = nil
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	if err := atomicfile.Write(b.path, append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	return nil
}

func (b *Book) read() (all file, err error) {
	raw, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{}, nil
	}
	if err != nil {
		return file{}, fmt.Errorf("permissions: %w", err)
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return file{}, fmt.Errorf("permissions: %s: %w; correct it, or remove it to be asked again", b.path, err)
	}
	return all, nil
}

func join(a, b tool.Grant) tool.Grant {
	a.Edits = a.Edits || b.Edits
	a.Allow, a.Prompts = union(a.Allow, b.Allow), union(a.Prompts, b.Prompts)
	return a
}

func union(a, b []string) []string {
	a = slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}
