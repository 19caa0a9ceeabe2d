package hook

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// TestR27_WhatWaitsIsToldAtTheStart: to the person, where the host has a place for that,
// and never to the model; not again when a host only starts its history anew.
func TestR27_WhatWaitsIsToldAtTheStart(t *testing.T) {
	const line = "trimtab: a request for improvement waits for you: Never push"
	for _, host := range []string{"claude", "codex", "gemini", "qwen"} {
		r := newRig(t, host)
		asked := ""
		r.opt.Waiting = func(_ context.Context, project string) string { asked = project; return line }
		out := r.start("startup")
		var said struct {
			Notice   string `json:"systemMessage"`
			Specific struct {
				Context string `json:"additionalContext"`
			} `json:"hookSpecificOutput"`
		}
		if err := json.Unmarshal([]byte(out), &said); err != nil || said.Notice != line || strings.Contains(said.Specific.Context, "request") || asked != "/p" {
			t.Errorf("%s: %s, %v, in %q", host, out, err, asked)
		}
	}
	r := newRig(t, "claude")
	r.opt.Waiting = func(context.Context, string) string { return line }
	r.start("startup")
	if out := r.start("compact"); strings.Contains(out, line) {
		t.Errorf("told after a compaction: %s", out)
	}
	if out := r.prompt("go on"); strings.Contains(out, line) {
		t.Errorf("told with a prompt: %s", out)
	}
	r.opt.Waiting = func(context.Context, string) string { return "" }
	if out := r.start("startup"); strings.Contains(out, "systemMessage") {
		t.Errorf("nothing waits: %s", out)
	}
}
