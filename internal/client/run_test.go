package client_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/trimtab/trimtab/internal/client"
)

// The test program plays the parts of npm and of a client.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "npm" {
		os.Exit(playNPM())
	}
	switch os.Getenv("PLAY") {
	case "client":
		os.Exit(playClient())
	case "parent", "child":
		os.Exit(playFamily())
	}
	os.Exit(m.Run())
}

// playClient shows its environment, folder and settings, and ends with 3.
func playClient() int {
	dir, _ := os.Getwd()
	settings, _ := os.ReadFile(filepath.Join(os.Getenv("HOME"), "a", "settings.json"))
	fmt.Printf("dir %s\nargs %v\nsettings %s\n%s\n", dir, os.Args[1:], settings, strings.Join(os.Environ(), "\n"))
	fmt.Fprintln(os.Stderr, "complaint")
	return 3
}

// playFamily is a program that starts another and waits for ever.
func playFamily() int {
	if os.Getenv("PLAY") == "parent" {
		self, _ := os.Executable()
		child := exec.Command(self)
		child.Env, child.Stdout = append(os.Environ(), "PLAY=child"), os.Stdout
		if err := child.Start(); err != nil {
			return 1
		}
		_ = child.Wait()
		return 0
	}
	// A program that listens for signals is not taken for a deadlock.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	fmt.Println("ready")
	<-signals
	return 0
}

