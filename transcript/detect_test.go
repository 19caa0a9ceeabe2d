package transcript_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab/transcript"
)

func TestDetectNamesTheHostOfAFile(t *testing.T) {
	for _, c := range []struct{ want, head string }{
		{"claude", `{"type":"queue-operation","operation":"enqueue","sessionId":"s"}`},
		{"claude", `{"type":"mode","mode":"normal","sessionId":"s"}` + "\n"},
		{"claude", `{"type":"summary","summary":"x","leafUuid":"u"}` + "\n"},
		{"claude", `{"type":"file-history-snapshot","messageId":"m","snapshot":{}}` + "\n"},
		{"claude", `{"parentUuid":null,"isSidechain":true,"type":"user","message":{"content":"cut o`},
		{"claude", "\xef\xbb\xbf" + `{"parentUuid":null,"isSidechain":false,"type":"user"}`},
		{"claude", "damaged\n\n" + `{"type":"mode","sessionId":"s"}`},
		{"trimtab", `{"sessionId":"s","createdAt":"2026-01-01T00:00:00Z","messages":[]}`},
		{"trimtab", "{\n  \"sessionId\": \"s\",\n  \"messages\": [\n    {\"role\": \"user\", \"content\": \"cut o"},
		{"codex", `{"timestamp":"t","ordinal":0,"type":"session_meta","payload":{"session_id":"s"}}`},
		{"codex", `{"timestamp":"t","type":"session_meta","payload":{"id":"cut o`},
		{"codex", `{"id":"s","timestamp":"t","instructions":null,"git":{}}` + "\n" + `{"type":"message","role":"user","content":[]}`},
		{"gemini", `{"sessionId":"s","projectHash":"h","startTime":"t","kind":"main"}` + "\n" + `{"$set":{"messages":[]}}`},
		{"gemini", `{"sessionId":"s","projectHash":"h","messages":[]}`},
		{"gemini", "{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\",\n  \"messages\": [\n    {\"id\": \"cut o"},
		{"qwen", `{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","provenance":"real_user","message":{"parts":[]}}`},
		{"qwen", `{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"parts":[]}}`},
		{"qwen", `{"uuid":"u","sessionId":"s","type":"user","provenance":"real_user","message":{"parts":[{"text":"cut o`},
		{"pi", `{"type":"session","version":3,"id":"i","cwd":"/p"}`},
		{"claude", "damaged\n" + `{"isSidechain":false,"type":"user","uuid":"u","sessionId":"s","message":{"content":"\"provenance\": {\"payload\""}}`},
		{"opencode", "{\n  \"info\": {\"id\": \"s\", \"directory\": \"/p\"},\n  \"messages\": [\n    {\"info\": {\"id\": \"cut o"},
		{"", `{"info":{"title":"an interface"},"messages":[]}`},
		{"", `{"schema":{"messages":"x"}}`},
		{"sqlite", "SQLite format 3\x00"},
		{"claude export", " ▐▛███▜▌   Claude Code v2.1.325\n▝▜█████▛▘  Opus\n"},
		{"claude export", "\n╭─── Claude Code v2.1.80 ───╮\n│ Welcome back! │\n"},
		{"claude export", "╭──────╮\n│ ✻ Welcome to Claude Code! │\n"},
		{"claude export", "❯ mend it\n\n● Bash(make)\n  ⎿  ok\n"},
		{"claude export", "> mend it\n\n⏺ Bash(make)\n  ⎿  ok\n"},
		{"", "# How to read it\n\nClaude Code v2 writes ▐▛███▜▌ first.\n\n> mend it\n\n● Bash(make)\n  ⎿  ok\n"},
		{"", "> a quotation\n\n● a list\n● of points\n"},
		{"claude", `{"type":"mode","sessionId":"s","x":" ▐▛███▜▌   Claude Code v2.1.325"}` + "\n❯ mend it\n\n● Bash(make)\n  ⎿  ok\n"},
		{"trimtab", `{"sessionId":"s","messages":[{"content":"✻ Welcome to Claude Code!\n❯ mend it\n● x\n  ⎿  ok"}]}`},
		{"", ""},
		{"", "\n\n{"},
	} {
		if got := transcript.Detect([]byte(c.head)); got != c.want {
			t.Errorf("%q: got %q, want %q", c.head, got, c.want)
		}
	}
}

func TestDetectKnowsRecordedSessionsByTheirFirstBytes(t *testing.T) {
	for _, host := range []string{"claude", "codex", "gemini", "qwen", "pi"} {
		files, err := filepath.Glob(host + "/testdata/*.jsonl")
		if err != nil || len(files) < 2 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{200, 1000, len(data)} {
				if got := transcript.Detect(data[:n]); got != host {
					t.Errorf("%s, %d bytes: %q", file, n, got)
				}
			}
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte(`{"sessionId":"s","messages":[`))
	f.Add([]byte("{\"type\":\"summary\",\"leafUuid\":1}\n{"))
	f.Add([]byte(`{"uuid":"u","sessionId":"s","message":{"parts"`))
	f.Fuzz(func(t *testing.T, head []byte) {
		switch transcript.Detect(head) {
		case "", "claude", "codex", "gemini", "qwen", "pi", "opencode", "trimtab", transcript.SQLite, transcript.ClaudeExport:
		default:
			t.Fail()
		}
	})
}
