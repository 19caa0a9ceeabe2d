package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
)

// Own is the name of our own agent.
const Own = "own"

// The scripted models: one that heeds notes, and one that does not.
const (
	Scripted = "scripted"
	Deaf     = "scripted-deaf"
)

// keyName is the variable with the key of the scripted model, for our own agent.
const keyName = "TRIAL_SCRIPTED_KEY"

// stand is by which provider's format a host asks the scripted model, and for which model.
var stand = map[string]struct{ upstream, model, key string }{
	Own:        {"", Scripted, keyName},
	"claude":   {"anthropic", "claude-opus-5-5", "ANTHROPIC_API_KEY"},
	"codex":    {"openai", "gpt-5.5", "CODEX_API_KEY"},
	"gemini":   {"gemini", "gemini-3.1-pro-preview", "GEMINI_API_KEY"},
	"opencode": {"anthropic", "anthropic/claude-opus-5-5", "ANTHROPIC_API_KEY"},
}

// agent is who does the tasks.
type agent struct {
	name    string
	row     host.Headless
	program string // full path
	version string
	model   string // as the person named it
	env     Env
}

// agentNames are the agents there are.
func agentNames() []string {
	names := []string{Own}
	for _, h := range host.All() {
		if h.Headless.Program != "" && h.Name != trimtab.OwnHost {
			names = append(names, h.Name)
		}
	}
	return names
}

// findAgent finds an agent and asks it for its version, before any run begins. One that
// works within containers only need not be here.
func findAgent(ctx context.Context, name, model string, within bool, env Env) (agent, error) {
	a := agent{name: name, model: model, env: env}
	row, ok := host.Find(name)
	if name == Own {
		row, ok = host.Find(trimtab.OwnHost)
	}
	if !ok || row.Headless.Program == "" {
		return a, UsageError{fmt.Errorf("no agent %q is known; there are %s", name, strings.Join(agentNames(), ", "))}
	}
	a.row = row.Headless
	if _, ok := stand[name]; a.scripted() && !ok {
		return a, UsageError{fmt.Errorf("the scripted model cannot be asked by %s; it can by own, claude, codex, gemini and opencode", name)}
	}
	if name == Own {
		if model == "" {
			return a, UsageError{errors.New("say which model our own agent asks: --model anthropic/claude-opus-5, or --model scripted")}
		}
		a.program = env.Self
		sum, err := fileDigest(env.Self)
		a.version = sum
		return a, err
	}
	if within {
		a.version = "of each image"
		return a, nil
	}
	path, err := subprocess.Find(a.row.Program, subprocess.Environ(env.Lookup, "/"))
	if err != nil {
		return a, fmt.Errorf("%s is not installed, or not on PATH; trimtab run %s says how to get it", a.row.Program, name)
	}
	a.program = path
	a.version, err = a.ask(ctx)
	return a, err
}

func (a agent) scripted() bool { return a.model == Scripted || a.model == Deaf }

// versionTime is how long an agent may take to say its version.
const versionTime = time.Minute

// ask asks the agent for its version, in a folder of its own.
func (a agent) ask(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "trimtab-version-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	place, err := subprocess.Open(subprocess.Setting{Dir: dir, Sandbox: a.env.Sandbox, Self: a.env.Self})
	if err != nil {
		return "", err
	}
	defer place.Close()
	var out strings.Builder
	end, err := place.Run(ctx, subprocess.Program{Argv: []string{a.program, "--version"}, Env: subprocess.Environ(a.env.Lookup, place.Home), Time: versionTime, Output: 1 << 16, Stdout: &out})
	if err == nil && end.Exit != 0 {
		err = fmt.Errorf("it exits with %d: %s", end.Exit, end.Tail)
	}
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", a.row.Program, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	return strings.TrimSpace(line), nil
}

