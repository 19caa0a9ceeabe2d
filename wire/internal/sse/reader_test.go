package sse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/wire/internal/sse"
)

// log is what a reader found, in words.
type log []string

func (l *log) Event(name string, data []byte) { *l = append(*l, fmt.Sprintf("%s: %s", name, data)) }
func (l *log) Document(doc []byte)            { *l = append(*l, fmt.Sprintf("doc %s", doc)) }
func (l *log) Long(name string)               { *l = append(*l, "long "+name) }

func read(raw string, step, most int, whole bool) []string {
	var l log
	r := sse.Reader{Max: most, Whole: whole, To: &l}
	for len(raw) > 0 {
		k := min(step, len(raw))
		r.Write([]byte(raw[:k]))
		raw = raw[k:]
	}
	r.Close()
	return l
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      []string
	}{
		{"one", "data: x\n\n", []string{": x"}},
		{"a name", "event: a\ndata: x\n\nevent: b\ndata: y\n\n", []string{"a: x", "b: y"}},
		{"carriage returns", "event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", []string{"a: x", ": y"}},
		{"only carriage returns", "event: a\rdata: x\r\rdata: y\r\r", []string{"a: x", ": y"}},
		{"no blank", "data:x\n\n", []string{": x"}},
		{"two blanks", "data:  x\n\n", []string{":  x"}},
		{"several lines", "data: x\ndata: y\ndata:\ndata: z\n\n", []string{": x\ny\n\nz"}},
		{"comments", ": hi\n\n:\ndata: x\n: there\n\n", []string{": x"}},
		{"other fields", "id: 7\nretry: 10\nwhat\ndata: x\n\n", []string{": x"}},
		{"an event without data", "event: a\n\ndata: x\n\n", []string{": x"}},
		{"empty data", "data\n\ndata:\n\n", []string{": ", ": "}},
		{"a byte order mark", "\ufeffdata: x\n\n", []string{": x"}},
		{"blank lines first", "\n\n\r\ndata: x\n\n", []string{": x"}},
		{"the blank line is missing", "data: x\n\ndata: y\n", []string{": x"}},
		{"the end of the line is missing", "data: x\n\ndata: y", []string{": x"}},
		{"half of the last line end is missing", "data: x\r\n\r", nil},
		{"too long", "event: a\ndata: " + strings.Repeat("0", 41) + "\n\ndata: y\n\n", []string{"long a", ": y"}},
		{"too long together", strings.Repeat("data: 0123456789\n", 4) + "\ndata: y\n\n", []string{"long ", ": y"}},
		{"a document", `{"a":1}`, []string{`doc {"a":1}`}},
		{"an array", " \n[1]", []string{`doc [1]`}},
		{"a document that is too long", "{" + strings.Repeat("x", 99), []string{"long "}},
		{"nothing", "", nil},
		{"blanks", " \n ", nil},
	} {
		for _, step := range []int{1, 2, 3, 5, 1000} {
			if diff := cmp.Diff(c.want, read(c.raw, step, 40, false)); diff != "" {
				t.Errorf("%s, in pieces of %d:\n%s", c.name, step, diff)
			}
		}
	}
	if got := read("data: x\n\n", 1, 22, true); len(got) != 1 || got[0] != "doc data: x\n\n" {
		t.Errorf("what is a document in any case: %q", got)
	}
}

// FuzzReader checks that pieces do not matter.
func FuzzReader(f *testing.F) {
	f.Add("event: a\r\ndata: x\r\n\r\n: c\ndata:y\rdata\r\r", byte(2), false)
	f.Add(" {\"a\":1}", byte(1), true)
	f.Add("data: 0123456789abcdef0123456789abcdef\n\n", byte(7), false)
	f.Fuzz(func(t *testing.T, raw string, step byte, whole bool) {
		want := read(raw, len(raw)+1, 24, whole)
		if diff := cmp.Diff(want, read(raw, 1+int(step), 24, whole)); diff != "" {
			t.Fatal(diff)
		}
	})
}
