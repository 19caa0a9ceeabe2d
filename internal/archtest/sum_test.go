package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"testing"
)

func TestEveryVariantHasItsJSONForm(t *testing.T) {
	noProblems(t, sums(repository(t), "Part", "Event", "Action"))
}

// sums checks the sealed interfaces of the root: each variant has a row in the
// codec's table of that sum and is named in the interface's comment, and no row
// names anything else. The wanted ones must be found, so that the check cannot
// pass by finding nothing.
func sums(tr *tree, wanted ...string) []string {
	var out []string
	found := sealed(tr)
	rows := codec(tr)
	for _, name := range wanted {
		if !slices.ContainsFunc(found, func(s sealedSum) bool { return s.name == name }) {
			out = append(out, fmt.Sprintf("%s: no sealed interface of that name in the root", name))
		}
	}
	for _, s := range found {
		listed, ok := rows[s.name]
		if !ok {
			out = append(out, s.file.problem(s.at, "%s has no table sum[%s] in the codec", s.name, s.name))
			continue
		}
		for _, v := range s.variants {
			if !slices.Contains(listed, v) {
				out = append(out, s.file.problem(s.at, "%s has no row in sum[%s] of the codec", v, s.name))
			}
			if !regexp.MustCompile(`\b` + v + `\b`).MatchString(s.doc) {
				out = append(out, s.file.problem(s.at, "the comment of %s does not name its variant %s", s.name, v))
			}
		}
		for i, v := range listed {
			if !slices.Contains(s.variants, v) {
				out = append(out, s.file.problem(s.at, "sum[%s] of the codec lists %s, which is no %s", s.name, v, s.name))
			}
			if slices.Contains(listed[:i], v) {
				out = append(out, s.file.problem(s.at, "sum[%s] of the codec lists %s twice", s.name, v))
			}
		}
	}
	return out
}

// sealedSum is an interface whose only method is unexported and takes and gives
// nothing: a mark.
type sealedSum struct {
	name, mark, doc string
	file            *source
	at              ast.Node
	variants        []string
}

func sealed(tr *tree) []sealedSum {
	var all []sealedSum
	marks := map[string][]string{} // method → types that have it
	for _, f := range tr.files {
		if f.pkg != "." || f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && plain(d.Type) {
					marks[d.Name.Name] = append(marks[d.Name.Name], typeName(d.Recv.List[0].Type))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := sealedSpec(d, spec); ok {
						s.file = f
						all = append(all, s)
					}
				}
			}
		}
	}
	for i := range all {
		all[i].variants = marks[all[i].mark]
	}
	return all
}

func sealedSpec(d *ast.GenDecl, spec ast.Spec) (sealedSum, bool) {
	ts, ok := spec.(*ast.TypeSpec)
	if !ok {
		return sealedSum{}, false
	}
	it, ok := ts.Type.(*ast.InterfaceType)
	if !ok || len(it.Methods.List) != 1 || len(it.Methods.List[0].Names) != 1 {
		return sealedSum{}, false
	}
	m := it.Methods.List[0]
	sig, ok := m.Type.(*ast.FuncType)
	if !ok || !plain(sig) || m.Names[0].IsExported() {
		return sealedSum{}, false
	}
	doc := ts.Doc.Text()
	if doc == "" && d.Tok == token.TYPE {
		doc = d.Doc.Text()
	}
	return sealedSum{name: ts.Name.Name, mark: m.Names[0].Name, doc: doc, at: ts}, true
}

// plain reports whether a function takes and gives nothing.
func plain(sig *ast.FuncType) bool {
	return sig.Params.NumFields() == 0 && sig.Results.NumFields() == 0
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// codec returns the types that the root's tables sum[X]{…: reflect.TypeFor[T]()}
// list, by X.
func codec(tr *tree) map[string][]string {
	rows := map[string][]string{}
	for _, f := range tr.files {
		if f.pkg != "." || f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			of, ok := lit.Type.(*ast.IndexExpr)
			if !ok || typeName(of.X) != "sum" {
				return true
			}
			name := typeName(of.Index)
			rows[name] = append(rows[name], listedTypes(lit)...)
			return false
		})
	}
	return rows
}

func listedTypes(lit *ast.CompositeLit) []string {
	var all []string
	ast.Inspect(lit, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if fn, ok := call.Fun.(*ast.IndexExpr); ok {
				if sel, ok := fn.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "TypeFor" {
					all = append(all, typeName(fn.Index))
				}
			}
		}
		return true
	})
	return all
}

func TestSumsFailOnTheBug(t *testing.T) {
	const words = "// Part is Text or Image.\ntype Part interface{ part() }\ntype Text struct{}\ntype Image struct{}\nfunc (Text) part() {}\nfunc (*Image) part() {}\n" +
		"type Namer interface{ Name() string }\ntype service interface{ open() error }\nfunc (Text) close() {}\n"
	const table = "import \"reflect\"\ntype sum[T any] map[string]reflect.Type\n"
	const both = "var parts = sum[Part]{\"text\": reflect.TypeFor[Text](), \"image\": reflect.TypeFor[Image]()}\n"
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"in order", files{"part.go": words, "codec.go": table + both}, nil},
		{
			"a variant without a form",
			files{"part.go": words, "codec.go": table + "var parts = sum[Part]{\"text\": reflect.TypeFor[Text]()}"},
			[]string{"part.go:3: Image has no row in sum[Part]"},
		},
		{
			"a variant in another file",
			files{"part.go": words, "codec.go": table + both, "new.go": "type Sound struct{}\nfunc (Sound) part() {}"},
			[]string{"Sound has no row", "does not name its variant Sound"},
		},
		{
			"a variant that the comment leaves out",
			files{"part.go": words + "type Txt struct{}\nfunc (Txt) part() {}", "codec.go": table + "var parts = sum[Part]{\"text\": reflect.TypeFor[Text](), \"image\": reflect.TypeFor[Image](), \"txt\": reflect.TypeFor[Txt]()}"},
			[]string{"does not name its variant Txt"},
		},
		{
			"a form of something else",
			files{"part.go": words, "codec.go": table + "var parts = sum[Part]{\"text\": reflect.TypeFor[Text](), \"image\": reflect.TypeFor[Image](), \"int\": reflect.TypeFor[int]()}"},
			[]string{"lists int, which is no Part"},
		},
		{
			"two forms",
			files{"part.go": words, "codec.go": table + "var parts = sum[Part]{\"text\": reflect.TypeFor[Text](), \"t\": reflect.TypeFor[Text](), \"image\": reflect.TypeFor[Image]()}"},
			[]string{"lists Text twice"},
		},
		{"no table", files{"part.go": words}, []string{"Part has no table sum[Part]"}},
		{"no interface", files{"part.go": "type Part interface{ Part() }"}, []string{"Part: no sealed interface"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantProblems(t, sums(plant(t, c.in), "Part"), c.want...) })
	}
}
