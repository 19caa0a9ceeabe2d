package termsafe_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/termsafe"
)

func TestArgumentsAreMadeHarmless(t *testing.T) {
	var out strings.Builder
	args := []any{"a\x1b[31mb", errors.New("c\x1b]0;x\ad"), 7}
	if err := termsafe.Fprintf(&out, "%s|%s|%d\n", args...); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.ContainsAny(got, "\x1b\a") || !strings.HasSuffix(got, "|7\n") {
		t.Errorf("%q", got)
	}
	if args[0] != "a\x1b[31mb" {
		t.Errorf("the caller's argument was changed: %q", args[0])
	}
}

type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAPrinterKeepsTheFirstError(t *testing.T) {
	w := &full{left: 1}
	p := termsafe.NewPrinter(w)
	for range 3 {
		p.Printf("x")
	}
	if !errors.Is(p.Err(), errFull) || w.left != -1 {
		t.Errorf("%v after %d writes", p.Err(), 1-w.left)
	}
}
