package project_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/project"
)

// TestMain makes the test binary the command of a project, too.
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
	case "fail":
		fmt.Println("FAIL canary-4711")
		return 3
	case "read":
		for _, name := range args {
			_, err := os.ReadFile(name)
			fmt.Println(filepath.Base(name), err == nil)
		}
	case "outside":
		fmt.Println(os.WriteFile(args[0], nil, 0o600) == nil)
	}
	return 0
}

func runner(t *testing.T, cfg project.Config, vars map[string]string) *project.Project {
	t.Helper()
	cfg.Env = append(cfg.Env, "GORACE") // a program built with -race waits a second before it ends
	p, err := project.New(cfg, project.Options{
		Lookup: func(name string) (string, bool) {
			if name == "GORACE" {
				return "atexit_sleep_ms=0", true
			}
			if v, ok := vars[name]; ok {
				return v, true
			}
			return os.LookupEnv(name)
		},
		Redact: func(s string) string { return strings.ReplaceAll(s, "canary-4711", "[REDACTED]") },
	})
	if err != nil {
		t.Fatal(err)
	}
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

func TestACommandRunsCleanBoxedAndLogged(t *testing.T) {
	vars := map[string]string{"GH_TOKEN": "canary-a", "ANTHROPIC_API_KEY": "canary-b", "HOME": "/home/person", "MINE": "yes"}
	p := runner(t, project.Config{Test: self(t, "env"), Lint: []string{"none"}, Env: []string{"MINE"}}, vars)
	log := filepath.Join(t.TempDir(), "logs", "test.log")
	r, has, err := p.Run(t.Context(), project.Test, t.TempDir(), log)
	if err != nil || !has || r.Exit != 0 || r.From != "the settings" || r.Log != log {
		t.Fatal(err, has, r)
	}
	raw, err := os.ReadFile(log)
	if err != nil || strings.Contains(string(raw), "canary") || strings.Contains(string(raw), "HOME=/home/person\n") || !strings.Contains(string(raw), "MINE=yes") {
		t.Errorf("%v\n%s", err, raw)
	}
	if kind := confinement(t).Kind; kind != sandbox.None && r.Boxed != string(kind) {
		t.Errorf("boxed by %q", r.Boxed)
	}
	if _, has, err := p.Run(t.Context(), project.Lint, t.TempDir(), log); has || err != nil {
		t.Error("a command that is none was run", err)
	}
	if _, has, err := p.Run(t.Context(), project.Format, t.TempDir(), log); has || err != nil {
		t.Error("an empty folder has a format", err)
	}
}

func TestACommandsFailureIsAResultAndRedacted(t *testing.T) {
	p := runner(t, project.Config{Test: self(t, "fail")}, nil)
	r, _, err := p.Run(t.Context(), project.Test, t.TempDir(), filepath.Join(t.TempDir(), "x.log"))
	if err != nil || r.Exit != 3 || r.Said != "FAIL [REDACTED]" {
		t.Error(err, r)
	}
}

func TestACommandThatIsNotInstalledSaysWhatToDo(t *testing.T) {
	p := runner(t, project.Config{}, map[string]string{"PATH": t.TempDir()})
	_, has, err := p.Run(t.Context(), project.Test, plant(t, map[string]string{"Cargo.toml": ""}), filepath.Join(t.TempDir(), "x.log"))
	if !has || !errors.Is(err, project.ErrMissing) || !strings.Contains(err.Error(), "set improve.checks.test") {
		t.Error(has, err)
	}
	has, err = p.Has(project.Test, plant(t, map[string]string{"Cargo.toml": ""}))
	if !has || !errors.Is(err, project.ErrMissing) || !strings.Contains(err.Error(), "set improve.checks.test") {
		t.Error("nothing is said before it is run:", has, err)
	}
	if has, err := p.Has(project.Test, t.TempDir()); has || err != nil {
		t.Error("an empty folder has tests:", has, err)
	}
	if _, err := project.New(project.Config{Env: []string{"GITHUB_TOKEN"}}, project.Options{Lookup: os.LookupEnv, Redact: strings.TrimSpace}); err == nil {
		t.Error("a command may get a forge's token")
	}
}

func TestACommandCannotWriteOutside(t *testing.T) {
	if confinement(t).Kind == sandbox.None {
		t.Skip(confinement(t))
	}
	p := runner(t, project.Config{Test: self(t, "outside", filepath.Join(t.TempDir(), "x"))}, nil)
	r, _, err := p.Run(t.Context(), project.Test, t.TempDir(), filepath.Join(t.TempDir(), "x.log"))
	if err != nil || r.Said != "false" {
		t.Error(err, r)
	}
}

func TestTheSamplesCommandsRun(t *testing.T) {
	for _, name := range []string{"go", "git", "gofmt"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	s, err := agents.Sample(t.Context(), t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	// The cache of whoever runs the tests is warm; one of our own would be filled
	// with the whole standard library first.
	built, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	cache := strings.TrimSpace(string(built))
	if err != nil || filepath.Base(cache) != "go-build" {
		t.Skip("no cache of builds: ", err)
	}
	p, err := project.New(project.Config{}, project.Options{Lookup: os.LookupEnv, Redact: strings.TrimSpace, Cache: filepath.Dir(cache)})
	if err != nil {
		t.Fatal(err)
	}
	run := func(kind project.Kind, want int) {
		t.Helper()
		r, has, err := p.Run(t.Context(), kind, s.Project, filepath.Join(t.TempDir(), "x.log"))
		if err != nil || !has || r.Exit != want {
			t.Errorf("%s: %v, %v, %+v", kind, has, err, r)
		}
	}
	run(project.Format, 0)
	run(project.Test, 0)
	if err := os.WriteFile(filepath.Join(s.Project, "ugly.go"), []byte("package  soundings\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(project.Format, 1) // gofmt itself ends with 0
}

func TestP15_AProjectsTestsReadNoSecretOfThePerson(t *testing.T) {
	if confinement(t).Kind == sandbox.None {
		t.Skip(confinement(t))
	}
	home := t.TempDir()
	var names []string
	for _, name := range []string{".ssh/id", ".claude/login", "trimtab.db", "notes"} {
		full := filepath.Join(home, filepath.FromSlash(name))
		names = append(names, full)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.New(project.Config{Test: self(t, append([]string{"read"}, names...)...)}, project.Options{
		Lookup: func(name string) (string, bool) { return map[string]string{"HOME": home}[name], name == "HOME" }, Redact: strings.TrimSpace, Hide: names[2:3],
	})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := p.Run(t.Context(), project.Test, t.TempDir(), filepath.Join(t.TempDir(), "log"))
	if want := "id false\nlogin false\ntrimtab.db false\nnotes true"; err != nil || r.Said != want {
		t.Errorf("%v\n%s", err, r.Said)
	}
}

// confinement is what confines commands on this machine.
func confinement(t *testing.T) sandbox.Status {
	t.Helper()
	box, err := sandbox.New(sandbox.Config{}, sandbox.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	return box.Status()
}
