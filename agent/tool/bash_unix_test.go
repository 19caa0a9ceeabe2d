//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/agent/tool"
)

// bashIn returns the bash tool of a folder.
func bashIn(t *testing.T, dir string, opt tool.BashOptions) tool.Tool {
	t.Helper()
	if opt.Environ == nil {
		opt.Environ = []string{"PATH=" + os.Getenv("PATH")}
	}
	b, err := open(t, dir).Bash(opt)
	must(t, err)
	return b
}

func TestBashRunsInTheFolderAndTellsHowItEnded(t *testing.T) {
	dir := files(t, "a.txt", "hello\n", "sub/b.txt", "x")
	b := bashIn(t, dir, tool.BashOptions{})
	if got := call(t, b, in("command", "cat a.txt; ls")); got != "hello\na.txt\nsub" {
		t.Errorf("got %q", got)
	}
	if got := call(t, b, in("command", "ls", "dir", "sub")); got != "b.txt" {
		t.Errorf("got %q", got)
	}
	if got := call(t, b, in("command", "true")); got != "[no output]" {
		t.Errorf("got %q", got)
	}
	text, err := b.Call(t.Context(), json.RawMessage(in("command", "echo out; echo err >&2; exit 3")))
	if text != "out\nerr" || err == nil || err.Error() != "[exit status 3]" {
		t.Errorf("got %q, %v", text, err)
	}
	if got := call(t, b, in("command", "cat; echo end")); got != "end" { // nobody types anything
		t.Errorf("got %q", got)
	}
	for _, bad := range []string{`{}`, in("command", " "), in("command", "a\x00b"), in("command", "ls", "timeout", 601), in("command", "ls", "timeout", -1), in("command", strings.Repeat("a", 40<<10)), in("command", "ls", "dir", ".."), in("command", "ls", "dir", "a.txt"), in("command", "ls", "dir", "/")} {
		refused(t, b, bad)
	}
}

