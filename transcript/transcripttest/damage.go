package transcripttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
)

// junk are lines that no host wrote.
func junk(line string) []string {
	return []string{"hello", "[]", "{", `{"type":`, "\x00\x00\x00", "{\"type\":\"user\",\"id\":\"\xff", line[:len(line)*2/3], line + line, `{"a":1}}`}
}

// damage puts each kind of junk between all lines of a conversation, one by one.
func (f Format) damage(t *testing.T) {
	data := f.Write(t, talk())
	whole, _ := All(t, f.Read(t, data, transcript.Options{}))
	lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
	for at := 1; at <= len(lines); at++ {
		for _, bad := range junk(strings.TrimSpace(lines[at-1])) {
			file := strings.Join(lines[:at], "")
			file = strings.TrimSuffix(file, "\n") + "\n" + bad + "\n" + strings.Join(lines[at:], "")
			items, damaged := All(t, f.Read(t, []byte(file), transcript.Options{}))
			if diff := cmp.Diff(Gist(whole), Gist(items)); diff != "" {
				t.Errorf("%.40q as line %d (-want +got):\n%s", bad, at+1, diff)
			}
			if len(damaged) != 1 || damaged[0].Line != at+1 || damaged[0].Text == "" {
				t.Errorf("%.40q as line %d: damaged %v", bad, at+1, damaged)
			}
		}
	}
}

// cut ends a file at any byte of it: what stands before the line that was cut is
// read, and that line is damaged or was nothing.
func (f Format) cut(t *testing.T) {
	data := f.Write(t, talk())
	for n := 1; n < len(data); n += 7 {
		items, damaged := All(t, f.Read(t, data[:n], transcript.Options{}))
		last := bytes.Count(data[:n], []byte("\n")) + 1
		for _, d := range damaged {
			if d.Line != last {
				t.Errorf("cut at %d, in line %d: %v", n, last, d)
			}
		}
		if len(damaged) == 0 && data[n-1] != '\n' && data[n] != '\n' {
			t.Errorf("cut at %d, in line %d: not damaged, %v", n, last, Gist(items))
		}
	}
}

// Seed adds a file and its lines to the corpus.
func Seed(f *testing.F, file []byte) {
	f.Add(file, false)
	for line := range bytes.Lines(file) {
		if len(line) < 1500 {
			f.Add(line, true)
		}
	}
}

// Fuzz reads anything: it ends, lines do not go back, and every item can be kept
// as JSON.
func Fuzz(f *testing.F, read transcript.Reader) {
	f.Add([]byte("{\"type\":\"user\"\n\x00\n\xff\n{}\n[]\n{\"id\":\"\\ud800\\\\\"}"), true)
	f.Fuzz(func(t *testing.T, data []byte, side bool) {
		for _, opt := range []transcript.Options{{Side: side}, {Side: side, Branches: true, Brief: true, MaxLine: 512}} {
			last, lines := 0, bytes.Count(data, []byte("\n"))+1
			for it, err := range read(bytes.NewReader(data), opt) {
				if err != nil && !errors.Is(err, trimtab.ErrDamaged) {
					t.Fatal(err)
				}
				if err != nil {
					continue
				}
				if it.Line < last || it.Line > lines {
					t.Fatalf("line %d after %d of %d", it.Line, last, lines)
				}
				if last = it.Line; len(it.Message.Parts) == 0 || it.Side && it.Message.Typed() != "" {
					t.Fatalf("got %+v", it)
				}
				if _, err := json.Marshal(it.Message); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
