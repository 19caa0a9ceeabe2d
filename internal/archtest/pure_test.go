package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestPurePackagesAreGivenEverything(t *testing.T) {
	noProblems(t, impurities(repository(t), purePackages, excuses))
}

// purePackages are the packages, and the single files of other packages, in which the same
// input always gives the same output. Time, ids and chance come as arguments.
var purePackages = []string{
	".", "steer", "steer/*", "loop", "speech", "evidence", "evidence/command", "wire", "wire/*", "wire/internal/*", "export", "trimtabtest", "internal/config", "internal/termsafe",
	"improve", "trial", "internal/secret", "host", "host/markup", "host/todotool",
}

// excuse lets a pure package do one thing.
type excuse struct{ where, what, why string }

var excuses = []excuse{
	{"trimtabtest", "os", "reads the session scripts in the testdata of whoever calls it"},
	{"trimtabtest", "filepath.Glob", "finds the session scripts in the testdata of whoever calls it"},
}

// impureImports are packages whose every use reaches outside. A package below a
// listed one counts as listed.
var impureImports = map[string]string{
	"crypto/rand":  "chance",
	"hash/maphash": "chance",
	"io/ioutil":    "files",
	"log":          "a global that writes",
	"log/slog":     "a global that writes",
	"math/rand":    "chance",
	"net":          "the network",
	"os":           "files and the environment",
	"plugin":       "files",
	"syscall":      "the system",
}

// impureExceptions only compute, though they stand below a listed package.
var impureExceptions = []string{"net/url", "net/netip", "net/textproto", "net/mail"}

// impureNames are what a pure package may not take from a package that it may
// otherwise use.
var impureNames = map[string]map[string]string{
	"time": {
		"Now": "a clock", "Since": "a clock", "Until": "a clock", "Sleep": "a clock", "After": "a clock", "AfterFunc": "a clock",
		"Tick": "a clock", "NewTimer": "a clock", "NewTicker": "a clock", "Local": "the environment", "LoadLocation": "files",
	},
	"context": {"WithTimeout": "a clock", "WithTimeoutCause": "a clock", "WithDeadline": "a clock", "WithDeadlineCause": "a clock", "AfterFunc": "a goroutine"},
	"path/filepath": {
		"Abs": "the environment", "EvalSymlinks": "files", "Glob": "files", "Walk": "files", "WalkDir": "files",
	},
	"runtime":       {"Gosched": "a goroutine", "NumCPU": "the machine", "GOMAXPROCS": "the machine", "NumGoroutine": "a goroutine"},
	"html/template": {"ParseFiles": "files", "ParseGlob": "files"},
	"text/template": {"ParseFiles": "files", "ParseGlob": "files"},
	"fmt": {
		"Print": "standard output", "Printf": "standard output", "Println": "standard output",
		"Scan": "standard input", "Scanf": "standard input", "Scanln": "standard input",
	},
}

// impurities finds what reaches outside in pure packages. Tests may do what they like.
func impurities(tr *tree, pure []string, excuses []excuse) []string {
	var out []string
	used := map[excuse]bool{}
	for _, f := range tr.files {
		if f.test || !slices.ContainsFunc(pure, func(p string) bool { return covers(p, f.pkg) || p == f.path }) {
			continue
		}
		report := func(at ast.Node, what, kind string) {
			i := slices.IndexFunc(excuses, func(e excuse) bool { return covers(e.where, f.pkg) && e.what == what })
			if i >= 0 {
				used[excuses[i]] = true
				return
			}
			out = append(out, f.problem(at, "%s in a pure package (%s); take it as an argument, or move it to a package that may", what, kind))
		}
		impureUses(f, report)
	}
	for _, e := range excuses {
		if slices.Contains(tr.packages(), e.where) && !used[e] {
			out = append(out, fmt.Sprintf("%s: excused for %s and does not use it; take the excuse out of internal/archtest", e.where, e.what))
		}
	}
	return out
}

// impureUses reports each import, name and statement that reaches outside.
func impureUses(f *source, report func(at ast.Node, what, kind string)) {
	local := map[string]string{} // the name of a package in this file → its path
	for _, spec := range f.ast.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if kind := impureImport(name); kind != "" {
			report(spec, name, kind)
		}
		as := path.Base(name)
		if spec.Name != nil {
			as = spec.Name.Name
		}
		if as == "." && impureNames[name] != nil {
			report(spec, ". "+strconv.Quote(name), "it hides where names come from")
		}
		local[as] = name
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n, "go", "a goroutine")
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok || x.Obj != nil { // a variable that has the name of a package
				break
			}
			if kind := impureNames[local[x.Name]][n.Sel.Name]; kind != "" {
				report(n, path.Base(local[x.Name])+"."+n.Sel.Name, kind)
			}
		}
		return true
	})
}

