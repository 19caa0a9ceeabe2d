package run

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/trial"
	"github.com/trimtab/trimtab/trial/sample"
	"github.com/trimtab/trimtab/trial/scripted"
	"github.com/trimtab/trimtab/trial/task"
)

func TestMain(m *testing.M) {
	if code, ours := sandbox.Main(os.Args, os.Stderr); ours {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func environment(t *testing.T, mode string) Env {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not run: tasks are shell scripts")
	}
	return Env{
		Self: os.Args[0], Trials: t.TempDir(), Data: t.TempDir(), Lookup: os.LookupEnv, Redact: strings.Clone, Sandbox: sandbox.Config{Mode: mode},
		Clock: time.Now, Tell: t.Logf,
	}
}

// put writes a task.
func put(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	for _, file := range []string{"task.toml", "instruction.md", "tests/test.sh", "solution/solve.sh"} {
		text, ok := files[file]
		if !ok {
			text = map[string]string{"instruction.md": "Do it.\n"}[file]
		}
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestBad_ATaskThatWritesOutsideItsFolderDoesNot: neither its solution nor its tests.
func TestBad_ATaskThatWritesOutsideItsFolderDoesNot(t *testing.T) {
	env := environment(t, "require")
	outside := filepath.Join(t.TempDir(), "outside")
	dir := put(t, "outside", map[string]string{
		"solution/solve.sh": "echo x > done.txt; echo x > " + outside + " || true\n",
		"tests/test.sh":     "echo x > " + outside + " || true\n[ -f done.txt ]\n",
	})
	all, err := Check(t.Context(), Request{Dirs: []string{dir}}, env)
	if errors.Is(err, sandbox.ErrNone) {
		t.Skip("not run: this system has no sandbox:", err)
	}
	if err != nil || !all[0].Good {
		t.Errorf("%v, %+v", err, all)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("it wrote outside of its folder")
	}
}

// Without a sandbox nothing runs, unless the person says so.
func TestConfined(t *testing.T) {
	for _, mode := range []string{"", "auto", "none"} {
		if got := Confined(sandbox.Config{Mode: mode}, false); got.Mode != "require" {
			t.Errorf("%q: %q", mode, got.Mode)
		}
		if got := Confined(sandbox.Config{Mode: mode}, true); got.Mode != mode {
			t.Errorf("%q: %q", mode, got.Mode)
		}
	}
}

// Harbor's reward counts, where the tests write one; else their exit code.
func TestTheRewardOfTheTests(t *testing.T) {
	env := environment(t, "auto")
	write := func(reward string) string { return "printf '" + reward + "' > $TRIAL_LOGS/verifier/reward.txt\n" }
	for _, c := range []struct {
		test string
		want trial.Outcome
	}{
		{"exit 0", trial.Solved},
		{"exit 3", trial.Unsolved},
		{write("1") + "exit 1", trial.Solved},
		{write("0.5") + "exit 0", trial.Unsolved},
		{write("0"), trial.Unsolved},
		{write("NaN"), trial.Broken},
		{write("7"), trial.Broken},
		{write("many"), trial.Broken},
		{"ls \"$TRIAL_TESTS/test.sh\" && [ \"$PWD\" = \"$TRIAL_APP\" ]", trial.Solved},
	} {
		one, err := task.Read(put(t, "reward", map[string]string{"tests/test.sh": c.test}))
		if err != nil {
			t.Fatal(err)
		}
		tr := &trials{env: env}
		got, err := tr.tryOut(t.Context(), one, false)
		if err != nil || got.outcome != c.want {
			t.Errorf("%s: %v, %+v", c.test, err, got)
		}
	}
}

func TestArmsAreLaidOverThePersonsSettings(t *testing.T) {
	own := []byte(`{"guard": {"enabled": true, "pause": false}, "store": {"url": "postgres://team"}, /* mine */ "models": {"default": "x"},}`)
	file := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(file, []byte(`{"guard": {"detector": "seed"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(word string) (map[string]map[string]any, arm) {
		a, err := openArm(word, own)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]map[string]any
		if err := json.Unmarshal(a.settings, &out); err != nil {
			t.Fatal(err)
		}
		return out, a
	}
	on, a := read(On)
	off, b := read(Off)
	other, c := read(file)
	switch {
	case on["guard"]["enabled"] != true || on["models"]["default"] != "x" || on["store"]["url"] != "":
		t.Errorf("on: %v", on)
	case off["guard"]["enabled"] != false || off["guard"]["pause"] != false || off["verify"]["enabled"] != false:
		t.Errorf("off: %v", off)
	case other["guard"]["enabled"] != true || other["guard"]["detector"] != "seed" || c.name != "other":
		t.Errorf("other: %v", other)
	case a.hash == b.hash || a.hash == c.hash:
		t.Error("different settings have one hash")
	}
	for _, bad := range []string{"{", "[1]", "{\"a\": 1} x"} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openArm(file, nil); err == nil {
			t.Errorf("%s is an arm", bad)
		}
	}
}

// What is told of a run depends on nothing that is not in its key.
func TestWhatARunDependsOnIsNamed(t *testing.T) {
	a := depends{"t", "s", "a", "m", "p", "1"}
	b := a
	b.Task, b.Program = "t2", "p2"
	if got := differs(a, b); got != "the task and this program" {
		t.Error(got)
	}
}

// A run gets no key but its agent's own, and none at all where the model is scripted.
func TestKeysOfTheRun(t *testing.T) {
	vars := map[string]string{"ANTHROPIC_API_KEY": "canary-a", "OPENAI_API_KEY": "canary-o", "GITHUB_TOKEN": "canary-g", "MINE": "mine", "PATH": "/bin"}
	env := Env{Self: "/bin/trimtab", Lookup: func(n string) (string, bool) { v, ok := vars[n]; return v, ok }, Pass: []string{"MINE", "GITHUB_TOKEN"}}
	claude, _ := host.Find("claude")
	own, _ := host.Find("trimtab")
	for _, c := range []struct {
		a         agent
		with, not []string
	}{
		{agent{name: "claude", row: claude.Headless, env: env}, []string{"ANTHROPIC_API_KEY=canary-a", "MINE=mine", "TRIMTAB_CONFIG=/s"}, []string{"canary-o", "canary-g"}},
		{agent{name: "claude", row: claude.Headless, env: env, model: Scripted}, []string{"ANTHROPIC_API_KEY=scripted"}, []string{"canary"}},
		{agent{name: Own, row: own.Headless, env: env, model: Deaf}, []string{keyName + "=scripted"}, []string{"canary"}},
	} {
		got := c.a.environ("/home", "/d", "/s")
		for _, want := range c.with {
			if !slices.Contains(got, want) {
				t.Errorf("%s %s: %s is missing", c.a.name, c.a.model, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(strings.Join(got, "\n"), not) {
				t.Errorf("%s %s: it gets %s", c.a.name, c.a.model, not)
			}
		}
	}
	argv, stdin := agent{name: "claude", row: claude.Headless, env: env, model: Scripted}.argv("do it", "http://127.0.0.1:1")
	line := strings.Join(argv, " ")
	if stdin != "do it" || strings.Contains(line, "disableAllHooks") || !strings.Contains(line, "run --hooks --upstream anthropic=http://127.0.0.1:1 claude -p") {
		t.Errorf("%s, %q", line, stdin)
	}
}

// TestSample_ADozenTasksThatCanBeSolved: by their own solution, not by nothing, and each with a
// script for a model.
func TestSample_ADozenTasksThatCanBeSolved(t *testing.T) {
	env := environment(t, "auto")
	all, err := Check(t.Context(), Request{Sample: true}, env)
	if err != nil || len(all) < 12 || Bad(all) != nil {
		t.Fatalf("%v\n%s", err, CheckText(all))
	}
	dir, err := sample.Extract(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := task.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, one := range tasks {
		kinds[one.Kind]++
		if _, err := scripted.Parse(one.Script); err != nil {
			t.Errorf("%s: %v", one.Name, err)
		}
	}
	for _, kind := range []string{"false completion", "loops", "lost goals", "early stop", "forgotten items"} {
		if kinds[kind] < 2 {
			t.Errorf("%s: %d tasks", kind, kinds[kind])
		}
	}
}

// The time limit of the tests is one of the task, and one that does not end is broken.
func TestBad_TestsThatNeverEnd(t *testing.T) {
	env := environment(t, "auto")
	one, err := task.Read(put(t, "endless", map[string]string{"task.toml": "[verifier]\ntimeout_sec = 0.3\n", "tests/test.sh": "sleep 300\n"}))
	if err != nil {
		t.Fatal(err)
	}
	tr := &trials{env: env}
	got, err := tr.tryOut(t.Context(), one, false)
	if err != nil || got.outcome != trial.Broken || !strings.Contains(got.said, subprocess.ErrTime.Error()) {
		t.Errorf("%v, %+v", err, got)
	}
}

// A task that needs its container is refused where there is none, and says what it needs;
// one whose Dockerfile only copies its files runs on a copy.
func TestWithoutContainers(t *testing.T) {
	env := environment(t, "auto")
	test := "[ -f made ]\n"
	solve := "touch made\n"
	needs := put(t, "needs", map[string]string{"tests/test.sh": test, "solution/solve.sh": solve})
	copies := put(t, "copies", map[string]string{"tests/test.sh": test, "solution/solve.sh": solve})
	for dir, text := range map[string]string{needs: "FROM debian\nRUN apt-get install -y jq\n", copies: "FROM debian\nCOPY . /app\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, task.Environment), 0o700), os.WriteFile(filepath.Join(dir, task.Environment, "Dockerfile"), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Check(t.Context(), Request{Dirs: []string{needs}, Container: NoContainers}, env)
	if wrong := (UsageError{}); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "RUN apt-get install -y jq") || !strings.Contains(err.Error(), "podman") {
		t.Error(err)
	}
	all, err := Check(t.Context(), Request{Dirs: []string{copies}, Container: NoContainers}, env)
	if err != nil || len(all) != 1 || !all[0].Good {
		t.Errorf("%v, %+v", err, all)
	}
	if _, err := Check(t.Context(), Request{Dirs: []string{copies}, Container: "kubernetes"}, env); err == nil || !strings.Contains(err.Error(), "docker and podman") {
		t.Error(err)
	}
}
