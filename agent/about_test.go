package agent_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
)

// TestAbout_IsPlainText: no JSON, and none of its escapes.
func TestAbout_IsPlainText(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"cat \u003cin 2\u003e\u00261\n  echo","timeout":3}`: "cat <in 2>&1 echo",
		`{"glob":"*.md","pattern":"^\u003c"}`:                           "^<",
		`{"todos":[{"content":"a"},{"content":"b"}]}`:                   "todos (2)",
		`{"of":{"a":1},"n":2,"text":"so","all":true}`:                   "all=true n=2 of {…} text=so",
		`{}`:       "",
		`not json`: "not json",
		`{"command":"` + strings.Repeat("x", 200) + `"}`: strings.Repeat("x", 160) + " …",
	} {
		if got := agent.About(trimtab.ToolCall{Name: "t", Input: []byte(input)}); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}