func impureImport(name string) string {
	if slices.Contains(impureExceptions, name) {
		return ""
	}
	for listed, kind := range impureImports {
		if name == listed || strings.HasPrefix(name, listed+"/") {
			return kind
		}
	}
	return ""
}

func TestImpuritiesFailOnTheBug(t *testing.T) {
	pure := []string{".", "steer/*", "mixed/pure.go"}
	excused := []excuse{{"steer/script", "os", "reads testdata"}}
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"in order", files{
			"a.go":                 "import (\"time\"; \"net/url\")\nfunc f(now time.Time) time.Duration { return now.Sub(time.Unix(0, 0)) }\nvar _ url.URL",
			"a_test.go":            "import (\"os\"; \"time\")\nvar _, _ = os.Args, time.Now()",
			"helm/helm.go":         "import \"time\"\nfunc f() { go f(); time.Now() }",
			"mixed/other.go":       "import \"os\"\nvar _ = os.Args",
			"steer/script/read.go": "import \"os\"\nvar _ = os.ReadFile",
		}, nil},
		{"a clock", files{"a.go": "import \"time\"\nvar _ = time.Now()"}, []string{"a.go:3: time.Now in a pure package"}},
		{"a clock by another name", files{"a.go": "import t \"time\"\nvar _ = t.Since"}, []string{"time.Since"}},
		{"a clock handed on", files{"a.go": "import \"time\"\nvar clock = time.Now"}, []string{"time.Now"}},
		{"a clock without a name", files{"a.go": "import . \"time\"\nvar _ = Now()"}, []string{`. "time"`}},
		{"a variable called time is no clock", files{"a.go": "import \"time\"\nvar _ time.Time\nfunc f(time struct{ Now int }) int { return time.Now }"}, nil},
		{
			"sleep, timer, ticker",
			files{"a.go": "import \"time\"\nfunc f() { time.Sleep(1); <-time.After(1); time.NewTimer(1); time.NewTicker(1); time.Tick(1); time.Until(time.Time{}) }"},
			[]string{"time.Sleep", "time.After", "time.NewTimer", "time.NewTicker", "time.Tick", "time.Until"},
		},
		{"a deadline", files{"a.go": "import \"context\"\nvar _ = context.WithTimeout"}, []string{"context.WithTimeout"}},
		{"a goroutine", files{"steer/mode/m.go": "func f() { func() { go f() }() }"}, []string{"steer/mode/m.go:2: go in a pure package (a goroutine)"}},
		{"files", files{"a.go": "import \"os\"\nvar _ = os.Args"}, []string{"os in a pure package (files and the environment)"}},
		{"a program", files{"a.go": "import _ \"os/exec\""}, []string{"os/exec"}},
		{"the network", files{"a.go": "import (_ \"net\"; _ \"net/http\")"}, []string{"net in a pure package", "net/http in a pure package"}},
		{"chance", files{"a.go": "import (_ \"math/rand\"; _ \"math/rand/v2\"; _ \"crypto/rand\")"}, []string{"math/rand in", "math/rand/v2", "crypto/rand"}},
		{"a log", files{"a.go": "import (_ \"log\"; _ \"log/slog\")"}, []string{"log in", "log/slog in"}},
		{"printing", files{"a.go": "import \"fmt\"\nfunc f() string { fmt.Println(); return fmt.Sprint() }"}, []string{"fmt.Println"}},
		{"a walk", files{"a.go": "import \"path/filepath\"\nvar _, _ = filepath.WalkDir, filepath.Join"}, []string{"filepath.WalkDir"}},
		{"a pure file of another package", files{"mixed/pure.go": "import _ \"os\""}, []string{"mixed/pure.go:2: os"}},
		{"an excuse is for one thing", files{"steer/script/read.go": "import (_ \"os\"; _ \"net\")"}, []string{"net in a pure package"}},
		{"an excuse is for one package", files{"steer/mode/m.go": "import _ \"os\""}, []string{"os in a pure package"}},
		{"an excuse that nothing uses", files{"steer/script/read.go": ""}, []string{"steer/script: excused for os and does not use it"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantProblems(t, impurities(plant(t, c.in), pure, excused), c.want...) })
	}
}
