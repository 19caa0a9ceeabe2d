//go:build e2e

package agents

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// real is how a real one is pointed at a model on loopback.
type real struct {
	agent string
	home  string
	vars  func(url string) map[string]string
	files func(url string) map[string]string
}

func reals() []real {
	return []real{
		{agent: "claude", vars: func(url string) map[string]string {
			return map[string]string{"ANTHROPIC_API_KEY": "sk-test", "ANTHROPIC_BASE_URL": url}
		}},
		{
			agent: "claude", home: "own", // as with a login; its .claude.json cannot be written
			vars: func(url string) map[string]string {
				return map[string]string{"ANTHROPIC_API_KEY": "sk-test", "ANTHROPIC_BASE_URL": url}
			},
			files: func(string) map[string]string { return map[string]string{".claude/settings.json": "{}"} },
		},
		{
			agent: "codex", home: "own",
			vars: func(string) map[string]string { return map[string]string{"OPENAI_API_KEY": "sk-test"} },
			files: func(url string) map[string]string {
				return map[string]string{".codex/config.toml": "model = \"gpt-5.5\"\nmodel_provider = \"steer\"\n[model_providers.steer]\nname = \"Steer\"\nbase_url = \"" + url + "/v1\"\nwire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n"}
			},
		},
		{agent: "gemini", vars: func(url string) map[string]string {
			return map[string]string{"GEMINI_API_KEY": "sk-test", "GOOGLE_GEMINI_BASE_URL": url}
		}},
		{agent: "opencode", vars: func(url string) map[string]string {
			return map[string]string{"ANTHROPIC_API_KEY": "sk-test", "ANTHROPIC_BASE_URL": url + "/v1"}
		}},
		{agent: "qwen", vars: func(url string) map[string]string {
			return map[string]string{"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": url + "/v1", "OPENAI_MODEL": "fake-model"}
		}},
		{agent: "goose", vars: func(url string) map[string]string {
			return map[string]string{"OPENAI_API_KEY": "sk-test", "OPENAI_HOST": url, "GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "fake-model"}
		}},
	}
}

// TestR10_RealAgentsEditAWorktree: the real clients, called as the table says,
// against a model that tells them to write a file and to look at their
// environment. They change the worktree, get no forge token, and their session
// begins with our mark.
func TestR10_RealAgentsEditAWorktree(t *testing.T) {
	for _, c := range reals() {
		t.Run(c.agent+c.home, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("All done.", fakemodel.Run("echo hi > made.txt; env > env.txt; true"))})
			agent, r := c.agentFor(ctx, t, model.URL)
			report, err := agent.Do(ctx, Job{ID: "workflow_20261115_101500_e2e", Step: "implement", Prompt: "please make a file", Dir: r.dir, Folder: r.logs, Time: 3 * time.Minute, Cost: 5})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", report)
			if report.Text != "All done." || c.agent != "goose" && report.Session == "" {
				t.Errorf("%+v", report)
			}
			if kind := confinement(t).Kind; kind != sandbox.None && report.Boxed != string(kind) {
				t.Errorf("boxed by %q", report.Boxed)
			}
			checkReal(t, r.dir, model)
			if t.Failed() {
				t.Log(r.log(t))
			}
		})
	}
}

// TestR10_RealAgentsOnlyLook: the real clients take the flags with which they may
// only look, and nothing changes.
func TestR10_RealAgentsOnlyLook(t *testing.T) {
	for _, c := range reals() {
		t.Run(c.agent+c.home, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Steps(fakemodel.Reply{Text: "Seen."})})
			agent, r := c.agentFor(ctx, t, model.URL)
			before, err := Look(r.dir)
			if err != nil {
				t.Fatal(err)
			}
			report, err := agent.Do(ctx, Job{ID: "w", Step: "review", Prompt: "please look", Dir: r.dir, Folder: r.logs, Time: 3 * time.Minute, ReadOnly: true})
			if err != nil || report.Text != "Seen." {
				t.Fatalf("%v %+v", err, report)
			}
			after, err := Look(r.dir)
			if changed := before.Changed(after); err != nil || len(changed) > 0 {
				t.Error(changed, err)
			}
		})
	}
}

