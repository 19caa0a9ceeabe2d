package focus

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
)

func TestD4_WhatIsResearch(t *testing.T) {
	for name, want := range map[string]bool{
		"WebSearch": true, "WebFetch": true, "web_search": true, "google_web_search": true, "webfetch": true, "fetch": true, "research": true,
		"mcp__brave__brave_web_search": true, "mcp__fetch__fetch": true, "browse": true, "deep-research": true,
		"Grep": false, "Glob": false, "Read": false, "search_files": false, "ToolSearch": false, "codebase_search": false, "search_file_content": false, "researcher": false, "TodoWrite": false, "": false,
	} {
		if got := isResearch(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestD4_WhatARequestIsAbout(t *testing.T) {
	for input, want := range map[string]string{
		`{"query":"bread in town"}`:                "bread in town",
		`{"url":"https://bread.example/a?b=c"}`:    "bread.example",
		`{"prompt":"p","url":"https://a.example"}`: "p",
		`{"query":7}`: "Web",
		`not json`:    "Web",
	} {
		if got := topicOf(trimtab.ToolCall{Name: "Web", Input: json.RawMessage(input)}); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

func TestD8_WhoseSuccessACommandLineTells(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...":                          "go test ./...",
		"cd x && go test   ./... 2>&1":           "go test ./...",
		"CGO_ENABLED=0 time go test ./...":       "go test ./...",
		"gofmt -l .; go test ./...":              "go test ./...",
		"make lint\ngo test ./...\n":             "go test ./...",
		"go test ./... >/dev/null":               "go test ./...",
		"go test ./... | tail -3":                "go test ./... (piped)",
		"go test ./... || true":                  "",
		"go test ./... &":                        "",
		"! go test ./...":                        "",
		"go test ./... && echo done":             "echo done",
		"go test ./...; true":                    "true",
		"echo 'go test ./...'":                   "echo 'go test ./...'",
		"go test ./... -run One":                 "go test ./... -run One",
		"":                                       "",
		strings.Repeat("x", 2*maxCommand) + " y": strings.Repeat("x", maxCommand),
	} {
		run, piped := checkable(command)
		if piped {
			run += " (piped)"
		}
		if run != want {
			t.Errorf("%.60q: %q, want %q", command, run, want)
		}
	}
}

func TestD8_AResultThatSaysItFailed(t *testing.T) {
	for text, want := range map[string]bool{
		"ok": false, "": false, "exit code: 0": false, "Process exited with code 0": false, "0 failures, exit status 0": false,
		"exit status 1": true, "Exit code 127": true, `{"exit_code":2}`: true, "exited with code 1": true, "--- FAIL: TestX": true, "FAIL\tx": true,
		"Traceback (most recent call last):": true, "the word FAIL in a line": false,
		strings.Repeat("line\n", 5000) + "exit code 3": true,
	} {
		if got := saysFailed(text); got != want {
			t.Errorf("%.40q…: %v", text, got)
		}
	}
}

func TestD8_CommandsThatWrite(t *testing.T) {
	for command, want := range map[string]bool{
		"sed -i s/a/b/ x.go": true, "echo a > x.go": true, "cat <<E >>x\nE": true, "git checkout -- x.go": true, "cd x && rm y": true, "go test | tee log": true, "mv a b": true,
		"go test ./... 2>&1": false, "ls >/dev/null": false, "grep '=>' x.js": false, "grep -- '->' x": false, "git diff": false, "cat x": false, "go vet ./...": false, "echo rm x": false,
	} {
		if got := changing(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

func TestD8_FilesOfACall(t *testing.T) {
	for _, c := range []struct {
		name, input string
		want        []string
	}{
		{"Edit", `{"file_path":"a/b.go"}`, []string{"a/b.go"}},
		{"write_file", `{"path":"a\\b.go"}`, []string{"a/b.go"}},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n+x\n*** Add File: b.go\n"}`, []string{"a.go", "b.go"}},
		{"str_replace_based_edit_tool", `{"command":"view","path":"a.go"}`, nil},
		{"Read", `{"file_path":"a.go"}`, nil},
		{"TodoWrite", `{"path":"a.go"}`, nil},
	} {
		if diff := cmp.Diff(c.want, filesOf(trimtab.ToolCall{Name: c.name, Input: json.RawMessage(c.input)})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
	if diff := cmp.Diff([]string{"docs/ship.md", "a.go"}, filesIn("see `docs/ship.md:12`, (./a.go), e.g. version 1.5 of it. Done.")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzCommands looks that no text brings the readers of commands and files down.
func FuzzCommands(f *testing.F) {
	for _, s := range []string{
		"", "## Hero\n\ntext", "[DONE: a] [RESEARCH: b]", "```\n[DONE: a]\n```", "> [DONE: a]", "`[DONE: a]`", "- a\n- b\n1. c", "[PROPOSAL][ARGUMENT] x", "a: [AGREEMENT]",
		"# a\n## b\n### c\n# d", "~~~~\n```\n~~~", "[[DONE: a]", "[DONE:]", "[DONE: a](x)", "\x00[DONE: \xff]", "#\t#", "####### x", "\u202e[DONE: a]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkable(text)
		changing(text)
		saysFailed(text)
		filesIn(text)
		topicWords(text)
	})
}
