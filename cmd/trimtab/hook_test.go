package main

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/surface/hook/hookcmd"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// callHook runs trimtab hook in this process and returns what it answers, if it does in the
// time that a host has.
func callHook(t *testing.T, data string, in io.Reader, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	runHook(t, hookcmd.Cap, data, in, &out, args...)
	return out.String()
}

// askHook does so for an answer that the test needs, however slow the machine is.
func askHook(t *testing.T, data string, in io.Reader, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	runHook(t, time.Minute, data, in, &out, args...)
	return out.String()
}

func runHook(t *testing.T, limit time.Duration, data string, in io.Reader, out io.Writer, args ...string) {
	t.Helper()
	var problems bytes.Buffer
	a := &app{in: in, out: out, err: &problems, environ: []string{"TRIMTAB_DATA=" + data, "TRIMTAB_CONFIG=" + filepath.Join(data, "none.json"), "HOME=" + data}, clock: time.Now, hookLimit: limit}
	if err := os.WriteFile(filepath.Join(data, "none.json"), []byte(`{"store":{"busyTimeout":600000}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(context.Background(), a, append([]string{"hook"}, args...)); code != 0 {
		t.Errorf("exit code %d: %s", code, problems.String())
	}
}

// TestHookCall: what agents call is answered without the command tree, and nothing
// else is.
func TestHookCall(t *testing.T) {
	stop := spool.Args{Host: "claude", Event: "Stop"}
	for line, want := range map[string]spool.Args{
		"hook claude Stop":                   stop,
		"hook codex no-such-event":           {Host: "codex", Event: "no-such-event"},
		"hook --data d claude Stop":          {Data: "d", Host: "claude", Event: "Stop"},
		"--data d hook claude Stop":          {Data: "d", Host: "claude", Event: "Stop"},
		"--data d hook --data e claude Stop": {Data: "e", Host: "claude", Event: "Stop"},
		"hook":                               {},
		"hook reflect":                       {},
		"hook claude":                        {},
		"hook claude --help":                 {},
		"hook --help claude":                 {},
		"hook emacs Stop":                    {},
		"hook claude Stop --json":            {},
		"hook --data=d claude Stop":          {},
		"--json hook claude Stop":            {},
		"help hook claude":                   {},
		"mode claude Stop":                   {},
		"__complete hook claude":             {},
		"--data hook claude Stop":            {},
		"":                                   {},
	} {
		got, ok := spool.ParseLine(strings.Fields(line))
		if ok != (want != spool.Args{}) || ok && got != want {
			t.Errorf("trimtab %s: %+v, %v", line, got, ok)
		}
	}
}

const (
	promptInput = `{"session_id":"c1","cwd":"/p","prompt":"write the docs"}`
	stopInput   = `{"session_id":"c1","cwd":"/p","stop_hook_active":false,"last_assistant_message":"Now I'll write the docs."}`
)

// TestP17_ADatabaseThatIsLockedHoldsNobodyUp. Seeded bug: the default busy
// timeout of five seconds.
func TestP17_ADatabaseThatIsLockedHoldsNobodyUp(t *testing.T) {
	data := t.TempDir()
	askHook(t, data, strings.NewReader(promptInput), "claude", "UserPromptSubmit")
	db, err := sql.Open("sqlite", filepath.Join(data, "trimtab.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("PRAGMA busy_timeout = 60000"); err != nil { // a slow machine may still be at the first call
		t.Fatal(err)
	}
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if out := callHook(t, data, strings.NewReader(stopInput), "claude", "Stop"); out != "" {
		t.Errorf("answered %s", out)
	}
	t.Logf("it took %v", time.Since(began))
	log, err := os.ReadFile(filepath.Join(data, "hook", "log"))
	if err != nil || !strings.Contains(string(log), "no answer") {
		t.Errorf("the log: %s %v", log, err)
	}
	if strings.Contains(string(log), "docs") {
		t.Errorf("the log tells what was said: %s", log)
	}
	callHook(t, data, strings.NewReader(`{"session_id":"c1","prompt":"automata: more"}`), "claude", "UserPromptSubmit")
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if out := askHook(t, data, strings.NewReader(stopInput), "claude", "Stop"); !strings.Contains(out, "block") {
		t.Errorf("the lock is gone, and the stop answers %q", out)
	}
}

// TestP17_AHostThatNeverEndsItsInputIsLeft: what hangs is not waited for.
func TestP17_AHostThatNeverEndsItsInputIsLeft(t *testing.T) {
	in, _ := io.Pipe() // nothing is ever written, and it never ends
	if out := callHook(t, t.TempDir(), in, "claude", "Stop"); out != "" {
		t.Errorf("answered %s", out)
	}
}

// TestP17_AHostThatDoesNotReadIsLeft: a pipe takes no more when it is full. Seeded bug:
// waiting until the answer is written.
func TestP17_AHostThatDoesNotReadIsLeft(t *testing.T) {
	for limit := hookcmd.Cap; ; limit *= 4 { // until this machine has an answer in time
		data := t.TempDir()
		askHook(t, data, strings.NewReader(promptInput), "claude", "UserPromptSubmit")
		reads, out := io.Pipe()
		t.Cleanup(func() { _ = reads.Close() })
		runHook(t, limit, data, strings.NewReader(stopInput), out, "claude", "Stop")
		log, err := os.ReadFile(filepath.Join(data, "hook", "decisions"))
		if err == nil && strings.Contains(string(log), "continue") {
			return
		}
		if limit > 16*hookcmd.Cap {
			t.Fatalf("there was nothing to write: %s %v", log, err)
		}
	}
}

type panicky struct{}

func (panicky) Read([]byte) (int, error) { panic("out of order") }

// TestP17_APanicIsNoExitCode: a Go program that panics exits with 2, and 2 tells
// an agent that it must not go on.
func TestP17_APanicIsNoExitCode(t *testing.T) {
	data := t.TempDir()
	if out := callHook(t, data, panicky{}, "claude", "Stop"); out != "" {
		t.Errorf("answered %s", out)
	}
	log, err := os.ReadFile(filepath.Join(data, "hook", "log"))
	if err != nil || !strings.Contains(string(log), "out of order") {
		t.Errorf("the log: %s %v", log, err)
	}
}

// TestHooksKnowTheSameSettings: the few settings that a hook reads are declared as here.
func TestHooksKnowTheSameSettings(t *testing.T) {
	all := map[string]config.Key{}
	for _, k := range config.Keys[Settings]() {
		all[k.Path] = k
	}
	few := config.Keys[hookcmd.Settings]()
	for _, k := range few {
		same := all[k.Path]
		if k.Field.Tag != same.Field.Tag || k.Guarded != same.Guarded || k.Type != same.Type || k.Optional != same.Optional {
			t.Errorf("%s: %+v and %+v", k.Path, k, same)
		}
	}
	if len(few) < 20 {
		t.Errorf("only %d keys", len(few))
	}
}
