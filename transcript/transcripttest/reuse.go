package transcripttest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/race"
)

// Reuse parses the lines of the recorded sessions, also with a value or a name
// changed, into one T behind one another and each into a T of its own. Readers use
// the memory of a line for the next one: nothing of it may stay behind.
func Reuse[T any](t *testing.T, parse func(into *T, line []byte) error) {
	t.Helper()
	var lines []string
	for i, line := range recordedLines(t) {
		lines = append(lines, line)
		for k, change := range []string{`"|'`, `:"|:7,"x":"`, `":|":null,"x":`, `"t|"u`, `false|true`, `":{|":[{`, `}|,"type":"x"}`, `":"|":"\"`} {
			if race.Enabled && (i+k)%8 != 0 {
				continue // each line one of them, each of them in turn
			}
			from, to, _ := strings.Cut(change, "|")
			lines = append(lines, strings.Replace(line, from, to, 1))
			if k := strings.LastIndex(line, from); k >= 0 {
				lines = append(lines, line[:k]+to+line[k+len(from):], line)
			}
		}
	}
	told := func(into *T, line string) string {
		if err := parse(into, []byte(line)); err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%+v", *into)
	}
	var reused T
	for _, line := range lines {
		var fresh T
		if got, want := told(&reused, line), told(&fresh, line); got != want {
			t.Fatalf("%s\nbehind others: %s\nalone:         %s", line, got, want)
		}
	}
}

// recordedLines are the lines of the sessions in the test's own folder.
func recordedLines(t *testing.T) (all []string) {
	t.Helper()
	names, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				all = append(all, string(line))
			}
		}
	}
	return all
}
