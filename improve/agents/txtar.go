package agents

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

// The limits of an archive.
const (
	maxArchive = 1 << 20
	maxFiles   = 500
)

// archived is one file of an archive.
type archived struct{ name, text string }

// unpack reads a txtar archive: text, then files that each begin with a line
// "-- name --". Names are plain paths below a folder, each given once.
func unpack(text string) ([]archived, error) {
	if len(text) > maxArchive {
		return nil, fmt.Errorf("the archive has %d bytes; at most %d are taken", len(text), maxArchive)
	}
	var out []archived
	seen := map[string]bool{}
	begun := false
	for line := range strings.Lines(text) {
		name, ok := marker(line)
		switch {
		case ok && !plainPath(name):
			return nil, fmt.Errorf("%q in the archive is not a local path", clip(name, 100))
		case ok && seen[name]:
			return nil, fmt.Errorf("%q is in the archive twice", name)
		case ok && len(out) == maxFiles:
			return nil, fmt.Errorf("the archive has more than %d files", maxFiles)
		case ok:
			seen[name], begun = true, true
			out = append(out, archived{name: name})
		case begun:
			out[len(out)-1].text += line
		}
	}
	if len(out) == 0 {
		return nil, errors.New(`the archive holds no file: one begins with a line such as "-- design/say.md --"`)
	}
	return out, nil
}

func marker(line string) (string, bool) {
	line = strings.TrimRight(line, "\r\n")
	rest, ok := strings.CutPrefix(line, "-- ")
	name, closed := strings.CutSuffix(rest, " --")
	return strings.TrimSpace(name), ok && closed && strings.TrimSpace(name) != ""
}

// plainPath reports whether a name is a path that stays below its folder and away
// from git's own.
func plainPath(name string) bool {
	if name == "" || len(name) > 200 || path.IsAbs(name) || path.Clean(name) != name || strings.ContainsAny(name, `\:`) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." || part == "." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}
