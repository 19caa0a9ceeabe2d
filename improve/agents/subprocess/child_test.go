package subprocess_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
)

// TestMain makes the test binary the program that misbehaves, too.
func TestMain(m *testing.M) {
	if code, ours := sandbox.Main(os.Args, os.Stderr); ours {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == "-play" {
		os.Exit(play(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

func play(what string, args []string) int {
	switch what {
	case "env":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "stubborn": // does not hear that it should end
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		fmt.Println("ready")
		for { // not select {}: without other goroutines that is a deadlock, which the runtime ends
			time.Sleep(time.Hour)
		}
	case "worker": // runs a program that goes on for ever, and says which processes it is
		place, err := subprocess.Open(subprocess.Setting{Dir: args[0], Sandbox: sandbox.Config{Mode: args[2]}})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		_, err = place.Run(context.Background(), subprocess.Program{
			Argv: []string{"/bin/sh", "-c", `sleep 300 & echo "$$ $!" > "$0.tmp" && mv "$0.tmp" "$0" && wait`, args[1]}, Env: os.Environ(),
		})
		fmt.Println(err)
		return 1
	case "flood":
		for line := strings.Repeat("x", 1023) + "\n"; ; {
			if _, err := os.Stdout.WriteString(line); err != nil {
				return 1
			}
		}
	case "leave": // leaves a process behind that holds on to the output
		cmd := exec.Command(os.Args[0], "-play", "stubborn")
		cmd.Stdout = os.Stdout
		if len(args) > 1 {
			leaveGroup(cmd)
		}
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
			return 1
		}
		if err := os.WriteFile(args[0], fmt.Append(nil, cmd.Process.Pid), 0o600); err != nil {
			return 1
		}
	case "write":
		for _, name := range args {
			fmt.Println(filepath.Base(name), os.WriteFile(name, []byte("x"), 0o600) == nil)
		}
	case "read":
		for _, name := range args {
			raw, err := os.ReadFile(name)
			fmt.Println(filepath.Base(name), err == nil && len(raw) > 0)
		}
	case "exit":
		fmt.Fprintln(os.Stderr, "no such thing")
		return 3
	}
	return 0
}

func place(t *testing.T, s subprocess.Setting) *subprocess.Place {
	t.Helper()
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	p, err := subprocess.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func self(t *testing.T, args ...string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe, "-play"}, args...)
}

func run(t *testing.T, p *subprocess.Place, prog subprocess.Program) (string, subprocess.End, error) {
	t.Helper()
	var out strings.Builder
	prog.Stdout = &out
	if prog.Env == nil {
		prog.Env = subprocess.Environ(os.LookupEnv, p.Home)
	}
	prog.Env = append(prog.Env, "GORACE=atexit_sleep_ms=0") // a program built with -race waits a second before it ends
	end, err := p.Run(t.Context(), prog)
	return out.String(), end, err
}

func TestR10_TheEnvironmentIsCleanAndHoldsNoForgeToken(t *testing.T) {
	vars := map[string]string{"PATH": "bin" + string(os.PathListSeparator) + t.TempDir(), "LANG": "C", "HTTPS_PROXY": "http://u:p@proxy", "GOPROXY": "https://u:p@goproxy", "OWN_KEY": "mine", "OTHER_KEY": "canary"}
	forges := []string{
		"GH_TOKEN", "GITHUB_TOKEN", "GITEA_TOKEN", "GITLAB_TOKEN", "FORGEJO_TOKEN", "CI_JOB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_PAT", "GITLAB_PRIVATE_TOKEN",
		"BITBUCKET_PASSWORD", "HOMEBREW_GITHUB_API_TOKEN", "GIT_ASKPASS", "SSH_AUTH_SOCK", "SSH_ASKPASS", "GIT_SSH_COMMAND", "AZURE_DEVOPS_EXT_PAT", "SYSTEM_ACCESSTOKEN", "gh_token",
	}
	for _, name := range forges {
		vars[name] = "canary"
	}
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	env := subprocess.Environ(lookup, "/private", append(forges, "OWN_KEY")...)
	all := strings.Join(env, "\n")
	if strings.Contains(all, "canary") || strings.Contains(all, "goproxy") || strings.Contains(all, "PATH=bin") {
		t.Errorf("too much is passed on:\n%s", all)
	}
	for _, want := range []string{"OWN_KEY=mine", "HOME=/private", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "HTTPS_PROXY=http://u:p@proxy", "LANG=C", "TERM=dumb"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing in\n%s", want, all)
		}
	}
	p := place(t, subprocess.Setting{})
	out, _, err := run(t, p, subprocess.Program{Argv: self(t, "env"), Env: env})
	if err != nil || strings.Contains(out, "canary") || !strings.Contains(out, "OWN_KEY=mine") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each run has an empty home; what was built would be built again for each, the standard
// library of Go with it.
func TestWhatIsBuiltIsKeptWithoutASandboxToo(t *testing.T) {
	cache := t.TempDir()
	for range 2 {
		p := place(t, subprocess.Setting{Cache: cache, Sandbox: sandbox.Config{Mode: "none"}})
		out, _, err := run(t, p, subprocess.Program{Argv: self(t, "env"), Env: []string{"HOME=" + p.Home}})
		if want := "GOCACHE=" + filepath.Join(cache, "go-build"); err != nil || !slices.Contains(strings.Split(out, "\n"), want) {
			t.Errorf("%v, no %s in\n%s", err, want, out)
		}
	}
}

func TestR10_AProgramThatTakesTooLongIsEnded(t *testing.T) {
	p := place(t, subprocess.Setting{})
	_, end, err := run(t, p, subprocess.Program{Argv: self(t, "stubborn"), Time: 300 * time.Millisecond, Grace: 50 * time.Millisecond})
	if !errors.Is(err, subprocess.ErrTime) || end.Exit != -1 {
		t.Errorf("%v, %+v", err, end)
	}
}

func TestR10_AProgramThatWritesTooMuchIsEnded(t *testing.T) {
	p := place(t, subprocess.Setting{})
	out, _, err := run(t, p, subprocess.Program{Argv: self(t, "flood"), Output: 100_000, Grace: 50 * time.Millisecond})
	if !errors.Is(err, subprocess.ErrOutput) || len(out) != 100_000 {
		t.Errorf("%v, and %d bytes came", err, len(out))
	}
}

func TestR10_NothingStaysBehind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what stays behind cannot be told from others")
	}
	for _, way := range []string{"in the group", "out of the group"} {
		t.Run(way, func(t *testing.T) {
			if way == "out of the group" && runtime.GOOS != "linux" {
				t.Skip("only Linux shows environments")
			}
			dir := t.TempDir()
			p := place(t, subprocess.Setting{Dir: dir})
			note := filepath.Join(dir, "pid")
			args := []string{"leave", note}
			if way == "out of the group" {
				args = append(args, "far")
			}
			if _, end, err := run(t, p, subprocess.Program{Argv: self(t, args...)}); err != nil || end.Exit != 0 {
				t.Fatal(err, end)
			}
			raw, err := os.ReadFile(note)
			if err != nil {
				t.Fatal(err)
			}
			if alive(t, string(raw)) {
				t.Errorf("process %s is alive", raw)
			}
		})
	}
}

func TestR10_TheSandboxHoldsWritesInTheFolder(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	for _, mode := range []string{"landlock", "bubblewrap"} {
		for readOnly, want := range map[bool]string{false: "inside true\noutside false\n", true: "inside false\noutside false\n"} {
			t.Run(fmt.Sprint(mode, " read only ", readOnly), func(t *testing.T) {
				dir := t.TempDir()
				setting := subprocess.Setting{Dir: dir, ReadOnly: readOnly, Sandbox: sandbox.Config{Mode: mode}}
				if p, err := subprocess.Open(setting); errors.Is(err, sandbox.ErrNone) {
					t.Skip(err)
				} else if err == nil {
					_ = p.Close()
				}
				p := place(t, setting)
				out, _, err := run(t, p, subprocess.Program{Argv: self(t, "write", filepath.Join(dir, "inside"), outside)})
				if err != nil || out != want || p.Boxed() != mode {
					t.Errorf("%s: %v\n%s", p.Boxed(), err, out)
				}
			})
		}
	}
}

func TestAProgramsOwnExitIsNoError(t *testing.T) {
	p := place(t, subprocess.Setting{})
	_, end, err := run(t, p, subprocess.Program{Argv: self(t, "exit")})
	if err != nil || end.Exit != 3 || end.Tail != "no such thing" {
		t.Errorf("%v %+v", err, end)
	}
}

func TestAProgramThatIsNotThereIsMissing(t *testing.T) {
	dir := t.TempDir()
	trap := filepath.Join(dir, "trimtab-no-such")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	p := place(t, subprocess.Setting{Dir: dir})
	for _, path := range []string{"PATH=/nowhere", "PATH=.", "PATH="} {
		if _, _, err := run(t, p, subprocess.Program{Argv: []string{"trimtab-no-such"}, Env: []string{path}}); !errors.Is(err, subprocess.ErrMissing) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, _, err := run(t, p, subprocess.Program{Argv: []string{"./trimtab-no-such"}}); err == nil {
		t.Error("a program of the folder was run")
	}
}

func TestACancelledRunEnds(t *testing.T) {
	p := place(t, subprocess.Setting{})
	ctx, cancel := context.WithCancel(t.Context())
	ready := writer(func(b []byte) {
		if strings.Contains(string(b), "ready") {
			cancel()
		}
	})
	_, err := p.Run(ctx, subprocess.Program{Argv: self(t, "stubborn"), Env: subprocess.Environ(os.LookupEnv, p.Home), Grace: 50 * time.Millisecond, Stdout: ready})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

func TestP15_TheLogHoldsNoHalfOfASecret(t *testing.T) {
	const canary = "canary-0123456789"
	key := "-----BEGIN A KEY-----\nabc\ndef\n-----END A KEY-----\n"
	redact := func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, canary, "[REDACTED]"), key, "[KEY]\n")
	}
	text := "one " + canary + "\n" + key + "two " + canary
	for _, size := range []int{1, 3, 7, 50, len(text)} {
		name := filepath.Join(t.TempDir(), "logs", "a.log")
		log, err := subprocess.Create(name, redact)
		if err != nil {
			t.Fatal(err)
		}
		for piece := range slices.Chunk([]byte(text), size) {
			if _, err := log.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(name)
		if err != nil || string(raw) != "one [REDACTED]\n[KEY]\ntwo [REDACTED]\n" {
			t.Errorf("in pieces of %d: %v\n%s", size, err, raw)
		}
	}
	if _, err := subprocess.Create(filepath.Join(t.TempDir(), "a"), nil); err == nil {
		t.Error("a log without a redactor was made")
	}
}
