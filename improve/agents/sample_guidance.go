package agents

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed sample/guidance-project.txtar
var guidanceProject string

//go:embed sample/guidance-sessions.txtar
var guidanceSessions string

// guidanceMark is a file that only the sample of guidance has, by which the demo agent
// knows it.
const guidanceMark = "logbook.txt"

// SampleGuidance puts a small project into a folder, as a repository with one commit, and
// beside it a folder with three sessions in each of which the person said no to the same
// command, for the same reason. The demo agent heeds the line that it writes into
// AGENTS.md. It needs git and nothing else.
func SampleGuidance(ctx context.Context, dir string, environ []string) (Sampled, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	s := Sampled{Project: filepath.Join(dir, "logbook"), Transcript: filepath.Join(dir, "sessions")}
	if err := os.MkdirAll(s.Transcript, 0o700); err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	if err := os.Mkdir(s.Project, 0o700); err != nil {
		return Sampled{}, fmt.Errorf("sample: %w; choose an empty folder", err)
	}
	cwd, err := json.Marshal(s.Project)
	if err != nil {
		return Sampled{}, fmt.Errorf("sample: %w", err)
	}
	for _, part := range []struct{ archive, to string }{
		{guidanceProject, s.Project}, {strings.ReplaceAll(guidanceSessions, `"{{dir}}"`, string(cwd)), s.Transcript},
	} {
		files, err := unpack(part.archive)
		if err != nil {
			return Sampled{}, fmt.Errorf("sample: %w", err)
		}
		if _, err := (scene{write: files}).play(part.to); err != nil {
			return Sampled{}, fmt.Errorf("sample: %w", err)
		}
	}
	return s, commit(ctx, s.Project, environ)
}
