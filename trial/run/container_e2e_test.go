//go:build e2e

package run_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/trial"
	"github.com/trimtab/trimtab/trial/sample"
)

// engine is podman with an image of BusyBox in a store of its own, and the environment in
// which both are used.
func engine(t *testing.T) (env []string) {
	t.Helper()
	busybox, err1 := exec.LookPath("busybox")
	podman, err2 := exec.LookPath("podman")
	if err := errors.Join(err1, err2); err != nil {
		t.Skip("not run: it needs Debian's podman, runc and busybox-static:", err)
	}
	home := t.TempDir()
	// Modest limits, and runc: what a machine without all rights can still start.
	conf := "[containers]\ndefault_ulimits = [\"nofile=1000:1000\", \"nproc=500:500\"]\n"
	if _, err := exec.LookPath("runc"); err == nil {
		conf += "[engine]\nruntime = \"runc\"\n"
	}
	if err := os.WriteFile(filepath.Join(home, "containers.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(os.Environ(), "HOME="+home, "CONTAINERS_CONF="+filepath.Join(home, "containers.conf"), "BUILDAH_ISOLATION=chroot")
	root := filepath.Join(home, "root", "bin")
	must(t, env, "sh", "-c", `mkdir -p "$1" && cp "$0" "$1/busybox" && mkdir -m 1777 "$1/../tmp" && for a in $("$0" --list); do [ -e "$1/$a" ] || ln -s busybox "$1/$a"; done`, busybox, root)
	must(t, env, "sh", "-c", `tar -C "$0" -c . | "$1" import - localhost/trimtab-e2e:1`, filepath.Dir(root), podman)
	if out, err := command(env, podman, "run", "--rm", "localhost/trimtab-e2e:1", "true").CombinedOutput(); err != nil {
		t.Skipf("not run: podman cannot start a container here: %s", bytes.TrimSpace(out))
	}
	return env
}

func command(env []string, argv ...string) *exec.Cmd {
	c := exec.Command(argv[0], argv[1:]...) // #nosec G204 -- the test's own
	c.Env = env
	return c
}

func must(t *testing.T, env []string, argv ...string) string {
	t.Helper()
	out, err := command(env, argv...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return string(out)
}

// TestInContainers: tasks with a Dockerfile run in their containers, with the agent inside;
// steering helps there as it does outside. A trial that is killed leaves a container
// behind, which the next one removes before it goes on; a task without end is ended.
func TestInContainers(t *testing.T) {
	env := engine(t)
	dir := t.TempDir()
	bin := filepath.Join(dir, "trimtab")
	must(t, append(os.Environ(), "CGO_ENABLED=0"), "go", "build", "-o", bin, "../../cmd/trimtab")
	env = append(env, "TRIMTAB_DATA="+filepath.Join(dir, "data"))
	all, err := sample.Extract(filepath.Join(dir, "sample"))
	if err != nil {
		t.Fatal(err)
	}
	tasks := filepath.Join(dir, "tasks")
	describe := func(name string) string {
		t.Helper()
		one := filepath.Join(tasks, name)
		must(t, env, "sh", "-c", `mkdir -p "$0" && cp -r "$1/." "$0"`, one, filepath.Join(all, name))
		text := "FROM localhost/trimtab-e2e:1\nWORKDIR /app\nCOPY . /app\nRUN touch /made-by-the-image\n"
		if err := os.WriteFile(filepath.Join(one, "environment", "Dockerfile"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tests := filepath.Join(one, "tests", "test.sh")
		raw, err := os.ReadFile(tests)
		if err != nil {
			t.Fatal(err)
		}
		raw = append([]byte("[ -f /made-by-the-image ] && [ \"$PWD\" = /app ] && [ \"$TRIAL_TESTS\" = /tests ] || exit 9\n"), raw...)
		if err := os.WriteFile(tests, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		return one
	}
	describe("false-done-slug")
	describe("loop-same-command")
	if got := must(t, env, bin, "trial", "check", tasks); strings.Count(got, ": good") != 2 {
		t.Fatal(got)
	}
	args := []string{bin, "trial", tasks, "--model", "scripted", "--repeat", "2", "--json"}

	killed := command(env, args...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	left := func() int { return len(strings.Fields(must(t, env, "podman", "ps", "--quiet"))) }
	for deadline := time.Now().Add(2 * time.Minute); left() == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no container was started")
		}
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()

	var out, diag bytes.Buffer
	again := command(env, args...)
	again.Stdout, again.Stderr = &out, &diag
	if err := again.Run(); err != nil {
		t.Fatalf("%v\n%s", err, diag.String())
	}
	var report trial.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	solved := map[string]int{}
	for _, r := range report.Results {
		if r.Box != "podman" || r.Outcome == trial.Broken {
			t.Errorf("%+v", r)
		}
		if r.Outcome == trial.Solved {
			solved[r.Arm]++
		}
	}
	if len(report.Results) != 8 || solved["on"] <= solved["off"] {
		t.Errorf("%d runs, solved %v", len(report.Results), solved)
	}
	if n := left(); n != 0 {
		t.Errorf("%d containers are left", n)
	}

	endless := describe("false-done-red-check")
	if err := os.WriteFile(filepath.Join(endless, "task.toml"), []byte("[agent]\ntimeout_sec = 3.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(endless, "model.script"), []byte("fault 100\nheed 0\n\npart right\nrun sleep 600\nsay done\n\npart fault\nrun sleep 600\nsay done\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _ := command(env, bin, "trial", endless, "--model", "scripted", "--repeat", "1", "--arm", "off").CombinedOutput()
	if !strings.Contains(string(got), "timed out") {
		t.Errorf("%s", got)
	}
	if n := left(); n != 0 {
		t.Errorf("%d containers are left", n)
	}
}
