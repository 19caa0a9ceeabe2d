package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// tree is the source of a module as the checks see it.
type tree struct {
	root   string
	module string
	needs  []need
	files  []*source
}

// need is a requirement of go.mod.
type need struct {
	module   string
	indirect bool
}

// source is one Go file.
type source struct {
	path string // from the root of the tree, with slashes
	pkg  string // its folder; "." is the root
	test bool
	text []byte
	fset *token.FileSet
	ast  *ast.File
}

// load reads the module below root. Like the go command it passes over testdata,
// modules of their own, and names that begin with a dot or an underscore.
func load(root string) (*tree, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	tr := &tree{root: root}
	tr.module, tr.needs = readMod(string(mod))
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() {
			if outside(name, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(d.Name()) != ".go" || strings.ContainsAny(d.Name()[:1], "._") {
			return nil
		}
		f, err := read(name, filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		tr.files = append(tr.files, f)
		return nil
	})
	return tr, err
}

func outside(name, base string) bool {
	if base == "testdata" || base == "vendor" || strings.ContainsAny(base[:1], "._") {
		return true
	}
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil
}

func read(name, rel string) (*source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f := &source{path: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go"), text: text, fset: token.NewFileSet()}
	f.ast, err = parser.ParseFile(f.fset, rel, text, parser.ParseComments)
	return f, err
}

var requirement = regexp.MustCompile(`^(?:require\s+)?([^\s()]+)\s+v\S+(\s*//\s*indirect)?`)

// readMod reads the module path and the requirements of a go.mod.
func readMod(text string) (module string, needs []need) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "module "); ok {
			module = strings.TrimSpace(name)
		} else if m := requirement.FindStringSubmatch(line); m != nil {
			needs = append(needs, need{m[1], m[2] != ""})
		}
	}
	return module, needs
}

// packages returns the folders that hold Go files.
func (tr *tree) packages() []string {
	var all []string
	for _, f := range tr.files {
		all = append(all, f.pkg)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// packageOf returns the package of this module that an import path names.
func (tr *tree) packageOf(imported string) (string, bool) {
	if imported == tr.module {
		return ".", true
	}
	return strings.CutPrefix(imported, tr.module+"/")
}

// needOf returns the module of go.mod that an import path belongs to.
func (tr *tree) needOf(imported string) string {
	found := ""
	for _, n := range tr.needs {
		if (imported == n.module || strings.HasPrefix(imported, n.module+"/")) && len(n.module) > len(found) {
			found = n.module
		}
	}
	return found
}

// imports returns the import paths of a file with their places.
func (f *source) imports() map[string]ast.Node {
	all := map[string]ast.Node{}
	for _, spec := range f.ast.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			all[name] = spec
		}
	}
	return all
}

// problem says what is wrong at a place of the file.
func (f *source) problem(at ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: ", f.path, f.line(at.Pos())) + fmt.Sprintf(format, args...)
}

func (f *source) line(p token.Pos) int { return f.fset.Position(p).Line }

// loadRepository reads the tree that this package is part of, once for all tests.
var loadRepository = sync.OnceValues(func() (*tree, error) { return load(filepath.Join("..", "..")) })

// repository is the tree that this package is part of. Nobody changes it.
func repository(t *testing.T) *tree {
	t.Helper()
	tr, err := loadRepository()
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.files) == 0 || tr.module == "" {
		t.Fatal("found no source to check")
	}
	return tr
}

// noProblems fails with each of the problems.
func noProblems(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range slices.Sorted(slices.Values(problems)) {
		t.Error(p)
	}
}

// files is a small tree by path.
type files map[string]string

// plant writes a small tree and loads it. Where the files have no go.mod it gets
// one, and a Go file without a package clause gets one named after its folder.
func plant(t *testing.T, all files) *tree {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if all["go.mod"] == "" {
		write("go.mod", "module example.org/ship\n")
	}
	for name, text := range all {
		if path.Ext(name) == ".go" && !strings.Contains(text, "package ") {
			pkg := path.Base(path.Dir(name))
			if pkg == "." {
				pkg = "ship"
			}
			text = "package " + pkg + "\n" + text
		}
		write(name, text)
	}
	tr, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// wantProblems fails unless there is one problem for each of the texts, holding
// it, and no other.
func wantProblems(t *testing.T, got []string, want ...string) {
	t.Helper()
	rest := slices.Clone(got)
	for _, w := range want {
		i := slices.IndexFunc(rest, func(p string) bool { return strings.Contains(p, w) })
		if i < 0 {
			t.Errorf("no problem says %q; got %q", w, got)
			continue
		}
		rest = slices.Delete(rest, i, i+1)
	}
	for _, p := range rest {
		t.Errorf("a problem that is none: %s", p)
	}
}

func TestTreePassesOverWhatIsNotSource(t *testing.T) {
	tr := plant(t, files{
		"go.mod":               "module example.org/ship\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b/v2 v2.1.0 // indirect\n)\nrequire example.com/c v0.1.0\n",
		"a.go":                 "",
		"deck/deck.go":         "",
		"deck/deck_test.go":    "",
		"deck/testdata/x.go":   "",
		"other/go.mod":         "module other\n",
		"other/other.go":       "",
		".hidden/h.go":         "",
		"_old/o.go":            "",
		"vendor/v/v.go":        "",
		"deck/_skipped.go":     "",
		"deck/notes.txt":       "",
		"other/deep/inside.go": "",
	})
	if got, want := fmt.Sprint(tr.packages()), "[. deck]"; got != want {
		t.Errorf("packages %s, want %s", got, want)
	}
	if len(tr.files) != 3 {
		t.Errorf("%d files, want 3", len(tr.files))
	}
	if got, want := fmt.Sprintf("%s %v", tr.module, tr.needs), "example.org/ship [{example.com/a false} {example.com/b/v2 true} {example.com/c false}]"; got != want {
		t.Errorf("go.mod reads as %s, want %s", got, want)
	}
	if got := tr.needOf("example.com/b/v2/inner"); got != "example.com/b/v2" {
		t.Errorf("example.com/b/v2/inner belongs to %q", got)
	}
	if got := tr.needOf("example.com/abc"); got != "" {
		t.Errorf("example.com/abc belongs to %q", got)
	}
}
