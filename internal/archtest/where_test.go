package archtest

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestArchitectureNamesWhatExists(t *testing.T) {
	noProblems(t, whereIs(repository(t), 10))
}

const whereTitle = "## Where is …"

var testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)[A-Z]\w*$`)

// whereIs checks docs/explanation/architecture.md: each row of its table "Where is …" names a
// package and identifiers that are declared there, the table has at least so many
// rows, and the tests that the document names exist.
func whereIs(tr *tree, rows int) []string {
	const doc = "docs/explanation/architecture.md"
	text, err := os.ReadFile(filepath.Join(tr.root, filepath.FromSlash(doc)))
	if err != nil {
		return []string{err.Error()}
	}
	declared, tests := declarations(tr)
	var out []string
	inside, n, found := false, 0, 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## ") {
			inside = line == whereTitle
		}
		for _, m := range inCode.FindAllStringSubmatch(line, -1) {
			if testName.MatchString(m[1]) && !tests[m[1]] {
				out = append(out, fmt.Sprintf("%s:%d: there is no test %s", doc, n, m[1]))
			}
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !inside || len(cells) != 3 || !strings.Contains(cells[1], "`") {
			continue
		}
		found++
		pkg := inCode.FindStringSubmatch(cells[1])[1]
		names := inCode.FindAllStringSubmatch(cells[2], -1)
		if !slices.Contains(tr.packages(), pkg) {
			out = append(out, fmt.Sprintf("%s:%d: there is no package %s", doc, n, pkg))
			continue
		}
		if len(names) == 0 {
			out = append(out, fmt.Sprintf("%s:%d: names nothing of %s", doc, n, pkg))
		}
		for _, m := range names {
			if !declared[pkg+" "+m[1]] {
				out = append(out, fmt.Sprintf("%s:%d: %s has no %s", doc, n, pkg, m[1]))
			}
		}
	}
	if found < rows {
		out = append(out, fmt.Sprintf("%s: %q has %d rows, at least %d", doc, whereTitle, found, rows))
	}
	return out
}

// declarations returns the identifiers of the code, as "folder Name" or
// "folder Type.Method", and the functions of tests by name.
func declarations(tr *tree) (code, tests map[string]bool) {
	code, tests = map[string]bool{}, map[string]bool{}
	for _, f := range tr.files {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if f.test {
					tests[d.Name.Name] = true
					continue
				}
				code[f.pkg+" "+receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						code[f.pkg+" "+s.Name.Name] = !f.test
					case *ast.ValueSpec:
						for _, name := range s.Names {
							code[f.pkg+" "+name.Name] = !f.test
						}
					}
				}
			}
		}
	}
	return code, tests
}

// receiver is the type of a method with a dot, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}

func TestWhereIsFailsOnTheBug(t *testing.T) {
	const code = "type Sail struct{}\n\nfunc (s *Sail) Hoist() {}\n\nfunc Reef() {}\n\nvar mast int\n"
	for _, c := range []struct {
		name, row string
		want      []string
	}{
		{"in order", "| a sail is set | `deck` | `Sail.Hoist`, `Reef`, `Sail`, `mast` |", nil},
		{"no package", "| a sail is set | `hold` | `Reef` |", []string{"no package hold"}},
		{"no function", "| a sail is set | `deck` | `Hoist` |", []string{"deck has no Hoist"}},
		{"no method", "| a sail is set | `deck` | `Sail.Lower` |", []string{"deck has no Sail.Lower"}},
		{"nothing named", "| a sail is set | `deck` | somewhere |", []string{"names nothing"}},
		{"a test", "| rule | `TestReef` and `TestFurl` |\n| a sail is set | `deck` | `Reef` |", []string{"no test TestFurl"}},
		{"too few", "", []string{"0 rows"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := "# How\n| x | `deck` | `Elsewhere` |\n" + whereTitle + "\n| | package | |\n|---|---|---|\n" + c.row + "\n## More\n"
			tr := plant(t, files{"deck/d.go": code, "deck/d_test.go": "func TestReef() {}", "docs/explanation/architecture.md": doc})
			wantProblems(t, whereIs(tr, 1), c.want...)
		})
	}
}
