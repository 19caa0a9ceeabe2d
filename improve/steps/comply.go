package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
)

// comply holds what was pushed to the rules: limits, nothing unfinished, no
// secrets, tests that fail without it, and the reviews that were asked for.
func comply(ctx context.Context, j *Job) (improve.Evidence, error) {
	if err := j.repliedTo(ctx); err != nil {
		return improve.Evidence{}, err
	}
	if err := j.refresh(ctx); err != nil { // the review may have changed what it says
		return improve.Evidence{}, err
	}
	p, err := j.pushedTree(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	s, head, size, patch, kinds := p.stands, p.head, p.size, p.patch, p.kinds
	old, err := j.oldTests(ctx, s, head, oldLog)
	if err != nil {
		return improve.Evidence{}, err
	}
	red, err := j.red(ctx, s, head, size)
	if err != nil {
		return improve.Evidence{}, err
	}
	dead, tried, err := j.canary(ctx, s, size, head, "canary-test.log")
	if err != nil {
		return improve.Evidence{}, err
	}
	sings := "the suite goes red with a test that must fail"
	if dead != "" {
		sings = dead
	} else if !tried {
		sings = "not tried: no test of the change is in a language for which one is known"
	}
	more, said := []ruled{{"a suite that can fail", dead == "", sings}}, map[string]string{}
	again, err := j.works(ctx, s, head, "head-command.log")
	if err != nil {
		return improve.Evidence{}, err
	}
	more = append(more, again...)
	whole, err := j.accepted(ctx, s, size, said)
	if err != nil {
		return improve.Evidence{}, err
	}
	more = append(more, whole...)
	report, bad := j.judge(size, j.env.opt.Secrets(patch), kinds, old, red, more)
	if err := j.write("compliance.md", report); err != nil {
		return improve.Evidence{}, err
	}
	raw, err := os.ReadFile(filepath.Join(j.folder, "compliance.md"))
	if err != nil {
		return improve.Evidence{}, err
	}
	e := facts("commit", head, "lines", strconv.Itoa(size.Lines), "components", strings.Join(size.Components, ", "),
		"tests", strings.Join(size.Tests, ", "), "stubs", strconv.Itoa(len(size.Stubs)), "old_tests", old.text, "on_the_base", red.text, "canary", sings, "sha256", sum(raw))
	maps.Copy(e.Facts, said)
	for _, r := range again {
		e.Facts["reproduced"] = r.found
	}
	e.Files = append([]string{"compliance.md"}, j.verdictFile(e, secondVerdict)...)
	if old.ran {
		e.Files = append(e.Files, oldLog)
	}
	if red.known {
		e.Files = append(e.Files, redLog)
	}
	if len(bad) > 0 {
		return e, errors.New(strings.Join(bad, "; "))
	}
	return e, nil
}

// judge writes the report, and returns the rules that are not kept.
func (j *Job) judge(size Size, secrets []string, kinds string, old oldRun, red redRun, more []ruled) (report string, bad []string) {
	lines, components := j.limits()
	var b strings.Builder
	b.WriteString("# Compliance\n\n")
	rule := func(kept bool, name, found string) {
		mark := "kept"
		if !kept {
			mark = "NOT KEPT"
			bad = append(bad, name+": "+found)
		}
		fmt.Fprintf(&b, "- %s: %s (%s)\n", name, mark, found)
	}
	rule(size.Lines <= lines, "at most so many changed lines", fmt.Sprintf("%d of %d", size.Lines, lines))
	rule(size.Lines > 0, "something is changed", fmt.Sprintf("%d lines", size.Lines))
	rule(len(size.Components) <= components, "at most so many components", fmt.Sprintf("%d of %d", len(size.Components), components))
	rule(len(size.Stubs) == 0, "nothing unfinished", found(size.Stubs))
	rule(len(size.Odd) == 0, "nothing that lines do not show", found(size.Odd))
	rule(len(secrets) == 0, "no secrets", found(secrets))
	rule(len(size.Tests) > 0, "tests", found(size.Tests))
	rule(old.kept, "tests of the project pass as they were", old.text)
	rule(red.shown || !red.known, "tests that fail on the base", red.text)
	for _, r := range more {
		rule(r.kept, r.name, r.found)
	}
	rule(!j.Item.Request.SecurityReview || strings.Contains(kinds, "security"), "security review where it is asked for", kinds)
	return b.String(), bad
}

func found(all []string) string {
	if len(all) == 0 {
		return "none"
	}
	if len(all) > 10 {
		all = append(slices.Clone(all[:10]), "and more")
	}
	return strings.Join(all, ", ")
}

// mergeable sees that a person could merge, and says so with a label. It never
// merges.
func mergeable(ctx context.Context, j *Job) (improve.Evidence, error) {
	if _, err := j.read(Compliance, "compliance.md"); err != nil {
		return improve.Evidence{}, err
	}
	head, err := j.fact(Compliance, "commit")
	if err != nil {
		return improve.Evidence{}, err
	}
	if head, err = j.headAfter(head); err != nil {
		return improve.Evidence{}, err
	}
	began := j.env.opt.Now()
	answered, err := j.checksAnswered()
	if err != nil {
		return improve.Evidence{}, err
	}
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		p, checks, err := j.standing(ctx, head)
		if err != nil {
			return improve.Evidence{}, err
		}
		more, answers, err := j.pushedElsewhere(ctx, p, head)
		if err != nil {
			return improve.Evidence{}, err
		}
		if more {
			head, began, pause = p.Commit, j.env.opt.Now(), time.Second
			answered = min(answered+answers, maxAnswers)
			continue
		}
		verdict := checks.Verdict()
		switch {
		case verdict == forge.Failed && answered == maxAnswers:
			return improve.Evidence{}, fmt.Errorf("%w: checks of the forge still fail on %s after %d changes: %s; the pull request and its branch are left as they are", ErrManual, head, answered, j.names(redChecks(checks)))
		case verdict == forge.Failed:
			red := redChecks(checks)
			j.say("the forge's checks fail: " + j.names(red))
			answered++
			if head, err = j.answer(ctx, head, red, answered); err != nil {
				return improve.Evidence{}, fmt.Errorf("%w: checks of the forge failed (%s), and the change that should answer them did not do: %w; the pull request and its branch are left as they are", ErrManual, j.names(red), err)
			}
			began, pause = j.env.opt.Now(), time.Second
			continue
		case p.Commit != head && j.have(ctx, p.Head, p.Commit) == nil && !j.signed(ctx, j.project(), p.Commit):
			return improve.Evidence{}, fmt.Errorf("%w: the branch of pull request %d has commits of others, so it is theirs now; nothing more is changed in it", ErrManual, p.Number)
		case p.Merge == forge.MergeConflict:
			if err := j.conflicts(ctx, p, head); err != nil {
				return improve.Evidence{}, err
			}
		case p.Commit == head && p.Merge == forge.MergeClean && verdict != forge.Pending:
			late := verdict == forge.NoChecks && j.env.opt.Now().Sub(began) < hesitation
			if late, err = j.checked(ctx, late); err != nil {
				return improve.Evidence{}, err
			}
			if !late {
				next, more, err := j.listen(ctx, p, head)
				if err != nil {
					return improve.Evidence{}, err
				}
				if more {
					head, began, pause = next, j.env.opt.Now(), time.Second
					continue
				}
				return j.readyAfter(ctx, p, verdict, answered)
			}
		}
		if j.env.opt.Now().Sub(began) > time.Duration(j.env.cfg.Patience)*time.Second {
			return improve.Evidence{}, fmt.Errorf("%w: pull request %d is not settled at the forge (checks %s, merge %q); look at it and retry", ErrManual, p.Number, verdict, p.Merge)
		}
		j.say("waiting for the forge's checks")
		if err := j.env.opt.Wait(ctx, pause); err != nil {
			return improve.Evidence{}, err
		}
	}
}

