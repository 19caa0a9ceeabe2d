package hookcmd

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/trimtab/trimtab/surface/hook"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// openLog writes to a file: a host shows its person what a hook writes to stderr, or
// takes it for an answer. Where the file cannot be written nothing is logged.
func openLog(data string) *slog.Logger {
	return slog.New(slog.NewTextHandler(file(filepath.Join(spool.Folder(data), "log")), nil))
}

// noteDecision notes what came of a stop, without a word of what was said.
func noteDecision(data string, at time.Time, session string, d hook.Decision, why string) {
	if d.Reason != hook.Automated { // our own words, and nobody else's
		d.Instructions = ""
	}
	line, err := json.Marshal(struct {
		At      time.Time `json:"at"`
		Session string    `json:"session"`
		hook.Decision
		Why string `json:"why,omitempty"`
	}{at.UTC(), session, d, why})
	if err != nil {
		return
	}
	_, _ = file(filepath.Join(spool.Folder(data), "decisions")).Write(append(line, '\n')) // nothing depends on it
}

// maxFile is the size at which a file of lines starts over; one old one is kept.
const maxFile = 1 << 20

// file is a file of lines, by its path. It is opened with the first line.
type file string

func (f file) Write(b []byte) (int, error) {
	path := string(f)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > maxFile {
		_ = os.Rename(path, path+".1")
	}
	out, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := out.Write(b)
	if err2 := out.Close(); err == nil {
		err = err2
	}
	return n, err
}
