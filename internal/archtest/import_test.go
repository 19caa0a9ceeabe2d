package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	noProblems(t, imports(repository(t), table, deps))
}

func TestTheTableIsDrawnDownward(t *testing.T) {
	noProblems(t, drawing(table, deps))
}

func TestEveryDependencyHasASentence(t *testing.T) {
	noProblems(t, sentences(repository(t)))
}

// imports checks every import of the tree against the table.
func imports(tr *tree, table []row, deps []dep) []string {
	var out []string
	for _, pkg := range tr.packages() {
		if _, ok := find(table, pkg); !ok {
			out = append(out, fmt.Sprintf("%s: no row in the table of internal/archtest; add one that says what the package is for and what it may import", pkg))
		}
	}
	used := map[string]bool{}
	for _, f := range tr.files {
		r, ok := find(table, f.pkg)
		if !ok {
			continue
		}
		for name, at := range f.imports() {
			pkg, ours := tr.packageOf(name)
			first, _, _ := strings.Cut(name, "/")
			switch {
			case ours:
				if pkg != f.pkg && !mayImport(r, pkg, f.test) {
					out = append(out, f.problem(at, "%s may not import %s: %s", f.pkg, pkg, r.why))
				}
			case name == "C":
				out = append(out, f.problem(at, "cgo; the module must build without a C compiler"))
			case strings.Contains(first, "."):
				d, ok := placed(deps, name, f)
				if !ok {
					out = append(out, f.problem(at, "%s may not import %s: not in the list of internal/archtest for this package", f.pkg, name))
				}
				used[d.module+" "+f.pkg] = true
				if f.test {
					used[d.module+" _test"] = true
				}
			}
		}
	}
	return append(out, stale(deps, used)...)
}

// mayImport reports whether code of the row may import a package. Tests may import
// the packages they exercise together, but never what stands above them all.
func mayImport(r row, pkg string, test bool) bool {
	if test && !command(pkg) && !strings.HasPrefix(pkg, "surface/") {
		return true
	}
	if r.pkg != "." && slices.Contains(free, pkg) {
		return true
	}
	return slices.ContainsFunc(r.may, func(p string) bool { return covers(p, pkg) })
}

// placed returns the dependency that an import belongs to, if this file may use it.
func placed(deps []dep, imported string, f *source) (dep, bool) {
	for _, d := range deps {
		if imported != d.module && !strings.HasPrefix(imported, d.module+"/") {
			continue
		}
		if slices.ContainsFunc(d.packages, func(p string) bool { return covers(p, f.pkg) || p == "_test" && f.test }) {
			return d, true
		}
	}
	return dep{}, false
}

// stale finds permissions that a package has and does not use, or that tests have
// and none uses: so no module is listed that nothing imports.
func stale(deps []dep, used map[string]bool) []string {
	var out []string
	for _, d := range deps {
		for _, pkg := range d.packages {
			if !used[d.module+" "+pkg] {
				out = append(out, fmt.Sprintf("%s: may import %s and does not; take it out of the list of internal/archtest", pkg, d.module))
			}
		}
	}
	return out
}

// drawing checks the table itself: reasons, patterns that mean something, and no
// circle.
func drawing(table []row, deps []dep) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range table {
		if r.why == "" {
			out = append(out, r.pkg+": no reason")
		}
		if seen[r.pkg] {
			out = append(out, r.pkg+": two rows")
		}
		seen[r.pkg] = true
		for _, p := range r.may {
			if !slices.ContainsFunc(table, func(o row) bool { return p == o.pkg || covers(p, o.pkg) }) {
				out = append(out, fmt.Sprintf("%s: may import %s, which is no package", r.pkg, p))
			}
			if command(p) {
				out = append(out, fmt.Sprintf("%s: may import %s; nothing stands above a command", r.pkg, p))
			}
		}
	}
	for _, d := range deps {
		if d.why == "" || len(d.packages) == 0 {
			out = append(out, d.module+": no reason, or no package")
		}
		if seen[d.module] {
			out = append(out, d.module+": listed twice")
		}
		seen[d.module] = true
	}
	return append(out, circles(table)...)
}

func circles(table []row) []string {
	var out []string
	const under, done = 1, 2
	state := map[string]int{}
	var visit func(r row, way []string)
	visit = func(r row, way []string) {
		way = append(slices.Clip(way), r.pkg)
		switch state[r.pkg] {
		case under:
			out = append(out, "a circle: "+strings.Join(way, " → "))
			return
		case done:
			return
		}
		state[r.pkg] = under
		for _, o := range table {
			if slices.ContainsFunc(r.may, func(p string) bool { return p == o.pkg || p != "*" && covers(p, o.pkg) }) {
				visit(o, way)
			}
		}
		state[r.pkg] = done
	}
	for _, r := range table {
		visit(r, nil)
	}
	return out
}

