package task_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/trial/task"
)

// write makes a task of files; "" takes one of the usual ones away.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "one")
	all := map[string]string{"task.toml": "version = \"1.0\"\n", "instruction.md": "Do it.\n", "tests/test.sh": "exit 0\n", "environment/a.txt": "a\n"}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestATaskIsRead(t *testing.T) {
	dir := write(t, map[string]string{
		"task.toml":              "version = \"1.0\"\n[metadata]\ncategory = \"loops\"\n[agent]\ntimeout_sec = 1.5\n[verifier]\nenv = { A = \"b\" }\n[environment]\ncpus = 2\n",
		"environment/Dockerfile": "# what it is\nFROM alpine\nWORKDIR /app\nCOPY . /app\n", "environment/sub/b.sh": "b\n", "solution/solve.sh": "true\n",
	})
	tasks, err := task.Find(dir)
	if err != nil || len(tasks) != 1 {
		t.Fatal(err, tasks)
	}
	one := tasks[0]
	if one.Name != "one" || one.Kind != "loops" || one.AgentTime != 1500*time.Millisecond || one.TestTime != 2*time.Minute || one.Env[0] != "A=b" || !one.HasSolution() {
		t.Errorf("%+v", one)
	}
	to := filepath.Join(t.TempDir(), "app")
	if err := one.Copy(task.Environment, to); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(to, "sub", "b.sh")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"Dockerfile", "tests", "instruction.md"} {
		if _, err := os.Stat(filepath.Join(to, name)); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "tests", "test.sh"), []byte("exit 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := task.Read(dir); err != nil || again.Hash == one.Hash {
		t.Errorf("another test is the same task: %v", err)
	}
	if all, err := task.Find(filepath.Dir(dir)); err != nil || len(all) != 1 {
		t.Errorf("a folder of tasks: %v, %d", err, len(all))
	}
}

// TestBadTasksAreNamed: with the file and what is wrong with it.
func TestBadTasksAreNamed(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"task.toml: line 2":               {"task.toml": "a = 1\nb =\n"},
		"agent.timeout_sec: -1":           {"task.toml": "[agent]\ntimeout_sec = -1.0\n"},
		"verifier.timeout_sec: 1e+09":     {"task.toml": "[verifier]\ntimeout_sec = 1e9\n"},
		"verifier.env":                    {"task.toml": "[verifier]\nenv = { \"A=B\" = \"c\" }\n"},
		"instruction.md is empty":         {"instruction.md": " \n"},
		"instruction.md is not UTF-8":     {"instruction.md": "\xff\xfe"},
		"tests/test.sh is missing":        {"tests/test.sh": ""},
		"environment.docker_image":        {"task.toml": "[environment]\ndocker_image = \"--privileged\"\n"},
		"environment.cpus":                {"task.toml": "[environment]\ncpus = nan\n"},
		"environment.memory: \"much\"":    {"task.toml": "[environment]\nmemory = \"much\"\n"},
		"agent.user":                      {"task.toml": "[agent]\nuser = \"--privileged\"\n"},
		"docker-compose.yaml starts":      {"environment/docker-compose.yaml": "services: {}\n"},
		"no task.toml, and none of its f": {"task.toml": ""},
	} {
		_, err := task.Find(write(t, files))
		if !errors.Is(err, task.ErrTask) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if _, err := task.Find(filepath.Join(t.TempDir(), "nowhere")); err == nil {
		t.Error("a folder that is not there is a task")
	}
	a, b := write(t, nil), write(t, nil)
	if _, err := task.Find(a, b); err == nil || !strings.Contains(err.Error(), "two are called one") {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	linked := write(t, nil)
	if err := os.Symlink("/etc", filepath.Join(linked, "environment", "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := task.Read(linked); err == nil || !strings.Contains(err.Error(), "no plain file") {
		t.Error(err)
	}
}

// TestAContainerIsDescribed: what a copy of the files does not have is named.
func TestAContainerIsDescribed(t *testing.T) {
	for _, c := range []struct {
		config, docker string
		needed         string
		want           task.Container
	}{
		{"", "", "", task.Container{}},
		{"", "FROM debian\nWORKDIR /app\nCOPY . .\n", "", task.Container{File: true}},
		{"", "FROM debian\nRUN apt-get install python3\n", "RUN apt-get install python3", task.Container{File: true}},
		{"", "FROM debian\nCOPY a.txt /etc/a.txt\n", "COPY a.txt /etc/a.txt", task.Container{File: true}},
		{
			"[agent]\nuser = 1000\n[verifier]\nuser = \"root\"\n[environment]\ndocker_image = \"a/b:1\"\ncpus = 2\nmemory = \"4G\"\nallow_internet = false\n", "", "the image a/b:1",
			task.Container{Image: "a/b:1", CPUs: 2, Memory: 4 << 30, Closed: true, User: "1000", TestUser: "root"},
		},
		{"[environment]\nmemory_mb = 2048\n", "FROM a\n", "", task.Container{File: true, Memory: 2 << 30}},
	} {
		files := map[string]string{"task.toml": c.config + "[metadata]\n"}
		if c.docker != "" {
			files["environment/Dockerfile"] = c.docker
		}
		one, err := task.Read(write(t, files))
		got := one.Container
		if err != nil || (c.needed == "") != (got.Needed == "") || !strings.Contains(got.Needed, c.needed) {
			t.Errorf("%q %q: %v, needed: %q", c.config, c.docker, err, got.Needed)
		}
		got.Needed, got.BuildTime = "", 0
		if got != c.want || got.Described() != (c.docker != "" || c.want.Image != "") {
			t.Errorf("%q %q: %+v", c.config, c.docker, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("version = \"1.0\"\n[agent]\ntimeout_sec = 3", "Do it.", "FROM a\nCOPY . .")
	f.Add("[verifier]\nenv = {A='b'}", "x", "RUN a \\\n b")
	f.Fuzz(func(t *testing.T, config, instruction, docker string) {
		one, err := task.Read(write(t, map[string]string{"task.toml": config, "instruction.md": instruction, "environment/Dockerfile": docker}))
		if err == nil && (one.AgentTime <= 0 || one.TestTime <= 0 || one.Hash == "" || strings.TrimSpace(one.Instruction) == "") {
			t.Errorf("%+v", one)
		}
	})
}
