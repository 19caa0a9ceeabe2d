package agents

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/host"
)

// each runs a test with every agent that is a program.
func each(t *testing.T, f func(t *testing.T, r *rig)) {
	t.Helper()
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "qwen", "goose", "command"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, newRig(t, name))
		})
	}
}

func TestR10_TheCommandLinesAreThoseThatWereSeenToWork(t *testing.T) {
	work, look, talk := Job{Cost: 2.5}, Job{ReadOnly: true}, Job{ReadOnly: true, NoTools: true}
	for _, c := range []struct {
		agent string
		job   Job
		boxed bool
		want  string
	}{
		{"claude", work, true, `claude -p --output-format stream-json --verbose --strict-mcp-config --settings {"disableAllHooks":true} --permission-mode acceptEdits --allowedTools Bash,Edit,Write,Read,Glob,Grep,NotebookEdit --model m --max-budget-usd 2.5`},
		{"claude", look, true, `claude -p --output-format stream-json --verbose --strict-mcp-config --settings {"disableAllHooks":true} --permission-mode dontAsk --tools Read,Glob,Grep --allowedTools Read,Glob,Grep --model m`},
		{"codex", work, true, `codex exec --json --skip-git-repo-check --color never -c shell_environment_policy.ignore_default_excludes=false --sandbox danger-full-access -m m -`},
		{"codex", work, false, `codex exec --json --skip-git-repo-check --color never -c shell_environment_policy.ignore_default_excludes=false --sandbox workspace-write -m m -`},
		{"codex", look, false, `codex exec --json --skip-git-repo-check --color never -c shell_environment_policy.ignore_default_excludes=false --sandbox read-only -m m -`},
		{"claude", talk, true, `claude -p --output-format stream-json --verbose --strict-mcp-config --settings {"disableAllHooks":true} --permission-mode dontAsk --tools  --model m`},
		{"codex", talk, true, `codex exec --json --skip-git-repo-check --color never -c shell_environment_policy.ignore_default_excludes=false --sandbox read-only --disable shell_tool --disable unified_exec -m m -`},
		{"opencode", talk, true, `opencode run --format json --pure --agent plan -m m`},
		{"gemini", work, true, `gemini --output-format stream-json --skip-trust --extensions none --allowed-mcp-server-names none --approval-mode yolo -m m`},
		{"gemini", look, true, `gemini --output-format stream-json --skip-trust --extensions none --allowed-mcp-server-names none --approval-mode plan -m m`},
		{"opencode", work, true, `opencode run --format json --pure --auto -m m`},
		{"opencode", look, true, `opencode run --format json --pure --agent plan -m m`},
		{"qwen", work, true, `qwen --output-format stream-json --extensions none --allowed-mcp-server-names none --approval-mode yolo -m m`},
		{"qwen", look, true, `qwen --output-format stream-json --extensions none --allowed-mcp-server-names none --approval-mode plan -m m`},
		{"goose", work, true, `goose run --no-profile --with-builtin developer --output-format stream-json --quiet --model m -i -`},
	} {
		h, ok := find(c.agent)
		if !ok {
			t.Fatal(c.agent)
		}
		if got := strings.Join(h.argv(c.job, "m", c.boxed, false), " "); got != c.want {
			t.Errorf("%s, boxed %v:\n got %s\nwant %s", c.agent, c.boxed, got, c.want)
		}
	}
	codex, _ := find("codex")
	if got := strings.Join(codex.argv(work, "", true, true), " "); !strings.Contains(got, "--ignore-user-config --disable hooks") {
		t.Errorf("codex with a login gets %s", got)
	}
	goose, _ := find("goose")
	if got := goose.variables(talk, true); got[len(got)-1] != "GOOSE_MODE=chat" {
		t.Errorf("goose that may only talk gets %q", got)
	}
	if got := goose.variables(look, false); got[len(got)-1] != "GOOSE_MODE=chat" {
		t.Errorf("goose that may only look gets %q", got)
	}
}

