package focus

import (
	"encoding/json"
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

func TestD8_FilesThatEvidenceNames(t *testing.T) {
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
		Memory{}.rests(text, text)
		filesIn(text)
		topicWords(text)
	})
}
