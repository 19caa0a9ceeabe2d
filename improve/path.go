package improve

import (
	"path"
	"strings"

	"github.com/trimtab/trimtab"
)

// In tells the folder that the session works in. Paths below it are told from there.
func (r *Reflector) In(folder string) {
	if folder != "" && folder != "/" && folder != r.folder {
		r.folder, r.shownFolder = folder, r.redact(folder)
	}
}

// near takes the folder of the session off the paths in a redacted text.
func (r *Reflector) near(text string) string {
	if r.shownFolder == "" {
		return text
	}
	return strings.ReplaceAll(text, r.shownFolder+"/", "")
}

// guess counts a path that was asked for and is not there. It is false where the result
// does not tell of one, or of one outside the session's folder.
func (r *Reflector) guess(id string, call pending, text string) bool {
	file := missingPath(call, text)
	if r.folder != "" {
		file = strings.TrimPrefix(file, r.folder+"/")
	}
	if file == "" || strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~") || strings.HasPrefix(file, "..") || strings.Contains(file, ":\\") || strings.ContainsAny(file, "*$?{<>|\n") {
		return false
	}
	file = path.Clean(file)
	row := r.guessed.at(file, r.seen)
	if row == nil {
		return true
	}
	row.sign, row.tool = file, call.tool
	row.label = shorten(r.redact(file), maxExcerpt)
	r.quote(row, id, call.tool+" "+r.near(r.redact(call.about)))
	return true
}

// missingPath is the path that a failed call says is not there, "" for none.
func missingPath(call pending, text string) string {
	head := strings.TrimSpace(trimtab.Clip(text, 600))
	head = strings.TrimPrefix(head, "<tool_use_error>")
	low := strings.ToLower(head)
	if !call.runs {
		for _, w := range []string{"file does not exist", "path does not exist", "directory does not exist", "file not found", "enoent", "no such file or directory"} {
			if strings.HasPrefix(low, w) || strings.HasPrefix(low, "error: "+w) {
				if call.file != "" {
					return call.file
				}
				return ""
			}
		}
		return ""
	}
	for line := range strings.SplitSeq(head, "\n") {
		at := strings.Index(strings.ToLower(line), "no such file or directory")
		if at < 0 {
			continue
		}
		if after, ok := strings.CutPrefix(line[at+len("no such file or directory"):], ": "); ok { // zsh
			return strings.TrimSpace(after)
		}
		before := strings.TrimSuffix(strings.TrimSpace(line[:at]), ":") // "cat: x: No such file or directory"
		before = before[strings.LastIndex(before, ": ")+1:]
		before = strings.Trim(strings.TrimPrefix(strings.TrimSpace(before), "cannot access "), "'\"`‘’")
		if before != "" && !strings.Contains(before, " ") {
			return before
		}
		return ""
	}
	return ""
}
