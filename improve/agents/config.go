package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config is what a person may set about the agent. A project may set none of it:
// it would choose the program that runs on it.
type Config struct {
	Agent   string   `json:"agent" guard:"user" default:"claude" enum:"claude,codex,gemini,opencode,qwen,goose,own,command,demo" doc:"who does the steps of an improvement; own is trimtab itself, demo is scripted and needs no key"`
	Model   string   `json:"model" guard:"user" doc:"model of the agent, in its own words"`
	Command []string `json:"command" guard:"user" doc:"for agent command: the program and its arguments; the prompt comes on stdin, and {dir}, {prompt-file} and {step} are filled in"`
	Home    string   `json:"home" guard:"user" default:"auto" enum:"auto,private,own" doc:"home of the agent: auto gives it one of its own where a key is set and yours, with its login, where none is"`
	Env     []string `json:"env" guard:"user" doc:"further variables that the agent gets; never those that open a forge"`
	Script  string   `json:"script" guard:"user" doc:"for agent demo: a script of your own, as txtar"`
}

// Options are what agents run with.
type Options struct {
	Lookup  func(name string) (string, bool) // os.LookupEnv
	Redact  func(string) string              // of all that goes to a log or an error
	Cache   string                           // folder for what programs build, kept between jobs
	Hide    []string                         // files and folders that no agent may read, beside the person's secrets
	Sandbox sandbox.Config
	Self    string // this program: for the sandbox, and the agent "own"
	Own     Own
}

// Own is the model of the agent "own". It has none of the person's settings, so what
// they say of the model is told to it.
type Own struct {
	Name  string // as in anthropic/claude-opus-5; "": there is none, and no job begins
	Means string // what the name means, where it is one of the person's own
	Key   string // the variable with its key, where it is not the provider's usual one
}

// New returns the agent of the settings.
func New(cfg Config, opt Options) (Agent, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("improve: %w", err)
	}
	if opt.Lookup == nil || opt.Redact == nil {
		return nil, errors.New("improve: an agent needs an environment and a redactor")
	}
	for _, name := range cfg.Env {
		if subprocess.Forge(name) {
			return nil, fmt.Errorf("improve.env: %s opens a forge; no agent gets it", name)
		}
	}
	switch cfg.Agent {
	case "demo":
		return newDemo(cfg, opt)
	case "own":
		return newOwn(cfg, opt)
	case "command":
		return newCommand(cfg, opt)
	}
	h, ok := find(cfg.Agent)
	if !ok {
		return nil, fmt.Errorf("improve.agent: there is no %q", cfg.Agent)
	}
	return &one{program: h, cfg: cfg, opt: opt}, nil
}

// Names are the agents there are.
func Names() []string {
	var all []string
	for _, h := range programs() {
		all = append(all, h.name)
	}
	return append(all, "own", "command", "demo")
}

// newOwn returns trimtab itself: one prompt, with its tools in the folder.
func newOwn(cfg Config, opt Options) (Agent, error) {
	self := opt.Self
	if self == "" {
		var err error
		if self, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("improve: find this program: %w", err)
		}
	}
	cfg.Model = opt.Own.Name
	row, _ := host.Find(trimtab.OwnHost)
	own := program{"own", row.Headless}
	own.Program = self
	if opt.Own.Key != "" {
		own.Keys = []string{opt.Own.Key}
	}
	if opt.Own.Means != "" {
		named, err := json.Marshal(map[string]string{opt.Own.Name: opt.Own.Means})
		if err != nil {
			return nil, fmt.Errorf("improve: name the model: %w", err)
		}
		own.Args = append(slices.Clone(own.Args), "--set", "models.named="+string(named))
	}
	return &one{cfg: cfg, opt: opt, program: own}, nil
}

// newCommand returns any program.
func newCommand(cfg Config, opt Options) (Agent, error) {
	if len(cfg.Command) == 0 || strings.TrimSpace(cfg.Command[0]) == "" {
		return nil, errors.New("improve.command: name the program that does the steps, and its arguments")
	}
	if strings.Contains(cfg.Command[0], "{") {
		return nil, fmt.Errorf("improve.command: the program %q cannot be a placeholder", cfg.Command[0])
	}
	return &one{cfg: cfg, opt: opt, program: program{name: "command", Headless: host.Headless{Program: cfg.Command[0]}}}, nil
}

// line is the command line and the standard input of a job.
func (a *one) line(job Job, place *subprocess.Place, prompt string, login bool) (argv []string, stdin string, err error) {
	switch a.name {
	case "command":
		return a.filled(job, place, prompt)
	case "own":
		argv = a.argv(job, a.cfg.Model, place.Boxed() != "", login)
		argv[len(argv)-1] = Mark + job.id() + "\n\nDo the step that is described below."
		return append(argv, "--data", filepath.Join(place.Temp, "data")), strings.TrimPrefix(prompt, Mark+job.id()+"\n\n"), nil
	}
	return a.argv(job, a.cfg.Model, place.Boxed() != "", login), prompt, nil
}

// filled is a person's command line with its placeholders filled in. Each stays one
// argument: no shell reads it.
func (a *one) filled(job Job, place *subprocess.Place, prompt string) ([]string, string, error) {
	file := filepath.Join(place.Temp, "prompt.md")
	if err := os.WriteFile(file, []byte(prompt), 0o600); err != nil {
		return nil, "", fmt.Errorf("write the prompt: %w", err)
	}
	fill := strings.NewReplacer("{dir}", job.Dir, "{prompt-file}", file, "{step}", job.Step)
	argv := []string{a.cfg.Command[0]}
	for _, arg := range a.cfg.Command[1:] {
		argv = append(argv, fill.Replace(arg))
	}
	return argv, prompt, nil
}
