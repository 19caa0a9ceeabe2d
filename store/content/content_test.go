package content_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/store/content"
)

const (
	canary = "sk-ant-api03-" + "Zq8Lw2Rt5Yv9Xc3Bn7Mk1Jh4Gf6Ds0Ap-Qe8Ru2Ty5Ui9Op3As7Df1Gh4Jk6Lz0Xc-Vb8Nm2Qw5Er9Ty3Ui7AA"
	plain  = "the build is red"
)

func said() trimtab.Commit {
	return trimtab.Commit{
		Session: trimtab.Session{Info: trimtab.Info{ID: "s", Title: "use " + canary}},
		Messages: []trimtab.Message{{ID: "h1", Role: trimtab.RoleUser, Parts: []trimtab.Part{
			trimtab.Text{Text: plain + " with " + canary, By: trimtab.Person, Raw: []byte(canary)},
			trimtab.ToolCall{ID: "c1", Name: "Bash", Input: json.RawMessage(`{"command":"curl -H 'x-api-key: ` + canary + `'","note":"` + plain + `","n":1}`)},
			trimtab.ToolCall{ID: "c2", Name: "Bash", Input: json.RawMessage(`{"command": "` + plain + `"}`)},
			trimtab.ToolCall{ID: "c3", Name: "Write", Input: json.RawMessage(`{"` + canary + `": "` + canary + `"}`)},
			trimtab.ToolResult{ID: "c1", Text: plain + " " + canary, Failed: true},
			trimtab.Opaque{Kind: "thinking", By: trimtab.Model, Raw: json.RawMessage(`{"thinking":"` + canary + `"}`)},
			trimtab.Opaque{Kind: "thinking", By: trimtab.Model, Raw: json.RawMessage(`{"thinking":"` + plain + `"}`)},
		}}},
	}
}

func written(t *testing.T, c trimtab.Commit) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintln(&b, c.Session.Title)
	for _, m := range c.Messages {
		for _, p := range m.Parts {
			raw, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%T %s\n", p, raw)
		}
	}
	return b.String()
}

// X8: of what is said all is stored, all but secrets, or nothing; who said it and which tools
// were called always is. What the session goes on with is not changed.
func TestX8_WordsAreStoredFullRedactedOrNotAtAll(t *testing.T) {
	redact := secret.Redactor(secret.Options{})
	if content.Filter(content.Full, redact) != nil || content.Filter("", redact) != nil {
		t.Error("all of it is stored as it is")
	}
	for what, words := range map[string]bool{content.Redacted: true, content.None: false} {
		given := said()
		got := content.Filter(what, redact)(given)
		text := written(t, got)
		if strings.Contains(text, "Zq8Lw2Rt5Yv9") || strings.Contains(fmt.Sprint(got), "Zq8Lw2Rt5Yv9") {
			t.Errorf("%s: the secret is stored:\n%s", what, text)
		}
		if n := strings.Count(text, plain); words && n != 5 || !words && n != 0 {
			t.Errorf("%s: %d times what is no secret:\n%s", what, n, text)
		}
		for _, want := range []string{`"by":"person"`, `"id":"c1","name":"Bash"`, `"failed":true`, `"kind":"thinking"`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", what, want, text)
			}
		}
		if len(got.Messages[0].Parts) != 7 || written(t, given) != written(t, said()) {
			t.Errorf("%s: what was given is changed", what)
		}
	}
}

// FuzzRedacted: what a tool is called with stays JSON, or is left out.
func FuzzRedacted(f *testing.F) {
	redact := func(s string) string { return strings.ReplaceAll(s, "a", "[REDACTED:a]") }
	f.Add(`{"a":"b"}`)
	f.Add(`["\u0061", {"x": "a"}]`)
	f.Add(`{"a`)
	f.Add("null")
	f.Fuzz(func(t *testing.T, input string) {
		c := trimtab.Commit{Messages: []trimtab.Message{{Parts: []trimtab.Part{trimtab.ToolCall{ID: "1", Name: "n", Input: json.RawMessage(input)}}}}}
		out := content.Filter(content.Redacted, redact)(c).Messages[0].Parts[0].(trimtab.ToolCall).Input
		if json.Valid([]byte(input)) && len(out) > 0 && !json.Valid(out) {
			t.Errorf("%q became %q", input, out)
		}
		var v any
		if json.Unmarshal(out, &v) == nil && strings.Contains(strings.ReplaceAll(fmt.Sprint(v), "[REDACTED:a]", ""), "a") && json.Valid([]byte(input)) {
			if text, ok := v.(string); ok {
				t.Errorf("%q is left in %q", "a", text)
			}
		}
	})
}
