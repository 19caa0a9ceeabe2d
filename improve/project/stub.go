package project

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// IsTest reports whether a path is that of a test.
func IsTest(name string) bool {
	base := path.Base(name)
	if testBase().MatchString(base) {
		return true
	}
	return testFolder().MatchString(name) && code[path.Ext(base)]
}

var (
	testBase   = lazyregexp.Pattern(`(_test\.(go|py|exs|dart|rb|cc|cpp|zig)|^test_.*\.py|\.(test|spec)\.[cm]?[jt]sx?|_spec\.rb|Tests?\.(java|kt|cs|swift|php|scala)|\.bats|\.t)$`)
	testFolder = lazyregexp.Pattern(`(^|/)(tests?|__tests__|spec)/`)
)

// code are the ends of names of files that hold programs.
var code = map[string]bool{
	".go": true, ".py": true, ".js": true, ".mjs": true, ".cjs": true, ".jsx": true, ".ts": true, ".tsx": true, ".mts": true, ".rs": true, ".java": true,
	".kt": true, ".kts": true, ".cs": true, ".fs": true, ".rb": true, ".ex": true, ".exs": true, ".php": true, ".swift": true, ".scala": true, ".dart": true,
	".c": true, ".h": true, ".cc": true, ".cpp": true, ".hpp": true, ".zig": true, ".lua": true, ".sh": true, ".bash": true, ".pl": true, ".clj": true, ".hs": true, ".vue": true, ".svelte": true,
}

// sign is words in a program that say that it is unfinished, or that a test tests
// nothing.
type sign struct {
	what string
	form *regexp.Regexp
}

// signs are read when a change is first measured: most runs of the program measure
// none.
var signs = sync.OnceValue(func() []sign {
	return []sign{
		{"work put off in a comment", regexp.MustCompile(`(//|#|/\*|^\s*\*|--|<!--|;|%).*\b(TODO|FIXME|XXX|HACK)\b`)},
		{"not implemented", regexp.MustCompile(`(?i)(panic|errors\.New|fmt\.Errorf|throw new \w+|raise \w+|Exception|fatalError|die|bail!|anyhow!|Err)\s*\(\s*["'` + "`" + `](todo|stub|(is |are )?(not (yet )?implemented|unimplemented))`)},
		{"not implemented", regexp.MustCompile(`\b(NotImplementedError|NotImplementedException)\b|\b(todo|unimplemented)!\s*[({\[]|\bTODO\(\s*("|\))`)},
		{"a test that is skipped", regexp.MustCompile(`\b[tbf]\.Skip(f|Now)?\(|@(pytest\.mark\.(skip|xfail)|unittest\.skip)|\bpytest\.skip\(|\bself\.skipTest\(`)},
		{"a test that is skipped", regexp.MustCompile(`\b(it|test|describe|context|suite)\.(skip|todo|failing)\s*[.(]|(^|\s)x(it|describe|test|context)\s*\(`)},
		{"a test that is skipped", regexp.MustCompile(`#\[ignore|@(Disabled|Ignore)\b|\[(Ignore|Explicit)[\](]|\[(Fact|Theory)\(\s*Skip|@tag\s+:?skip|markTestSkipped|XCTSkip`)},
		{"a test that always passes", regexp.MustCompile(`\bassert\s+(True|1)\s*($|#|,)|\bassert(True|\.ok|\.isTrue)?\s*!?\(\s*true\s*\)|\bassert!\(\s*true|expect\(\s*true\s*\)\.to(Be|Equal|BeTruthy)|assertTrue\(\s*[Tt]rue\s*[,)]|Assert\.(True|IsTrue)\(\s*true|assert\.True\(\s*t\s*,\s*true`)},
		{"a test with nothing in it", regexp.MustCompile(`^\s*func (Test|Fuzz|Benchmark)\w*\([^)]*\)\s*\{\s*\}|\b(it|test)\(\s*["'` + "`" + `].*(=>|\))\s*\{\s*\}\s*\)?;?\s*$|^\s*(async )?def test_?\w*\(.*\).*:\s*(pass|\.\.\.)\s*$`)},
	}
})

// opening is the first line of a test whose body is on the next ones.
var opening = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*func (Test|Fuzz|Benchmark)\w*\([^)]*\)\s*\{\s*$|\b(it|test)\(\s*["'` + "`" + `].*\{\s*$|^\s*(async )?def test_?\w*\(.*\).*:\s*$|^\s*fn \w+\(\)\s*\{\s*$`)
})

// nothing is a line that leaves a body empty.
var nothing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(\}\)?;?|pass|\.\.\.)\s*(#.*)?$`)
})

// longest is how much of a line is looked at: no person writes more.
const longest = 4 << 10

// scan looks at the added lines of one file, one after the other.
type scan struct {
	open int // line of a test that began on the line before; 0 for none
}

// pass is a line that is not new.
func (s *scan) pass() { s.open = 0 }

// line looks at an added line.
func (s *scan) line(name string, at int, text string) []Note {
	if !code[path.Ext(name)] {
		return nil
	}
	text = strings.TrimSuffix(text, "\r")
	text = text[:min(len(text), longest)]
	var out []Note
	for _, g := range signs() {
		if g.form.MatchString(text) {
			out = append(out, Note{name, at, g.what})
			break
		}
	}
	if s.open > 0 && nothing().MatchString(text) && IsTest(name) {
		out = append(out, Note{name, s.open, "a test with nothing in it"})
	}
	switch bare := strings.TrimSpace(text); {
	case opening().MatchString(text):
		s.open = at
	case bare == "" || strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "#"): // a body of comments is empty, too
	default:
		s.open = 0
	}
	return out
}
