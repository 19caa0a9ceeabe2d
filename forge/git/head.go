package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Branch reads which branch a folder is on, or the first digits of its commit, from
// the files of the repository around it and without running git: it is for a status
// line, which is drawn often. It is "" where there is no repository.
func Branch(dir string) string {
	for {
		head, err := readHead(filepath.Join(dir, ".git"))
		if err == nil {
			if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
				return name
			}
			return head[:min(len(head), 8)]
		}
		up := filepath.Dir(dir)
		if up == dir || !errors.Is(err, os.ErrNotExist) {
			return ""
		}
		dir = up
	}
}

// readHead reads HEAD of a repository, or of the one that a work tree names.
func readHead(git string) (string, error) {
	info, err := os.Stat(git)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		text, err := readSmall(git)
		if err != nil {
			return "", err
		}
		to, ok := strings.CutPrefix(text, "gitdir: ")
		if !ok {
			return "", fmt.Errorf("%s: not a work tree", git)
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(git), to)
		}
		git = to
	}
	return readSmall(filepath.Join(git, "HEAD"))
}

func readSmall(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", fmt.Errorf("%s: not a small regular file", file)
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}
