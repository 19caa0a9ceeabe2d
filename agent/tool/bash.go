package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/shell"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/settingtag"
)

const bashSchema = `{
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1, "maxLength": 32768, "description": "the command, as for sh -c"},
    "dir": {"type": "string", "description": "the folder to run it in, relative to the project folder; the project folder itself if not given"},
    "timeout": {"type": "integer", "minimum": 1, "maximum": 600, "description": "seconds after which it is stopped"},
    "network": {"type": "boolean", "description": "true if it needs the network, which commands may not have without it; the person is asked"},
    "background": {"type": "boolean", "description": "true for what runs on, such as a server or a watcher: the call returns at once, and bash_job reads and ends it"}
  },
  "required": ["command"],
  "additionalProperties": false
}`

const (
	maxCommand = 32 << 10
	maxSeconds = 600
)

type bashInput struct {
	Command string `json:"command"`
	Dir     string `json:"dir"`
	Timeout int    `json:"timeout"`
	Network bool   `json:"network"`

	Background bool `json:"background"`
}

// BashOptions are what the bash tool has beside its folder.
type BashOptions struct {
	Config
	Environ []string // of this process; what looks like a secret is left out of it

	// Confine changes a command, before it starts, so that it cannot reach what
	// it should not; network is whether it may use the network. An error keeps it
	// from running. nil: it runs as it is.
	Confine func(cmd *exec.Cmd, network bool) error

	// Sandboxed says that Confine really keeps commands from what is outside.
	Sandboxed bool

	// AskNetwork says that commands have no network unless a call asks for it, and the
	// person allows that; no rule does.
	AskNetwork bool

	// Snapshots tells what a command changed. nil: nobody asks.
	Snapshots Snapshots
}

// bash is the tool's state.
type bash struct {
	*Folder
	BashOptions
	shell []string // the program and its flags; the command follows
	rules []shell.Rule
	env   []string
}

// Bash returns the tool that runs commands. There is none where the system has no
// shell, or a rule is no rule; the error says so.
func (f *Folder) Bash(opt BashOptions) (Tool, error) {
	cfg, err := settingtag.Fill(opt.Config)
	if err != nil {
		return Tool{}, fmt.Errorf("tools: %w", err)
	}
	opt.Config = cfg
	b := &bash{Folder: f, BashOptions: opt, env: CleanEnv(opt.Environ, opt.Env)}
	if b.shell, err = findShell(); err != nil {
		return Tool{}, err
	}
	if opt.Sandboxed && *cfg.Looks {
		b.rules = append(b.rules, shell.Looks())
	}
	for _, text := range cfg.Allow {
		r, err := shell.ParseRule(text)
		if err != nil {
			return Tool{}, fmt.Errorf("tools.allow: %w", err)
		}
		b.rules = append(b.rules, r)
	}
	t := define("bash", bashSchema, func(context.Context, bashInput) (string, error) { return "", nil })
	t.ReadOnly = false
	t.Run, t.Ask, t.Always = b.run, b.ask, b.always
	return t, nil
}

func findShell() ([]string, error) {
	if runtime.GOOS == "windows" {
		path, err := exec.LookPath("cmd")
		if err != nil {
			return nil, fmt.Errorf("bash: this system has no cmd: %w", err)
		}
		return []string{path, "/d", "/s", "/c"}, nil
	}
	for _, name := range []string{"bash", "sh"} {
		if path, err := exec.LookPath(name); err == nil && filepath.IsAbs(path) {
			return []string{path, "-c"}, nil
		}
	}
	return nil, errors.New("bash: there is neither bash nor sh on this system; commands cannot be run")
}

