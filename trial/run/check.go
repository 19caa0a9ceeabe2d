package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/trial"
	"github.com/trimtab/trimtab/trial/task"
)

// Checked is what is known of a task before any agent has seen it.
type Checked struct {
	Task string `json:"task"`
	Good bool   `json:"good"`
	Why  string `json:"why,omitempty"` // it is not
}

// Check holds tasks against themselves: the tests must fail on the untouched environment, and
// pass once the reference solution has run. Nothing of it is kept.
func Check(ctx context.Context, req Request, env Env) ([]Checked, error) {
	t := &trials{env: env, req: req}
	tasks, err := t.readTasks()
	if err != nil {
		return nil, err
	}
	t.tasks = tasks
	if err := t.engines(ctx); err != nil {
		return nil, err
	}
	var all []Checked
	for _, one := range tasks {
		why, err := t.check(ctx, one)
		if err != nil {
			return all, fmt.Errorf("task %s: %w", one.Name, err)
		}
		all = append(all, Checked{one.Name, why == "", why})
	}
	return all, nil
}

// check says what is wrong with a task.
func (t *trials) check(ctx context.Context, one task.Task) (string, error) {
	untouched, err := t.tryOut(ctx, one, false)
	if err != nil {
		return "", err
	}
	switch untouched.outcome {
	case trial.Solved:
		return "the tests pass although nothing was done", nil
	case trial.Broken:
		return untouched.said, nil
	}
	if !one.HasSolution() {
		return "it has no solution/solve.sh, so nothing shows that it can be solved", nil
	}
	solved, err := t.tryOut(ctx, one, true)
	if err == nil && solved.outcome != trial.Solved {
		return "the tests fail on its own reference solution: " + solved.said, nil
	}
	return "", err
}

// tryOut runs the tests on a fresh copy, solved or not.
func (t *trials) tryOut(ctx context.Context, one task.Task, solve bool) (tested, error) {
	folder, err := os.MkdirTemp("", "trimtab-check-")
	if err != nil {
		return tested{}, err
	}
	defer os.RemoveAll(folder)
	img, err := t.image(ctx, one)
	if err != nil {
		return tested{outcome: trial.Broken, said: err.Error()}, ctx.Err()
	}
	box, err := t.prepare(ctx, one, img, folder)
	if err != nil {
		return tested{}, err
	}
	if box != nil {
		defer box.Close()
	}
	if solve {
		if err := one.Copy(task.Solution, filepath.Join(folder, task.Solution)); err != nil {
			return tested{}, err
		}
		end, err := t.shell(ctx, one, folder, box, filepath.Join(folder, task.Solution, "solve.sh"))
		if err != nil || end.Exit != 0 {
			return tested{outcome: trial.Broken, said: fmt.Sprintf("solution/solve.sh does not come to a good end: exit code %d, %v %s", end.Exit, err, lastLine(end.Tail))}, ctx.Err()
		}
	}
	return t.test(ctx, one, folder, box)
}

// CheckText is what was found, for people.
func CheckText(all []Checked) string {
	var b strings.Builder
	for _, c := range all {
		if c.Good {
			fmt.Fprintf(&b, "%s: good\n", c.Task)
		} else {
			fmt.Fprintf(&b, "%s: %s\n", c.Task, c.Why)
		}
	}
	return b.String()
}

// Bad is an error where a task is not good.
func Bad(all []Checked) error {
	bad := 0
	for _, c := range all {
		if !c.Good {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d tasks cannot be used as they are", bad, len(all))
	}
	return nil
}
