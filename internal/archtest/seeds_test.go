package archtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// seedRows is how many rows each of the documents has that the product comes from.
var seedRows = map[string]int{"000": 34, "001": 79, "002": 89, "003": 59, "004": 63}

// TestTheSeedsAreKept holds docs/proof/seeds.tsv: every row of the five documents is there,
// none is partly done or missing, what is done names a test or script that `make test`
// runs, and what differs on purpose names its setting or says why there is none, and
// stands in docs/proof/seeds.md.
func TestTheSeedsAreKept(t *testing.T) {
	tr := repository(t)
	table, page := paper(t, tr, "docs/proof/seeds.tsv"), paper(t, tr, "docs/proof/seeds.md")
	noProblems(t, seedProblems(table, page, runnable(t, tr), jsonKeys(tr), seedRows))
}

func TestSeedProblemsFailOnTheBug(t *testing.T) {
	const head = "id\tstatus\twhat\ttest\tsetting\treason\n"
	runs := map[string]bool{"TestA": true, "a.session": true}
	keys := map[string]bool{"level": true}
	for text, want := range map[string]string{
		"":                                                              "the first line",
		head:                                                            "000-01 is missing",
		head + "000-01\tdone\tx\tTestA\t\n":                             "6 columns",
		head + "000-01\tpartly\tx\tTestA\t\t\n":                         "status",
		head + "000-01\tdone\t\tTestA\t\t\n":                            "says nothing",
		head + "000-01\tdone\tx\t\t\t\n":                                "names no test",
		head + "000-01\tdone\tx\tTestB\t\t\n":                           "TestB",
		head + "000-01\tdone\tx\tb.session\t\t\n":                       "b.session",
		head + "000-01\ton purpose\tx\tTestA\t\t\n":                     "neither a setting",
		head + "000-01\ton purpose\tx\t\ta.levl: 5\twhy\n":              "a.levl",
		head + "000-01\ton purpose\tx\t\ta.level: 5\twhy\n":             "docs/proof/seeds.md",
		head + "000-01\tnot applicable\tx\t\t\t\n":                      "no reason",
		head + "000-01\tdone\tx\tTestA\t\t\n000-01\tdone\tx\tTestA\t\t": "twice",
		head + "000-01\tdone\tx\tTestA\t\t\n000-02\tdone\tx\tTestA\t\t": "is no row",
	} {
		got := seedProblems(text, "", runs, keys, map[string]int{"000": 1})
		if len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
	good := head + "000-01\ton purpose\tx\tTestA; a.session\ta.level: 5\twhy\n"
	if got := seedProblems(good, "| 000-01 |", runs, keys, map[string]int{"000": 1}); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// TestSeed003_39_TheVariablesAreDocumented: a table has the variables of frames.
func TestSeed003_39_TheVariablesAreDocumented(t *testing.T) {
	text := paper(t, repository(t), "docs/explanation/frames.md")
	for _, name := range []string{"FLAME_AUTONOMY_LEVEL", "FLAME_PUSH_THRESHOLD", "FLAME_POP_THRESHOLD", "FLAME_SUGGEST_IN_CONTEXT", "FLAME_ENABLED_HEURISTICS"} {
		if !strings.Contains(text, "| `"+name+"` |") {
			t.Errorf("docs/explanation/frames.md has no row for %s", name)
		}
	}
}

const seedColumns = "id\tstatus\twhat\ttest\tsetting\treason"

var setting = regexp.MustCompile(`^[a-z]\w*(\.\w+)+`)

// seedProblems checks the table: runs are the tests and scripts that there are, keys
// the names of settings, rows how many each document has.
func seedProblems(table, page string, runs, keys map[string]bool, rows map[string]int) []string {
	lines := strings.Split(strings.TrimRight(table, "\n"), "\n")
	if lines[0] != seedColumns {
		return []string{"docs/proof/seeds.tsv: the first line names the columns " + strings.ReplaceAll(seedColumns, "\t", ", ")}
	}
	var out []string
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != 6 {
			out = append(out, fmt.Sprintf("docs/proof/seeds.tsv:%d: %d cells; a row has 6 columns", i+2, len(cells)))
			seen[cells[0]] = true
			continue
		}
		if seen[cells[0]] {
			out = append(out, cells[0]+" comes twice")
		}
		seen[cells[0]] = true
		out = append(out, rowProblems(cells, page, runs, keys)...)
	}
	for seed, n := range rows {
		for i := 1; i <= n; i++ {
			id := fmt.Sprintf("%s-%02d", seed, i)
			if !seen[id] {
				out = append(out, id+" is missing")
			}
			delete(seen, id)
		}
	}
	for id := range seen {
		out = append(out, fmt.Sprintf("%q is no row of a seed", id))
	}
	return out
}

func rowProblems(cells []string, page string, runs, keys map[string]bool) (out []string) {
	id, status, what, set, reason := cells[0], cells[1], cells[2], cells[4], cells[5]
	problem := func(format string, args ...any) { out = append(out, id+": "+fmt.Sprintf(format, args...)) }
	if what == "" {
		problem("it says nothing of what the seed wants")
	}
	for name := range strings.SplitSeq(cells[3], ";") {
		if name = strings.TrimSpace(name); name != "" && !runs[name] {
			problem("there is no test or script %s that make test runs", name)
		}
	}
	for name := range strings.SplitSeq(set, ",") {
		if key := setting.FindString(strings.TrimSpace(name)); key != "" && !keys[key[strings.LastIndexByte(key, '.')+1:]] {
			problem("there is no setting %s", key)
		}
	}
	switch {
	case status != "done" && status != "on purpose" && status != "not applicable":
		problem("status %q; a row is done, on purpose or not applicable", status)
	case status == "done" && cells[3] == "":
		problem("it is done and names no test")
	case status == "on purpose" && set == "" && reason == "":
		problem("it differs on purpose and names neither a setting nor why there is none")
	case status == "on purpose" && !strings.Contains(page, id) && len(out) == 0:
		problem("it differs on purpose and docs/proof/seeds.md does not say so")
	case status == "not applicable" && reason == "":
		problem("it is not applicable, for no reason")
	}
	return out
}

// runnable are the tests and the scripts in testdata that run without a build tag.
func runnable(t *testing.T, tr *tree) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, f := range tr.files {
		if !f.test || strings.HasSuffix(f.path, "_e2e_test.go") {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && testName.MatchString(fn.Name.Name) {
				all[fn.Name.Name] = true
			}
		}
	}
	err := filepath.WalkDir(tr.root, func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err == nil && !d.IsDir() && (ext == ".session" || ext == ".txtar") && strings.Contains(filepath.ToSlash(name), "/testdata/") {
			all[filepath.Base(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var jsonTag = regexp.MustCompile(`json:"(\w+)`)

// jsonKeys are all names in JSON that the code declares: those of settings among them.
func jsonKeys(tr *tree) map[string]bool {
	all := map[string]bool{}
	for _, f := range tr.files {
		if f.test {
			continue
		}
		for _, found := range jsonTag.FindAllStringSubmatch(string(f.text), -1) {
			all[found[1]] = true
		}
	}
	return all
}

func paper(t *testing.T, tr *tree, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tr.root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
