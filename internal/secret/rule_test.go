package secret

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTheRulesCanBeRead(t *testing.T) {
	kind := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, b := range []*book{newBook(false), newBook(true)} {
		if b.filter == nil {
			t.Fatal("the words do not fit a filter")
		}
		for _, r := range b.rules {
			if !kind.MatchString(r.kind) || len(r.words) == 0 || r.find == nil {
				t.Errorf("rule %q has no words, does nothing, or its kind does not fit a mark", r.kind)
			}
		}
	}
	for _, bad := range []string{"[a-z]{", "[a-z]{3,1}", "a{x}"} {
		if _, err := newShape(bad); err == nil {
			t.Errorf("the shape %q was read", bad)
		}
	}
}

// TestTheTableOfGitleaksIsUsed: a form that only the table has is found, and every row
// can be read.
func TestTheTableOfGitleaksIsUsed(t *testing.T) {
	rows := 0
	for line := range strings.Lines(gitleaksTable) {
		row, ok := tableRow(line)
		if !ok {
			continue
		}
		rows++
		if r, err := row.rule(); err != nil || r.find == nil || len(row.words) == 0 {
			t.Errorf("%q: %v", line, err)
		}
	}
	if rows < 80 || !strings.HasPrefix(gitleaksTable, "# Forms of tokens, made by bench/secret -table from the rules of gitleaks v") {
		t.Errorf("%d rows; the table says of itself %.120q", rows, gitleaksTable)
	}
	const kind = "made-up-token"
	before := gitleaksTable
	defer func() { gitleaksTable = before }()
	gitleaksTable += kind + "\tzzq_ ghp_\t[a-z0-9]{20,20}\t2\n"
	own := tokens()
	last := own[len(own)-1]
	if last.kind != kind || len(last.words) != 1 || last.words[0] != "zzq_" {
		t.Errorf("the last form is %+v, want that of zzq_ and not that of ghp_, which is ours", last)
	}
}

// TestEveryKindIsInTheDocument keeps the table of docs/reference/secrets.md whole.
func TestEveryKindIsInTheDocument(t *testing.T) {
	raw, err := os.ReadFile(filepath.FromSlash("../../docs/reference/secrets.md"))
	if err != nil {
		t.Fatal(err)
	}
	b := newBook(true)
	for _, r := range b.rules {
		if !strings.Contains(string(raw), "`"+r.kind+"`") && !strings.Contains(gitleaksTable, "\n"+r.kind+"\t") {
			t.Errorf("docs/reference/secrets.md does not name the kind %s", r.kind)
		}
	}
	t.Logf("%d rules, %d words in the filter", len(b.rules), len(b.words))
}

// TestTheFilterFindsEveryWord compares with the plain search.
func TestTheFilterFindsEveryWord(t *testing.T) {
	letter := rapid.SampledFrom([]rune("ab\x00é-"))
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.StringOfN(letter, 1, 4, -1), 1, 12, rapid.ID).Draw(t, "words")
		text := rapid.StringOfN(letter, 0, 60, -1).Draw(t, "text")
		f, ok := newFilter(words)
		if !ok {
			t.Fatal("too many states")
		}
		got := map[[2]int]bool{}
		f.each(text, func(end int, found []int32) {
			for _, w := range found {
				got[[2]int{int(w), end}] = true
			}
		})
		n := 0
		for i, w := range words {
			for at := 0; at+len(w) <= len(text); at++ {
				if strings.HasPrefix(text[at:], w) {
					n++
					if !got[[2]int{i, at + len(w)}] {
						t.Fatalf("%q at %d of %q was not found", w, at, text)
					}
				}
			}
		}
		if n != len(got) {
			t.Fatalf("found %d, there are %d", len(got), n)
		}
	})
}
