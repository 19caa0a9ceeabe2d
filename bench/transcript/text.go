package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// text makes up what tools return, in the mix of a day's work: code, logs,
// searches, diffs, JSON and prose. The same seed gives the same text.
type text struct{ *rand.Rand }

func newText(seed uint64) text {
	return text{rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // the same text in every run
}

var words = strings.Fields(`session message reader cursor engine lineup frame branch tool result error value
	offset parent header window budget prompt reply queue signal worker cache index token buffer journal`)

func (t text) word() string { return words[t.IntN(len(words))] }

// output is what a tool returned. Most are short, a few are long.
func (t text) output() string {
	size := 80 + t.IntN(700)
	switch n := t.IntN(100); {
	case n < 6:
		size = 12_000 + t.IntN(24_000)
	case n < 55:
		size = 1500 + t.IntN(6000)
	}
	line := []func() string{t.code, t.code, t.code, t.log, t.log, t.found, t.found, t.diff, t.json, t.prose}[t.IntN(10)]
	var out strings.Builder
	for n := 1; out.Len() < size; n++ {
		out.WriteString(line())
	}
	return out.String()
}

// code is a line as an agent is shown one. About every third has a literal in it.
func (t text) code() string {
	switch t.IntN(6) {
	case 0:
		return fmt.Sprintf("%6d\tfunc (%s *%s) %s(%s []byte) (%s, error) {\n", t.IntN(400), t.word()[:1], t.word(), t.word(), t.word(), t.word())
	case 1:
		return fmt.Sprintf("%6d\t\treturn nil, fmt.Errorf(\"%s %%s: %%w\", %s.%s, err)\n", t.IntN(400), t.word(), t.word(), t.word())
	case 2:
		return fmt.Sprintf("%6d\t\tcase \"%s\":\n", t.IntN(400), t.word())
	case 3:
		return fmt.Sprintf("%6d\t// %s\n", t.IntN(400), t.sentence())
	}
	return fmt.Sprintf("%6d\t\t%s, err := %s.%s(%s[%s:], %d)\n", t.IntN(400), t.word(), t.word(), t.word(), t.word(), t.word(), t.IntN(99))
}

func (t text) log() string {
	return fmt.Sprintf("2026-11-15T02:%02d:%02d.%03dZ INFO  %s/%s: %s (%d ms)\n", t.IntN(60), t.IntN(60), t.IntN(1000), t.word(), t.word(), t.sentence(), t.IntN(900))
}

func (t text) found() string {
	return fmt.Sprintf("internal/%s/%s.go:%d:\tif %s.%s != nil && len(%s) > %d {\n", t.word(), t.word(), t.IntN(500), t.word(), t.word(), t.word(), t.IntN(9))
}

func (t text) diff() string {
	return []string{" ", "+", "-", " "}[t.IntN(4)] + t.code()
}

func (t text) json() string {
	return fmt.Sprintf("  {\"%s\": \"%s\", \"%s\": %d, \"%s\": [true, null]},\n", t.word(), t.word(), t.word(), t.IntN(999), t.word())
}

func (t text) prose() string { return t.sentence() + "\n" }

func (t text) sentence() string {
	out := make([]string, 6+t.IntN(9))
	for i := range out {
		out[i] = t.word()
	}
	return strings.Join(out, " ") + "."
}

// blob is what stands in a picture or a signature.
func (t text) blob(size int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	out := make([]byte, size)
	for i := range out {
		out[i] = digits[t.IntN(64)]
	}
	return string(out)
}