// playNPM makes the program that a package has, fails, or notes that it was called.
func playNPM() int {
	calls, err := os.OpenFile(os.Getenv("NPM_CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	fmt.Fprintln(calls, os.Args[len(os.Args)-1])
	if os.Getenv("NPM_FAILS") != "" {
		fmt.Fprintln(os.Stderr, "ENOTFOUND registry")
		return 1
	}
	dir := os.Args[3] // install --prefix DIR
	for _, bin := range []string{"node_modules/.bin/claude", "node_modules/.bin/pi", "node_modules/node/bin/node"} {
		for _, end := range []string{"", ".cmd", ".exe"} {
			full := filepath.Join(dir, filepath.FromSlash(bin)) + end
			if os.MkdirAll(filepath.Dir(full), 0o755) != nil || os.WriteFile(full, nil, 0o755) != nil {
				return 1
			}
		}
	}
	return 0
}

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestARunSeesItsOwnHomeAndNoKeyOfTheUser(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "CLAUDE_CODE_MESSAGING_TOKEN", "HTTPS_PROXY"} {
		t.Setenv(name, "canary")
	}
	home := t.TempDir()
	cmd := client.Cmd{Name: "x", Home: home, Args: []string{"one", "two"}, Env: []string{"PLAY=client"}, Files: map[string]string{"a/settings.json": "{}"}}
	got, err := cmd.Run(t.Context(), client.Paths{Bin: self(t), Path: []string{"/first"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Exit != 3 || !strings.HasPrefix(got.Stderr, "complaint\n") {
		t.Errorf("ended with %d and said %q", got.Exit, got.Stderr)
	}
	if strings.Contains(got.Stdout, "canary") {
		t.Errorf("the client saw a key of the user:\n%s", got.Stdout)
	}
	for _, want := range []string{"HOME=" + home, "args [one two]", "settings {}", "PATH=/first" + string(os.PathListSeparator), filepath.Join(filepath.Base(home), "work")} {
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("no %q in\n%s", want, got.Stdout)
		}
	}
}

func TestARunWithoutAHomeIsRefused(t *testing.T) {
	if _, err := (client.Cmd{Name: "x"}).Run(t.Context(), client.Paths{Bin: self(t)}); err == nil || !strings.Contains(err.Error(), "home") {
		t.Errorf("got %v", err)
	}
}

func TestAMissingProgramIsAnError(t *testing.T) {
	if _, err := (client.Cmd{Name: "x", Home: t.TempDir()}).Run(t.Context(), client.Paths{Bin: filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("a program that is not there ran")
	}
}

// When the context ends, so does what the client started: the pipe that both of
// them hold comes to its end.
func TestTheEndOfTheContextReachesTheWholeFamily(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no process groups here; only the client is killed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd, err := client.Cmd{Name: "x", Home: t.TempDir(), Env: []string{"PLAY=parent"}}.Prepare(ctx, client.Paths{Bin: self(t)})
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(r)
	if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("read %q, %v", line, err)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("the client ended by itself")
	}
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("read %q, %v", rest, err)
	}
}

// fakeNPM puts our npm first on the path and returns how often it was called.
func fakeNPM(t *testing.T) (calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	program, err := os.ReadFile(self(t))
	if err != nil {
		t.Fatal(err)
	}
	name := "npm"
	if runtime.GOOS == "windows" {
		name = "npm.exe"
	}
	if err := os.WriteFile(filepath.Join(dir, name), program, 0o755); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "calls")
	t.Setenv("PATH", dir)
	t.Setenv("NPM_CALLS", log)
	t.Setenv(client.CacheVariable, filepath.Join(dir, "cache"))
	return func() []string {
		b, err := os.ReadFile(log)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return strings.Fields(string(b))
	}
}

func TestAClientIsInstalledOnce(t *testing.T) {
	calls := fakeNPM(t)
	first, err := client.Install(t.Context(), "claude")
	if err != nil {
		t.Fatal(err)
	}
	second, err := client.Install(t.Context(), "claude")
	if err != nil || second.Bin != first.Bin {
		t.Errorf("the second time: %v, %v", second, err)
	}
	if got := strings.Join(calls(), " "); got != "@anthropic-ai/claude-code@2.1.325" {
		t.Errorf("npm installed %q", got)
	}
	if !strings.Contains(first.Bin, "claude-2.1.325") || first.Version != "2.1.325" {
		t.Errorf("installed %+v", first)
	}
}

func TestAClientThatNeedsANodeGetsOne(t *testing.T) {
	calls := fakeNPM(t)
	p, err := client.Install(t.Context(), "pi")
	if err != nil {
		t.Fatal(err)
	}
	if got := calls(); len(got) != 2 || !strings.HasPrefix(got[1], "node@24.") {
		t.Errorf("npm installed %q", got)
	}
	if len(p.Path) != 2 || !strings.Contains(p.Path[1], "node-24.") {
		t.Errorf("on the path: %q", p.Path)
	}
}

func TestTwoInstallsAtOnceLeaveOneWholeFolder(t *testing.T) {
	fakeNPM(t)
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() { _, errs[i] = client.Install(t.Context(), "claude") })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := inCache(t); len(got) != 1 || got[0] != "claude-2.1.325" {
		t.Errorf("in the cache: %q", got)
	}
}

func TestAFailedInstallLeavesNothingAndSaysWhy(t *testing.T) {
	fakeNPM(t)
	t.Setenv("NPM_FAILS", "1")
	_, err := client.Install(t.Context(), "claude")
	if err == nil || !strings.Contains(err.Error(), "ENOTFOUND registry") || !strings.Contains(err.Error(), "claude-code@2.1.325") {
		t.Errorf("got %v", err)
	}
	if got := inCache(t); len(got) != 0 {
		t.Errorf("in the cache: %q", got)
	}
}

func TestAMissingNPMIsSaid(t *testing.T) {
	fakeNPM(t)
	t.Setenv("PATH", t.TempDir())
	if _, err := client.Install(t.Context(), "claude"); err == nil || !strings.Contains(err.Error(), "install Node") {
		t.Errorf("got %v", err)
	}
	if _, err := client.Install(t.Context(), "emacs"); err == nil || !strings.Contains(err.Error(), `no client "emacs"`) {
		t.Errorf("got %v", err)
	}
}

func inCache(t *testing.T) []string {
	t.Helper()
	dir, err := client.Cache()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
