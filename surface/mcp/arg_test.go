package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trimtab/trimtab/steer"
)

// every returns all tools of the whole lineup.
func every(t testing.TB) []tool {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return tools(engine.Commands())
}

func TestEveryToolNameFitsEveryHost(t *testing.T) {
	for _, one := range every(t) {
		if len(one.Name) > 40 || strings.ContainsAny(one.Name, "-. ") {
			t.Errorf("%s: hosts put a prefix before it and take 64 letters, digits and _", one.Name)
		}
	}
}

// TestEveryFrameToolSaysWhatItAnswers to programs.
func TestEveryFrameToolSaysWhatItAnswers(t *testing.T) {
	seen := 0
	for _, one := range every(t) {
		if one.Command != "frame" {
			continue
		}
		seen++
		if one.data == nil {
			t.Errorf("%s has no schema of its data", one.Name)
		}
	}
	if seen != len(frameAnswers) {
		t.Errorf("%d tools of frames, and %d schemas of their data", seen, len(frameAnswers))
	}
}

func FuzzTold(f *testing.F) {
	for _, seed := range []string{`{}`, `{"agent-session-id":"g1"}`, `{"sessionId":7}`, `{"x-codex-turn-metadata":"{\"session_id\":\"t1\"}"}`, `{"x-codex-turn-metadata":{"thread_id":"t1"}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var meta map[string]any
		if json.Unmarshal(raw, &meta) != nil {
			return
		}
		for _, id := range (caller{meta: meta}).told() {
			if id == "" {
				t.Error("an empty id")
			}
		}
	})
}

func TestAnAnswerIsCutAtACharacter(t *testing.T) {
	got := cut(strings.Repeat("ü", 10), 5)
	if !utf8.ValidString(got) || !strings.HasPrefix(got, "üü\n… cut here: 20 bytes") {
		t.Errorf("%q", got)
	}
}
