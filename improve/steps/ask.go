package steps

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
)

//go:embed prompt/*.md
var prompts embed.FS

// The limits of what an agent is shown and of its last words.
const (
	maxShown = 128 << 10
	maxWords = 256 << 10
)

// task is what the prompts are filled with.
type task struct {
	Request      improve.Request
	Requirements string
	Design       string
	Tests        string // the files of the design's tests
	Patch        string
	Log          string // of a command that failed
	Findings     []Finding
	Criteria     []string // acceptance criteria, to be judged one by one
	Lines        int
	Components   int
	Again        string // why it is asked a second time
	Page         string // the prompt, where it is not that of the step
}

// Judge are the criteria as a list that begins at 1.
func (t task) Judge() []string {
	var out []string
	for i, c := range t.Criteria {
		out = append(out, fmt.Sprintf("%d. %s", i+1, c))
	}
	return out
}

// Numbered are the findings as a list that begins at 1.
func (t task) Numbered() []string {
	var out []string
	for i, f := range t.Findings {
		out = append(out, fmt.Sprintf("%d. %s (%s): %s", i+1, f.Where(), f.Severity, f.Text))
	}
	return out
}

// cut is what of a long text an agent is shown. It is told that there is more.
func cut(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return trimtab.Clip(s, maxShown) + "\n(the rest is left out)"
}

// ask has the agent do a step. Its words come back redacted.
func (j *Job) ask(ctx context.Context, step, folder string, readOnly bool, t task) (string, error) {
	t.Request = j.Item.Request
	t.Lines, t.Components = j.limits()
	t.Patch, t.Log, t.Design = cut(t.Patch), cut(t.Log), cut(t.Design)
	var err error
	if step != "clarify" {
		if t.Requirements, err = j.read(Clarify, "requirements.md"); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	page, err := template.ParseFS(prompts, "prompt/*.md")
	if err != nil {
		return "", err
	}
	if err := page.ExecuteTemplate(&b, cmp.Or(t.Page, strings.ReplaceAll(step, " ", "-"))+".md", t); err != nil {
		return "", err
	}
	if text := j.env.guide.Texts[guideStep(step)]; text != "" {
		fmt.Fprintf(&b, "\nThe project's own workflow says of this step, and counts as far as it does not contradict what is above; issues, branches, commits and pull requests are made by others:\n\n%s\n", text)
	}
	if len(j.Item.Remarks) > 0 {
		b.WriteString("\nThe people who look after this work say of it; where that differs from what is above, it counts:\n\n")
	}
	for _, r := range j.Item.Remarks {
		fmt.Fprintf(&b, "- %s\n", strings.Join(strings.Fields(r.Text), " "))
	}
	if t.Again != "" {
		fmt.Fprintf(&b, "\nYou were asked this before, and it was not enough: %s\n", t.Again)
	}
	return j.do(ctx, step, folder, readOnly, b.String())
}

// do hands a prompt to the agent. Its words come back redacted.
func (j *Job) do(ctx context.Context, step, folder string, readOnly bool, prompt string) (string, error) {
	if err := j.guard(ctx); err != nil { // an agent costs money: no second one beside another worker's
		return "", err
	}
	logs := filepath.Join(j.folder, "agent")
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return "", err
	}
	lead, err := link(folder)
	if err != nil {
		return "", err
	}
	agent := j.agentFor(step)
	j.say(fmt.Sprintf("%s works on it", agent.Name()))
	r, err := agent.Do(ctx, agents.Job{
		ID: j.Item.ID, Step: step, Prompt: j.redact(prompt), Dir: folder, ReadOnly: readOnly, Folder: logs,
		Time: time.Duration(j.env.cfg.Minutes) * time.Minute, Cost: j.env.cfg.Cost, Output: maxWords,
	})
	j.boxed = r.Boxed != ""
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, agents.ErrMissing), errors.Is(err, agents.ErrKey): // of this machine, and nothing that an issue should tell
		return "", fmt.Errorf("%w: %w", ErrManual, err)
	case err != nil:
		if _, ok := errors.AsType[*agents.Error](err); ok { // it names itself
			return "", err
		}
		return "", fmt.Errorf("the agent %s: %w", agent.Name(), err)
	}
	if err := j.sound(ctx, folder, lead); err != nil {
		return "", err
	}
	return j.redact(strings.TrimSpace(strings.ToValidUTF8(r.Text, "\uFFFD"))), nil
}

// The kinds of reviews.
const (
	codeReview     = "review"
	securityReview = "security review"
	secondLook     = "second look" // after what a first one refused was mended
)

