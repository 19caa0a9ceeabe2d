package improve_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trimtab/trimtab/improve"
)

func TestR4_WhatDiffersFromTimeToTimeIsFolded(t *testing.T) {
	for in, want := range map[string]string{
		"open /home/me/a.go: no such file":                       "open <path>: no such file",
		`open C:\Users\me\a.go: denied`:                          "open <path>: denied",
		"./mill.go:12:3: undefined: grind":                       "<path>: undefined: grind",
		"mill_test.go:9: got 3, want 4":                          "<path>: got <n>, want <n>",
		"took 1.25s and 300ms, 12 MB, 4kb":                       "took <n> and <n>, <n> mb, <n>",
		"at 2026-11-15T10:00:00Z":                                "at <time>",
		"2026-11-15 10:00:00.123 refused":                        "<time> <time> refused",
		"id 1f7b9cb7-80e0-4149-932a-70c6d468b02a gone":           "id <id> gone",
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8":        "commit <hex>",
		"fault at 0xc000123456":                                  "fault at <hex>",
		"deadbeef12 and facade":                                  "<hex> and facade",
		`cannot find "left pad" in 'x' or ` + "`y`":              "cannot find <str> in <str> or <str>",
		"it doesn't exist, it's gone":                            "it doesn't exist, it's gone",
		"\x1b[31mError\x1b[0m:\tBad   \x1b]0;t\x07Thing\n":       "error: bad thing",
		"see https://example.org/a?b=1 for more":                 "see <path>?b=<n> for more",
		"error[E0308]: mismatched types":                         "error[e0308]: mismatched types",
		"token [REDACTED:github] refused":                        "token <secret> refused",
		"key abcdefghij0123456789xyz":                            "key <id>",
		"":                                                       "",
		strings.Repeat("word ", 100):                             strings.TrimSpace(strings.Repeat("word ", 40)),
		"Ünïcode wörd 7 — ok":                                    "ünïcode wörd <n> — ok",
		"n/a":                                                    "<path>",
		"exit code 1 (was 2)":                                    "exit code <n> (was <n>)",
		"unterminated \"quote and 'another":                      "unterminated \"quote and 'another",
		"TypeError: Cannot read properties of undefined (at 12)": "typeerror: cannot read properties of undefined (at <n>)",
	} {
		if got := improve.Fold(in); got != want {
			t.Errorf("%q folds to %q, want %q", in, got, want)
		}
	}
}

func TestR4_TheFingerprintIsOfTypeAndSignature(t *testing.T) {
	a := improve.Fingerprint("error_patterns", "x")
	if a != improve.Fingerprint("error_patterns", "x") || a == improve.Fingerprint("loop", "x") || a == improve.Fingerprint("error_patterns", "y") || len(a) != 16 {
		t.Errorf("got %s", a)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "a 'b", "\x1b[", "\x1b]x", "/", "0x", "1:2", "\xff'\xff'", "''''", "a.b.c:", strings.Repeat("'a", 600), "[REDACTED:", ".", "..", "~", "1.", `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := improve.Fold(s)
		if len(got) > 200 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\n\t") {
			t.Errorf("%q folds to %q", s, got)
		}
	})
}
