package transcripttest

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// Apart makes what a host takes a line apart into.
type Apart[F any] func(line []byte) jsonl.Record[F]

// told is all that a line says, for comparing two ways of reading it.
type told[F any] struct {
	Facts  F
	Values []string
	Err    string
}

func tell[F any](a *jsonl.Apart[F], blank Apart[F], line string) (out told[F]) {
	b := []byte(line)
	rec := blank(b)
	if err := a.Line(b, rec); err != nil {
		return told[F]{Err: err.Error()}
	}
	out.Facts = rec.Facts()
	for _, v := range rec.Values(nil) {
		out.Values = append(out.Values, string(*v))
	}
	return out
}

// behind reads lines behind one another and each alone: the ones before may change
// nothing. It returns how many were of a known shape.
func behind[F any](t testing.TB, blank Apart[F], lines ...string) int {
	t.Helper()
	all := &jsonl.Apart[F]{}
	for n, line := range lines {
		got, alone := tell(all, blank, line), tell(&jsonl.Apart[F]{}, blank, line)
		if !reflect.DeepEqual(got, alone) {
			t.Fatalf("%q behind %q:\n%+v, alone\n%+v", line, lines[:n], got, alone)
		}
	}
	return all.Hits()
}

// Known reads the lines of files several times, also with a value or a name changed,
// and checks that most are compared with those before, and say what they say alone.
func Known[F any](t *testing.T, blank Apart[F], files ...[]byte) {
	t.Helper()
	var lines []string
	for _, line := range rows(files) {
		lines = append(lines, line, line)
		for _, change := range []string{`"|'`, `:"|:7,"x":"`, `":|":null,"x":`, `"t|"u`, `false|true`, `":{|":[{`, `}|,"type":"x"}`, `":"|":"\"`} {
			from, to, _ := strings.Cut(change, "|")
			lines = append(lines, strings.Replace(line, from, to, 1), line)
			if k := strings.LastIndex(line, from); k >= 0 {
				lines = append(lines, line[:k]+to+line[k+len(from):])
			}
		}
	}
	if known := behind(t, blank, lines...); known < len(lines)/4 {
		t.Errorf("only %d lines of %d had a known shape", known, len(lines))
	}
}

// FuzzKnown reads a line whose bytes were changed in one place behind the line that it
// was made of.
func FuzzKnown[F any](f *testing.F, blank Apart[F], files ...[]byte) {
	for _, line := range rows(files) {
		f.Add(line, 10, 20, `"`)
		f.Add(line, len(line)/2, 0, `,"type":"x","content":{"y":"z"}`)
		f.Add(line, len(line)/3, 1, `null`)
	}
	f.Fuzz(func(t *testing.T, line string, at, n int, put string) {
		if line == "" || at < 0 || at > len(line) || n < 0 || n > len(line)-at {
			return
		}
		if other := line[:at] + put + line[at+n:]; other != "" {
			behind(t, blank, line, other, line, other)
		}
	})
}

// Recorded are sessions as the host wrote them, from the test's own folder.
func Recorded(t testing.TB) (files [][]byte) {
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
		files = append(files, data)
	}
	return files
}

func rows(files [][]byte) (all []string) {
	for _, file := range files {
		for line := range bytes.Lines(file) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				all = append(all, string(line))
			}
		}
	}
	return all
}
