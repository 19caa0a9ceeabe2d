package steps

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
)

// Job is one item at work.
type Job struct {
	Item improve.Item // with the evidence of the steps that are done

	env    *Env
	guard  func(context.Context) error
	say    func(string)
	once   *forge.Idempotent
	folder string
	boxed  bool // a sandbox held the agent that worked last
}

// ErrManual is work that a person must go on with: nothing is broken, but we may
// not, or cannot, do the next thing.
var ErrManual = errors.New("a person must go on here")

// Job returns the job of an item. Guard is asked before each effect outside and
// refuses with an error when the item is no longer ours; say is told what is
// going on.
func (y *Env) Job(it improve.Item, guard func(context.Context) error, say func(string)) (*Job, error) {
	if err := trimtab.CheckID(it.ID); err != nil || !filepath.IsLocal(it.ID) {
		return nil, fmt.Errorf("improvement %q: %w", it.ID, trimtab.ErrBadID)
	}
	it.Project = cmp.Or(y.opt.Project, it.Project)
	if guard == nil {
		guard = func(context.Context) error { return nil }
	}
	if say == nil {
		say = func(string) {}
	}
	j := &Job{Item: it, env: y, guard: guard, say: say, folder: filepath.Join(y.cfg.Folder, it.ID)}
	var err error
	j.once, err = forge.NewIdempotent(guarded{y.opt.Forge, guard}.roles(), forge.Options{
		Keys: y.opt.Keys, Authors: y.opt.Authors, Log: y.opt.Log, Now: y.opt.Now, Wait: y.opt.Wait, Patience: time.Duration(y.cfg.Patience) * time.Second,
	})
	if err != nil {
		return nil, err
	}
	return j, os.MkdirAll(j.folder, 0o700)
}

// Guard refuses when the item is not ours any more. A step asks it before each
// effect outside.
func (j *Job) Guard(ctx context.Context) error { return j.guard(ctx) }

// guarded is a forge that asks before each thing it does, as close to it as can
// be: between the two a worker may have been paused past its lease.
type guarded struct {
	forge.Forge
	guard func(context.Context) error
}

func (g guarded) roles() forge.Forge {
	return forge.Forge{Repository: g.Repository, Issues: g, Pulls: g, Talk: g}
}

func (g guarded) OpenIssue(ctx context.Context, t forge.Text) (forge.Issue, error) {
	if err := g.guard(ctx); err != nil {
		return forge.Issue{}, err
	}
	return g.Forge.OpenIssue(ctx, t)
}

func (g guarded) OpenPull(ctx context.Context, p forge.Proposal) (forge.Pull, error) {
	if err := g.guard(ctx); err != nil {
		return forge.Pull{}, err
	}
	return g.Forge.OpenPull(ctx, p)
}

func (g guarded) EditPull(ctx context.Context, number int, body string) error {
	if err := g.guard(ctx); err != nil {
		return err
	}
	return g.Forge.EditPull(ctx, number, body)
}

func (g guarded) ClosePull(ctx context.Context, number int) error {
	if err := g.guard(ctx); err != nil {
		return err
	}
	return g.Forge.ClosePull(ctx, number)
}

func (g guarded) Comment(ctx context.Context, on forge.Ref, body string) (forge.Comment, error) {
	if err := g.guard(ctx); err != nil {
		return forge.Comment{}, err
	}
	return g.Forge.Comment(ctx, on, body)
}

func (g guarded) Review(ctx context.Context, number int, r forge.Review) (forge.Comment, error) {
	if err := g.guard(ctx); err != nil {
		return forge.Comment{}, err
	}
	return g.Forge.Review(ctx, number, r)
}

func (g guarded) Label(ctx context.Context, on forge.Ref, labels []string) ([]string, error) {
	if err := g.guard(ctx); err != nil {
		return nil, err
	}
	return g.Forge.Label(ctx, on, labels)
}

// forge is the guarded forge, for what needs no Idempotent.
func (j *Job) forge() forge.Forge { return guarded{j.env.opt.Forge, j.guard}.roles() }

// here names the forge that we work at.
func (j *Job) here() string {
	return j.env.opt.Forge.Traits().Name + " " + j.env.opt.Forge.Remote().URL
}

// moved refuses work that was begun at another forge: the numbers of its issue and
// its pull request belong to somebody else here.
func (j *Job) moved() error {
	for _, e := range j.Item.Evidence {
		if at := e.Facts["forge"]; e.Step == Issue && at != "" && at != j.here() {
			return fmt.Errorf("%w: its issue is at %s, and the forge is %s now; name the first one again (forge.kind, or --forge) and retry", ErrManual, at, j.here())
		}
	}
	return nil
}