// hesitation is how long a forge may take to begin its checks of what was pushed.
const hesitation = time.Minute

// checked reports, where it is asked for, whether the forge checks commits of this
// repository: the base had checks, so a head that has none yet may still get them.
func (j *Job) checked(ctx context.Context, ask bool) (bool, error) {
	base, err := j.fact(Branch, "base")
	if err != nil || !ask {
		return false, err
	}
	var all forge.Checks
	err = j.outside(ctx, "look at the checks of the base", func(ctx context.Context) error {
		all, err = j.env.opt.Forge.Checks(ctx, base)
		return err
	})
	return len(all) > 0, err
}

// conflicts is an error where the pull request cannot be merged. Git has the last
// word: Gitea says so of every change that it has not looked at yet.
func (j *Job) conflicts(ctx context.Context, p forge.Pull, head string) error {
	base, err := j.remote(ctx, p.Base)
	if err == nil {
		err = j.have(ctx, p.Base, base)
	}
	if err != nil {
		return err
	}
	clean, err := j.project().Merges(ctx, base, head)
	if err == nil && !clean {
		err = fmt.Errorf("%w: pull request %d conflicts with %s; merge %s into its branch, or close it and retry", ErrManual, p.Number, p.Base, p.Base)
	}
	return err
}

// standing returns the pull request and the checks of its head.
func (j *Job) standing(ctx context.Context, head string) (p forge.Pull, all forge.Checks, err error) {
	if p, err = j.proposal(ctx); err != nil {
		return p, nil, err
	}
	err = j.outside(ctx, "look at the checks", func(ctx context.Context) error {
		all, err = j.env.opt.Forge.Checks(ctx, head)
		return err
	})
	return p, all, err
}

