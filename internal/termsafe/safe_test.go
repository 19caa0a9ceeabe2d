package termsafe_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/termsafe"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain ä 漢 👩‍💻\n\ttab": "plain ä 漢 👩‍💻\n\ttab",
		"\x1b]52;c;aGk=\a":     "␛]52;c;aGk=␇",
		"\x1b[2J\x1b[31mred":   "␛[2J␛[31mred",
		"a\r\nb\rc":            "a\nb␍c",
		"csi\u009b2J":          "csi<U+009B>2J",
		"evil\u202egpj.exe":    "evil<U+202E>gpj.exe",
		"zero\u200bwidth":      "zero<U+200B>width",
		"tag\U000E0041":        "tag<U+E0041>",
		"del\x7f nul\x00":      "del␡ nul␀",
		"bad\xff":              "bad\ufffd",
		"می\u200cخواهم":        "می\u200cخواهم",
		"ab\u200ccd":           "ab<U+200C>cd",
		"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!": "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F!",
		"\U0001F3F4\U000E0067\U000E0062":                                          "\U0001F3F4<U+E0067><U+E0062>",
	} {
		if got := termsafe.Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := termsafe.Line("two\nlines\there"); got != "two lines here" {
		t.Errorf("a line became %q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		out := termsafe.Text(s)
		if strings.ContainsAny(out, "\x1b\x00\x07\r\u009b\u202e\u200b") {
			t.Errorf("%q became %q", s, out)
		}
		if again := termsafe.Text(out); again != out {
			t.Errorf("%q became %q, and that %q", s, out, again)
		}
	})
}

func TestFprintf_ArgumentsAreMadeHarmless(t *testing.T) {
	var b strings.Builder
	if err := termsafe.Fprintf(&b, "\x1b[1m%s %v %d\x1b[0m", "a\x1b[31mb", errors.New("c\ad"), 7); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[1m" + termsafe.Text("a\x1b[31mb") + " " + termsafe.Text("c\ad") + " 7\x1b[0m"
	if b.String() != want || strings.Contains(b.String(), "\a") {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
