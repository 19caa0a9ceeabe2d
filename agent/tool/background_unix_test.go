//go:build unix

package tool_test

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/trimtab/trimtab/agent/tool"
)

// TestChat_2_ACommandRunsInTheBackground: its call returns, what it writes is read as it
// comes, it is ended by a word, and with the folder at the latest.
func TestChat_2_ACommandRunsInTheBackground(t *testing.T) {
	dir := t.TempDir()
	folder, err := tool.Open(dir)
	must(t, err)
	bash, err := folder.Bash(tool.BashOptions{Environ: []string{"PATH=" + os.Getenv("PATH")}})
	must(t, err)
	look := folder.BashJob()
	ctx := tool.WithSession(t.Context(), "s1")
	do := func(tl tool.Tool, input string) string {
		t.Helper()
		text, err := tl.Call(ctx, json.RawMessage(input))
		must(t, err)
		return text
	}
	if got := do(bash, in("command", "echo up; sleep 600", "background", true)); !strings.HasPrefix(got, "up\n[b1 running") {
		t.Errorf("%q", got)
	}
	if got := do(bash, in("command", "echo no; exit 3", "background", true)); !strings.HasPrefix(got, "no\n[b2 ended with exit code 3") {
		t.Errorf("%q", got)
	}
	if got := do(look, `{}`); !strings.Contains(got, "b1 running: echo up; sleep 600") || !strings.Contains(got, "b2 ended") {
		t.Errorf("%q", got)
	}
	if got := do(look, `{"id":"b1"}`); got != "[nothing new was written]\n[b1 running]" {
		t.Errorf("%q", got)
	}
	if got := do(look, `{"id":"b1","stop":true}`); !strings.Contains(got, "[b1 stopped]") {
		t.Errorf("%q", got)
	}
	if text, err := look.Call(tool.WithSession(t.Context(), "s2"), json.RawMessage(`{"id":"b1"}`)); err == nil {
		t.Errorf("another session reads %q", text)
	}
	if got := do(bash, in("command", "echo $$ > pid; yes no | head -c 3000000; exec sleep 600", "background", true)); !strings.Contains(got, "bytes before this are not kept") && !strings.Contains(got, "no") {
		t.Errorf("%d bytes", len(got))
	}
	for range 7 {
		do(bash, in("command", "sleep 600", "background", true))
	}
	if text, err := bash.Call(ctx, json.RawMessage(in("command", "sleep 600", "background", true))); err == nil || !strings.Contains(err.Error(), "8 commands run") {
		t.Errorf("%q, %v", text, err)
	}
	must(t, folder.Close())
	for _, j := range folder.Jobs() {
		if j.Running {
			t.Errorf("%+v", j)
		}
	}
	raw, err := os.ReadFile(dir + "/pid")
	must(t, err)
	var pid int
	must(t, json.Unmarshal(raw, &pid))
	if err := syscall.Kill(pid, 0); err == nil {
		t.Error("it runs on after the folder is closed")
	}
}
