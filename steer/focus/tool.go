package focus

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// maxRead is the most that is read of one input or text, in bytes.
const maxRead = 256 << 10

// pend is a call that waits for its result.
type pend struct {
	ID      string   `json:"id"`
	Command string   `json:"command,omitempty"` // what it runs
	Files   []string `json:"files,omitempty"`   // what it writes
	Writes  bool     `json:"writes,omitempty"`
}

// ran is a command that was run, and how it went last.
type ran struct {
	Command string `json:"command"`
	OK      bool   `json:"ok,omitempty"`
	Old     bool   `json:"old,omitempty"` // files changed since
}

const maxOpen, maxRuns, maxCommand = 64, 16, 300

// tools follows the calls of a message and their results: requests for research,
// checks, files that change. Only whether a call succeeded counts; what a tool
// prints can mark nothing.
func (s *step) tools(said trimtab.Message) {
	if said.Role == trimtab.RoleAssistant {
		s.m.Open = nil // what the model did not wait for will not come
	}
	for _, part := range said.Parts {
		switch part := part.(type) {
		case trimtab.ToolCall:
			if said.Role == trimtab.RoleAssistant {
				s.call(part)
			}
		case trimtab.ToolResult:
			s.result(part)
		}
	}
}

func (s *step) call(c trimtab.ToolCall) {
	switch {
	case isMark(c.Name):
		var in struct{ ID, Evidence string }
		if len(c.Input) <= maxRead && json.Unmarshal(c.Input, &in) == nil && strings.TrimSpace(in.Evidence) != "" {
			s.m, _, _ = s.claim(s.m, in.ID, in.Evidence, "model", ByMark, s.at)
		}
		return
	case researches(c):
		s.request(topicOf(c))
		return
	}
	p := pend{ID: trimtab.Clip(c.ID, 128)}
	if p.Command = commandOf(c); p.Command != "" {
		p.Writes = changing(p.Command)
	} else if p.Files = filesOf(c); len(p.Files) > 0 {
		p.Writes = true
	}
	if p.Command == "" && !p.Writes || len(s.m.Open) >= maxOpen {
		return
	}
	s.m.Open = append(slices.Clip(s.m.Open), p)
}

// isMark reports whether a tool is the one that marks a criterion, by whatever
// server it comes.
func isMark(name string) bool {
	return name == "criterion_met" || strings.HasSuffix(name, "_criterion_met")
}

func (s *step) result(r trimtab.ToolResult) {
	i := slices.IndexFunc(s.m.Open, func(p pend) bool { return p.ID == r.ID })
	if i < 0 {
		return
	}
	p := s.m.Open[i]
	s.m.Open = slices.Concat(s.m.Open[:i], s.m.Open[i+1:])
	if p.Writes && !r.Failed {
		s.changed(p)
	}
	if p.Command != "" { // what a command line writes, it writes before its last part is done
		s.ran(p.Command, r)
	}
}

// ran notes how a command went: criteria that rest on it are met or undone.
func (s *step) ran(command string, r trimtab.ToolResult) {
	run, piped := checkable(command)
	ok := !r.Failed && !saysFailed(r.Text)
	if run == "" || ok && piped { // whose success it is cannot be told
		return
	}
	s.m.Runs = slices.DeleteFunc(slices.Clone(s.m.Runs), func(o ran) bool { return o.Command == run })
	s.m.Runs = append(s.m.Runs, ran{Command: run, OK: ok})
	s.m.Runs = s.m.Runs[max(0, len(s.m.Runs)-maxRuns):]
	for _, c := range s.criteria {
		if spaced(c.Check) != run || run == "" {
			continue
		}
		if ok {
			s.m = s.m.mark(Mark{ID: c.ID, How: ByCheck, By: string(trimtab.Tool), At: s.at, Check: run, Text: run + " succeeded"})
		}
	}
	for _, k := range slices.Clone(s.m.Marks) {
		switch {
		case k.Check != run:
		case !ok:
			s.undo(k.ID, run+" failed")
		case k.Stale != "": // it holds again
			k.Stale, k.At = "", s.at
			s.m = s.m.mark(k)
		}
	}
}

