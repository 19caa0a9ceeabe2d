package project_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve/project"
)

func measure(t *testing.T, patch string) project.Size {
	t.Helper()
	s, err := project.Measure([]byte(patch))
	if err != nil {
		t.Fatalf("%v\n%s", err, patch)
	}
	return s
}

func texts(notes []project.Note) []string {
	var out []string
	for _, n := range notes {
		out = append(out, n.String())
	}
	return out
}

// added is a diff in which a file gains these lines.
func added(name string, lines ...string) string {
	return "diff --git a/" + name + " b/" + name + "\nindex 1..2 100644\n--- a/" + name + "\n+++ b/" + name + "\n@@ -0,0 +1," + strconv.Itoa(len(lines)) + " @@\n+" + strings.Join(lines, "\n+") + "\n"
}

// What git itself counts is what we count, on a tree made to deceive.
func TestR11_TheMeasureIsThatOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("git and its odd names are needed")
	}
	dir := plant(t, map[string]string{"a/old.go": "package a\n\nvar x = 1\n", "keep.txt": "1\n2\n3\n", "b/gone.txt": "x\ny\n", "run.sh": "echo\n"})
	tree := git.New(append(os.Environ(), "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b")).In(dir)
	run := func(command string, args ...string) string {
		t.Helper()
		out, err := tree.Run(t.Context(), command, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	run("init", "--quiet", "--initial-branch=main")
	run("add", "--all")
	run("commit", "--quiet", "--message=x")
	for name, text := range map[string]string{
		"a/old.go":                    "package a\n\nvar x = 2\n--- a/fake\n+++ b/fake\n@@ -1 +1 @@\ndiff --git a/q b/q\n",
		"keep.txt":                    "1\n2\n3", // no newline at the end
		"c/new_test.go":               "package c\n",
		"d/with blank b/d/with blank": "x\n",
		"e/\x1b[31mred\n.txt":         "x\ny\n",
		"f/ünï.txt":                   "x\n",
		"bin.dat":                     "\x00\x01\x02\n\n",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "b/gone.txt")), os.Symlink("/etc/passwd", filepath.Join(dir, "link")), os.Chmod(filepath.Join(dir, "run.sh"), 0o700)); err != nil {
		t.Fatal(err)
	}
	run("add", "--all")
	head := run("rev-parse", "HEAD")
	run("update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(head)+",sub")
	patch := run("diff", "--cached", "--no-ext-diff", "--no-renames", "--binary", "HEAD")
	got := measure(t, patch)
	plus, minus := 0, 0
	for line := range strings.Lines(run("diff", "--cached", "--no-ext-diff", "--no-renames", "--numstat", "HEAD")) {
		f := strings.Fields(line)
		if f[0] == "-" {
			continue // binary
		}
		a, _ := strconv.Atoi(f[0])
		b, _ := strconv.Atoi(f[1])
		plus, minus = plus+a, minus+b
	}
	if got.Added != plus || got.Removed != minus || got.Lines != plus+minus {
		t.Errorf("%d and %d lines; git says %d and %d", got.Added, got.Removed, plus, minus)
	}
	want := project.Size{
		Added: plus, Removed: minus, Lines: plus + minus,
		Files:      []string{`"e/\x1b[31mred\n.txt"`, "a/old.go", "b/gone.txt", "bin.dat", "c/new_test.go", "d/with blank b/d/with blank", "f/ünï.txt", "keep.txt", "link", "run.sh", "sub"},
		Components: []string{`"e`, ".", "a", "b", "c", "d", "f"},
		Tests:      []string{"c/new_test.go"},
		Odd: []project.Note{
			{File: "bin.dat", What: "is a binary file"},
			{File: `"e/\x1b[31mred\n.txt"`, What: "is a strange path"},
			{File: "link", What: "is a symbolic link"},
			{File: "run.sh", What: "can be executed"},
			{File: "sub", What: "is a submodule"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want -, got +\n%s\n%s", d, patch)
	}
}

func TestR11_ComponentsAreTopLevelFolders(t *testing.T) {
	got := measure(t, added("a/x.go", "x")+added("a/b/y.go", "x")+added("c/z.go", "x")+added("main.go", "x"))
	if d := cmp.Diff([]string{".", "a", "c"}, got.Components); d != "" || got.Lines != 4 {
		t.Error(d, got.Lines)
	}
}

func TestADiffThatLiesIsRefused(t *testing.T) {
	for _, bad := range []string{
		"@@ -1 +1 @@\n-a\n+b\n",
		"diff --git a/x b/x\n@@ -1,5 +1 @@\n-a\n",
		"diff --git a/x b/x\n@@ -1 +1 @@\n-a\n-b\n+c\n",
		"diff --git a/x b/x\n@@ nonsense\n",
		"diff --git a/x b/x\n@@ -1,99999999999999999999 +1 @@\n",
		"diff --git a/x b/x\n@@ -1,-5 +1 @@\n",
		"diff --git a/x b/x\n@@ -1 +1 @@\n?a\n",
		"diff --cc x\nindex 1,2..3\n@@@ -1 -1 +1 @@@\n",
	} {
		if s, err := project.Measure([]byte(bad)); !errors.Is(err, project.ErrDiff) {
			t.Errorf("%q: %+v, %v", bad, s, err)
		}
	}
	if _, err := project.Measure(make([]byte, 65<<20)); !errors.Is(err, trimtab.ErrTooLarge) {
		t.Error(err)
	}
	if got := measure(t, ""); got.Lines != 0 {
		t.Error(got)
	}
	if got := measure(t, added("../up.go", "x")+added("a/.git/hooks/x", "x")); len(got.Odd) != 2 {
		t.Errorf("%v", got.Odd)
	}
}

// Step 12: nothing unfinished, and tests that test something.
func TestStubsAreFoundInAddedLinesOnly(t *testing.T) {
	for _, c := range []struct {
		file string
		line string
		want string // "" for nothing
	}{
		{"a.go", "// TODO: later", "work put off in a comment"},
		{"a.py", "x = 1  # FIXME", "work put off in a comment"},
		{"a.c", " * XXX this", "work put off in a comment"},
		{"a.go", `const list = "TODO"`, ""},
		{"a.go", "var TodoList = todo.New()", ""},
		{"README.md", "TODO", ""},
		{"a.go", `panic("not implemented")`, "not implemented"},
		{"a.go", `panic("unimplemented: x")`, "not implemented"},
		{"a.go", `return errors.New("not yet implemented")`, "not implemented"},
		{"a.go", `return errors.New("the option is not implemented by this host")`, ""},
		{"a.py", "raise NotImplementedError", "not implemented"},
		{"a.cs", "throw new NotImplementedException();", "not implemented"},
		{"a.ts", `throw new Error("Not implemented");`, "not implemented"},
		{"a.rs", "todo!()", "not implemented"},
		{"a.rs", `unimplemented!("x")`, "not implemented"},
		{"a.kt", `TODO("x")`, "not implemented"},
		{"a_test.go", "\tt.Skip()", "a test that is skipped"},
		{"a_test.go", "\tt.Skipf(\"x\")", "a test that is skipped"},
		{"a_test.go", "\tit.Skipper()", ""},
		{"test_a.py", "@pytest.mark.skip", "a test that is skipped"},
		{"test_a.py", "@unittest.skipIf(x)", "a test that is skipped"},
		{"a.test.ts", `it.skip("x", () => {`, "a test that is skipped"},
		{"a.test.ts", `  xit("x", f)`, "a test that is skipped"},
		{"a.test.ts", `exit("x")`, ""},
		{"ATest.java", "@Disabled", "a test that is skipped"},
		{"a.rs", "#[ignore]", "a test that is skipped"},
		{"a.cs", `[Fact(Skip = "x")]`, "a test that is skipped"},
		{"test_a.py", "    assert True", "a test that always passes"},
		{"test_a.py", "    assert True == f()", ""},
		{"a.test.ts", "expect(true).toBe(true)", "a test that always passes"},
		{"tests/a.rs", "assert!(true);", "a test that always passes"},
		{"ATest.java", "assertTrue(true);", "a test that always passes"},
		{"ATest.java", "assertTrue(trueEnough);", ""},
		{"a_test.go", "func TestX(t *testing.T) {}", "a test with nothing in it"},
		{"a.test.ts", `it("x", () => {});`, "a test with nothing in it"},
		{"test_a.py", "def test_x(): pass", "a test with nothing in it"},
		{"a_test.go", "func TestX(t *testing.T) { f(t) }", ""},
	} {
		got := measure(t, added(c.file, "a", c.line, "b"))
		var want []string
		if c.want != "" {
			want = []string{c.file + ":2 " + c.want}
		}
		if d := cmp.Diff(want, texts(got.Stubs)); d != "" {
			t.Errorf("%s in %s: want -, got +\n%s", c.line, c.file, d)
		}
		old := "diff --git a/" + c.file + " b/" + c.file + "\n--- a/" + c.file + "\n+++ b/" + c.file + "\n@@ -1,2 +1 @@\n " + c.line + "\n-" + c.line + "\n"
		if got := measure(t, old); len(got.Stubs) > 0 {
			t.Errorf("%s was there before: %v", c.line, got.Stubs)
		}
	}
}

func TestEmptyTestsAreFoundOverSeveralLines(t *testing.T) {
	for want, patch := range map[string]string{
		"a_test.go:1 a test with nothing in it": added("a_test.go", "func TestX(t *testing.T) {", "}"),
		"a_test.go:2 a test with nothing in it": added("a_test.go", "", "func TestX(t *testing.T) {", "\t// it will be", "}"),
		"test_a.py:1 a test with nothing in it": added("test_a.py", "def test_x(client):", "    pass"),
		"a.test.js:1 a test with nothing in it": added("a.test.js", `test("x", async () => {`, "});"),
	} {
		if d := cmp.Diff([]string{want}, texts(measure(t, patch).Stubs)); d != "" {
			t.Errorf("want -, got +\n%s", d)
		}
	}
	for _, patch := range []string{
		added("a_test.go", "func TestX(t *testing.T) {", "\tf(t)", "}"),
		added("a.go", "func TestBed() {", "}"),
		"diff --git a/a_test.go b/a_test.go\n--- a/a_test.go\n+++ b/a_test.go\n@@ -1,2 +1,3 @@\n+func TestX(t *testing.T) {\n \tf(t)\n }\n",
	} {
		if got := measure(t, patch); len(got.Stubs) > 0 {
			t.Errorf("%v in\n%s", got.Stubs, patch)
		}
	}
}

func TestTestsArePresent(t *testing.T) {
	for name, want := range map[string]bool{
		"a_test.go": true, "x/test_a.py": true, "tests/helper.py": true, "src/a.spec.tsx": true, "src/__tests__/a.js": true, "AppTests.cs": true, "spec/a_spec.rb": true, "test/a_test.exs": true,
		"a.go": false, "contest/a.go": false, "testdata/a.txt": false, "tests/data.json": false, "latest.py": false, "attest.go": false,
	} {
		if got := project.IsTest(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := measure(t, added("src/lib.rs", "#[test]", "fn x() { y(); }")); len(got.Tests) != 1 {
		t.Error(got.Tests)
	}
	gone := "diff --git a/a_test.go b/a_test.go\ndeleted file mode 100644\n--- a/a_test.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
	if got := measure(t, gone); len(got.Tests) != 0 || got.Removed != 1 {
		t.Error(got)
	}
}

func FuzzMeasure(f *testing.F) {
	f.Add([]byte(added("a.go", "x", "// TODO")))
	f.Add([]byte("diff --git \"a/\\t\" \"b/\\t\"\nnew file mode 120000\n--- /dev/null\n+++ \"b/\\t\"\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"))
	f.Add([]byte("diff --git a/x b/y\nrename from x\nrename to y\nGIT binary patch\nliteral 3\nabc\n\n"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		s, err := project.Measure(patch)
		if err != nil {
			return
		}
		lines := strings.Count(string(patch), "\n") + 1
		if s.Lines > lines || s.Added < 0 || s.Removed < 0 || len(s.Components) > len(s.Files) {
			t.Errorf("%+v of %d lines", s, lines)
		}
		for _, n := range append(s.Odd, s.Stubs...) {
			if strings.ContainsAny(n.String(), "\x1b\n\x00") {
				t.Errorf("%q", n.String())
			}
		}
	})
}

// What a forge runs as soon as it is pushed, and what leads git elsewhere, must be
// seen before.
func TestFilesThatAForgeRunsAreOdd(t *testing.T) {
	for _, name := range []string{
		".github/workflows/a.yml", ".github/actions/x/action.yml", ".gitea/workflows/a.yaml", ".forgejo/workflows/a.yaml", ".gitlab-ci.yml", "sub/.gitlab-ci.yml",
		".gitlab/ci/a.yml", ".circleci/config.yml", "Jenkinsfile", "azure-pipelines.yml", ".travis.yml", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker/a.yml", ".woodpecker.yml",
		".buildkite/pipeline.yml", "appveyor.yml", ".cirrus.yml", ".GitHub/Workflows/a.yml", ".gitmodules", ".lfsconfig", ".gitattributes",
	} {
		s, err := project.Measure([]byte("diff --git a/" + name + " b/" + name + "\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+x\n"))
		if err != nil || len(s.Odd) != 1 {
			t.Errorf("%s: %v %v", name, s.Odd, err)
		}
	}
	for _, name := range []string{".github/ISSUE_TEMPLATE/a.md", "workflows/a.yml", "docs/Jenkinsfile.md", ".gitignore"} {
		s, err := project.Measure([]byte("diff --git a/" + name + " b/" + name + "\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+x\n"))
		if err != nil || len(s.Odd) != 0 {
			t.Errorf("%s: %v %v", name, s.Odd, err)
		}
	}
}

// A test that is taken away cannot fail any more.
func TestATestThatIsRemovedIsSeen(t *testing.T) {
	s, err := project.Measure([]byte("diff --git a/a_test.go b/a_test.go\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/a_test.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-package a\n"))
	if err != nil || len(s.Stubs) != 1 || s.Stubs[0].What != "a test that is removed" {
		t.Errorf("%v %v", s.Stubs, err)
	}
}
