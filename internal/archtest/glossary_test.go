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
	"unicode"
)

// privateWords are metaphors for things that have a name in the trade, with how
// often each still stands in identifiers and comments of code. A count may only
// fall; whoever brings one down lowers it here. Room is the usual word for space
// too, which is why it is the last that could reach zero.
var privateWords = map[string]int{
	"room": 1, "house": 0, "door": 0, "helm": 0, "crew": 0, "yard": 0, "clerk": 0, "desk": 0, "cable": 0, "wish": 0, "deed": 0,
}

func TestPrivateWordsOnlyGoAway(t *testing.T) {
	noProblems(t, privateUse(repository(t), privateWords))
}

// privateUse compares how often words are used with how often they may be.
func privateUse(tr *tree, most map[string]int) []string {
	count, where := map[string]int{}, map[string]string{}
	note := func(f *source, line int, text string) {
		for _, w := range wordsOf(text) {
			if _, private := most[w]; private {
				count[w]++
				where[w] = fmt.Sprintf("%s:%d", f.path, line)
			}
		}
	}
	for _, f := range tr.files {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				note(f, f.line(id.Pos()), id.Name)
			}
			return true
		})
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				note(f, f.line(c.Pos()), c.Text)
			}
		}
	}
	var out []string
	for w, limit := range most {
		switch n := count[w]; {
		case n > limit:
			out = append(out, fmt.Sprintf("%q is used %d times, at most %d, as at %s; use the trade's own word", w, n, limit, where[w]))
		case n < limit:
			out = append(out, fmt.Sprintf("%q is used %d times; lower its limit of %d in internal/archtest", w, n, limit))
		}
	}
	return out
}

// wordsOf returns the words of a text in the singular and lower case; newDesk is two.
func wordsOf(text string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			w := strings.TrimSuffix(strings.ToLower(string(word)), "s")
			if strings.HasSuffix(w, "she") { // wishes
				w = strings.TrimSuffix(w, "e")
			}
			out = append(out, w)
		}
		word = word[:0]
	}
	var last rune
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			flush()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		last = r
	}
	flush()
	return out
}

func TestGlossary(t *testing.T) {
	noProblems(t, glossary(repository(t), privateWords))
}

const glossaryTerms = 40 // at most: what needs more is no language but a code

var term = regexp.MustCompile(`^\| ([a-z][a-z ]*) \| (.*) \|$`)

// glossary checks docs/explanation/glossary.md: not too long, no term twice, none that is
// private, each with a meaning, and none that the code does not use.
func glossary(tr *tree, private map[string]int) []string {
	text, err := os.ReadFile(filepath.Join(tr.root, "docs", "explanation", "glossary.md"))
	if err != nil {
		return []string{fmt.Sprintf("docs/explanation/glossary.md: %v", err)}
	}
	used := map[string]bool{}
	for _, f := range tr.files {
		for _, w := range wordsOf(string(f.text)) {
			used[w] = true
		}
	}
	var out, terms []string
	for line := range strings.Lines(string(text)) {
		m := term.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || m[1] == "word" {
			continue
		}
		if _, is := private[m[1]]; is {
			out = append(out, fmt.Sprintf("docs/explanation/glossary.md: %s is a private word", m[1]))
		}
		if slices.Contains(terms, m[1]) {
			out = append(out, fmt.Sprintf("docs/explanation/glossary.md: %s comes twice", m[1]))
		}
		if len(strings.Fields(m[2])) < 3 {
			out = append(out, fmt.Sprintf("docs/explanation/glossary.md: %s has no meaning", m[1]))
		}
		if !used[strings.TrimSuffix(m[1], "s")] {
			out = append(out, fmt.Sprintf("docs/explanation/glossary.md: %s is not used in the code", m[1]))
		}
		terms = append(terms, m[1])
	}
	if len(terms) == 0 || len(terms) > glossaryTerms {
		out = append(out, fmt.Sprintf("docs/explanation/glossary.md: %d terms, at least one and at most %d", len(terms), glossaryTerms))
	}
	return out
}

func TestGlossaryFailsOnTheBug(t *testing.T) {
	private := map[string]int{"desk": 0}
	const code = "// The sail and its deskwork.\nvar mast int\n"
	for _, c := range []struct {
		name string
		text string
		want []string
	}{
		{"in order", "| word | meaning |\n|---|---|\n| sail | what catches the wind |\n| mast | what holds the sail |\n", nil},
		{"empty", "# Glossary\n", []string{"0 terms"}},
		{"twice", "| sail | what catches the wind |\n| sail | a canvas for wind |\n", []string{"sail comes twice"}},
		{"no meaning", "| sail | it |\n", []string{"sail has no meaning"}},
		{"not used", "| keel | what lies below all |\n", []string{"keel is not used"}},
		{"private", "| desk | where one sits down |\n", []string{"desk is a private word", "desk is not used"}},
		{"too long", strings.Repeat("| sail | what catches the wind |\n", glossaryTerms+1), append(slices.Repeat([]string{"sail comes twice"}, glossaryTerms), "41 terms")},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantProblems(t, glossary(plant(t, files{"deck/d.go": code, "docs/explanation/glossary.md": c.text}), private), c.want...)
		})
	}
}

func TestPrivateUseFailsOnTheBug(t *testing.T) {
	tr := plant(t, files{
		"deck/d.go":      "// Wishes of the house.\ntype newDesk struct{ desks int }\nconst s = \"a desk\" // zendesk\n",
		"deck/d_test.go": "var desk int",
	})
	wantProblems(t, privateUse(tr, map[string]int{"wish": 1, "house": 1, "desk": 2}))
	wantProblems(t, privateUse(tr, map[string]int{"wish": 0, "house": 2, "desk": 1}),
		`"wish" is used 1 times, at most 0, as at deck/d.go:2`, `"house" is used 1 times; lower its limit of 2`, `"desk" is used 2 times, at most 1`)
}