// agentFor is who does a step: a review is another's than the author's, where one is set,
// and in any case another run.
func (j *Job) agentFor(step string) agents.Agent {
	switch step {
	case codeReview, securityReview, secondLook:
		if j.env.opt.Reviewer != nil {
			return j.env.opt.Reviewer
		}
	}
	return j.env.opt.Agent
}

// guideStep is the step whose text of a guide an agent is told.
func guideStep(step string) improve.StepName {
	if step == securityReview || step == secondLook {
		return Review
	}
	return improve.StepName(step)
}

// errUntested is a project of which nobody has said how it is tested.
var errUntested = fmt.Errorf("%w: no command for tests was found in this project; set improve.checks.test and retry", ErrManual)

// test runs the project's tests and leaves a log.
func (j *Job) test(ctx context.Context, s stands, log string) (Run, error) {
	r, has, err := j.checkOne(ctx, "test", s, log)
	if err == nil && !has {
		err = errUntested
	}
	return r, err
}

// long are the commands that may take minutes, in the words for who waits.
var long = map[string]string{"setup": "sets the project up", "test": "runs the project's tests"}

func (j *Job) checkOne(ctx context.Context, kind string, s stands, log string) (Run, bool, error) {
	lead, err := link(s.Folder)
	if err != nil {
		return Run{}, false, err
	}
	before, err := s.strangers(ctx)
	if err != nil {
		return Run{}, false, err
	}
	if may, err := j.env.opt.Checks.Has(kind, s.Folder); may && err == nil && long[kind] != "" {
		j.say(long[kind])
	}
	r, has, err := j.env.opt.Checks.Check(ctx, kind, s.Folder, filepath.Join(j.folder, log))
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, agents.ErrMissing): // of this machine, as with an agent
		err = fmt.Errorf("%w: %w", ErrManual, err)
	}
	if err == nil && has {
		err = j.sound(ctx, s.Folder, lead)
	}
	if err == nil && has && kind != "setup" { // what that one leaves is needed
		err = s.sweep(ctx, before)
	}
	r.Said = j.redact(r.Said)
	return r, has, err
}

// able refuses a project whose commands could not be run here, before an agent is
// asked and an issue tells others of something that cannot be done.
func (j *Job) able() error {
	for _, kind := range []string{"setup", "test", "lint", "format"} {
		has, err := j.env.opt.Checks.Has(kind, j.Item.Project)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrManual, err)
		}
		if !has && kind == "test" && !j.guidance() {
			return errUntested
		}
	}
	return nil
}

// changes are the arguments of git status that show what changed in a project, but for
// what is written there about the work itself, here and by other workers.
var changes = []string{
	"--porcelain", "--ignore-submodules=all", "--", ".",
	":(exclude)" + improve.SpoolFolder, ":(exclude)" + improve.ReviewFolder, ":(exclude)" + improve.LogFolder,
}

// clarify has the agent turn the request into requirements.
func clarify(ctx context.Context, j *Job) (improve.Evidence, error) {
	before, err := j.project().Run(ctx, "status", changes...)
	if err != nil {
		return improve.Evidence{}, fmt.Errorf("%s is not a git repository: %w", j.Item.Project, err)
	}
	if err := j.able(); err != nil {
		return improve.Evidence{}, err
	}
	var words string
	t := task{}
	for range 2 {
		if words, err = j.ask(ctx, "clarify", j.Item.Project, true, t); err != nil {
			return improve.Evidence{}, err
		}
		if _, t.Again = criteriaOf(words); t.Again == "" {
			break
		}
	}
	after, err := j.project().Run(ctx, "status", changes...)
	switch {
	case err != nil:
		return improve.Evidence{}, err
	case before != after && !j.boxed: // otherwise it was the person, who may
		return improve.Evidence{}, fmt.Errorf("files of %s changed while the agent should only have looked, and no sandbox held it; leave the folder alone for this step, and retry", j.Item.Project)
	case t.Again != "":
		return improve.Evidence{}, fmt.Errorf("the agent gave no requirements with acceptance criteria that can be checked: %s", t.Again)
	}
	all, _ := criteriaOf(words)
	if err := j.write("requirements.md", words+"\n"); err != nil {
		return improve.Evidence{}, err
	}
	raw, err := os.ReadFile(filepath.Join(j.folder, "requirements.md"))
	e := facts("sha256", sum(raw), "agent", j.env.opt.Agent.Name(), "criteria", strconv.Itoa(len(all)))
	e.Files = []string{"requirements.md"}
	return e, err
}
