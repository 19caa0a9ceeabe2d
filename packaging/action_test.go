//go:build e2e && unix

package packaging

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// job plays the part of a runner for the action: it runs its steps as one does.
type job struct {
	dir     string // the checkout
	path    string // what the runner's own PATH is
	inputs  map[string]string
	summary string
	output  string
}

type action struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Runs struct {
		Steps []struct {
			ID    string            `yaml:"id"`
			If    string            `yaml:"if"`
			Shell string            `yaml:"shell"`
			Env   map[string]string `yaml:"env"`
			Run   string            `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

var (
	condition  = regexp.MustCompile(`^inputs\.(\w+) == '(\w+)'$`)
	expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)
)

// run runs the steps of the action, and returns what they said.
func (j *job) run(t *testing.T) (string, error) {
	t.Helper()
	text, err := os.ReadFile("action/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{}
	for name, in := range a.Inputs {
		inputs[name] = strings.ReplaceAll(in.Default, "${{ github.token }}", "token-of-the-job")
	}
	for name, value := range j.inputs {
		if _, ok := inputs[name]; !ok {
			t.Fatalf("the action has no input %q", name)
		}
		inputs[name] = value
	}
	temp := t.TempDir()
	file := func(name string) string {
		f := filepath.Join(temp, name)
		write(t, f, "")
		return f
	}
	path, summary, out := file("path"), file("summary"), file("output")
	home := t.TempDir()
	var said strings.Builder
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("%s: an expression in the text of a step, which could hold commands", step.ID)
		}
		if step.If != "" {
			m := condition.FindStringSubmatch(step.If)
			if m == nil {
				t.Fatalf("%s: if %s", step.ID, step.If)
			}
			if inputs[m[1]] != m[2] {
				continue
			}
		}
		if step.Shell != "bash" {
			t.Fatalf("%s: shell %q", step.ID, step.Shell)
		}
		added, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		search := strings.Join(append(strings.Fields(string(added)), j.path), ":")
		cmd := exec.CommandContext(t.Context(), tool(t, "bash"), "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
		cmd.Dir = j.dir
		cmd.Env = []string{
			"HOME=" + home, "PATH=" + search, "RUNNER_TEMP=" + temp, "GITHUB_PATH=" + path, "GITHUB_STEP_SUMMARY=" + summary, "GITHUB_OUTPUT=" + out,
			"GOCACHE=" + goEnv(t, "GOCACHE"), "GOMODCACHE=" + goEnv(t, "GOMODCACHE"), "GOFLAGS=" + goEnv(t, "GOFLAGS"),
		}
		for name, value := range step.Env {
			value = expression.ReplaceAllStringFunc(value, func(e string) string {
				input, ok := strings.CutPrefix(expression.FindStringSubmatch(e)[1], "inputs.")
				v, known := inputs[input]
				if !ok || !known {
					t.Errorf("%s: %s means nothing", step.ID, e)
				}
				return v
			})
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		b, err := cmd.CombinedOutput()
		said.Write(b)
		if err != nil {
			return said.String(), fmt.Errorf("%s: %w", step.ID, err)
		}
	}
	for to, from := range map[*string]string{&j.summary: summary, &j.output: out} {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		*to = string(b)
	}
	return said.String(), nil
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(output(t, exec.CommandContext(t.Context(), "go", "env", name)))
}

// checkout is a repository that keeps a session of an agent in which something went wrong.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := time.Now().Add(-time.Hour).UTC() // reflect looks at the last weeks
	type object = map[string]any
	var lines []string
	parent := any(nil)
	add := func(kind string, content any) {
		id := fmt.Sprint("m", len(lines))
		line, err := json.Marshal(object{
			"parentUuid": parent, "isSidechain": false, "type": kind, "uuid": id, "sessionId": "s1", "timestamp": at.Add(time.Duration(len(lines)) * time.Second).Format(time.RFC3339),
			"cwd": dir, "version": "2.1.325", "message": object{"role": kind, "content": content},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines, parent = append(lines, string(line)), id
	}
	add("user", "measure the depth")
	for i := range 6 {
		id := fmt.Sprint("t", i)
		add("assistant", []object{{"type": "tool_use", "id": id, "name": "Bash", "input": object{"command": fmt.Sprint("make depth-", i)}}})
		add("user", []object{{"type": "tool_result", "tool_use_id": id, "is_error": true, "content": "Error: cannot find module 'soundings' in /srv/app"}})
	}
	if err := os.MkdirAll(filepath.Join(dir, "agent sessions"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "agent sessions", "s1.jsonl"), strings.Join(lines, "\n")+"\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "sessions"}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		output(t, cmd)
	}
	return dir
}

// release is a folder as releases are served from, with an archive of the programs.
func release(t *testing.T, version string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "v"+version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("trimtab_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
	output(t, exec.CommandContext(t.Context(), "tar", "-czf", filepath.Join(dir, name), "-C", programs, "trimtab", "trimtab-hook"))
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "checksums.txt"), fmt.Sprintf("%x  %s\n%x  other.tar.gz\n", sha256.Sum256(b), name, sha256.Sum256(nil)))
	return filepath.Dir(dir)
}

func newJob(t *testing.T, inputs map[string]string) *job {
	t.Helper()
	all := map[string]string{"version": ""}
	maps.Copy(all, inputs)
	return &job{dir: checkout(t), path: programs + ":" + os.Getenv("PATH"), inputs: all}
}

func TestTheActionReflects(t *testing.T) {
	tool(t, "curl")
	j := newJob(t, map[string]string{"sessions": "agent sessions\n", "version": "0.0.1", "downloads": "file://" + release(t, "0.0.1")})
	j.path = "/usr/local/bin:/usr/bin:/bin" // it brings the program itself
	said, err := j.run(t)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !strings.Contains(j.summary, "cannot find module") || !strings.Contains(j.output, "report=trimtab-report.md") {
		t.Errorf("summary %q, outputs %q", j.summary, j.output)
	}
	if !strings.Contains(said, "OK") {
		t.Errorf("the archive was not checked: %s", said)
	}
}

func TestTheActionRunsNothingThatWasAltered(t *testing.T) {
	tool(t, "curl")
	from := release(t, "0.0.1")
	sums, err := filepath.Glob(filepath.Join(from, "*", "*.tar.gz"))
	if err != nil || len(sums) != 1 {
		t.Fatal(sums, err)
	}
	write(t, sums[0], "something else")
	j := newJob(t, map[string]string{"sessions": "agent sessions", "version": "0.0.1", "downloads": "file://" + from})
	if said, err := j.run(t); err == nil || !strings.Contains(said, "FAILED") {
		t.Errorf("%v: %s", err, said)
	}
}

func TestTheActionRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, inputs := range map[string]map[string]string{
		"a command":       {"command": "rm -rf"},
		"no sessions":     {},
		"a version":       {"version": "$(touch x)", "sessions": "agent sessions"},
		"a missing place": {"sessions": "nowhere"},
	} {
		j := newJob(t, inputs)
		said, err := j.run(t)
		if err == nil {
			t.Errorf("%s: it went through: %s", name, said)
		}
		if _, err := os.Stat(filepath.Join(j.dir, "x")); err == nil {
			t.Errorf("%s: what an input holds was run", name)
		}
	}
}

// Without approval a request is made and shown, and nothing leaves the machine.
func TestTheActionAsksForAnImprovement(t *testing.T) {
	j := newJob(t, map[string]string{"command": "improve", "sessions": "agent sessions", "forge": "local"})
	said, err := j.run(t)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !strings.Contains(j.summary, "awaiting_approval") || !strings.Contains(j.summary, "cannot find module") {
		t.Errorf("summary %q\n%s", j.summary, said)
	}
}

// With approval the work is done: here the sample, by the scripted agent, to a local forge.
func TestTheActionImproves(t *testing.T) {
	j := newJob(t, map[string]string{"command": "improve", "forge": "local", "agent": "demo", "approve": "true"})
	said, err := j.run(t)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if !strings.Contains(said, "mergeable") || !strings.Contains(j.summary, " done ") {
		t.Errorf("summary %q\n%s", j.summary, said)
	}
}
