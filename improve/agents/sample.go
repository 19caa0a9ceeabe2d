package agents

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/forge/git"
)

//go:embed sample/project.txtar
var sampleProject string

//go:embed sample/session.jsonl
var sampleSession string

// sampleTime is when the sample was committed: the same commit each time.
const sampleTime = "2026-11-12T08:00:00Z"

// Sampled is where the sample was put.
type Sampled struct {
	Project    string // a repository of git with one commit
	Transcript string // a session of Claude Code in which the project's fault showed
}

// Sample puts a small project with a fault into a folder, as a repository with one
// commit, and beside it the transcript of a session that met the fault again and
// again. The demo agent knows how to mend it. The folder must not have them yet.
func Sample(ctx context.Context, dir string, environ []string) (Sampled, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	s := Sampled{Project: filepath.Join(dir, "soundings"), Transcript: filepath.Join(dir, "session.jsonl")}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	if err := os.Mkdir(s.Project, 0o700); err != nil {
		return Sampled{}, fmt.Errorf("sample: %w; choose an empty folder", err)
	}
	files, err := unpack(sampleProject)
	if err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	if _, err := (scene{write: files}).play(s.Project); err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	cwd, err := json.Marshal(s.Project)
	if err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	text := strings.ReplaceAll(sampleSession, `"{{dir}}"`, string(cwd))
	if err := os.WriteFile(s.Transcript, []byte(text), 0o600); err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	return s, commit(ctx, s.Project, environ)
}

// commit makes a repository of a folder, with all that is in it.
func commit(ctx context.Context, dir string, environ []string) error {
	who := []string{
		"GIT_AUTHOR_NAME=Trimtab sample", "GIT_AUTHOR_EMAIL=sample@example.com", "GIT_AUTHOR_DATE=" + sampleTime,
		"GIT_COMMITTER_NAME=Trimtab sample", "GIT_COMMITTER_EMAIL=sample@example.com", "GIT_COMMITTER_DATE=" + sampleTime,
	}
	tree := git.New(append(append([]string{}, environ...), who...)).In(dir)
	for _, line := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		{"commit", "--quiet", "--message=The soundings of a ship's boat"},
	} {
		if _, err := tree.Run(ctx, line[0], line[1:]...); err != nil {
			return fmt.Errorf("sample: %w", err)
		}
	}
	return nil
}
