package archtest

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// figure is one number that tells the shape of the tree: what it is to become, and
// the most it may be until then.
type figure struct {
	name  string
	goal  int
	limit int // equal to the goal once that is reached; it is lowered, never raised
}

// The figures. Whoever brings one down lowers its limit in the same commit.
var (
	rootSize      = figure{"code lines of the root package", 1500, 1665}
	programSize   = figure{"code lines of cmd/trimtab", 5000, 5000}
	importChain   = figure{"imports in the longest chain of our packages", 6, 6}
	interfaceSize = figure{"methods of the largest interface", 6, 6}
)

func TestTheShapeIsKept(t *testing.T) {
	tr := repository(t)
	for _, m := range measured(tr) {
		if m.value > m.limit {
			t.Errorf("%d %s, at most %d: %s", m.value, m.name, m.limit, m.where)
		}
		if m.limit < m.goal {
			t.Errorf("%s: the limit %d is below the goal %d", m.name, m.limit, m.goal)
		}
	}
}

// TestMeasure prints the figures where it is asked to: make measure.
func TestMeasure(t *testing.T) {
	if os.Getenv("MEASURE") == "" {
		return // TestTheShapeIsKept checks them
	}
	fmt.Printf("%8s %8s %8s\n", "now", "limit", "goal")
	for _, m := range measured(repository(t)) {
		fmt.Printf("%8d %8d %8d  %s\n%28s%s\n", m.value, m.limit, m.goal, m.name, "", m.where)
	}
}

// measurement is what a figure is now, and where that can be seen.
type measurement struct {
	figure
	value int
	where string
}

func measured(tr *tree) []measurement {
	root, program := packageSize(tr, "."), packageSize(tr, "cmd/trimtab")
	chain := longestChain(tr)
	wide := slices.MaxFunc(append(interfaces(tr), declared{}), func(a, b declared) int { return cmp.Compare(a.methods, b.methods) })
	return []measurement{
		{rootSize, root, "does all of it belong to the words and the engine?"},
		{programSize, program, "a command parses flags, calls a package and prints; the rest belongs into a package"},
		{importChain, len(chain) - 1, strings.Join(chain, " › ")},
		{interfaceSize, wide.methods, wide.name + " at " + wide.at},
	}
}

// packageSize counts the code lines of a package without its tests.
func packageSize(tr *tree, pkg string) int {
	n := 0
	for _, f := range tr.files {
		if f.pkg == pkg && !f.test {
			n += codeLines(f.text)
		}
	}
	return n
}

// longestChain returns the longest chain of packages of this module in which each
// imports the next, tests left out.
func longestChain(tr *tree) []string {
	next := map[string][]string{}
	for _, f := range tr.files {
		if f.test {
			continue
		}
		for name := range f.imports() {
			if pkg, ours := tr.packageOf(name); ours && !slices.Contains(next[f.pkg], pkg) {
				next[f.pkg] = append(next[f.pkg], pkg)
			}
		}
	}
	known := map[string][]string{}
	var from func(pkg string) []string
	from = func(pkg string) []string {
		if chain, ok := known[pkg]; ok {
			return chain
		}
		var longest []string
		for _, n := range slices.Sorted(slices.Values(next[pkg])) {
			if chain := from(n); len(chain) > len(longest) {
				longest = chain
			}
		}
		known[pkg] = append([]string{pkg}, longest...)
		return known[pkg]
	}
	var longest []string
	for _, pkg := range tr.packages() {
		if chain := from(pkg); len(chain) > len(longest) {
			longest = chain
		}
	}
	return longest
}

func TestLongestChain(t *testing.T) {
	tr := plant(t, files{
		"ship.go":           "",
		"deck/d.go":         `import "example.org/ship"`,
		"mast/m.go":         `import ("example.org/ship/deck"; "example.org/ship"; "fmt")`,
		"mast/m_test.go":    `import "example.org/ship/sail"`,
		"sail/s.go":         `import "example.org/ship"`,
		"cmd/ship/main.go":  `import ("example.org/ship/mast"; "example.org/ship/sail")`,
		"cmd/ship/other.go": `import "example.org/ship/deck"`,
	})
	if got, want := strings.Join(longestChain(tr), " "), "cmd/ship mast deck ."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n := packageSize(tr, "mast"); n != 2 {
		t.Errorf("mast has %d lines of code", n)
	}
}
