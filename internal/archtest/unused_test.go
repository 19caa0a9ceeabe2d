package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestWhatIsExportedIsUsedElsewhere(t *testing.T) {
	noProblems(t, unusedExports(repository(t), exportExceptions))
}

// exportException is a package, or one name of it, that may export what no other
// package uses.
type exportException struct {
	what string // "internal/x" or "internal/x.Name"
	why  string
}

var exportExceptions = []exportException{
	{"internal/secret.Find", "the module bench/secret, which is not read here, compares it with gitleaks"},
	{"internal/fakemodel", "test support: its own tests use it from outside, as a test of an agent would"},
}

// export is a name that a package exports.
type export struct {
	name  string
	at    ast.Node
	file  *source
	group *ast.GenDecl // of constants: an enumeration is used when one of it is
}

// unusedExports finds what packages below an internal folder export and no other
// package uses, be it in a test. A package's own tests do not count: what they
// alone need is exported in an export_test.go. Methods and fields are passed over,
// since interfaces and encodings reach them without naming them, and so are types
// that stand in what else the package exports.
func unusedExports(tr *tree, exceptions []exportException) []string {
	used := usedNames(tr)
	excused := map[string]bool{}
	excuse := func(what string) bool {
		ok := slices.ContainsFunc(exceptions, func(e exportException) bool { return e.what == what })
		excused[what] = excused[what] || ok
		return ok
	}
	var out []string
	for _, pkg := range tr.packages() {
		if !strings.HasPrefix(pkg, "internal/") && !strings.Contains(pkg, "/internal/") {
			continue
		}
		names, mentioned := exportsOf(tr, pkg)
		live := map[*ast.GenDecl]bool{}
		for _, e := range names {
			if e.group != nil && used[pkg+"."+e.name] {
				live[e.group] = true
			}
		}
		for _, e := range names {
			if used[pkg+"."+e.name] || mentioned[e.name] || live[e.group] || excuse(pkg+"."+e.name) || excuse(pkg) {
				continue
			}
			out = append(out, e.file.problem(e.at, "%s.%s is used by no other package; unexport it, or take it out", path.Base(pkg), e.name))
		}
	}
	for _, e := range exceptions {
		if !excused[e.what] {
			out = append(out, fmt.Sprintf("the exception for %s (%s) is not needed any more", e.what, e.why))
		}
	}
	return out
}

// usedNames are the names of this module's packages that files of other folders
// use, as "internal/x.Name".
func usedNames(tr *tree) map[string]bool {
	clause := map[string]string{} // the name of a package, by folder
	for _, f := range tr.files {
		if !f.test {
			clause[f.pkg] = f.ast.Name.Name
		}
	}
	used := map[string]bool{}
	for _, f := range tr.files {
		folders := map[string]string{} // of imported packages, by the name that the file has for them
		for _, spec := range f.ast.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			if pkg, ours := tr.packageOf(name); ours && pkg != f.pkg {
				short := clause[pkg]
				if spec.Name != nil {
					short = spec.Name.Name
				}
				folders[short] = pkg
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && folders[x.Name] != "" {
					used[folders[x.Name]+"."+sel.Sel.Name] = true
				}
			}
			return true
		})
	}
	return used
}

// exportsOf are the names that a package exports, and those that stand in the
// declarations of what it exports.
func exportsOf(tr *tree, pkg string) (names []export, mentioned map[string]bool) {
	mentioned = map[string]bool{}
	for _, f := range tr.files {
		if f.pkg != pkg || f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !d.Name.IsExported() {
					continue
				}
				noteNames(mentioned, d.Type, "")
				if d.Recv == nil {
					names = append(names, export{d.Name.Name, d, f, nil})
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					names = append(names, exportsIn(spec, d, f, mentioned)...)
				}
			}
		}
	}
	return names, mentioned
}

func exportsIn(spec ast.Spec, d *ast.GenDecl, f *source, mentioned map[string]bool) (names []export) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() {
			noteNames(mentioned, spec.Type, spec.Name.Name)
			names = append(names, export{spec.Name.Name, spec, f, nil})
		}
	case *ast.ValueSpec:
		group := d
		if d.Tok != token.CONST {
			group = nil
		}
		for _, name := range spec.Names {
			if name.IsExported() {
				if spec.Type != nil {
					noteNames(mentioned, spec.Type, "")
				}
				names = append(names, export{name.Name, name, f, group})
			}
		}
	}
	return names
}

// noteNames notes the names in a type, but for one, for those of fields and
// parameters, and for the types of fields that are not exported.
func noteNames(mentioned map[string]bool, in ast.Node, but string) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, f := range n.Fields.List {
				if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
					noteNames(mentioned, f.Type, but)
				}
			}
			return false
		case *ast.Field:
			noteNames(mentioned, n.Type, but)
			return false
		case *ast.SelectorExpr: // of another package
			return false
		case *ast.Ident:
			if n.Name != but {
				mentioned[n.Name] = true
			}
		}
		return true
	})
}

func TestUnusedExportsAreFound(t *testing.T) {
	tree := files{
		"internal/deck/deck.go": `
type Plank struct { Nail Nail; knot Knot; Idle func(Idle int) }
type Nail int
type Knot int
type Rope struct{}
func (Rope) Pull(h Hand) {}
type Hand int
const (
	Fore = iota
	Aft
)
const Bilge = 1
const Keel = 2
var Mast = 3
func Swab(p Plank) {}
func Idle() {}
func helper() {}
`,
		"internal/deck/deck_test.go": "package deck_test\n\nimport \"example.org/ship/internal/deck\"\n\nvar _ = deck.Idle\n",
		"ship.go":                    "import \"example.org/ship/internal/deck\"\n\nvar _, _ = deck.Fore, deck.Swab\n",
		"crew/crew_test.go":          "import boards \"example.org/ship/internal/deck\"\n\nvar _ boards.Rope = boards.Keel\n",
		"hold/hold.go":               "func Open() {}",
	}
	wantProblems(t, unusedExports(plant(t, tree), nil), "deck.Bilge", "deck.Mast", "deck.Idle", "deck.Knot")
	wantProblems(t, unusedExports(plant(t, tree), []exportException{{"internal/deck", "x"}}))
	wantProblems(t, unusedExports(plant(t, tree), []exportException{{"internal/deck.Idle", "x"}, {"internal/deck.Swab", "x"}}), "deck.Bilge", "deck.Mast", "deck.Knot", "internal/deck.Swab (x) is not needed")
}