// sentences checks that docs/deps.md says why each direct dependency is there:
// one that go.mod calls direct, or that any file imports.
func sentences(tr *tree) []string {
	direct := map[string]bool{}
	for _, n := range tr.needs {
		if !n.indirect {
			direct[n.module] = true
		}
	}
	for _, f := range tr.files {
		for name := range f.imports() {
			if m := tr.needOf(name); m != "" {
				direct[m] = true
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(tr.root, "docs", "deps.md"))
	if err != nil && len(direct) > 0 {
		return []string{fmt.Sprintf("docs/deps.md: cannot be read, and owes a sentence to %d dependencies: %v", len(direct), err)}
	}
	var out []string
	for m := range direct {
		if !explained(string(text), m) {
			out = append(out, fmt.Sprintf("docs/deps.md: no sentence on %s; write one line that names it and says why it is here", m))
		}
	}
	return out
}

// explained reports whether a line names the module and says something of it.
func explained(text, module string) bool {
	for line := range strings.Lines(text) {
		for rest := line; ; {
			_, after, ok := strings.Cut(rest, module)
			if !ok {
				break
			}
			rest = after
			longer := after != "" && strings.ContainsAny(after[:1], "/-_") // a part of another module's path
			words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n|", r) })
			if !longer && len(words) >= 5 {
				return true
			}
		}
	}
	return false
}

func TestImportsFailOnTheBug(t *testing.T) {
	rows := []row{
		{".", nil, "words"},
		{"steer", []string{".", "steer/*"}, "lineup"},
		{"steer/*", []string{"."}, "siblings are strangers"},
		{"steer/focus", []string{".", "loop"}, "asks detectors"},
		{"loop", []string{"."}, "pure"},
		{"surface/web", []string{"."}, "thin"},
		{"cmd/ship", []string{"*"}, "wiring"},
		{"trimtabtest", []string{"."}, "scripts"},
		{"internal/lazyregexp", nil, "patterns"},
		{"not/yet", []string{"."}, "a package that is not built may have a row"},
	}
	libs := []dep{
		{"example.com/sql", []string{"loop"}, "why"},
		{"example.com/cmp", []string{"_test"}, "why"},
	}
	const sql = "import _ \"example.com/sql/driver\"\n"
	inUse := files{"loop/l.go": sql, "steer/mode/m_test.go": `import "example.com/cmp"`} // in every tree that has no other
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"a tree in order", files{
			"ship.go":            `import "strings"`,
			"steer/steer.go":     `import ("example.org/ship"; "example.org/ship/steer/mode")`,
			"steer/mode/mode.go": `import "example.org/ship"`,
			"steer/focus/f.go":   `import "example.org/ship/loop"`,
			"loop/l.go":          sql,
			"loop/loop_test.go":  `import ("example.com/cmp"; "example.org/ship/steer")`,
			"cmd/ship/main.go":   `import ("example.org/ship/steer"; "example.org/ship/loop"; "example.org/ship/surface/web")`,
			"surface/web/w.go":   `import "example.org/ship"`,
		}, nil},
		{"root imports a package", files{"ship.go": `import "example.org/ship/loop"`, "loop/l.go": sql}, []string{"ship.go:2: . may not import loop: words"}},
		{"siblings", files{"steer/mode/m.go": `import "example.org/ship/steer/todo"`, "steer/todo/t.go": ""}, []string{"steer/mode may not import steer/todo"}},
		{"the root takes nothing that is free", files{"ship.go": `import "example.org/ship/internal/lazyregexp"`, "internal/lazyregexp/l.go": ""}, []string{". may not import internal/lazyregexp"}},
		{"an exact row goes before a pattern", files{"steer/mode/m.go": `import "example.org/ship/loop"`, "loop/l.go": sql}, []string{"steer/mode may not import loop"}},
		{"a renamed import", files{"steer/mode/m.go": `import x "example.org/ship/steer"`}, []string{"may not import steer:"}},
		{"a package without a row", files{"attic/a.go": ""}, []string{"attic: no row"}},
		{"a row is one level deep", files{"steer/mode/deep/d.go": ""}, []string{"steer/mode/deep: no row"}},
		{"a test reaches above", files{"loop/l.go": sql, "loop/l_test.go": `import "example.org/ship/cmd/ship"`}, []string{"loop may not import cmd/ship"}},
		{"a test reaches a surface", files{"loop/l.go": sql, "loop/l_test.go": `import "example.org/ship/surface/web"`}, []string{"loop may not import surface/web"}},
		{"a dependency in the wrong package", files{"ship.go": sql}, []string{". may not import example.com/sql/driver"}},
		{"a dependency that is not listed", files{"cmd/ship/m.go": `import "example.com/mock"`}, []string{"cmd/ship may not import example.com/mock"}},
		{"a test dependency in code", files{"loop/l.go": sql + `import "example.com/cmp"`}, []string{"loop may not import example.com/cmp"}},
		{"a name that only begins like a dependency", files{"loop/l.go": sql + `import "example.com/sqlx"`}, []string{"loop may not import example.com/sqlx"}},
		{"a permission that is not used", files{"loop/l.go": ""}, []string{"loop: may import example.com/sql and does not"}},
		{"code imports what is made for tests", files{"cmd/ship/m.go": `import "example.org/ship/trimtabtest"`, "trimtabtest/t.go": ""}, []string{"cmd/ship may not import trimtabtest"}},
		{"cgo", files{"steer/mode/m.go": `import "C"`}, []string{"cgo"}},
		{"a test dependency that no test uses", files{"steer/mode/m_test.go": ""}, []string{"_test: may import example.com/cmp and does not"}},
	} {
		for name, text := range inUse {
			if _, ok := c.in[name]; !ok {
				c.in[name] = text
			}
		}
		t.Run(c.name, func(t *testing.T) { wantProblems(t, imports(plant(t, c.in), rows, libs), c.want...) })
	}
}

