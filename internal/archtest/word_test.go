package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestNothingIsUnfinishedOrNamedAfterNothing(t *testing.T) {
	noProblems(t, words(repository(t)))
}

var (
	unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

	// emptyNames say nothing of what is inside.
	emptyNames = []string{"util", "utils", "common", "shared", "types", "helper", "helpers", "lib", "manager", "service", "impl"}
)

// words finds init functions, comments that put work off, and packages whose
// name says nothing. Tests are held to it too.
func words(tr *tree) []string {
	var out []string
	for _, f := range tr.files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				out = append(out, f.problem(fn, "an init function; let whoever needs it call it"))
			}
		}
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				for i, line := range strings.Split(c.Text, "\n") {
					if word := unfinished.FindString(line); word != "" {
						out = append(out, fmt.Sprintf("%s:%d: %s in a comment; do it, or open an issue", f.path, f.line(c.Pos())+i, word))
					}
				}
			}
		}
		name := strings.TrimSuffix(f.ast.Name.Name, "_test")
		if slices.Contains(emptyNames, name) && name != path.Base(f.pkg) {
			out = append(out, f.problem(f.ast.Name, "package %s; name it after what it holds", name))
		}
	}
	for _, pkg := range tr.packages() {
		for _, part := range strings.Split(pkg, "/") {
			if slices.Contains(emptyNames, part) {
				out = append(out, fmt.Sprintf("%s: a folder called %s; name it after what it holds", pkg, part))
			}
		}
	}
	return out
}

func TestStepsAreFoundByName(t *testing.T) {
	noProblems(t, numbered(repository(t)))
}

// numbered finds code that tells a step of an improvement by its number: a step
// that is inserted moves the numbers, and nothing would say so. Zero is no step.
func numbered(tr *tree) []string {
	var out []string
	for _, f := range tr.files {
		if f.test || strings.HasPrefix(f.pkg, "forge") { // there a number is an issue's
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			if !ok || !slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}, b.Op) {
				return true
			}
			sel, isSel := b.X.(*ast.SelectorExpr)
			lit, isLit := b.Y.(*ast.BasicLit)
			if isSel && isLit && sel.Sel.Name == "Number" && lit.Kind == token.INT && lit.Value != "0" {
				out = append(out, f.problem(b, "a step is told by its number %s; compare its name", lit.Value))
			}
			return true
		})
	}
	return out
}

func TestNumberedFailsOnTheBug(t *testing.T) {
	wantProblems(t, numbered(plant(t, files{
		"forge/f.go":     "func f(p P) bool { return p.Number == 1 }",
		"work/w.go":      "func f(e E) bool { return e.Number == 0 || e.Number == 9 }",
		"work/w2.go":     "func g(e E) bool { return e.Number >= 2 && e.Number != i+1 }",
		"work/w_test.go": "func h(e E) bool { return e.Number == 3 }",
	})), "work/w.go:2: a step is told by its number 9", "work/w2.go:2: a step is told by its number 2")
}

func TestWordsFailOnTheBug(t *testing.T) {
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"in order", files{
			"todo.go":      "// The Todos of a host: its TodoWrite tool, TODOs in lists.\nconst s = \"TODO: buy milk\"\nvar initial int",
			"deck/deck.go": "type t int\nfunc (t) init() {}",
		}, nil},
		{"init", files{"a.go": "func init() {}"}, []string{"a.go:2: an init function"}},
		{"init in a test", files{"a_test.go": "func init() {}"}, []string{"a_test.go:2: an init function"}},
		{"work put off", files{"a.go": "// TODO: later\nfunc f() {\n\t/* a\n\tb FIXME */\n\t_ = 1 // XXX\n}"}, []string{"a.go:2: TODO", "a.go:5: FIXME", "a.go:6: XXX"}},
		{"an empty name", files{"util/u.go": ""}, []string{"util: a folder called util"}},
		{"an empty name above", files{"common/deck/d.go": ""}, []string{"common/deck: a folder called common"}},
		{"an empty name under another folder", files{"deck/d.go": "package types\n"}, []string{"deck/d.go:1: package types"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantProblems(t, words(plant(t, c.in)), c.want...) })
	}
}
