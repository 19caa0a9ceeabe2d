package transcripttest

import (
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
)

// Golden compares what is read with a file, which is written anew where update is
// set.
func Golden(t *testing.T, file string, seq iter.Seq2[transcript.Item, error], update bool) {
	t.Helper()
	got := Show(All(t, seq))
	if update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("with -update, if this is meant (-want +got):\n%s", diff)
	}
}

// Show tells items as a person would read them.
func Show(items []transcript.Item, damaged []transcript.Damaged) string {
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
		fmt.Fprintf(&out, " %s\n", m.At.Format("15:04:05"))
		for _, p := range m.Parts {
			fmt.Fprintf(&out, "  %s\n", showPart(p))
		}
	}
	for _, d := range damaged {
		fmt.Fprintf(&out, "%v\n", d)
	}
	return out.String()
}

func showPart(p trimtab.Part) string {
	switch p := p.(type) {
	case trimtab.Text:
		return fmt.Sprintf("%s: %q", p.By, p.Text)
	case trimtab.ToolCall:
		return fmt.Sprintf("call %s %s %s", p.ID, p.Name, p.Input)
	case trimtab.ToolResult:
		word := "result"
		if p.Failed {
			word = "failure"
		}
		return fmt.Sprintf("%s %s %q", word, p.ID, p.Text)
	case trimtab.Opaque:
		return fmt.Sprintf("%s: [%s, %d bytes]", p.By, p.Kind, len(p.Raw))
	}
	return ""
}
