package trimtabtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

// Build returns the engine for a script. Config is what the script's config
// line holds, or nothing.
type Build func(config []byte) (*trimtab.Engine, error)

// Run plays every script that matches the pattern as a subtest named after its
// file.
func Run(t *testing.T, pattern string, build Build) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no session script matches %s (%v)", pattern, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		t.Run(name, func(t *testing.T) { check(t, file, build) })
	}
}

func check(t *testing.T, file string, build Build) {
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Play(string(want), build)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if got == string(want) {
		return
	}
	if os.Getenv("TRIMTABTEST_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s: the session went another way (- written, + happened):\n%s", file, difference(string(want), got))
}

// Play runs a script and returns it with what came of each line.
func Play(script string, build Build) (string, error) {
	p := &player{build: build}
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "|") {
			continue
		}
		p.out.WriteString(line + "\n")
		p.line++
		if err := p.do(strings.TrimSpace(line)); err != nil {
			return "", &scriptError{p.line, line, err}
		}
	}
	return p.out.String(), nil
}

// difference lists the lines that two texts do not share, in order.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			if !strings.HasPrefix(a[i], "|") {
				out.WriteString("  " + a[i] + "\n")
			}
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			out.WriteString("- " + a[i] + "\n")
			i++
		default:
			out.WriteString("+ " + b[j] + "\n")
			j++
		}
	}
	return out.String()
}