// changed notes files that changed: what rests on them, or on a command that ran
// before, has to be shown again.
func (s *step) changed(p pend) {
	what := "files"
	if len(p.Files) > 0 {
		what = p.Files[0]
	}
	s.m.Runs = slices.Clone(s.m.Runs)
	for i := range s.m.Runs {
		s.m.Runs[i].Old = true
	}
	for _, k := range slices.Clone(s.m.Marks) {
		if k.Check != "" {
			s.undo(k.ID, what+" changed after "+k.Check+" ran")
			continue
		}
		for _, f := range k.Files {
			if touches(p, f) {
				s.undo(k.ID, f+" changed afterwards")
				break
			}
		}
	}
}

// touches reports whether a call writes a file that evidence names, by its whole
// path or the end of it.
func touches(p pend, file string) bool {
	if p.Command != "" {
		return slices.Contains(strings.FieldsFunc(p.Command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"<>|;&", r) }), file)
	}
	return slices.ContainsFunc(p.Files, func(f string) bool {
		return strings.HasSuffix("/"+f, "/"+file) || strings.HasSuffix("/"+file, "/"+f)
	})
}

// ranIn finds the command among those that were run that evidence quotes, the
// longest first.
func (m Memory) ranIn(evidence string) (ran, bool) {
	var best ran
	text := spaced(evidence)
	for _, r := range m.Runs {
		if len(r.Command) >= 4 && len(r.Command) > len(best.Command) && strings.Contains(text, r.Command) {
			best = r
		}
	}
	return best, best.Command != ""
}

// filesIn returns what evidence names as files: words with an extension.
func filesIn(evidence string) []string {
	var out []string
	for f := range strings.FieldsSeq(trimtab.Clip(evidence, 4*maxEvidence)) {
		f = strings.TrimLeft(strings.TrimRight(f, "`'\"()[]{}<>,;:!?."), "`'\"([{<")
		f, _, _ = strings.Cut(f, ":") // a line number
		f = strings.TrimPrefix(strings.ReplaceAll(f, "\\", "/"), "./")
		ext := path.Ext(f)
		if f != "e.g" && f != "i.e" && len(ext) > 1 && len(ext) < 8 && len(f) > len(ext) && len(f) < 200 && hasLetter(ext) && !slices.Contains(out, f) && len(out) < maxMarkFiles {
			out = append(out, f)
		}
	}
	return out
}

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

// writers are the words that the names of tools which write files hold.
var writers = []string{"write", "edit", "multiedit", "patch", "replace", "create", "insert", "delete", "editor"}

// filesOf returns what a call writes, if it is one that writes files.
func filesOf(c trimtab.ToolCall) []string {
	if host.IsTodoTool(c.Name) || !slices.ContainsFunc(wordsOf(trimtab.Clip(c.Name, 200)), func(w string) bool { return slices.Contains(writers, w) }) {
		return nil
	}
	var in map[string]any
	if len(c.Input) > 8<<20 || json.Unmarshal(c.Input, &in) != nil || in["command"] == "view" {
		return nil
	}
	for _, key := range []string{"file_path", "filePath", "path", "notebook_path", "target_file", "filename", "file"} {
		if s, ok := in[key].(string); ok && s != "" {
			return []string{trimtab.Clip(strings.ReplaceAll(s, "\\", "/"), 300)}
		}
	}
	for _, key := range []string{"input", "patch", "diff"} {
		if s, ok := in[key].(string); ok {
			if f := patched(s); len(f) > 0 {
				return f
			}
		}
	}
	return nil
}

var patchLine = lazyregexp.Pattern(`(?m)^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b/)?)(\S.*)$`)

func patched(patch string) []string {
	var out []string
	for _, f := range patchLine().FindAllStringSubmatch(trimtab.Clip(patch, maxRead), maxMarkFiles) {
		out = append(out, trimtab.Clip(strings.TrimSpace(f[1]), 300))
	}
	return out
}

// runners are the words that the names of tools which run commands hold.
var runners = []string{"bash", "shell", "exec", "terminal", "command", "execute"}

func commandOf(c trimtab.ToolCall) string {
	if !slices.ContainsFunc(wordsOf(trimtab.Clip(c.Name, 200)), func(w string) bool { return slices.Contains(runners, w) }) {
		return ""
	}
	var in map[string]any
	if len(c.Input) > maxRead || json.Unmarshal(c.Input, &in) != nil {
		return ""
	}
	for _, key := range []string{"command", "cmd", "script"} {
		switch v := in[key].(type) {
		case string:
			return trimtab.Clip(v, 2000)
		case []any: // codex: ["bash", "-lc", "go test ./..."]
			if n := len(v); n > 0 {
				s, _ := v[n-1].(string)
				return trimtab.Clip(s, 2000)
			}
		}
	}
	return ""
}
