package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
)

// What is measured must be what hosts write: a reader finds no damage in it, and
// the same conversation in all of them.
func TestWhatIsMadeUpReadsAsAConversation(t *testing.T) {
	for _, host := range []string{"claude", "codex", "gemini", "qwen", "pi"} {
		var file bytes.Buffer
		if err := write(&file, host, 200<<10, 1); err != nil {
			t.Fatal(err)
		}
		if got := transcript.Detect(file.Bytes()); got != host {
			t.Errorf("%s: taken for one of %q", host, got)
		}
		for _, opt := range []transcript.Options{{}, {Brief: true}, {Branches: true}} {
			prompts, calls, results, failed := 0, 0, 0, 0
			for it, err := range all.Reader(host)(bytes.NewReader(file.Bytes()), opt) {
				if err != nil {
					t.Fatalf("%s: %v", host, err)
				}
				if it.Message.IsPrompt() {
					prompts++
				}
				for _, p := range it.Message.Parts {
					switch p := p.(type) {
					case trimtab.ToolCall:
						calls++
					case trimtab.ToolResult:
						if results++; p.Failed {
							failed++
						}
					}
				}
			}
			if prompts == 0 || calls == 0 || calls != results || failed == 0 || failed > results/2 {
				t.Errorf("%s, %+v: %d prompts, %d calls, %d results, %d failed", host, opt, prompts, calls, results, failed)
			}
		}
	}
}

func TestTheSameSeedMakesTheSameFile(t *testing.T) {
	var a, b, c bytes.Buffer
	if err := errors.Join(write(&a, "claude", 50<<10, 1), write(&b, "claude", 50<<10, 1), write(&c, "claude", 50<<10, 2)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) || bytes.Equal(a.Bytes(), c.Bytes()) {
		t.Error("the seed does not decide")
	}
	if err := write(io.Discard, "nobody", 1, 1); err == nil {
		t.Error("a host that is not known was written")
	}
}

func TestTheTableIsTold(t *testing.T) {
	var out strings.Builder
	if err := command(t.Context(), []string{"-hosts", "pi", "-size", "1", "-rounds", "1", "-ways", "none", "-dir", t.TempDir()}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "newline scan") || !strings.Contains(out.String(), "100.0") {
		t.Errorf("got %s", out.String())
	}
	for _, args := range [][]string{{"-size", "0"}, {"-memory", "-1"}, {"-rounds", "0"}, {"-read", "nobody:x"}, {"-hosts", "nobody", "-dir", t.TempDir()}} {
		if err := command(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

func TestReadingIsWeighed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := create(path, "codex", 100<<10, 1); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := weighed(&out, "codex:"+path); err != nil || !strings.Contains(out.String(), "VmHWM") {
		t.Errorf("%v: %s", err, out.String())
	}
}
