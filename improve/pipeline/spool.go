package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/improve"
)

// maxSpooled is how many files of a spool are taken in at a time.
const maxSpooled = 100

// Spooled is a file of a project's spool folder and what came of it.
type Spooled struct {
	Name string // in the folder
	ID   string // of the request that it became
	Err  error  // why it became none; improve.ErrFiled where there is one already
}

// TakeSpool takes in the requests that other tools left in a project's spool folder,
// each once: what was taken is moved to the folder taken below it, what cannot be
// read to refused. They come with the project, so they always wait for a person,
// whatever the settings say of approval. With an error it returns what was taken in
// before it.
func (p *Pipeline) TakeSpool(ctx context.Context, project string) ([]Spooled, error) {
	root, err := os.OpenRoot(project) // no link leads out of the project
	if err != nil {
		return nil, err
	}
	defer root.Close()
	folder := filepath.FromSlash(improve.SpoolFolder)
	if info, err := root.Lstat(folder); err != nil || !info.IsDir() {
		return nil, nil // most projects have none
	}
	d, err := root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(maxSpooled)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", improve.SpoolFolder, err)
	}
	q, err := p.opt.Queue(ctx)
	if err != nil {
		return nil, err
	}
	var taken []Spooled
	for _, name := range names {
		if filepath.Ext(name) != ".json" {
			continue
		}
		if own, err := q.Item(ctx, strings.TrimSuffix(name, ".json")); err == nil && own.Project == project {
			continue // our own entry, for others to see
		}
		to := "taken"
		id, err := p.takeRequest(ctx, q, root, filepath.Join(folder, name), project)
		if err != nil {
			id = ""
			if !errors.Is(err, improve.ErrFiled) {
				to = "refused"
			}
		}
		taken = append(taken, Spooled{Name: name, ID: id, Err: err})
		if err := moveInto(root, folder, name, to); err != nil {
			return taken, err
		}
	}
	return taken, nil
}

// takeRequest puts one file of a spool into the queue.
func (p *Pipeline) takeRequest(ctx context.Context, q improve.Queue, root *os.Root, file, project string) (string, error) {
	info, err := root.Lstat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > improve.MaxSpoolFile {
		return "", fmt.Errorf("it is not a regular file of at most %d bytes", improve.MaxSpoolFile)
	}
	data, err := root.ReadFile(file)
	if err != nil {
		return "", err
	}
	r, err := improve.ParseRequest([]byte(p.opt.Redact(string(data))))
	if err != nil {
		return "", err
	}
	now := p.opt.Now().UTC()
	it := improve.Item{
		Fingerprint: r.Pattern.Fingerprint, Project: project, State: improve.Awaiting, Request: r, Attempt: 1, Created: now, Updated: now,
		Why: "came from " + improve.SpoolFolder + "/" + filepath.Base(file) + " of the project: read it before you approve it",
	}
	it.Repo, it.Remote = p.opt.Origin(project)
	if s := strings.TrimSpace(r.Context.Text("session_id")); s != "" {
		it.Sessions = []string{s}
	}
	if it.ID, err = p.add(ctx, q, it, ""); err == nil {
		p.opt.Filed(it)
	}
	return it.ID, err
}

// moveInto moves a file of a folder into another one below it, over nothing.
func moveInto(root *os.Root, folder, name, below string) error {
	if err := root.Mkdir(filepath.Join(folder, below), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	to := filepath.Join(folder, below, name)
	for n := 2; ; n++ {
		if _, err := root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
		to = filepath.Join(folder, below, fmt.Sprintf("%s.%d.json", strings.TrimSuffix(name, ".json"), n))
	}
	return root.Rename(filepath.Join(folder, name), to)
}