// TestR20_RealReadersOnlyTalk: the real clients take the flags with which they only answer.
// Claude Code offers the model no tool, and Codex none that runs a command; its patches are
// refused where it may only read.
func TestR20_RealReadersOnlyTalk(t *testing.T) {
	acts := map[string]*regexp.Regexp{
		"claude": regexp.MustCompile(`"input_schema":`),
		"codex":  regexp.MustCompile(`"name":"(shell|shell_command|exec_command|write_stdin|local_shell)"`),
	}
	for _, c := range reals() {
		t.Run(c.agent+c.home, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			model := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Steps(fakemodel.Reply{Text: `{"causes": []}`})})
			agent, r := c.agentFor(ctx, t, model.URL)
			report, err := agent.Do(ctx, Job{ID: "read", Step: "read", Prompt: "please read", Dir: r.dir, Folder: r.logs, Time: 3 * time.Minute, ReadOnly: true, NoTools: true})
			if err != nil || report.Text != `{"causes": []}` {
				t.Fatalf("%v %+v", err, report)
			}
			for _, request := range model.Main() {
				if is := acts[c.agent]; is != nil && is.Match(request.Body) {
					t.Errorf("the model is offered %s", is.Find(request.Body))
				}
			}
		})
	}
}

// agentFor is the real agent in a worktree.
func (c real) agentFor(ctx context.Context, t *testing.T, url string) (Agent, *rig) {
	t.Helper()
	r := realRig(ctx, t, c.agent, c.vars(url))
	if c.files != nil {
		var files []host.File
		for name, text := range c.files(url) {
			files = append(files, host.File{Name: name, Text: text})
		}
		if err := furnish(r.vars["HOME"], files); err != nil {
			t.Fatal(err)
		}
	}
	r.cfg.Home = c.home
	if c.agent == "opencode" {
		r.cfg.Model = "anthropic/claude-sonnet-4-5"
	}
	agent, err := New(r.cfg, r.opt)
	if err != nil {
		t.Fatal(err)
	}
	return agent, r
}

// TestR10_OurOwnAgentLooks: the command line for trimtab itself is one that it takes.
func TestR10_OurOwnAgentLooks(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "trimtab")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "github.com/trimtab/trimtab/cmd/trimtab").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	home := t.TempDir()
	agent, err := New(Config{Agent: "own"}, Options{
		Own:    Own{Name: "demo"},
		Redact: strings.TrimSpace, Self: bin,
		Lookup: func(name string) (string, bool) {
			v, ok := map[string]string{"PATH": os.Getenv("PATH"), "HOME": home}[name]
			return v, ok
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := agent.Do(t.Context(), Job{ID: "w", Step: "review", Prompt: "say hello", Dir: t.TempDir(), Folder: t.TempDir(), ReadOnly: true, Time: time.Minute})
	if err != nil || r.Text == "" || r.Session == "" {
		t.Errorf("%v %+v", err, r)
	}
	t.Logf("%+v", r)
}

// checkReal looks at what a real agent did, and what it sent.
func checkReal(t *testing.T, dir string, model *fakemodel.Server) {
	t.Helper()
	made, err := os.ReadFile(filepath.Join(dir, "made.txt"))
	if err != nil || string(made) != "hi\n" {
		t.Errorf("%v %q", err, made)
	}
	env, err := os.ReadFile(filepath.Join(dir, "env.txt"))
	if err != nil || strings.Contains(string(env), "canary") || !strings.Contains(string(env), "TRIMTAB_IMPROVE=workflow_20261115_101500_e2e") {
		t.Errorf("%v\n%s", err, env)
	}
	if main := model.Main(); len(main) == 0 || !strings.Contains(main[0].Transcript(), "user text trimtab-improve: workflow_20261115_101500_e2e") {
		t.Error("the session does not begin with the mark")
	}
}

// realRig is a linked worktree, and an environment with the real client and
// tokens that it must not get.
func realRig(ctx context.Context, t *testing.T, agent string, vars map[string]string) *rig {
	t.Helper()
	paths, err := client.Install(ctx, agent)
	if err != nil {
		t.Fatal(err)
	}
	s := sampled(t)
	tree := filepath.Join(t.TempDir(), "tree")
	repo := git.New(os.Environ()).In(s.Project)
	base, err := repo.Commit(ctx, "refs/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.AddWorktree(ctx, tree, "feat/issue-1-comma", base); err != nil {
		t.Fatal(err)
	}
	path := append(append([]string{}, paths.Path...), os.Getenv("PATH"))
	r := &rig{dir: tree, logs: t.TempDir(), cfg: Config{Agent: agent}, vars: map[string]string{
		"PATH": strings.Join(path, string(os.PathListSeparator)), "HOME": t.TempDir(), "GH_TOKEN": "canary-1", "GITHUB_TOKEN": "canary-2", "SSH_AUTH_SOCK": "canary-3",
	}}
	for k, v := range vars {
		r.vars[k] = v
	}
	r.opt = Options{Redact: func(s string) string { return s }, Lookup: func(name string) (string, bool) { v, ok := r.vars[name]; return v, ok }}
	if agent == "goose" { // its program has this name only inside of its package
		r.vars["PATH"] = filepath.Dir(paths.Bin) + string(os.PathListSeparator) + r.vars["PATH"]
	}
	return r
}
