package evidence

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence/command"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// The most that is read of a call.
const maxPatch = command.MaxPatch

// Call is what a tool call sets out to do, as far as its name and input tell.
type Call struct {
	Command    string   // the command line that it runs
	Background bool     // it does not wait for the command
	Files      []string // what it writes
	Skips      []string // of them, those in which it switches tests off or takes them away
	Off        bool     // it switches tests off
	Tests      int      // tests that it adds, less those that it takes away
	Silent     bool     // it changes nothing but comments
}

// ReadCall reads a call of any host's tool.
func ReadCall(c trimtab.ToolCall) Call {
	if host.IsTodoTool(c.Name) {
		return Call{}
	}
	switch ToolOf(c.Name) {
	case RunsCommands:
		return Call{Command: commandOf(c.Input), Background: flag(c.Input, "run_in_background", "is_background", "background")}
	case WritesFiles:
		return writes(c.Input)
	case OtherTool:
	}
	return Call{}
}

// Tool is what a tool does, as far as its name tells.
type Tool int

// The kinds of tools.
const (
	OtherTool Tool = iota
	RunsCommands
	WritesFiles
)

// ToolOf tells a tool of any host by its name.
func ToolOf(name string) Tool {
	words := nameWords(name)
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	switch {
	case has(runnerWords) || len(words) == 1 && words[0] == "run":
		return RunsCommands
	case has(writerWords):
		return WritesFiles
	}
	return OtherTool
}

// The words that names of tools hold which run commands, and which write files.
var (
	runnerWords = []string{"bash", "shell", "exec", "terminal", "command", "execute", "cmd"}
	writerWords = []string{"write", "edit", "multiedit", "patch", "replace", "create", "insert", "delete", "editor", "notebookedit", "applypatch", "diff"}
)

// nameWords takes a tool's name apart: apply_patch, applyPatch and mcp__fs__write_file.
func nameWords(name string) []string {
	var words []string
	word := strings.Builder{}
	flush := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	lower := false
	for _, r := range trimtab.Clip(name, 200) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsUpper(r) && lower {
			flush()
		}
		if lower = unicode.IsLower(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
			word.WriteRune(r)
		}
	}
	flush()
	return words
}

// commandOf finds the command line. Codex hands over a list, with the line at its end.
func commandOf(input []byte) string {
	for _, key := range []string{"command", "cmd", "script", "input"} {
		for name, value := range jsonscan.Members(input) {
			if string(name) != key {
				continue
			}
			if s, ok := jsonscan.UnquoteHead(value, 6*command.MaxLine); ok {
				return trimtab.Clip(s, command.MaxLine)
			}
			var list []string
			if len(value) <= maxPatch && json.Unmarshal(value, &list) == nil && len(list) > 0 {
				return trimtab.Clip(list[len(list)-1], command.MaxLine)
			}
		}
	}
	return ""
}

func flag(input []byte, keys ...string) bool {
	for name, value := range jsonscan.Members(input) {
		if slices.Contains(keys, string(name)) && string(value) == "true" {
			return true
		}
	}
	return false
}

// writes reads a call that writes files: a path and what stands there from now on, or a
// patch in any of the forms that agents use.
func writes(input []byte) Call {
	var c Call
	var before, after, patch string
	for name, value := range jsonscan.Members(input) {
		text, ok := jsonscan.UnquoteHead(value, 6*maxPatch)
		if !ok {
			continue
		}
		switch string(name) {
		case "file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "filename", "file", "relative_path":
			if len(c.Files) == 0 && text != "" {
				c.Files = []string{command.CleanPath(text)}
			}
		case "command":
			if text == "view" || text == "read" {
				return Call{}
			}
		case "old_string", "oldString", "old_str", "search":
			before = text
		case "new_string", "newString", "new_str", "content", "file_text", "new_source", "replace":
			after = text
		case "patch", "patchText", "input", "diff", "patch_text":
			patch = text
		}
	}
	if patch != "" {
		if p := command.ReadPatch(patch); len(p.Files) > 0 {
			return Call{Files: p.Files, Skips: p.Skips, Off: p.Off, Tests: p.Tests}
		}
	}
	c.Silent = before != "" && after != "" && before != after && command.Uncommented(before) == command.Uncommented(after)
	if len(c.Files) > 0 && command.IsTest(c.Files[0]) {
		c.Tests = command.CountTests(after) - command.CountTests(before)
		if c.Off = command.SwitchesOff(after) && !command.SwitchesOff(before); c.Off || before != "" && c.Tests < 0 {
			c.Skips = c.Files
		}
	}
	return c
}
