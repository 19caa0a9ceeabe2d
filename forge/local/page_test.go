package local

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var full = page{
	Title: "The \"rudder\": --- sticks", Author: "ada", State: "open", Labels: []string{"a, b", "type:x"}, Created: time.Date(2026, 11, 15, 10, 15, 0, 123, time.UTC),
	Head: "feat/one", Base: "main", Commit: strings.Repeat("a", 40), Draft: true, Review: true, Body: "---\ntitle: no\n---\n\n text\n\n",
}

func TestAPageComesBackAsItWasWritten(t *testing.T) {
	for _, p := range []page{full, {}, {Body: "\n"}, {Title: "\n", Body: "\r\n---"}} {
		got, err := readPage(p.write())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(p, got); d != "" {
			t.Error(d)
		}
	}
}

func TestAPageThatAPersonWrote(t *testing.T) {
	got, err := readPage([]byte("---\r\nTitle: The rudder: it sticks\r\n\r\nstate: closed\r\nlabels: [a, b ,c]\r\nmood: bad\r\n---\r\n\r\nHello\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := page{Title: "The rudder: it sticks", State: "closed", Labels: []string{"a", "b", "c"}, Body: "\nHello\r"}
	if got.Body = strings.TrimPrefix(got.Body, "\r"); got.Title != want.Title || got.State != want.State || !strings.Contains(got.Body, "Hello") {
		t.Errorf("%+v", got)
	}
	if d := cmp.Diff(want.Labels, got.Labels); d != "" {
		t.Error(d)
	}
}

func TestADamagedPageSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "does not begin",
		"title: a\n":                     "does not begin",
		"---\ntitle: a\n":                "do not end",
		"---\nno fact\n---\n":            "is not a fact",
		"---\nstate: asleep\n---\n":      "write open, closed or merged",
		"---\ncreated: yesterday\n---\n": "invalid time",
		"---\n" + strings.Repeat("a: b\n", 20_000) + "---\n": "do not end",
		strings.Repeat("-", maxPage+1):                       "larger",
	} {
		if _, err := readPage([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func FuzzPage(f *testing.F) {
	f.Add(full.write())
	f.Add([]byte("---\n---\n"))
	f.Add([]byte("---\nlabels: [\n---\nx"))
	f.Add([]byte("---\r\ntitle: \"a\r\n---\r\n\r\n\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := readPage(raw)
		if err != nil {
			return
		}
		again, err := readPage(p.write())
		if err != nil {
			t.Fatalf("%q was read, and written it cannot be: %v", raw, err)
		}
		p.Created, again.Created = p.Created.UTC(), again.Created.UTC()
		third, err := readPage(again.write())
		if err != nil || cmp.Diff(again, third) != "" {
			t.Fatalf("%q does not settle: %v %s", raw, err, cmp.Diff(again, third))
		}
	})
}
