package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// FuzzRead reads anything: it ends, line numbers rise, every item can be kept as
// JSON, and each line is an item, damaged, or neither, but never both.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
		for line := range bytes.Lines(data) {
			if len(line) < 1500 {
				f.Add(line, true)
			}
		}
	}
	s := (&script{t: f}).prompt("p1", "one <system-reminder>x").calls("a1", "m1", "t1").result("r1", "t1", "a1").calls("a2", "m1", "t2", after("a1"))
	s.shown("h", "x").prompt("p2", "two", fields{"isSidechain": true, "agentId": "x"}).says("a3", "m3", "x", fields{"isSidechain": true, "agentId": "x"})
	s.put("system", "c", fields{"subtype": "compact_boundary", "logicalParentUuid": "a2"}).prompt("p3", "three", after("p3"))
	f.Add([]byte(s.String()), true)
	f.Add([]byte("{\"type\":\"user\"\n\x00\n\xff\n{}\n[]\n{\"type\":\"user\",\"message\":{\"content\":\"\\ud800\\\\\"}}"), true)
	f.Add([]byte(`{"type":"user","uuid":"`+strings.Repeat(`\`, 300)+`"}`), false)
	f.Fuzz(func(t *testing.T, data []byte, side bool) {
		for _, opt := range []transcript.Options{{Side: side}, {Side: side, Branches: true, MaxLine: 512}} {
			last, lines := 0, bytes.Count(data, []byte("\n"))+1
			for it, err := range claude.Read(bytes.NewReader(data), opt) {
				if err != nil && !errors.Is(err, trimtab.ErrDamaged) {
					t.Fatal(err)
				}
				if it.Line <= last || it.Line > lines {
					t.Fatalf("line %d after %d of %d", it.Line, last, lines)
				}
				last = it.Line
				if err != nil {
					continue
				}
				if len(it.Message.Parts) == 0 || it.Side && it.Message.Typed() != "" {
					t.Fatalf("got %+v", it)
				}
				if _, err := json.Marshal(it.Message); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// FuzzRewritten reads lines as they are and written anew by encoding/json.
func FuzzRewritten(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		transcripttest.Seed(f, data)
	}
	long := strings.Repeat(`x \"y\" `, 30)
	f.Add([]byte(`{"type":"user","uuid":"u","message":{"content":[{"tool_use_id":"t","type":"tool_result","content":"`+long+`","is_error":true}]},"toolUseResult":{"stdout":"`+long+`","b":"`+long+`z"},"userType":"e","cwd":"/p","sessionId":"s"}`), false)
	transcripttest.Fuzz(f, claude.Read)
}