// outside does something with the forge, again while it cannot be reached. What
// it does must be safe to do twice, as all that an Idempotent does is.
func (j *Job) outside(ctx context.Context, doing string, do func(context.Context) error) error {
	for try := 1; ; try++ {
		if err := j.guard(ctx); err != nil {
			return err
		}
		err := do(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !passing(err):
			return fmt.Errorf("%s: %w", doing, err)
		case try >= j.env.cfg.Tries && !j.env.cfg.Stay:
			return fmt.Errorf("%s: %w: the forge did not answer %d times; retry when it can be reached: %w", doing, ErrManual, try, err)
		}
		pause := longestPause
		if try < 10 {
			pause = min(time.Second<<(try-1), longestPause)
		}
		j.say(fmt.Sprintf("%s: %v; trying again in %s", doing, err, pause))
		if err := j.env.opt.Wait(ctx, pause); err != nil {
			return err
		}
	}
}

// longestPause is how long a forge that cannot be reached is left alone at most.
const longestPause = 5 * time.Minute

// passing reports whether an error may be gone the next time.
func passing(err error) bool {
	return errors.Is(err, forge.ErrUnreachable) || errors.Is(err, forge.ErrUnclear) || errors.Is(err, forge.ErrLimited)
}

// need returns the evidence of an earlier step.
func (j *Job) need(step improve.StepName) (improve.Evidence, error) {
	for _, e := range j.Item.Evidence {
		if e.Step == step && !e.Ended.IsZero() && e.Error == "" {
			return e, j.there(e)
		}
	}
	return improve.Evidence{}, fmt.Errorf("the evidence of the step %s is missing", step)
}

// there checks that the papers and logs of a step are where it left them.
func (j *Job) there(e improve.Evidence) error {
	if j.folder == "" { // a preview
		return nil
	}
	for _, name := range e.Files {
		if _, err := os.Stat(filepath.Join(j.folder, name)); err != nil {
			return fmt.Errorf("the evidence of the step %s: %w", e.Step, err)
		}
	}
	return nil
}

// fact returns one fact of an earlier step.
func (j *Job) fact(step improve.StepName, name string) (string, error) {
	e, err := j.need(step)
	if err != nil {
		return "", err
	}
	if e.Facts[name] == "" {
		return "", fmt.Errorf("the evidence of the step %s does not tell its %s", step, name)
	}
	return e.Facts[name], nil
}

// write writes a paper of the item, redacted.
func (j *Job) write(name, text string) error {
	return os.WriteFile(filepath.Join(j.folder, name), []byte(j.redact(text)), 0o600)
}

// paper is the path of a paper or a log of the item.
func (j *Job) paper(name string) string { return filepath.Join(j.folder, name) }

// leave writes a paper that a later step reads, and returns its sum.
func (j *Job) leave(name, text string) (string, error) {
	return sum([]byte(j.redact(text))), j.write(name, text)
}

// read reads a paper that an earlier step left, and refuses one that is empty or
// was changed since.
func (j *Job) read(step improve.StepName, name string) (string, error) {
	want, err := j.fact(step, "sha256")
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(filepath.Join(j.folder, name))
	switch {
	case err != nil:
		return "", fmt.Errorf("the evidence of the step %s: %w", step, err)
	case strings.TrimSpace(string(raw)) == "":
		return "", fmt.Errorf("the evidence of the step %s: %s is empty", step, name)
	case sum(raw) != want:
		return "", fmt.Errorf("the evidence of the step %s: %s is not what the step wrote", step, name)
	}
	return string(raw), nil
}

func (j *Job) redact(s string) string { return j.env.opt.Redact(s) }

// mark is an id for something that belongs to what the step Commit pushed: an attempt that
// goes on with that finds it, and one that began anew has others.
func (j *Job) mark(what string) (string, error) {
	attempt, err := j.fact(Commit, "attempt")
	if err != nil {
		return "", err
	}
	id := j.Item.ID + "." + attempt
	if what != "" {
		id += "." + strings.ReplaceAll(what, " ", "-")
	}
	return id, nil
}

// project is the person's own repository.
func (j *Job) project() git.Tree { return j.env.opt.Git.In(j.Item.Project) }

// limits are the request's own, but never wider than the settings.
func (j *Job) limits() (lines, components int) {
	lines, components = j.env.cfg.Lines, j.env.cfg.Components
	if n := j.Item.Request.MaxLines; n > 0 {
		lines = min(lines, n)
	}
	if n := j.Item.Request.MaxComponents; n > 0 {
		components = min(components, n)
	}
	return lines, components
}

func sum(raw []byte) string {
	h := sha256.Sum256(raw)
	return hex.EncodeToString(h[:])
}