// readyAfter labels the pull request, and brings its text up to date.
func (j *Job) readyAfter(ctx context.Context, p forge.Pull, v forge.Verdict, answered int) (improve.Evidence, error) {
	e, err := j.ready(ctx, p, v)
	if err != nil {
		return e, err
	}
	if answered > 0 {
		e.Facts["answered"] = []string{1: "once a red check", 2: "twice a red check"}[answered]
	}
	if e.Facts["lines"], err = j.linesOf(ctx, p.Commit); err != nil {
		return e, err
	}
	h, err := j.hear(ctx, p)
	if err != nil {
		return e, err
	}
	if h.rounds > 0 {
		e.Facts["comments_answered"] = fmt.Sprintf("%d of at most %d rounds", h.rounds, maxRounds)
	}
	e.Number, e.Step, e.Ended = Place(Steps(), Mergeable)+1, Mergeable, j.env.opt.Now().UTC()
	return e, j.refresh(ctx, e)
}

// linesOf is how many lines a commit changes, against the base.
func (j *Job) linesOf(ctx context.Context, commit string) (string, error) {
	base, err := j.fact(Branch, "base")
	if err != nil {
		return "", err
	}
	patch, err := j.project().Run(ctx, "diff", "--no-color", "--no-ext-diff", "--ignore-submodules=none", "--no-textconv", "--no-renames", "--binary", "--end-of-options", base, commit, "--")
	if err != nil {
		return "", err
	}
	size, err := j.env.opt.Measure([]byte(patch))
	return strconv.Itoa(size.Lines), err
}

func (j *Job) ready(ctx context.Context, p forge.Pull, v forge.Verdict) (improve.Evidence, error) {
	label := j.env.cfg.Ready
	var set []string
	err := j.outside(ctx, "label the pull request", func(ctx context.Context) (err error) {
		set, err = j.forge().Label(ctx, p.Ref(), []string{label})
		if errors.Is(err, forge.ErrRefused) || errors.Is(err, forge.ErrNotFound) {
			err = nil // a forge that does not let us label is no reason to fail
		}
		return err
	})
	said := "not permitted"
	if slices.ContainsFunc(set, func(s string) bool { return strings.EqualFold(s, label) }) {
		said = label
	}
	return facts("state", "open, not merged", "merge", string(p.Merge), "checks", string(v), "commit", p.Commit, "label", said, "url", p.URL), err
}

// repliedTo refuses unless what was pushed is still that, and its review was replied to.
func (j *Job) repliedTo(ctx context.Context) error {
	if err := j.pushed(ctx, Feedback); err != nil {
		return err
	}
	_, err := j.fact(Feedback, "replies")
	return err
}

// pushedTree is what was pushed, as compliance looks at it.
type pushedTree struct {
	stands
	head  string // the commit
	size  Size
	tree  string
	patch []byte
	kinds string // of the reviews that were asked for
}

// pushedTree checks out what was pushed, and not what lies here.
func (j *Job) pushedTree(ctx context.Context) (p pushedTree, err error) {
	if p.stands, err = j.tree(ctx, Compliance); err != nil {
		return p, err
	}
	if p.head, err = j.fact(Feedback, "commit"); err != nil {
		return p, err
	}
	if err = p.restore(ctx, p.head, p.head); err != nil {
		return p, err
	}
	if p.size, p.tree, err = j.measure(ctx, p.stands); err != nil {
		return p, err
	}
	if p.patch, err = p.stands.patch(ctx); err != nil {
		return p, err
	}
	p.kinds, err = j.fact(Review, "kinds")
	return p, err
}