func TestR10_AnAgentEditsTheFolderAndReports(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		got, err := r.do(t, "please\nedit")
		if err != nil {
			t.Fatal(err)
		}
		want := Report{Text: "All done.", Session: "s-1", Log: got.Log, Boxed: got.Boxed, Took: got.Took}
		switch r.cfg.Agent {
		case "claude", "opencode", "qwen":
			want.Cost = 0.25
		case "goose":
			want.Session = ""
		case "command":
			want.Session = ""
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("want -, got +\n%s", d)
		}
		if _, err := os.Stat(filepath.Join(r.dir, "made.txt")); err != nil {
			t.Error(err)
		}
		if kind := confinement(t).Kind; kind != sandbox.None && got.Boxed != string(kind) {
			t.Errorf("boxed by %q where there is %s", got.Boxed, kind)
		}
	})
}

func TestR10_AnAgentGetsNoKeyButItsOwn(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		got, err := r.do(t, "env")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(got.Text, "canary") {
			t.Errorf("it got a token:\n%s", got.Text)
		}
		env := strings.Split(got.Text, "\n")
		want := []string{"TRIMTAB_HOOKS=off", "TRIMTAB_IMPROVE=workflow_20261115_101500_k3x9", "GIT_TERMINAL_PROMPT=0"}
		if h, ok := find(r.cfg.Agent); ok {
			want = append(want, h.Keys[0]+"=key-of-"+h.name)
		}
		for _, w := range want {
			if !slices.Contains(env, w) {
				t.Errorf("%s is missing in\n%s", w, got.Text)
			}
		}
		if slices.Contains(env, "HOME="+r.vars["HOME"]) {
			t.Error("with a key of its own it got the person's home")
		}
	})
}

func TestR10_WithoutAKeyTheLoginIsInThePersonsHome(t *testing.T) {
	r := newRig(t, "claude")
	delete(r.vars, "ANTHROPIC_API_KEY")
	got, err := r.do(t, "env")
	if err != nil || !slices.Contains(strings.Split(got.Text, "\n"), "HOME="+r.vars["HOME"]) {
		t.Errorf("%v\n%s", err, got.Text)
	}
	r.cfg.Home = "private"
	if _, err := r.do(t, "env"); !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), "set ANTHROPIC_API_KEY") {
		t.Error(err)
	}
}

func TestR16_SessionsAreMarkedInTheirFirstLine(t *testing.T) {
	each(t, func(t *testing.T, r *rig) {
		got, err := r.do(t, "do it\nprompt")
		if err != nil {
			t.Fatal(err)
		}
		if want := "trimtab-improve: workflow_20261115_101500_k3x9\n\ndo it\nprompt"; got.Text != want {
			t.Errorf("the prompt is %q", got.Text)
		}
	})
	if got := marked(Job{Folder: "/x/workflow_20261115_101500_ab/agent", Prompt: "p"}); got != "trimtab-improve: workflow_20261115_101500_ab\n\np" {
		t.Errorf("%q", got)
	}
	if got := marked(Job{ID: "a\nb", Prompt: "p"}); got != "trimtab-improve: ab\n\np" {
		t.Errorf("%q", got)
	}
}