// argv is the command line of a run. The prompt of our own agent is an argument, since what
// comes on stdin is context and nobody's word; the others read it from stdin.
func (a agent) argv(prompt, url string) (argv []string, stdin string) {
	argv = []string{a.env.Self}
	for _, set := range a.env.Sets {
		argv = append(argv, "--set", set)
	}
	model := a.model
	if a.scripted() {
		model = stand[a.name].model
	}
	if a.name == Own {
		argv = append(argv, a.row.Args...)
		argv = append(argv, a.row.Write...)
		if a.scripted() {
			argv = append(argv, "--set", fmt.Sprintf(`models.named={"%s": "openai/%s at %s/v1 with %s"}`, Scripted, Scripted, url, keyName))
		}
		return append(argv, a.row.Model, model, "-p", prompt), ""
	}
	argv = append(argv, "run", "--hooks")
	if a.scripted() {
		argv = append(argv, "--upstream", stand[a.name].upstream+"="+url)
	}
	argv = append(argv, a.name)
	argv = append(argv, withHooks(a.row.Args)...)
	write := a.row.Write
	if a.row.Boxed != nil {
		write = a.row.Boxed
	}
	argv = append(argv, write...)
	if model != "" {
		argv = append(argv, a.row.Model, model)
	}
	return append(argv, a.row.Last...), prompt
}

// withHooks leaves out by what a host is told to call no hooks: ours are how it is kept
// from stopping.
func withHooks(args []string) []string {
	for i, arg := range args {
		if i > 0 && strings.Contains(arg, "disableAllHooks") {
			return slices.Concat(args[:i-1], args[i+1:])
		}
	}
	return args
}

// environ is what the run gets to see of the environment: the keys of this agent, or the one
// of the scripted model and none of the person's.
func (a agent) environ(home, data, settings string) []string {
	own, keys := a.variables(data, settings)
	return slices.Concat(subprocess.Environ(a.env.Lookup, home), own, keys)
}

// variables are those of the agent: what everybody may read, and the keys.
func (a agent) variables(data, settings string) (own, keys []string) {
	// Also for hooks that the agent calls: else they would speak in every arm.
	own = append(slices.Clone(a.row.Env), "TRIMTAB_DATA="+data, "TRIMTAB_CONFIG="+settings)
	if a.scripted() {
		return own, []string{stand[a.name].key + "=scripted"}
	}
	for _, name := range slices.Concat(a.row.Keys, a.row.Vars, a.env.Pass) {
		if v, ok := a.env.Lookup(name); ok && !subprocess.Forge(name) {
			keys = append(keys, name+"="+v)
		}
	}
	return own, keys
}

// home says whether the agent gets a home of its own: with a key it needs nothing of the
// person's; without one its login is there.
func (a agent) home() (private bool, home string) {
	key := slices.ContainsFunc(a.row.Keys, func(name string) bool { v, _ := a.env.Lookup(name); return v != "" })
	if person := subprocess.Person(a.env.Lookup); a.name != Own && !a.scripted() && !key && person != "" {
		return false, person
	}
	return true, ""
}

// secrets are what the run may not read of the person's.
func (a agent) secrets(private bool) []string {
	if private {
		return subprocess.Secrets(a.env.Lookup)
	}
	open := slices.Clone(a.row.State)
	for _, r := range a.row.Reads {
		open = append(open, r.Path)
	}
	return subprocess.Secrets(a.env.Lookup, open...)
}

// furnish writes the agent's settings into a private home.
func (a agent) furnish(home string) error {
	for _, f := range a.row.Files {
		full := filepath.Join(home, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(f.Text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// refused says why an agent did nothing, in words with which a person can do something.
func (a agent) refused(exit int, tail string) string {
	if slices.ContainsFunc(a.row.Locked, func(w string) bool { return strings.Contains(tail, w) }) {
		return fmt.Sprintf("%s has no key: set %s, or log in with it", a.name, strings.Join(a.row.Keys[:min(2, len(a.row.Keys))], " or "))
	}
	return fmt.Sprintf("%s asked no model and exits with %d: %s", a.name, exit, lastLine(tail))
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return trimtab.Clip(lines[len(lines)-1], 300)
}

// fileDigest tells one build of a program from another.
func fileDigest(path string) (string, error) {
	f, err := os.Open(path) // #nosec G304 -- this program
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil))[:16], err
}
