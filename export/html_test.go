package export_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
)

// TestChat_B12_MarkdownIsRendered in an exported page, and acts on nothing.
func TestChat_B12_MarkdownIsRendered(t *testing.T) {
	text := "## Section\n\nsome **bold** and `code`\nnext line\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nfunc main() {}\n```\n\n" +
		"<b>tag</b>\n\n<script>alert(1)</script>\n\n[link](javascript:alert(1)) ![pic](https://example.com/x.png)\n"
	doc := export.Document{Messages: []trimtab.Message{trimtab.Prompt("**as typed**"), trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text)}}
	var out bytes.Buffer
	if err := doc.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{">Section</h2>", "<strong>bold</strong>", "<code>code</code>", "<td>1</td>", "<pre><code class=\"language-go\">func main() {}", "&lt;b&gt;tag&lt;/b&gt;", "&lt;script&gt;", "as typed", "next line"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	for _, bad := range []string{"## Section", "|---|", "<script", "<img", "javascript:", "<b>tag"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
}
