package archtest

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"
	"testing"
)

// limits are sizes in lines. Tests are left out: a table is as long as it is.
type limits struct {
	file     int // with comments
	function int // with comments
}

var repositoryLimits = limits{file: 600, function: 90}

func TestCodeStaysSmallEnoughToRead(t *testing.T) {
	noProblems(t, sizes(repository(t), repositoryLimits))
}

// sizes finds files and functions that grew too long.
func sizes(tr *tree, max limits) []string {
	var out []string
	for _, f := range tr.files {
		if f.test {
			continue
		}
		if n := strings.Count(strings.TrimSuffix(string(f.text), "\n"), "\n") + 1; n > max.file {
			out = append(out, fmt.Sprintf("%s: %d lines, at most %d; would two files read better?", f.path, n, max.file))
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > max.function {
				out = append(out, f.problem(fn, "%s has %d lines, at most %d; one that does not fit a screen is two functions", fn.Name.Name, n, max.function))
			}
		}
	}
	return out
}

// codeLines counts the lines that hold a token; a text over several lines counts
// with each of them.
func codeLines(text []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	n, last := 0, 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && lit == "\n" { // put in by the scanner
			continue
		}
		first := file.Line(pos)
		end := first + strings.Count(lit, "\n")
		n += end - max(first, last+1) + 1
		last = max(last, end)
	}
}

func TestSizesFailOnTheBug(t *testing.T) {
	small := limits{file: 10, function: 4}
	long := func(n int) string { return "package ship\n" + strings.Repeat("\n", n-2) + "// end\n" }
	fn := func(n int) string { return "func f() {\n" + strings.Repeat("\t// …\n", n-2) + "}\n" }
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"in order", files{"a.go": long(10), "b.go": fn(4), "deck/d.go": fn(4), "c_test.go": long(30) + fn(20)}, nil},
		{"a long file", files{"a.go": long(11)}, []string{"a.go: 11 lines, at most 10"}},
		{"a long function", files{"deck/d.go": fn(5)}, []string{"deck/d.go:2: f has 5 lines, at most 4"}},
		{"a long method", files{"deck/d.go": "type t int\n" + strings.Replace(fn(6), "f()", "(t) m()", 1)}, []string{"m has 6 lines"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantProblems(t, sizes(plant(t, c.in), small), c.want...) })
	}
}

func TestCodeLinesAreThoseWithCode(t *testing.T) {
	for text, want := range map[string]int{
		"package ship\n\n// c\nvar (\n\ta = 1 // c\n)\n": 4,
		"package ship /*\n*/":                            1,
		"package ship\nvar b = `\n`":                     3,
	} {
		if got := codeLines([]byte(text)); got != want {
			t.Errorf("%q has %d lines of code, want %d", text, got, want)
		}
	}
}