func TestR10_AnAgentCannotWriteOutside(t *testing.T) {
	if confinement(t).Kind == sandbox.None {
		t.Skip(confinement(t))
	}
	r := newRig(t, "claude")
	outside := filepath.Join(t.TempDir(), "outside")
	got, err := r.do(t, "outside "+outside)
	if err != nil || got.Text != "outside written: false" {
		t.Error(err, got.Text)
	}
	for _, readOnly := range []bool{true, false} {
		r := newRig(t, "codex")
		before, err := Look(r.dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.do(t, "edit", func(j *Job) { j.ReadOnly = readOnly }); err != nil {
			t.Fatal(err)
		}
		after, err := Look(r.dir)
		if changed := before.Changed(after); err != nil || (len(changed) == 0) != readOnly {
			t.Errorf("read only %v: %v changed, %v", readOnly, changed, err)
		}
	}
}

func TestP15_AnAgentReadsNoSecretButItsLogin(t *testing.T) {
	if confinement(t).Kind == sandbox.None {
		t.Skip(confinement(t))
	}
	for _, c := range []struct {
		agent, home, path, by string
		want                  bool
	}{
		{"claude", "private", ".ssh/id", "", false},
		{"claude", "private", ".claude/login", "", false},
		{"claude", "private", "notes", "", true},
		{"claude", "own", ".ssh/id", "", false},
		{"claude", "own", ".codex/auth.json", "", false},
		{"claude", "own", ".claude/login", "", true},
		{"claude", "own", ".claude.json", "", true},
		{"claude", "own", ".aws/credentials", "", false},
		{"claude", "own", ".aws/credentials", "CLAUDE_CODE_USE_BEDROCK", true},
		{"codex", "own", ".codex/auth.json", "", true},
		{"codex", "own", ".claude.json", "", false},
		{"command", "own", ".codex/auth.json", "", true},
		{"command", "own", ".config/gh/hosts.yml", "", false},
		{"claude", "own", "data/trimtab.db", "", false},
	} {
		t.Run(c.agent+" "+c.home+" "+c.path, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.agent)
			r.cfg.Home = c.home
			file := filepath.Join(r.vars["HOME"], filepath.FromSlash(c.path))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("canary"), 0o600); err != nil {
				t.Fatal(err)
			}
			if c.by != "" {
				r.vars[c.by] = "1"
			}
			r.opt.Hide = []string{filepath.Join(r.vars["HOME"], "data", "trimtab.db")}
			got, err := r.do(t, "read "+file)
			if err != nil || (got.Text == `read: "canary"`) != c.want {
				t.Errorf("%v, %s, want it read: %v", err, got.Text, c.want)
			}
		})
	}
}

func TestP15_SecretsAreInNoLogAndNoError(t *testing.T) {
	r := newRig(t, "claude")
	if _, err := r.do(t, "secret"); err != nil {
		t.Fatal(err)
	}
	if log := r.log(t); strings.Contains(log, "canary") || !strings.Contains(log, "[REDACTED:key]") {
		t.Error(log)
	}
	if _, err := r.do(t, "leak"); err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "[REDACTED:key]") {
		t.Error(err)
	}
}

func TestR10_LimitsAndFaultsSayWhatWhereAndWhatToDo(t *testing.T) {
	for _, c := range []struct {
		agent, prompt string
		change        func(*Job)
		is            error
		says          []string
	}{
		{"codex", "flood", func(j *Job) { j.Output = 1000 }, ErrOutput, []string{"wrote too much", "look at the log"}},
		{"gemini", "stubborn", func(j *Job) { j.Time = 100 * time.Millisecond }, ErrTime, []string{"stopped after 100ms", "more minutes"}},
		{"claude", "dear", func(j *Job) { j.Cost = 2 }, ErrCost, []string{"$9.00 of $2.00", "allow more dollars"}},
		{"opencode", "dear", func(j *Job) { j.Cost = 2 }, ErrCost, []string{"$9.00 of $2.00"}},
		{"claude", "budget", func(j *Job) { j.Cost = 1.5 }, ErrCost, []string{"$1.50 of $1.50"}}, // it stops by itself
		{"claude", "locked", nil, ErrKey, []string{"set ANTHROPIC_API_KEY"}},
		{"qwen", "fail", nil, ErrExit, []string{"exits with 7", "the disk is on fire", "log: "}},
		{"command", "fail", nil, ErrExit, []string{"exits with 7", "agent command, step implement, in "}},
	} {
		t.Run(c.agent+" "+c.prompt, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.agent)
			if c.change == nil {
				c.change = func(*Job) {}
			}
			_, err := r.do(t, c.prompt, c.change)
			if !errors.Is(err, c.is) {
				t.Fatal(err)
			}
			for _, w := range c.says {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in %q", w, err)
				}
			}
		})
	}
	r := newRig(t, "claude")
	r.vars["PATH"] = t.TempDir()
	if _, err := r.do(t, "edit"); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "install claude") {
		t.Error(err)
	}
}