func TestBashAsksForWhatNoRuleAllows(t *testing.T) {
	b := bashIn(t, t.TempDir(), tool.BashOptions{Config: tool.Config{Allow: []string{"git status", "go test *"}}})
	unasked(t.Context(), t, b, in("command", "git status && go test ./..."))
	want := tool.Ask{Tool: "bash", Title: "git status; go vet ./... …", Detail: "git status; go vet ./...\nrm 'a b'", Rule: "bash: go vet *; rm 'a b'"}
	if diff := cmp.Diff(want, asked(t, b, in("command", "git status; go vet ./...\nrm 'a b'"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ask := asked(t, b, in("command", "go test > x")); ask.Rule != "" {
		t.Errorf("always is offered for a redirect: %q", ask.Rule)
	}
	wants(t, asked(t, b, in("command", "ls", "dir", "sub")).Title, "(in sub)")
	for _, bad := range []string{"*", "go * x", "a; b", ""} {
		if _, err := open(t, t.TempDir()).Bash(tool.BashOptions{Config: tool.Config{Allow: []string{bad}}}); err == nil || !strings.Contains(err.Error(), "tools.allow") {
			t.Errorf("the rule %q: %v", bad, err)
		}
	}
}

func TestAlwaysCountsForTheCommandAndTheSession(t *testing.T) {
	b := bashIn(t, t.TempDir(), tool.BashOptions{})
	one, two := tool.WithSession(t.Context(), "one"), tool.WithSession(t.Context(), "two")
	ask, _ := b.Ask(one, json.RawMessage(in("command", "git status -s; make 'x; y'")))
	_ = b.Always(one, ask, tool.ForSession)
	unasked(one, t, b, in("command", "git status"))
	unasked(one, t, b, in("command", "make 'x; y'"))
	for _, other := range []string{"git push", "make x", "y", "make 'x; y' z", "git status > x"} {
		if _, need := b.Ask(one, json.RawMessage(in("command", other))); !need {
			t.Errorf("%s is not asked for", other)
		}
	}
	if _, need := b.Ask(two, json.RawMessage(in("command", "git status"))); !need {
		t.Error("another session is not asked")
	}
}

// P15: no secret leaves.
func TestP15_CommandsGetNoKeys(t *testing.T) {
	environ := []string{
		"PATH=.:bin::" + os.Getenv("PATH"), "HOME=/home/x", "LANG=C", "EDITOR=vi",
		"ANTHROPIC_API_KEY=canary", "OPENAI_KEY=canary", "GITHUB_TOKEN=canary", "MY_SECRET_THING=canary", "DB_PASSWORD=canary", "PGPASSWORD=canary", "AWS_ACCESS_KEY_ID=canary",
		"AWS_SECRET_ACCESS_KEY=canary", "GOOGLE_APPLICATION_CREDENTIALS=canary", "npm_config__auth=canary", "token=canary", "DATABASE_URL=postgres://me:canary@db/x", "OTHER=ghp_canary0123456789", "REDIS=rediss://:canary@h:1",
		"BASH_ENV=canary", "ENV=canary", "BASH_FUNC_ls%%=() { echo canary; }", "TRIMTAB_MODEL=canary", "SSH_AUTH_SOCK=/canary", "TERM=canary",
	}
	b := bashIn(t, t.TempDir(), tool.BashOptions{Environ: environ})
	got := call(t, b, in("command", "env; ls"))
	if strings.Contains(got, "canary") {
		t.Errorf("a secret got through:\n%s", got)
	}
	wants(t, got, "HOME=/home/x", "LANG=C", "EDITOR=vi", "TERM=dumb", "GIT_TERMINAL_PROMPT=0", "PATH="+os.Getenv("PATH"))
	b = bashIn(t, t.TempDir(), tool.BashOptions{Environ: environ, Config: tool.Config{Env: []string{"GITHUB_TOKEN"}}})
	if got := call(t, b, in("command", "env")); strings.Count(got, "canary") != 1 {
		t.Errorf("what the person lets through:\n%s", got)
	}
}

func TestHugeAndBinaryOutputIsCutInTheMiddle(t *testing.T) {
	b := bashIn(t, t.TempDir(), tool.BashOptions{Config: tool.Config{Output: 4096}})
	got := call(t, b, in("command", "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last"))
	wants(t, got, "first\nxxx", "bytes left out here]\n", "xxx\nlast")
	if len(got) > 5000 {
		t.Errorf("%d bytes", len(got))
	}
	got = call(t, b, in("command", `printf 'a\0b\377c\n'`))
	if got != "a\uFFFDb\uFFFDc" {
		t.Errorf("binary output is %q", got)
	}
	got = call(t, b, in("command", `yes 漢漢漢 | head -c 9999`))
	if strings.Contains(got, "\uFFFD\n[") || strings.Contains(got, "]\n\uFFFD") {
		t.Error("a character was cut in two")
	}
}

func TestTheTimeLimitEndsACommand(t *testing.T) {
	b := bashIn(t, t.TempDir(), tool.BashOptions{Config: tool.Config{Seconds: 1}})
	text, err := b.Call(t.Context(), json.RawMessage(in("command", "echo begun; sleep 300")))
	if text != "begun" || err == nil {
		t.Fatalf("got %q, %v", text, err)
	}
	wants(t, err.Error(), "stopped after 1 seconds", "timeout")
}

func TestACancelledCommandIsEndedWithAllItStarted(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "ready")
	must(t, syscall.Mkfifo(fifo, 0o600))
	b := bashIn(t, dir, tool.BashOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.Call(ctx, json.RawMessage(in("command", "sleep 300 & (sleep 300 & echo $! > pid2); echo $! > pid1; echo ready > ready; wait")))
		done <- err
	}()
	if _, err := os.ReadFile(fifo); err != nil { // waits for the command
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	gone(t, dir, "pid1", "pid2")
}

func TestWhatACommandLeavesRunningIsEnded(t *testing.T) {
	dir := t.TempDir()
	b := bashIn(t, dir, tool.BashOptions{})
	// it holds on to the output and does not hear SIGTERM or SIGHUP
	got := call(t, b, in("command", "(trap '' TERM HUP; sleep 300) & echo $! > pid; for i in 1 2 3 4 5 6 7 8; do sleep 300 & done; echo $! > last; echo over"))
	if got != "over" {
		t.Errorf("got %q", got)
	}
	gone(t, dir, "pid", "last")
}

// gone checks that the programs whose numbers are in files have ended.
func gone(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		must(t, err)
		for range 20000 { // the signal is sent; the kernel may still be at it
			if err = syscall.Kill(pid, 0); err != nil || zombie(pid) {
				break
			}
		}
		if err == nil && !zombie(pid) {
			t.Errorf("%s: program %d still runs", name, pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// zombie reports whether a program has ended and nobody has asked how.
func zombie(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(raw), ") Z ")
}

func TestACommandThatCannotBeConfinedDoesNotRun(t *testing.T) {
	dir := t.TempDir()
	b := bashIn(t, dir, tool.BashOptions{Confine: func(*exec.Cmd, bool) error { return errors.New("no sandbox") }})
	wants(t, refused(t, b, in("command", "touch x")), "not run", "no sandbox")
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("it ran")
	}
}

// A model that runs into the sandbox is told so: else it tries the same again.
func TestACommandThatRunsIntoTheSandboxSaysSo(t *testing.T) {
	b := bashIn(t, t.TempDir(), tool.BashOptions{AskNetwork: true, Confine: func(*exec.Cmd, bool) error { return nil }})
	for output, want := range map[string]string{
		"cp: cannot create regular file '/tmp/x': Read-only file system": "[exit status 1]\n[the sandbox lets commands write to the project folder and to $TMPDIR only]",
		"curl: (6) Could not resolve host: example.com":                  "[exit status 1]\n[the sandbox has no network, not even 127.0.0.1 of other commands; with network set to true the person is asked for it]",
		"no such flag": "[exit status 1]",
	} {
		_, err := b.Call(t.Context(), json.RawMessage(in("command", "echo "+strconv.Quote(output)+"; exit 1")))
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %q, want %q", output, err, want)
		}
	}
	if got := call(t, b, in("command", "echo Read-only file system")); got != "Read-only file system" {
		t.Errorf("it went well, and is told %q", got)
	}
}

// D7: a call that wants the network is a question that no rule answers, and gets it
// only where the settings leave that to the person.
func TestD7_TheNetworkIsAskedFor(t *testing.T) {
	var had []bool
	opt := tool.BashOptions{
		Config: tool.Config{Allow: []string{"true *"}}, AskNetwork: true,
		Confine: func(_ *exec.Cmd, network bool) error { had = append(had, network); return nil },
	}
	input := json.RawMessage(`{"command":"true x","network":true}`)
	b := bashIn(t, t.TempDir(), opt)
	ask, need, err := b.Question(t.Context(), input)
	if err != nil || !need || !strings.Contains(ask.Title, "with the network") || ask.Rule != "" {
		t.Errorf("the question is %+v, %v, %v", ask, need, err)
	}
	call(t, b, string(input))
	call(t, b, `{"command":"true x"}`)
	opt.AskNetwork = false
	b = bashIn(t, t.TempDir(), opt)
	if _, need, err := b.Question(t.Context(), input); need || err != nil {
		t.Errorf("there is nothing to ask, and it asks: %v", err)
	}
	call(t, b, string(input))
	if !slices.Equal(had, []bool{true, false, false}) {
		t.Errorf("commands had the network: %v", had)
	}
}

// TestChat_A6_OutputIsSeenWhileACommandRuns: the command waits for a file that is only
// made once its first words were seen.
func TestChat_A6_OutputIsSeenWhileACommandRuns(t *testing.T) {
	dir := t.TempDir()
	b := bashIn(t, dir, tool.BashOptions{})
	seen := ""
	var done tool.Effect
	ctx := tool.WithObserver(t.Context(), tool.Observer{
		Output: func(chunk []byte) {
			if seen += string(chunk); strings.Contains(seen, "tick") {
				_ = os.WriteFile(filepath.Join(dir, "go"), nil, 0o600)
			}
		},
		Done: func(e tool.Effect) { done = e },
	})
	text, err := b.Call(ctx, json.RawMessage(in("command", "echo tick; until test -e go; do sleep 0.01; done; echo tock; exit 4")))
	if text != "tick\ntock" || err == nil || seen != "tick\ntock\n" {
		t.Errorf("%q, %v; seen %q", text, err, seen)
	}
	if c := done.Command; c == nil || c.Exit != 4 || c.Output != text || !strings.HasPrefix(c.Command, "echo tick") {
		t.Errorf("%+v", done.Command)
	}
}

// TestChat_A6_SequencesForTerminalsAreTakenOut, and what a line overwrote.
func TestChat_A6_SequencesForTerminalsAreTakenOut(t *testing.T) {
	b := bashIn(t, t.TempDir(), tool.BashOptions{})
	got := call(t, b, in("command", `printf '\033[01;34mblue\033[0m\r\n10%%\r50%%\r100%%\ndon\b\bone\n\033]0;title\007end'`))
	if got != "blue\n100%\ndone\nend" {
		t.Errorf("%q", got)
	}
}
