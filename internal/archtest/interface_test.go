package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"testing"
)

func TestInterfacesAreSmall(t *testing.T) {
	noProblems(t, wideInterfaces(repository(t), interfaceSize.limit))
}

// wideInterfaces finds interfaces with too many methods, those that they embed
// counted in. A struct that embeds several is the way to hand out more.
func wideInterfaces(tr *tree, most int) []string {
	var out []string
	for _, i := range interfaces(tr) {
		if i.methods > most {
			out = append(out, fmt.Sprintf("%s: %s has %d methods, at most %d; give each caller the part that it calls", i.at, i.name, i.methods, most))
		}
	}
	return out
}

// declared is an interface type of the tree.
type declared struct {
	name    string // "forge.Pulls"
	at      string // "forge/forge.go:43"
	methods int    // with those of what it embeds
}

// interfaces returns the named interfaces of the tree, tests left out.
func interfaces(tr *tree) []declared {
	type found struct {
		file *source
		spec *ast.TypeSpec
		body *ast.InterfaceType
	}
	all := map[string]found{} // by "package folder.Name"
	var order []string
	for _, f := range tr.files {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if body, ok := spec.Type.(*ast.InterfaceType); ok {
				key := f.pkg + "." + spec.Name.Name
				all[key] = found{f, spec, body}
				order = append(order, key)
			}
			return true
		})
	}
	// count counts the methods of a body. What is embedded from another module
	// counts as one: its size cannot be seen here.
	var count func(f *source, body *ast.InterfaceType) int
	count = func(f *source, body *ast.InterfaceType) int {
		n := 0
		for _, m := range body.Methods.List {
			if len(m.Names) > 0 {
				n += len(m.Names)
				continue
			}
			key := ""
			switch e := m.Type.(type) {
			case *ast.Ident:
				key = f.pkg + "." + e.Name
			case *ast.SelectorExpr:
				if x, ok := e.X.(*ast.Ident); ok {
					key = tr.importedAs(f, x.Name) + "." + e.Sel.Name
				}
			case *ast.InterfaceType:
				n += count(f, e)
				continue
			case *ast.BinaryExpr, *ast.UnaryExpr: // a set of types, not of methods
				continue
			}
			if inner, ok := all[key]; ok {
				n += count(inner.file, inner.body)
			} else {
				n++
			}
		}
		return n
	}
	var out []declared
	for _, key := range order {
		i := all[key]
		out = append(out, declared{i.file.ast.Name.Name + "." + i.spec.Name.Name, fmt.Sprintf("%s:%d", i.file.path, i.file.line(i.spec.Pos())), count(i.file, i.body)})
	}
	return out
}

// importedAs returns the folder of the package that a file knows under a name, ""
// where it is not of this module.
func (tr *tree) importedAs(f *source, name string) string {
	for _, spec := range f.ast.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		pkg, ours := tr.packageOf(imported)
		if ours && (spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(imported) == name) {
			return pkg
		}
	}
	return ""
}

func TestWideInterfacesFailOnTheBug(t *testing.T) {
	const three = "type Three interface { A(); B(); C() }\n"
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"at the limit", files{"deck/d.go": "type Four interface { A(); B(); C(); D() }"}, nil},
		{"past it", files{"deck/d.go": "type Five interface { A(); B(); C(); D(); E() }"}, []string{"deck/d.go:2: deck.Five has 5 methods, at most 4"}},
		{"what is embedded counts", files{"deck/d.go": three + "type Five interface { Three; D(); E() }"}, []string{"deck.Five has 5 methods"}},
		{"from another package too", files{"mast/m.go": three, "deck/d.go": `import "example.org/ship/mast"` + "\ntype Five interface { mast.Three; D(); E() }"}, []string{"deck.Five has 5 methods"}},
		{"from the root", files{"r.go": three, "deck/d.go": `import "example.org/ship"` + "\ntype Five interface { ship.Three; D(); E() }"}, []string{"deck.Five has 5 methods"}},
		{"one of another module counts as one", files{"deck/d.go": "import \"io\"\ntype Four interface { io.Reader; B(); C(); D() }"}, nil},
		{"a set of types has no methods", files{"deck/d.go": "type Number interface { ~int | ~float64; A(); B(); C(); D() }"}, nil},
		{"a struct of interfaces", files{"deck/d.go": three + "type More struct { Three; D interface{ E(); F() } }"}, nil},
		{"tests may be as wide as they like", files{"deck/d_test.go": "type Five interface { A(); B(); C(); D(); E() }"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) { wantProblems(t, wideInterfaces(plant(t, c.in), 4), c.want...) })
	}
}
