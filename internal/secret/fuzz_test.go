package secret_test

import (
	"testing"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

const fuzzMax = 1 << 16

// FuzzRedact reads any text: findings stand in order within it, redacting twice
// changes nothing, and what was text stays text.
func FuzzRedact(f *testing.F) {
	for _, c := range secrettest.Make(1) {
		f.Add(c.Text)
	}
	f.Add("key=key=key=\"'`\\\"%3D%22-----BEGIN PRIVATE KEY-----[REDACTED:x]")
	s := secret.New(secret.Options{Private: true, Known: []string{"open sesame", "\x00\xff\x00\xff"}})
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > fuzzMax {
			return
		}
		once, found := s.Redact(text)
		last := 0
		for _, x := range found {
			if x.Start < last || x.End <= x.Start || x.End > len(text) || x.Kind == "" {
				t.Fatalf("%v in a text of %d bytes", found, len(text))
			}
			last = x.End
		}
		if twice, more := s.Redact(once); twice != once {
			t.Fatalf("%q\n%q\n%q\n%v", text, once, twice, more)
		}
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Fatalf("%q became %q", text, once)
		}
	})
}

// FuzzFindDiff reads any bytes as a patch.
func FuzzFindDiff(f *testing.F) {
	f.Add([]byte("--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n x\n+password=hunter2\n-y\n"))
	f.Add([]byte("@@@ -1 -1 +1 @@@\n++ token: 1\n\\ No newline"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		if len(patch) > fuzzMax {
			return
		}
		for _, a := range scanner.FindDiff(patch) {
			if a.End <= a.Start {
				t.Fatalf("%v", a)
			}
		}
	})
}
