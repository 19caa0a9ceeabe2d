package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Mark begins the first line of every prompt. Sessions whose first words are these
// are our own work, and are never reflected on.
const Mark = host.WorkMark + " "

// The limits of all that an agent writes.
const (
	leastFlow = 16 << 20
	mostFlow  = 256 << 20
	flowShare = 64
)

// one is an agent that is a program.
type one struct {
	program
	cfg Config
	opt Options
}

func (a *one) Name() string { return a.name }

// Ready reports why no job could begin on this machine, as far as can be said without one:
// the program is not installed, or trimtab's own agent has no model to ask.
func (a *one) Ready() error {
	path, _ := a.opt.Lookup("PATH")
	if _, err := subprocess.Find(a.Program, []string{"PATH=" + path}); err != nil {
		return fmt.Errorf("the agent %s: %w", a.name, err)
	}
	if a.name == "own" && a.cfg.Model == "" {
		return errors.New("the agent own has no model: set improve.model, and its key")
	}
	return nil
}

// Do runs the program to its end.
func (a *one) Do(ctx context.Context, job Job) (Report, error) {
	if err := job.check(); err != nil {
		return Report{}, a.failed(job, "", "", err)
	}
	private, home, err := a.home()
	if err != nil {
		return Report{}, a.failed(job, "", "", err)
	}
	setting := subprocess.Setting{Dir: job.Dir, ReadOnly: job.ReadOnly, Cache: a.opt.Cache, Sandbox: a.opt.Sandbox, Self: a.opt.Self}
	setting.Hide = slices.Concat(subprocess.Secrets(a.opt.Lookup, a.let(private)...), a.opt.Hide)
	if !private {
		for _, dir := range a.State {
			setting.Write = append(setting.Write, filepath.Join(home, filepath.FromSlash(dir)))
		}
	}
	place, err := subprocess.Open(setting)
	if err != nil {
		return Report{}, a.failed(job, "", "", err)
	}
	defer place.Close()
	if private {
		home = place.Home
		if err := furnish(home, a.Files); err != nil {
			return Report{}, a.failed(job, "", "", err)
		}
	}
	return a.run(ctx, job, place, home, !private && a.cfg.Home == "auto")
}