// read checks the input of a call.
func (b *bash) read(input json.RawMessage) (bashInput, error) {
	in, err := decode[bashInput](input)
	switch {
	case err != nil:
	case strings.TrimSpace(in.Command) == "":
		err = errors.New(`"command" is missing: give one`)
	case len(in.Command) > maxCommand:
		err = fmt.Errorf(`"command" has %d bytes; at most %d are taken: write a script and run that`, len(in.Command), maxCommand)
	case strings.ContainsRune(in.Command, 0):
		err = errors.New(`"command" has a NUL in it`)
	case in.Timeout < 0 || in.Timeout > maxSeconds:
		err = fmt.Errorf(`"timeout" goes from 1 to %d seconds`, maxSeconds)
	}
	if err != nil {
		return in, fmt.Errorf("bash: %w", err)
	}
	if in.Timeout == 0 {
		in.Timeout = b.Seconds
	}
	in.Network = in.Network && b.AskNetwork // else there is nothing to ask
	if in.Dir == "" {
		in.Dir = "."
	}
	return in, nil
}

// known are the rules in force in a session.
func (b *bash) known(ctx context.Context) []shell.Rule {
	rules := b.rules[:len(b.rules):len(b.rules)]
	for _, text := range b.granted().Allow {
		if r, err := shell.ParseRule(text); err == nil { // one that is none allows nothing
			rules = append(rules, r)
		}
	}
	b.memo.with(ctx, func(one *memo) { rules = append(rules, one.rules...) })
	return rules
}

// ask says what to ask before a command. Input that does not fit needs no
// question: it never gets to run.
func (b *bash) ask(ctx context.Context, input json.RawMessage) (Ask, bool) {
	in, err := b.read(input)
	if err != nil {
		return Ask{}, false
	}
	if w, ok := b.Snapshots.(interface{ Warm() }); ok {
		w.Warm() // while the person reads the question
	}
	ask := Ask{Tool: "bash", Title: firstLine(in.Command), Detail: in.Command}
	if in.Background {
		ask.Title = "in the background: " + ask.Title // where it is not cut off
	}
	if in.Dir != "." {
		ask.Title += " (in " + display(trimtab.Clip(in.Dir, 80)) + ")"
	}
	if runtime.GOOS == "windows" {
		return ask, true // the rules know another shell
	}
	if in.Network {
		ask.Title += " (with the network)"
		return ask, true
	}
	line, rules := shell.Parse(in.Command), b.known(ctx)
	if line.Allowed(rules...) {
		return Ask{}, false
	}
	var names []string
	for _, r := range line.Suggest(rules...) {
		names = append(names, r.String())
	}
	if len(names) > 0 {
		ask.Rule, ask.Lasts = "bash: "+strings.Join(names, "; "), b.grants != nil
	}
	return ask, true
}

// always takes note of the rules that the person was shown. They come from the
// command again, since a rule may hold any character.
func (b *bash) always(ctx context.Context, ask Ask, scope Scope) error {
	suggested := shell.Parse(ask.Detail).Suggest(b.known(ctx)...)
	b.memo.with(ctx, func(one *memo) {
		if len(one.rules) < maxRulesKept {
			one.rules = append(one.rules, suggested...)
		}
	})
	var g Grant
	for _, r := range suggested {
		g.Allow = append(g.Allow, r.String())
	}
	return b.grant(scope, g)
}

func firstLine(text string) string {
	line, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	short := strings.TrimRight(trimtab.Clip(line, 200), "\r")
	if more && strings.TrimSpace(rest) != "" || len(short) < len(line) {
		short += " …"
	}
	return short
}

