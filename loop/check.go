package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence/command"
	"github.com/trimtab/trimtab/internal/plural"
)

// A check that stays red while one guess follows another: every run is after a change, and
// its words differ, but it is the same tests, or errors in the same files, that fail.

// check is one that is run again and again.
type check struct {
	Key     uint64   `json:"key"`
	Name    string   `json:"name"`
	N       int      `json:"n,omitempty"`       // red runs in a row that failed alike
	Told    int      `json:"told,omitempty"`    // of them, those that an alarm has told
	Blind   int      `json:"blind,omitempty"`   // runs in a row whose output a filter left empty
	Fails   []uint64 `json:"fails,omitempty"`   // what failed in the newest red run that told
	Signs   []uint64 `json:"signs,omitempty"`   // how they failed
	Cut     int      `json:"cut,omitempty"`     // of the red runs, those whose output was cut
	Changes int      `json:"changes,omitempty"` // to the workspace since the first of them
	Reply   int      `json:"reply,omitempty"`
	What    string   `json:"what,omitempty"` // one of the failures, for a person
}

const maxChecks, maxFails = 8, 48

// checked counts a result of a check and tells of one that does not come right.
func (r Progress) checked(mem ProgressMemory, call pend, res trimtab.ToolResult) (ProgressMemory, *Alarm) {
	if call.Check == "" || res.Failed && command.WasRefused(res.Text) {
		return mem, nil
	}
	fails, what, tests := failures(res.Text)
	red := len(fails) > 0 && (tests || res.Failed || lost(res.Text))
	key := xxhash.Sum64String(call.Check)
	i := slices.IndexFunc(mem.Checks, func(c check) bool { return c.Key == key })
	blind := call.Cut && !told(res.Text) && strings.Contains(call.Check, "test") // who builds or lints may well say nothing
	if !red && !blind {
		if i >= 0 && !res.Failed {
			mem.Checks = slices.Delete(slices.Clone(mem.Checks), i, i+1)
		}
		return mem, nil
	}
	mem.Checks = slices.Clone(mem.Checks)
	if i < 0 {
		mem.Checks = append(mem.Checks, check{Key: key, Name: call.Check})
		mem.Checks = mem.Checks[max(0, len(mem.Checks)-maxChecks):]
		i = len(mem.Checks) - 1
	}
	c := &mem.Checks[i]
	if c.Reply == mem.Replies { // several runs in one reply are one attempt
		return mem, nil
	}
	c.Reply = mem.Replies
	if blind {
		if c.Blind++; c.Blind >= mem.limit(maxBlind) {
			n := c.Blind
			c.Blind = 0
			return mem, &Alarm{Kind: Blind, Times: n, Cause: key, Why: fmt.Sprintf("the filter behind `%s` left nothing of its output %d times in a row, so nothing says whether it ran", c.Name, n)}
		}
		return mem, nil
	}
	c.Blind = 0
	if !alike(c.Fails, fails, tests, call.Cut) {
		c.N, c.Told, c.Cut, c.Changes, c.Signs = 0, 0, 0, 0, nil
	}
	c.Fails, c.What = fails, what
	if _, sign := fault(res.Text); !slices.Contains(c.Signs, sign) {
		c.Signs = append(slices.Clip(c.Signs), sign)
		c.Signs = c.Signs[max(0, len(c.Signs)-maxSigns):]
		if len(c.Signs) > 1 && !call.Cut { // it fails otherwise than ever before: a step, it may be
			return mem, nil
		}
	}
	c.N++
	if call.Cut {
		c.Cut++
	}
	if c.Changes < 2 || c.N-c.Told < mem.limit(r.cfg.Checks) { // the very same without a change is told otherwise
		return mem, nil
	}
	c.Told = c.N
	why := fmt.Sprintf("`%s` is red for the %s time with the same failures, after %s: %s", c.Name, ordinal(c.N), plural.Count(c.Changes, "change"), c.What)
	if c.Cut == c.N {
		why += "; its output was cut each time"
	}
	return mem, &Alarm{Kind: SameError, Times: c.N, Cause: key, Why: why}
}

const maxBlind = 2

// told reports whether an output holds anything: hosts add lines about the folder
// and about the exit code, with which a search says that it found nothing.
func told(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Shell cwd was reset") && line != "(no output)" && line != "Exit code 1" && line != "(Bash completed with no output)" {
			return true
		}
	}
	return false
}

// alike reports whether two red runs fail alike: half of the tests are the same, and they
// are not fewer. Through a filter one sees a part, so there the number says nothing. Of errors
// in files all have to be the same: a compiler stops at the tenth, and who mends some of them
// gets on.
func alike(before, now []uint64, tests, cut bool) bool {
	if len(before) == 0 {
		return true
	}
	same := 0
	for _, h := range now {
		if slices.Contains(before, h) {
			same++
		}
	}
	if !tests {
		return same == len(before) && same == len(now)
	}
	if !cut && len(now) < len(before) {
		return false
	}
	return 2*same >= min(len(before), len(now)) && same > 0
}

// failures are the names of tests that an output says have failed, or, where it names none,
// the files with errors and what is wrong there. Lines and columns are left out: they shift.
func failures(result string) (fails []uint64, what string, tests bool) {
	var places []uint64
	place := ""
	head, tail := ends(result, 8*maxEnds)
	for _, part := range []string{head, tail} {
		for line := range strings.SplitSeq(part, "\n") {
			line = strings.TrimSpace(line)
			if name := failedName(line); name != "" {
				if h := xxhash.Sum64String(name); !slices.Contains(fails, h) && len(fails) < maxFails {
					fails = append(fails, h)
					if what == "" {
						what = name
					}
				}
			} else if len(line) < 400 && placed(line) && wrong(line) {
				if h := xxhash.Sum64String(unplaced(settled(line))); !slices.Contains(places, h) && len(places) < maxFails {
					places = append(places, h)
					if place == "" {
						place = line
					}
				}
			}
		}
	}
	if len(fails) > 0 {
		return fails, brief(what, 80), true
	}
	return places, brief(place, 80), false
}

// failedName is the test of which a line says that it failed.
func failedName(line string) string {
	for _, mark := range []string{"--- FAIL: ", "FAILED ", "FAIL: ", "✕ ", "✗ ", "× ", "not ok "} {
		name, ok := strings.CutPrefix(line, mark)
		if !ok {
			continue
		}
		if name, _, _ = strings.Cut(name, " "); len(name) > 3 && len(name) < 200 {
			return name
		}
	}
	return ""
}

// checkOf is the check that a line runs, by what it is told to do, and whether only a part
// of the output comes back.
func checkOf(line command.Line) (check string, cut bool) {
	for _, run := range slices.Backward(line.Runs) {
		if run.Kind == command.Check {
			return family(run.Command), line.Filtered
		}
	}
	return "", false
}
