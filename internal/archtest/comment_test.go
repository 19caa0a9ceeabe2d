package archtest

import (
	"fmt"
	"path"
	"strings"
	"testing"
)

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	noProblems(t, comments(repository(t)))
}

const commentLines = 3 // what the package is for, what it never does, how to use it

// comments checks that each package has one package comment, in the usual form and
// long enough to say something. Where a package has only tests, theirs counts.
func comments(tr *tree) []string {
	var out []string
	for _, pkg := range tr.packages() {
		name, docs := described(tr, pkg)
		want := "Package " + name
		if name == "main" {
			want = "Command " + path.Base(pkg)
		}
		lines := 0
		for line := range strings.Lines(strings.Join(docs, "")) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		switch {
		case len(docs) == 0:
			out = append(out, fmt.Sprintf("%s: no package comment; begin one with %q", pkg, want))
		case len(docs) > 1:
			out = append(out, fmt.Sprintf("%s: %d package comments; keep one", pkg, len(docs)))
		case !strings.HasPrefix(docs[0], want+" "):
			out = append(out, fmt.Sprintf("%s: the package comment begins with %q, not %q", pkg, clip(docs[0]), want))
		case lines < commentLines:
			out = append(out, fmt.Sprintf("%s: a package comment of %d lines; say what the package is for, what it never does, and how it is used", pkg, lines))
		}
	}
	return out
}

// described returns the name of a package and its package comments.
func described(tr *tree, pkg string) (name string, docs []string) {
	for _, tests := range []bool{false, true} {
		for _, f := range tr.files {
			if f.pkg != pkg || f.test != tests || tests && strings.HasSuffix(f.ast.Name.Name, "_test") {
				continue
			}
			name = f.ast.Name.Name
			if text := f.ast.Doc.Text(); text != "" {
				docs = append(docs, text)
			}
		}
		if name != "" {
			break
		}
	}
	if name == "" { // only external tests
		name = path.Base(pkg)
	}
	return name, docs
}

func clip(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line[:min(len(line), 40)]
}

func TestCommentsFailOnTheBug(t *testing.T) {
	const good = "// Package deck holds what stands on deck.\n//\n// It never goes below.\n//\n//\tdeck.Walk()\npackage deck\n"
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"in order", files{"deck/doc.go": good, "deck/walk.go": "package deck\n", "deck/walk_test.go": "package deck_test\n"}, nil},
		{"a command", files{"cmd/sail/main.go": "// Command sail sails.\n// It never\n// sinks.\npackage main\n"}, nil},
		{"only tests", files{"deck/deck_test.go": good}, nil},
		{"none", files{"deck/walk.go": "package deck\n"}, []string{`deck: no package comment; begin one with "Package deck"`}},
		{"none in only external tests", files{"deck/deck_test.go": "package deck_test\n"}, []string{"deck: no package comment"}},
		{"a comment that is not of the package", files{"deck/walk.go": "// Package deck is far away.\n\npackage deck\n"}, []string{"deck: no package comment"}},
		{"a test's comment is not the package's", files{"deck/walk.go": "package deck\n", "deck/deck_test.go": good}, []string{"deck: no package comment"}},
		{"another name", files{"deck/doc.go": "// Package decks is\n// of\n// old.\npackage deck\n"}, []string{`not "Package deck"`}},
		{"a command that calls itself a package", files{"cmd/sail/main.go": "// Package main is\n// a\n// command.\npackage main\n"}, []string{`not "Command sail"`}},
		{"too short", files{"deck/doc.go": "// Package deck is a deck.\n//\n// So.\npackage deck\n"}, []string{"deck: a package comment of 2 lines"}},
		{"two of them", files{"deck/doc.go": good, "deck/walk.go": good}, []string{"deck: 2 package comments"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantProblems(t, comments(plant(t, c.in)), c.want...) })
	}
}