func TestDrawingFailsOnTheBug(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []row
		deps []dep
		want []string
	}{
		{"in order", []row{{".", nil, "w"}, {"a", []string{".", "b/*"}, "w"}, {"b/*", []string{"."}, "w"}, {"cmd/x", []string{"*"}, "w"}}, []dep{{"m", []string{"a"}, "w"}}, nil},
		{"no reason", []row{{".", nil, ""}}, nil, []string{".: no reason"}},
		{"two rows", []row{{".", nil, "w"}, {".", nil, "w"}}, nil, []string{".: two rows"}},
		{"no such package", []row{{"a", []string{"b"}, "w"}}, nil, []string{"may import b, which is no package"}},
		{"above all", []row{{"a", []string{"cmd/x"}, "w"}, {"cmd/x", nil, "w"}}, nil, []string{"nothing stands above a command"}},
		{"a circle", []row{{"a", []string{"b/*"}, "w"}, {"b/c", []string{"d"}, "w"}, {"d", []string{"a"}, "w"}}, nil, []string{"a → b/c → d → a"}},
		{"a dependency without a reason", nil, []dep{{"m", []string{"a"}, ""}}, []string{"m: no reason"}},
		{"a dependency twice", nil, []dep{{"m", []string{"a"}, "w"}, {"m", []string{"b"}, "w"}}, []string{"m: listed twice"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantProblems(t, drawing(c.rows, c.deps), c.want...) })
	}
}

func TestSentencesFailOnTheBug(t *testing.T) {
	const mod = "module example.org/ship\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b/v2 v2.0.0 // indirect\n\texample.com/c v0.0.1 // indirect\n)\n"
	const a = "- `example.com/a`: the one that reads charts without cgo.\n"
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"each has one", files{"docs/deps.md": a + "| charts | `example.com/b/v2` v2.0.0 | draws them fast enough |\n", "x.go": `import "example.com/b/v2/draw"`}, nil},
		{"indirect and not imported needs none", files{"docs/deps.md": a}, nil},
		{"no file", files{}, []string{"docs/deps.md: cannot be read"}},
		{"direct", files{"docs/deps.md": "Nothing here.\n"}, []string{"no sentence on example.com/a"}},
		{"imported, though go.mod calls it indirect", files{"docs/deps.md": a, "x_test.go": `import "example.com/c"`}, []string{"no sentence on example.com/c"}},
		{"named without a word", files{"docs/deps.md": "- `example.com/a`\n"}, []string{"no sentence on example.com/a"}},
		{"only a longer name", files{"docs/deps.md": "- `example.com/a-b` and `example.com/a/v2` are other modules altogether.\n"}, []string{"no sentence on example.com/a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.in["go.mod"] = mod
			wantProblems(t, sentences(plant(t, c.in)), c.want...)
		})
	}
}