func (b *bash) run(ctx context.Context, input json.RawMessage) (string, error) {
	in, err := b.read(input)
	if err != nil {
		return "", err
	}
	rel, info, err := b.find(in.Dir)
	switch {
	case err != nil:
		return "", fmt.Errorf("bash: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("bash: %q is a file; name a folder", rel)
	}
	cmd := shellCommand(b.shell, in.Command)
	cmd.Dir = filepath.Join(b.dir, filepath.FromSlash(rel))
	cmd.Env = b.env
	if b.Confine != nil {
		if err := b.Confine(cmd, in.Network); err != nil {
			return "", fmt.Errorf("bash: not run, since it could not be confined: %w", err)
		}
	}
	if in.Background {
		return b.runOn(ctx, in, cmd)
	}
	out, watch := &tape{limit: b.Output}, ObserverOf(ctx)
	before, note := b.snapshot(ctx, watch)
	limit := time.Duration(in.Timeout) * time.Second
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = runGroup(timed, cmd, io.MultiWriter(out, watch), endGrace)
	text := out.text()
	done := Effect{Command: &CommandRun{Command: in.Command, Dir: strings.TrimPrefix(rel, "."), Exit: exitOf(cmd), Output: text}, Note: note}
	done.Files = b.changes(ctx, before)
	watch.done(done)
	err = b.outcome(ctx, timed, in, err)
	if hint := b.closed(in, text); hint != "" && err != nil {
		err = fmt.Errorf("%w\n[%s]", err, hint)
	}
	return text, err
}

// closed says what of the sandbox a command that failed ran into. Without it a model takes
// the error for the machine's, and tries the same again.
func (b *bash) closed(in bashInput, output string) string {
	switch {
	case b.Confine == nil:
	case readOnlyError().MatchString(output):
		return "the sandbox lets commands write to the project folder and to $TMPDIR only"
	case !in.Network && b.AskNetwork && networkError().MatchString(output):
		return "the sandbox has no network, not even 127.0.0.1 of other commands; with network set to true the person is asked for it"
	}
	return ""
}

var (
	readOnlyError = lazyregexp.Pattern(`(?i)read-only file system|EROFS`)
	networkError  = lazyregexp.Pattern(`(?i)could not resolve host|temporary failure in name resolution|network is unreachable|EAI_AGAIN|dial tcp|(?:couldn't|failed to) connect to|connection refused`)
)

// headStart is how long a command in the background is watched: one that fails at once is
// told with the call.
const headStart = 500 * time.Millisecond

// runOn starts a command in the background.
func (b *bash) runOn(ctx context.Context, in bashInput, cmd *exec.Cmd) (string, error) {
	j, err := b.startJob(SessionOf(ctx), in.Command, cmd)
	if err != nil {
		return "", fmt.Errorf("bash: %w", err)
	}
	ObserverOf(ctx).done(Effect{Note: "what commands in the background change in files is not recorded, and /undo does not put it back"})
	g := b.job(j.ID)
	timer := time.NewTimer(headStart)
	defer timer.Stop()
	select {
	case <-g.done:
	case <-timer.C:
	case <-ctx.Done():
	}
	state, more := g.tellState(), ""
	if g.status().Running {
		more = " in the background; bash_job reads what it writes, waits for it and ends it. It ends with the chat at the latest"
	}
	return strings.TrimLeft(strings.TrimRight(g.fresh(), "\n")+"\n["+j.ID+" "+state+more+"]", "\n"), nil
}

// snapshotTime is how long a look at all files may take.
const snapshotTime = 5 * time.Second

// snapshot notes how the files are before a command, where somebody observes it.
func (b *bash) snapshot(ctx context.Context, watch Observer) (before, note string) {
	if b.Snapshots == nil || watch.Done == nil {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, snapshotTime)
	defer cancel()
	before, err := b.Snapshots.Take(ctx)
	if err != nil {
		return "", "what commands change in files cannot be undone here: " + err.Error()
	}
	return before, ""
}

// changes are what a command did to the files since a snapshot. A run that was stopped
// leaves changes too.
func (b *bash) changes(ctx context.Context, before string) []FileChange {
	if before == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), snapshotTime)
	defer cancel()
	after, err := b.Snapshots.Take(ctx)
	if err != nil {
		return nil
	}
	files, err := b.Snapshots.Changes(ctx, before, after)
	if err != nil {
		return nil
	}
	return files
}

func exitOf(cmd *exec.Cmd) int {
	if cmd.ProcessState == nil {
		return -1
	}
	return cmd.ProcessState.ExitCode()
}

// outcome says, for the model, how a command ended that did not end well.
func (b *bash) outcome(ctx, timed context.Context, in bashInput, err error) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("bash: %w", ctx.Err())
	case timed.Err() != nil:
		return fmt.Errorf("[stopped after %d seconds; give a larger timeout (up to %d), or do less at once]", in.Timeout, maxSeconds)
	case errors.As(err, &exit):
		return fmt.Errorf("[%s]", exit.ProcessState)
	case err != nil:
		return fmt.Errorf("bash: %w", err)
	}
	return nil
}