func TestACommandsPlaceholdersAreFilledIn(t *testing.T) {
	r := newRig(t, "command")
	got, err := r.do(t, "argv")
	if err != nil || !strings.HasPrefix(got.Text, "--in "+r.dir+" --file=") || !strings.HasSuffix(got.Text, "prompt.md implement") {
		t.Error(err, got.Text)
	}
	for _, bad := range []Config{{Agent: "command"}, {Agent: "command", Command: []string{"{dir}/x"}}, {Agent: "emacs"}, {Env: []string{"GH_TOKEN"}}} {
		if _, err := New(bad, r.opt); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if _, err := New(Config{}, Options{}); err == nil {
		t.Error("an agent without a redactor was made")
	}
}

func TestACancelledJobIsNotTheAgentsFault(t *testing.T) {
	r := newRig(t, "claude")
	agent, err := New(r.cfg, r.opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := agent.Do(ctx, Job{Step: "x", Prompt: "edit", Dir: r.dir, Folder: r.logs}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestOwnHasTheModelOfThePerson: it works in a home of its own, so it is told what a
// name of the person's means; and without a model nothing is played.
func TestOwnHasTheModelOfThePerson(t *testing.T) {
	opt := Options{Lookup: func(string) (string, bool) { return "", false }, Redact: strings.TrimSpace, Self: "/bin/trimtab"}
	agent, err := New(Config{Agent: "own"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	_, err = agent.Do(t.Context(), Job{Step: "x", Prompt: "edit", Dir: t.TempDir(), Folder: t.TempDir()})
	if !errors.Is(err, ErrKey) || !errors.As(err, &e) || !strings.Contains(e.Do, "improve.model") {
		t.Errorf("without a model: %v", err)
	}
	opt.Own = Own{Name: "local", Means: "openai/qwen3 at http://127.0.0.1:8080/v1 with LOCAL_KEY", Key: "LOCAL_KEY"}
	if agent, err = New(Config{Agent: "own"}, opt); err != nil {
		t.Fatal(err)
	}
	own := agent.(*one)
	line := strings.Join(own.argv(Job{}, own.cfg.Model, true, false), " ")
	if !strings.Contains(line, `--set models.named={"local":"openai/qwen3 at http://127.0.0.1:8080/v1 with LOCAL_KEY"}`) || !strings.Contains(line, "-m local") || !slices.Contains(own.Keys, "LOCAL_KEY") {
		t.Errorf("%s, keys %v", line, own.Keys)
	}
}

func TestOwnIsAskedWithTheMarkAndReadsTheAnswer(t *testing.T) {
	agent, err := New(Config{Agent: "own"}, Options{Lookup: func(string) (string, bool) { return "", false }, Redact: strings.TrimSpace, Self: "/bin/trimtab"})
	if err != nil {
		t.Fatal(err)
	}
	own := agent.(*one)
	s := said{whole: own.Output == host.OutputOwn}
	if _, err := s.Write([]byte("{\n \"sessionId\": \"s\",\n \"answer\": \"hi\"\n}\n")); err != nil {
		t.Fatal(err)
	}
	if text := s.close(); text != "hi" || s.session != "s" {
		t.Errorf("%q %q", text, s.session)
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

// The settings declare the agents as text in a tag, which no table can fill in.
func TestTheSettingsNameTheAgentsOfTheTable(t *testing.T) {
	f, _ := reflect.TypeFor[Config]().FieldByName("Agent")
	want, got := slices.Sorted(slices.Values(Names())), slices.Sorted(strings.SplitSeq(f.Tag.Get("enum"), ","))
	if !slices.Equal(got, want) {
		t.Errorf("the settings have %q, the table %q", got, want)
	}
	for _, p := range programs() {
		if readers[p.Output] == nil {
			t.Errorf("nobody reads what %s writes", p.name)
		}
	}
}
