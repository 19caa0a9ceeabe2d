package postgres

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzText: whatever comes is text for the database, and comes back as it was.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "plain", "nul\x00", "\x1a", "\x1a1a", "\x1a\x1a00", "\xff\xfe", "船\x00\xe8\x88", "\xed\xa0\x80", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in := text(s)
		if !utf8.ValidString(in) || strings.IndexByte(in, 0) >= 0 {
			t.Errorf("%q is no text for the database", in)
		}
		if out := plain(in); out != s {
			t.Errorf("%q came back as %q", s, out)
		}
		_ = plain(s) // what another wrote there must not hurt
	})
}

func TestOrdinaryTextStaysAsItIs(t *testing.T) {
	for _, s := range []string{`C:\Users\ada\ship`, "/home/ädä/船", "tab\tline\n", "{\"a\":\"\\u0000\"}"} {
		if text(s) != s {
			t.Errorf("%q is stored as %q", s, text(s))
		}
	}
}
