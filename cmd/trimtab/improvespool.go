package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/setting"
)

// maxSpooled is how many files of a spool are taken in at a time.
const maxSpooled = 100

// takeSpool takes in the requests that other tools left in this project's spool
// folder, each once: what was taken is moved to the folder taken below it, what
// cannot be read to refused. They come with the project, so they always wait for
// a person, whatever the settings say of approval.
func (a *app) takeSpool(ctx context.Context, q improve.Queue) error {
	dir, err := setting.Folder()
	if err != nil {
		return err
	}
	project := setting.Repository(dir)
	if project == "" {
		return nil
	}
	root, err := os.OpenRoot(project) // no link leads out of the project
	if err != nil {
		return err
	}
	defer root.Close()
	folder := filepath.FromSlash(improve.SpoolFolder)
	if info, err := root.Lstat(folder); err != nil || !info.IsDir() {
		return nil // most projects have none
	}
	d, err := root.Open(folder)
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(maxSpooled)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", improve.SpoolFolder, err)
	}
	for _, name := range names {
		if filepath.Ext(name) != ".json" {
			continue
		}
		to := "taken"
		id, err := a.takeRequest(ctx, q, root, filepath.Join(folder, name), project)
		switch {
		case errors.Is(err, improve.ErrFiled):
			a.progress("%s/%s: %s\n", improve.SpoolFolder, name, err)
		case err != nil:
			to = "refused"
			a.progress("%s/%s was not taken in: %s\n", improve.SpoolFolder, name, err)
		default:
			a.progress("%s/%s was taken in as %s, and waits for approval\n", improve.SpoolFolder, name, id)
		}
		if err := moveInto(root, folder, name, to); err != nil {
			return err
		}
	}
	return nil
}

// takeRequest puts one file of a spool into the queue.
func (a *app) takeRequest(ctx context.Context, q improve.Queue, root *os.Root, file, project string) (string, error) {
	info, err := root.Lstat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > improve.MaxSpoolFile {
		return "", fmt.Errorf("it is no plain file of at most %d bytes", improve.MaxSpoolFile)
	}
	data, err := root.ReadFile(file)
	if err != nil {
		return "", err
	}
	redact := a.redactor(true)
	r, err := improve.ParseRequest([]byte(redact(string(data))))
	if err != nil {
		return "", err
	}
	now := a.clock().UTC()
	it := improve.Item{
		Fingerprint: r.Pattern.Fingerprint, Project: project, State: improve.Awaiting, Request: r, Attempt: 1, Created: now, Updated: now,
		Why: "came from " + improve.SpoolFolder + "/" + filepath.Base(file) + " of the project: read it before you approve it",
	}
	if s := strings.TrimSpace(r.Context["session_id"]); s != "" {
		it.Sessions = []string{s}
	}
	return addItem(ctx, q, it)
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

// addItem puts an item into the queue, under an id that nobody has.
func addItem(ctx context.Context, q improve.Queue, it improve.Item) (string, error) {
	var err error
	for range 3 { // an id that is taken, or the case itself: a queue says the same of both
		var chance [8]byte
		_, _ = rand.Read(chance[:]) // never fails
		it.ID = improve.NewID(it.Created, binary.LittleEndian.Uint64(chance[:]))
		if err = q.Add(ctx, it); !errors.Is(err, improve.ErrFiled) {
			break
		}
	}
	return it.ID, err
}
