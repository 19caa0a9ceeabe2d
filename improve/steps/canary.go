package steps

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/improve/project"
)

// A suite that passes says something only if it can fail. A canary is a test that must
// fail, put into a test of the design: where the suite passes all the same, something in
// the change ends the run early, swallows its outcome, or keeps the tests from running.

const maxTestFile = 1 << 20

// The canaries of languages in which code can change what an assertion does: they fail only
// where assertions do, so that a suite whose assertions were taken the force of passes, and
// is found.
const (
	pythonCanary = `import unittest as _trimtab


class TrimtabCanary(_trimtab.TestCase):
    def test_canary(self):
        for wrong in (
            lambda: self.assertEqual(1, 2),
            lambda: self.assertTrue(False),
            lambda: self.assertFalse(True),
            lambda: self.assertIn(1, []),
            lambda: self.assertIs(None, self),
            lambda: self.assertIsNone(1),
        ):
            try:
                wrong()
            except AssertionError:
                continue
            return
        assert False, "canary"
`
	scriptCanary = `;(() => {
  let weak = false
  const must = (wrong) => { try { wrong() } catch { return } weak = true }
  if (typeof expect === "function") { must(() => expect(1).toBe(2)); must(() => expect(true).toEqual(false)) }
  if (typeof require === "function") { const assert = require("assert"); must(() => assert.strictEqual(1, 2)); must(() => assert.equal(1, 2)); must(() => assert(false)) }
  if (!weak) throw new Error("canary")
})();`
)

// withCanary is a test's file with a test in it that fails. It is false for a language in
// which none is known.
func withCanary(name, text string) (string, bool) {
	switch path.Ext(name) {
	case ".go":
		if !strings.HasSuffix(name, "_test.go") || !strings.Contains(text, `"testing"`) {
			return "", false
		}
		return text + "\nfunc TestTrimtabCanary(t *testing.T) { t.Fatal(\"canary\") }\n", true
	case ".py":
		canary := "\n\n" + pythonCanary + "\n\n"
		if i := strings.Index(text, "\nif __name__"); i >= 0 {
			return text[:i] + canary + text[i:], true
		}
		return text + canary, true
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx":
		return text + "\n" + scriptCanary + "\n", true
	case ".rb":
		return text + "\nraise \"canary\"\n", true
	case ".rs":
		return text + "\n#[test]\nfn trimtab_canary() { panic!(\"canary\"); }\n", true
	case ".php":
		return strings.TrimSuffix(strings.TrimRight(text, "\n "), "?>") + "\nthrow new \\RuntimeException(\"canary\");\n", true
	case ".sh", ".bash":
		return text + "\nexit 1\n", true
	}
	return "", false
}

// canary puts one into a test of the change and runs the suite. It says what is wrong
// where the suite passes; and false where there is no test that it could be put into. The
// working tree, whose content is given, is then as it was.
func (j *Job) canary(ctx context.Context, s stands, size Size, content, log string) (wrong string, tried bool, err error) {
	at := slices.IndexFunc(size.Tests, func(name string) bool {
		_, ok := withCanary(name, `"testing"`)
		return ok && project.IsTest(name) && s.holds(name)
	})
	if at < 0 {
		return "", false, nil
	}
	name := size.Tests[at]
	done, err := putCanary(s.Folder, name)
	if err != nil || !done {
		return "", false, err
	}
	head, err := s.Commit(ctx, "HEAD")
	if err != nil {
		return "", false, err
	}
	ran, err := j.test(ctx, s, log)
	if err != nil {
		return "", false, err
	}
	if err := s.restore(ctx, head, content); err != nil {
		return "", false, err
	}
	if ran.Exit != 0 {
		return "", true, nil
	}
	return fmt.Sprintf("with a test in %s that must fail, %s still exits with 0: the run ends early, its outcome is swallowed, or the test is not run", name, ran.Command), true, nil
}

// putCanary changes the file, which no link leads elsewhere. It is false for a file that
// cannot hold one.
func putCanary(folder, name string) (bool, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return false, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxTestFile+1))
	if err != nil || len(raw) > maxTestFile {
		return false, err
	}
	text, ok := withCanary(name, string(raw))
	if !ok {
		return false, nil
	}
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		return false, err
	}
	return true, f.Close()
}