// run runs it in a place, with a log and a reader.
func (a *one) run(ctx context.Context, job Job, place *subprocess.Place, home string, login bool) (Report, error) {
	log, err := subprocess.Create(filepath.Join(job.Folder, logName(job.Step, a.name)), a.opt.Redact)
	if err != nil {
		return Report{}, a.failed(job, "", "", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	words := &said{read: readers[a.Output], whole: a.Output == host.OutputOwn}
	words.over = func(sum float64) {
		if job.Cost > 0 && sum > job.Cost {
			stop(fmt.Errorf("%w: $%.2f of $%.2f", ErrCost, sum, job.Cost))
		}
	}
	prompt := marked(job)
	argv, stdin, err := a.line(job, place, prompt, login)
	if err != nil {
		return Report{}, errors.Join(a.failed(job, "", "", err), log.Close())
	}
	env := subprocess.Environ(subprocess.Lookup(a.opt.Lookup), home, slices.Concat(a.Keys, a.Vars, a.cfg.Env)...)
	env = append(env, a.variables(job, place.Boxed() != "")...)
	env = append(env, "TRIMTAB_HOOKS=off", "TRIMTAB_IMPROVE="+job.id())
	end, err := place.Run(ctx, subprocess.Program{
		Argv: argv, Env: env, Stdin: stdin, Time: job.Time, Output: min(max(job.Output*flowShare, leastFlow), mostFlow), Stdout: words, Log: log,
	})
	text := words.close()
	report := Report{Text: clip(text, job.Output), Session: words.session, Cost: words.cost, Took: end.Took, Log: log.Name(), Boxed: place.Boxed()}
	if cause := context.Cause(ctx); errors.Is(cause, ErrCost) {
		err = cause
	}
	if err == nil {
		err = a.judge(job, end, words)
	}
	if err = errors.Join(err, log.Close()); err != nil {
		return report, a.failed(job, report.Log, a.opt.Redact(end.Tail), err)
	}
	return report, nil
}

// judge says what is wrong with a run that came to its end.
func (a *one) judge(job Job, end subprocess.End, s *said) error {
	told := s.fault + "\n" + end.Tail
	switch {
	case strings.Contains(s.fault, "max_budget") || job.Cost > 0 && s.cost > job.Cost:
		return fmt.Errorf("%w: $%.2f of $%.2f", ErrCost, s.cost, job.Cost)
	case end.Exit == 0 && s.fault == "":
		return nil
	case slices.ContainsFunc(a.Locked, func(w string) bool { return strings.Contains(told, w) }):
		return fmt.Errorf("%w: it exits with %d", ErrKey, end.Exit)
	case s.fault != "":
		return fmt.Errorf("%w: it exits with %d and says %q", ErrExit, end.Exit, lastLines(a.opt.Redact(s.fault)))
	}
	return fmt.Errorf("%w: it exits with %d", ErrExit, end.Exit)
}

// failed is an error with what a person can do about it.
func (a *one) failed(job Job, log, said string, err error) error {
	e := &Error{Agent: a.name, Step: job.Step, Dir: job.Dir, Log: log, Err: err}
	switch {
	case errors.Is(err, ErrMissing):
		e.Do = fmt.Sprintf("install %s, or choose another agent", a.Program)
	case errors.Is(err, ErrKey):
		e.Do = "log in with it once"
		switch {
		case a.Unlock != "":
			e.Do = a.Unlock
		case len(a.Keys) > 0:
			e.Do = fmt.Sprintf("set %s, or log in with it once and set improve.home to own", strings.Join(a.Keys[:min(2, len(a.Keys))], " or "))
		}
	case errors.Is(err, ErrTime):
		e.Do = "give it more minutes, or ask for less"
	case errors.Is(err, ErrCost):
		e.Do = "allow more dollars, or ask for less"
	case errors.Is(err, ErrOutput):
		e.Do = "look at the log for what it repeats"
	case errors.Is(err, sandbox.ErrNone):
		e.Do = "nothing ran"
	case errors.Is(err, context.Canceled):
		e.Do = ""
	case errors.Is(err, ErrExit):
		e.Said, e.Do = lastLines(said), "the log says more"
	}
	return e
}

// home says whether the agent gets a home of its own, and where the person's is.
//
// With a key in its environment an agent needs nothing of the person's home, and is
// better off without it: there are tokens of forges, credentials of git, and
// settings that start other programs. Without one its login is there, and it has to
// be let in.
func (a *one) home() (private bool, home string, err error) {
	if a.name == "own" { // what it needs of the person's it was told
		if a.cfg.Model == "" {
			return true, "", ErrKey
		}
		return true, "", nil
	}
	key := slices.ContainsFunc(a.Keys, func(name string) bool { v, _ := a.opt.Lookup(name); return v != "" })
	switch {
	case a.cfg.Home == "private" && !key && len(a.Keys) > 0:
		return true, "", ErrKey
	case a.cfg.Home == "private", a.cfg.Home == "auto" && (key || len(a.Keys) == 0):
		return true, "", nil
	}
	if home := subprocess.Person(a.opt.Lookup); home != "" {
		return false, home, nil
	}
	return true, "", ErrKey
}

// let is what the agent may read of the person's secrets: nothing in a home of its
// own, its login in the person's. What login a command has is not known, so it may be
// any agent's.
func (a *one) let(private bool) []string {
	switch {
	case private:
		return nil
	case a.name == "command":
		return subprocess.Logins()
	}
	out := slices.Clone(a.State)
	for _, s := range a.Reads {
		if v, _ := a.opt.Lookup(s.If); s.If == "" || v != "" {
			out = append(out, s.Path)
		}
	}
	return out
}

// furnish writes an agent's settings into a private home.
func furnish(home string, files []host.File) error {
	for _, f := range files {
		full := filepath.Join(home, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return fmt.Errorf("make a private home: %w", err)
		}
		if err := os.WriteFile(full, []byte(f.Text), 0o600); err != nil {
			return fmt.Errorf("make a private home: %w", err)
		}
	}
	return nil
}

func (j Job) check() error {
	switch {
	case !filepath.IsAbs(j.Dir):
		return errors.New("the job's folder is not an absolute path")
	case !filepath.IsAbs(j.Folder):
		return errors.New("the job has no folder for its log")
	case strings.TrimSpace(j.Prompt) == "":
		return errors.New("the job has no prompt")
	}
	return nil
}

var idForm = lazyregexp.Pattern(`workflow_[0-9]{8}_[0-9]{6}_[a-z0-9]+`)

// id is the improvement of a job; where it is not said, the folder may.
func (j Job) id() string {
	id := j.ID
	if id == "" {
		id = idForm().FindString(j.Folder)
	}
	id = strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f {
			return -1
		}
		return r
	}, id)
	if id == "" {
		return "unnamed"
	}
	return id
}

// marked is the prompt with the mark in its first line.
func marked(j Job) string {
	if strings.HasPrefix(j.Prompt, Mark) {
		return j.Prompt
	}
	return Mark + j.id() + "\n\n" + j.Prompt
}

// logName is the name of a job's log.
func logName(step, agent string) string {
	clean := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
				return r
			}
			return '-'
		}, s)
	}
	return clean(step) + "-" + clean(agent) + ".log"
}

// clip keeps the end of a text.
func clip(text string, n int64) string {
	if n <= 0 || int64(len(text)) <= n {
		return text
	}
	return strings.ToValidUTF8(text[int64(len(text))-n:], "")
}
