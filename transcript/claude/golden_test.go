package claude_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
)

var update = flag.Bool("update", false, "write the golden files anew")

// pipe hides that a reader can seek.
type pipe struct{ io.Reader }

// show tells items as a person would read them.
func show(items []transcript.Item, damaged []transcript.Damaged) string {
	var out strings.Builder
	for _, it := range items {
		m := it.Message
		fmt.Fprintf(&out, "%d %s", it.Line, m.Role)
		if it.Side {
			fmt.Fprintf(&out, " side %s", it.Agent)
		}
		if it.Compacted {
			out.WriteString(" compacted")
		}
		if m.Model != "" {
			fmt.Fprintf(&out, " %s", m.Model)
		}
		if u := m.Usage; u != nil {
			fmt.Fprintf(&out, " in=%d out=%d read=%d write=%d", u.Input, u.Output, u.CacheRead, u.CacheWrite)
		}
		out.WriteString("\n")
		for _, p := range m.Parts {
			switch p := p.(type) {
			case trimtab.Text:
				fmt.Fprintf(&out, "  %s: %q\n", p.By, p.Text)
			case trimtab.ToolCall:
				fmt.Fprintf(&out, "  call %s %s %s\n", p.ID, p.Name, p.Input)
			case trimtab.ToolResult:
				word := "result"
				if p.Failed {
					word = "failure"
				}
				fmt.Fprintf(&out, "  %s %s %q\n", word, p.ID, p.Text)
			case trimtab.Opaque:
				fmt.Fprintf(&out, "  %s: [%s, %d bytes]\n", p.By, p.Kind, len(p.Raw))
			}
		}
	}
	for _, d := range damaged {
		fmt.Fprintf(&out, "%v\n", d)
	}
	return out.String()
}

// read returns all there is, and fails the test on any error but damage.
func read(t testing.TB, r io.Reader, opt transcript.Options) (items []transcript.Item, damaged []transcript.Damaged) {
	t.Helper()
	for it, err := range claude.Read(r, opt) {
		var d transcript.Damaged
		switch {
		case errors.As(err, &d):
			if !errors.Is(err, trimtab.ErrDamaged) {
				t.Errorf("%v is no ErrDamaged", err)
			}
			damaged = append(damaged, d)
		case err != nil:
			t.Fatal(err)
		default:
			items = append(items, it)
		}
	}
	return items, damaged
}

// text is read and show of lines.
func text(t testing.TB, r io.Reader, opt transcript.Options) string {
	t.Helper()
	return show(read(t, r, opt))
}

func TestRecordedSessionsReadAsConversations(t *testing.T) {
	for _, name := range []string{"plain", "hooks", "compact", "subagent", "terminal"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".jsonl")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			opt := transcript.Options{Side: name == "subagent"}
			got := text(t, bytes.NewReader(data), opt)
			golden := strings.TrimSuffix(file, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
				t.Errorf("with -update, if this is meant (-want +got):\n%s", diff)
			}
			if name == "terminal" {
				return // there the person went back once
			}
			if diff := cmp.Diff(got, text(t, pipe{bytes.NewReader(data)}, opt)); diff != "" {
				t.Errorf("in file order (-tree +file):\n%s", diff)
			}
		})
	}
}

func TestItemsSayWhereTheyStood(t *testing.T) {
	f, err := os.Open("testdata/plain.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	items, _ := read(t, f, transcript.Options{})
	got := items[0]
	want := transcript.Item{
		Message: trimtab.Message{
			ID:    "1f7b9cb7-80e0-4149-932a-70c6d468b02a",
			Role:  trimtab.RoleUser,
			Parts: []trimtab.Part{trimtab.Text{Text: "hello please run a tool", By: trimtab.Person}},
			At:    time.Date(2026, 11, 15, 2, 18, 37, 107e6, time.UTC),
		},
		Line:    3,
		Session: "eac2f056-132a-4ed1-b0a0-f51509662c82",
		Project: "/home/user/project",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSideConversationsAreLeftOutUnlessAskedFor(t *testing.T) {
	f, err := os.Open("testdata/subagent.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if items, damaged := read(t, f, transcript.Options{}); len(items)+len(damaged) != 0 {
		t.Errorf("got %s", show(items, damaged))
	}
}
