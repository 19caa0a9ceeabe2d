// Package sample holds small tasks in which agents are known to fail: they say that they are
// done and are not, go in circles, lose the goal, stop early, forget items. Each has hidden
// tests, a reference solution, and a script by which a scripted model fails in that way. They
// need a POSIX shell and nothing else.
//
//	dir, err := sample.Extract(folder) // the tasks, as folders
package sample

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed all:tasks
var files embed.FS

// Extract writes the tasks below a folder and returns where they are: by their content, so
// that those of another version lie elsewhere.
func Extract(to string) (string, error) {
	sum := sha256.New()
	all := map[string][]byte{}
	err := fs.WalkDir(files, "tasks", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %d\n", name, len(raw))
		sum.Write(raw)
		all[name[len("tasks/"):]] = raw
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("sample tasks: %w", err)
	}
	dir := filepath.Join(to, hex.EncodeToString(sum.Sum(nil))[:12])
	for name, raw := range all {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", fmt.Errorf("sample tasks: %w", err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			return "", fmt.Errorf("sample tasks: %w", err)
		}
	}
	return dir, nil
}
