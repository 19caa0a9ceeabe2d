package work_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/work"
)

// Tests that were seen to fail say something only if the same tests pass later.
func TestAnAgentCannotPassByChangingTheTests(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*dock)
		step  int
		says  string
	}{
		"a weaker test":                  {writes("implement", "tests/left.sh", "true\n"), 5, "tests/left.sh of the design was changed"},
		"a weaker test, later":           {writes("simplify", "tests/left.sh", "true\n"), 6, "tests/left.sh of the design was changed"},
		"the test goes with the review":  {removesAnd("feedback", "```json\n[{\"finding\": 1, \"text\": \"gone\"}]\n```", "tests/left.sh"), 11, "is gone"},
		"another command":                {writes("implement", "test.sh", "exit 0\n"), 5, "test.sh says how the tests are run"},
		"another command, in the design": {writes("design", "test.sh", "exit 1\n", "tests/left.sh", "true\n"), 4, "test.sh says how the tests are run"},
		"another command, in the review": {writesAnd("feedback", "```json\n[{\"finding\": 1, \"text\": \"x\"}]\n```", "test.sh", "exit 0\n"), 11, "test.sh says how the tests are run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDock(t)
			c.spoil(d)
			it, at, err := d.run()
			if err == nil || at.Number != c.step || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("stopped at %d: %v", at.Number, err)
			}
			d.settles(it, at, err, improve.Failed)
		})
	}
}

func removesAnd(step, words, name string) func(*dock) {
	return func(d *dock) {
		d.agent.Deeds[step] = func(folder string) (string, error) {
			return words, os.RemoveAll(filepath.Join(folder, name))
		}
	}
}

// A forge runs some files by itself as soon as they are pushed.
func TestWhatLinesDoNotShowIsNeverPushed(t *testing.T) {
	d := newDock(t)
	measure := d.opt.Measure
	d.opt.Measure = func(patch []byte) (work.Size, error) {
		s, err := measure(patch)
		if strings.Contains(string(patch), "workflows/evil.yml") {
			s.Odd = []string{".github/workflows/evil.yml is run by the forge"}
		}
		return s, err
	}
	deed := d.agent.Deeds["implement"]
	d.agent.Deeds["implement"] = func(folder string) (string, error) {
		if err := os.MkdirAll(filepath.Join(folder, ".github", "workflows"), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, ".github", "workflows", "evil.yml"), []byte("on: push\n"), 0o600); err != nil {
			return "", err
		}
		return deed(folder)
	}
	_, at, err := d.run()
	if err == nil || at.Number != 7 || !strings.Contains(err.Error(), "evil.yml is run by the forge") {
		t.Fatalf("stopped at %d: %v", at.Number, err)
	}
	d.equal("at the forge", d.count(), map[string]int{"issues open": 1})
}

// A paper or log that is gone, or was emptied, is no evidence.
func TestEvidenceIsLookedAtAndNotOnlyCounted(t *testing.T) {
	d := newDock(t)
	done, _, err := d.run()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file  string
		step  int
		empty bool
	}{{"design-test.log", 5, false}, {"implement-test.log", 6, false}, {"check-test.log", 8, false}, {"implement.md", 9, true}, {"requirements.md", 2, true}, {"compliance.md", 13, true}} {
		name := filepath.Join(d.cfg.Folder, done.ID, c.file)
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if c.empty {
			err = os.WriteFile(name, nil, 0o600)
		} else {
			err = os.Remove(name)
		}
		if err != nil {
			t.Fatal(err)
		}
		d.item = done
		d.item.Evidence = done.Evidence[:c.step-1]
		if _, err := work.Steps()[c.step-1].Run(t.Context(), d.job()); err == nil || !strings.Contains(err.Error(), c.file) {
			t.Errorf("step %d without %s: %v", c.step, c.file, err)
		}
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
