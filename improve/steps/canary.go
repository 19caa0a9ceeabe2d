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
		canary := "\n\nimport unittest as _trimtab\n\n\nclass TrimtabCanary(_trimtab.TestCase):\n    def test_canary(self):\n        self.fail(\"canary\")\n\n\n"
		if i := strings.Index(text, "\nif __name__"); i >= 0 {
			return text[:i] + canary + text[i:], true
		}
		return text + canary, true
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx":
		return text + "\n;throw new Error(\"canary\");\n", true
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
		return ok && project.IsTest(name)
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
