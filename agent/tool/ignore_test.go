package tool

import (
	"strings"
	"testing"
)

func TestIgnoreFilesAreReadAsGitReadsThem(t *testing.T) {
	for _, tt := range []struct {
		rules, path string // a path that ends in a slash is a folder
		want        bool
	}{
		{"*.log", "a.log", true},
		{"*.log", "deep/down/a.log", true},
		{"*.log", "a.logs", false},
		{"/a", "a", true},
		{"/a", "b/a", false},
		{"build/", "build/", true},
		{"build/", "build", false},
		{"build/", "x/build/", true},
		{"x/build", "x/build", true},
		{"x/build", "y/x/build", false},
		{"x/*", "x/a", true},
		{"x/*", "x/a/b", false},
		{"**/foo", "foo", true},
		{"**/foo", "a/b/foo", true},
		{"foo/**", "foo/", false},
		{"foo/**", "foo/a/b", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a/**/b", "a/x/y/c", false},
		{"a/**/b/**/c", "a/b/x/b/y/c", true},
		{"*.log\n!keep.log", "keep.log", false},
		{"!keep.log\n*.log", "keep.log", true},
		{"# note\n\n  \n", "# note", false},
		{`\#x`, "#x", true},
		{`\!x`, "!x", true},
		{"x   ", "x", true},
		{"x\\ ", "x ", true},
		{"x\r\ny\r\n", "x", true},
		{"\uFEFFx", "x", true},
		{"[abc].txt", "b.txt", true},
		{"[!abc].txt", "b.txt", false},
		{"[!abc].txt", "d.txt", true},
		{"a?c", "abc", true},
		{"a?c", "a/c", false},
		{"[", "[", false},
		{"/", "a", false},
		{"!", "a", false},
		{"**", "a", true},
		{"/**", "a/", true},
	} {
		rel, dir := strings.CutSuffix(tt.path, "/")
		ig := &ignores{base: ".", rules: parseIgnore(tt.rules)}
		if got := ig.hides(rel, dir); got != tt.want {
			t.Errorf("%q hides %q = %v, want %v", tt.rules, tt.path, got, tt.want)
		}
	}
}

func TestTheNearestIgnoreFileDecides(t *testing.T) {
	top := &ignores{base: ".", rules: parseIgnore("*.log\n/only-top")}
	sub := &ignores{above: top, base: "sub", rules: parseIgnore("!keep.log\n/here")}
	for path, want := range map[string]bool{"sub/keep.log": false, "sub/other.log": true, "sub/here": true, "sub/x/here": false, "sub/only-top": false, "only-top": true} {
		if got := sub.hides(path, false); got != want {
			t.Errorf("hides(%q) = %v, want %v", path, got, want)
		}
	}
}

// P13: no input takes long, however its stars stand. A matcher that tries every
// way would not come back from this one.
func TestP13_AHostilePatternComesBack(t *testing.T) {
	rules := parseIgnore(strings.Repeat("**/a*a*a*a*a/", 60) + "b")
	path := strings.Repeat("aaaaaaaaaaaaaaaaaaaaaaaaaaaaac/", 200) + "x"
	if (&ignores{base: ".", rules: rules}).hides(path, false) {
		t.Error("it matches")
	}
}

func FuzzIgnore(f *testing.F) {
	for _, seed := range []string{"*.log\n!keep\n/a/**/b/\n", "[!a-z]", "\\", "**/**/**", "a/**", "!\n/\n#", "[[:alpha:]]", "\xff/*"} {
		f.Add(seed, "a/b/c.log", true)
	}
	f.Fuzz(func(t *testing.T, text, path string, dir bool) {
		rules := parseIgnore(text)
		if len(rules) > maxRules {
			t.Fatalf("%d rules", len(rules))
		}
		ig := &ignores{base: ".", rules: rules}
		if first, second := ig.hides(path, dir), ig.hides(path, dir); first != second {
			t.Fatal("two answers to one question")
		}
	})
}
