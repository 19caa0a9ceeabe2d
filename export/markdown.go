package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// WriteMarkdown writes the document for people: what was said, by whom, and
// which of it was ours. What a terminal would obey is written out.
func (d Document) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n\n", termsafe.Line(headline(d)))
	for _, f := range facts(d) {
		fmt.Fprintf(b, "- %s: %s\n", f[0], termsafe.Line(f[1]))
	}
	for _, turn := range d.Timeline().Turns {
		for _, item := range turn.Items {
			markdownItem(b, item)
		}
	}
	return b.Flush()
}

func headline(d Document) string {
	if d.Title != "" {
		return d.Title
	}
	return "Session " + d.ID
}

// facts are the lines at the head of a document.
func facts(d Document) [][2]string {
	all := [][2]string{
		{"session", d.ID},
		{"folder", d.Project},
		{"agent", d.Host},
		{"model", d.Model},
		{"mode", d.ModeState.Mode},
		{"begun", d.Created.UTC().Format("2006-01-02 15:04 UTC")},
		{"last change", d.Updated.UTC().Format("2006-01-02 15:04 UTC")},
	}
	var out [][2]string
	for _, f := range all {
		if f[1] != "" {
			out = append(out, f)
		}
	}
	return out
}

func markdownItem(w io.Writer, i timeline.Item) {
	switch i.Kind {
	case timeline.Prompt, timeline.Reply, timeline.Host:
		head := map[timeline.Kind]string{timeline.Prompt: "You", timeline.Reply: "Agent", timeline.Host: "Host"}[i.Kind]
		if i.Unvouched {
			head += " (not vouched for)"
		}
		fmt.Fprintf(w, "\n## %s\n\n%s\n", head, strings.TrimRight(termsafe.Text(i.Text), "\n"))
	case timeline.Call:
		if i.Tool != "" {
			fmt.Fprintf(w, "\n### calls %s\n\n%s\n", termsafe.Line(i.Tool), fenced(termsafe.Text(i.Input), "json"))
		}
		if i.Done {
			fmt.Fprintf(w, "\n### %s\n\n%s\n", map[bool]string{true: "failed", false: "result"}[i.Failed], fenced(termsafe.Text(i.Result), ""))
		}
	case timeline.Ours:
		markdownNote(w, *i.Note)
	case timeline.Denied:
		fmt.Fprintf(w, "\n> **Trimtab refused %s**: %s\n", termsafe.Line(i.Tool), termsafe.Line(i.Text))
	case timeline.Paused:
		fmt.Fprintf(w, "\n> **Trimtab held the session for you**: %s\n", termsafe.Line(i.Text))
	case timeline.Folded:
		fmt.Fprintf(w, "\n> **Trimtab (frames)**: %s\n", termsafe.Line(i.Text))
	case timeline.Command:
		fmt.Fprintf(w, "\n`%s`\n", termsafe.Line(i.Text))
	case timeline.Held, timeline.Notice, timeline.Broken: // the model read none of it
	}
}

// markdownNote writes a message of ours as a quotation: who, why, at what price, whether
// it was heeded, and its words.
func markdownNote(w io.Writer, n timeline.Note) {
	fmt.Fprintf(w, "\n> **Trimtab (%s)**", termsafe.Line(n.By))
	if n.Why != "" {
		fmt.Fprintf(w, ": %s", termsafe.Line(n.Why))
	}
	if n.Tokens > 0 {
		fmt.Fprintf(w, " (%s)", plural.Count(n.Tokens, "token"))
	}
	switch n.Heeded {
	case timeline.Yes:
		fmt.Fprint(w, ", heeded")
	case timeline.No:
		fmt.Fprint(w, ", not heeded")
	case timeline.Open, timeline.NoAsk:
	}
	fmt.Fprintln(w)
	if text := strings.TrimRight(termsafe.Text(n.Text), "\n"); text != "" {
		fmt.Fprintf(w, ">\n> %s\n", strings.ReplaceAll(text, "\n", "\n> "))
	}
}

// fenced puts text into a code block whose fence does not occur in it.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
