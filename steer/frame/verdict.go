package frame

import (
	"encoding/json"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// writers are the hosts' tools that change files, runners those that run
// commands.
var (
	writers = map[string]bool{
		"write": true, "edit": true, "patch": true, "multiedit": true, // trimtab, opencode, pi
		"Write": true, "Edit": true, "MultiEdit": true, "NotebookEdit": true, // claude
		"apply_patch": true, "write_file": true, "replace": true, // codex, gemini, qwen
		"developer__text_editor": true, "str_replace_editor": true, "str_replace_based_edit_tool": true, "create_file": true, "edit_file": true,
	}
	runners = map[string]bool{
		"bash": true, "Bash": true, "shell": true, "exec_command": true, "local_shell": true, "run_shell_command": true, "developer__shell": true,
	}
	pathKeys  = []string{"file_path", "filePath", "path", "notebook_path", "absolute_path", "filename", "file"}
	patchLine = lazyregexp.Pattern(`(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$`)
)

// changed is the files that a call of a writing tool changes.
func changed(input json.RawMessage) []string {
	files, command := filesOf(input)
	if command == "view" {
		return nil
	}
	return files
}

// filesOf is the files that a call names, and the command of those tools that have several.
func filesOf(input json.RawMessage) (files []string, command string) {
	var in map[string]json.RawMessage
	if len(input) > 1<<20 || json.Unmarshal(input, &in) != nil {
		return nil, ""
	}
	text := func(key string) string {
		var s string
		if raw, ok := in[key]; !ok || json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return s
	}
	command = text("command")
	for _, k := range pathKeys {
		if files = list(files, text(k)); len(files) > 0 {
			return files, command
		}
	}
	for _, k := range []string{"input", "patch", "patchText"} {
		for _, found := range patchLine().FindAllStringSubmatch(text(k), maxListed) {
			files = list(files, found[1])
		}
	}
	return files, command
}

var (
	lost    = lazyregexp.Pattern(`^\s*(--- )?FAIL\b|\b[1-9][0-9]* (tests? )?(failed|failing|failures)\b|(?i:\bbuild failed\b)|(?i:\bexit(ed with)? (code|status):? [1-9])`)
	passed  = lazyregexp.Pattern(`^\s*PASS\b|^ok\s+\S|\b[1-9][0-9]* (tests? )?(passed|passing)\b|(?i:\btests? pass(ed)?\b)`)
	builtOK = lazyregexp.Pattern(`(?i)\bbuild (succeeded|successful|passed|ok)\b`)
)

// verdict reads what a run's output shows: whether it failed, and what succeeded.
// Verdicts stand in short lines at the beginning and the end. Most lines hold
// none of their words, and are passed over without a pattern.
func verdict(text string) (fails bool, sign string) {
	const most, longest = 4096, 300
	if len(text) > 2*most {
		text = text[:most] + "\n" + text[len(text)-most:]
	}
	for line := range strings.Lines(text) {
		if len(line) > longest || !telling(line) {
			continue
		}
		switch {
		case lost().MatchString(line):
			fails = true
		case sign != "tests passed" && passed().MatchString(line):
			sign = "tests passed"
		case sign == "" && builtOK().MatchString(line):
			sign = "build ok"
		}
	}
	return fails, sign
}

// telling reports whether a line may hold a verdict.
func telling(line string) bool {
	if strings.HasPrefix(line, "ok") {
		return true
	}
	for _, stem := range []string{"ail", "AIL", "ass", "ASS", "xit", "XIT", "uild", "UILD"} {
		if strings.Contains(line, stem) {
			return true
		}
	}
	return false
}
