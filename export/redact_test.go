package export_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/internal/secret"
)

func redact(text string) string {
	text, _ = secret.New(secret.Options{}).Redact(text)
	return text
}

// D6: a session with secrets in every place of a message, as all three formats.
func TestD6_ExportsHoldNoSecret(t *testing.T) {
	token := "gh" + "p_" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"
	key := "Kq8Wm2Lr5Tt0Vn7Bk3Hd" + "6Js9Pf1Xc4Zg8Qe2Ra5B"
	input, err := json.Marshal(map[string]string{"command": "curl -H 'Authorization: token " + token + "'", "password": "Sommer2026", "content": `{"db_password":"Winter2027"}`})
	if err != nil {
		t.Fatal(err)
	}
	s := trimtab.NewSession("demo", start)
	s.Title = "what is " + token
	history := []trimtab.Message{
		trimtab.Prompt("postgres://svc:Herbst2025x@db/app and " + token),
		{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c", Name: "bash", Input: input}}},
		{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: "AWS_SECRET_ACCESS_KEY=" + key + "\nmysql -u root -pHunter2Hunter2\n\x1b[31m" + token[:20] + "\x1b[0m" + token[20:]}}},
	}
	for i := range history {
		history[i].ID = trimtab.MessageID(i + 1)
	}
	s.Seq = len(history)
	doc, err := export.New(s, history, []trimtab.Entry{{Seq: 1, At: start, Event: trimtab.Said{Message: history[0]}}})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := doc.Redacted(redact)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{export.JSON, export.Markdown, export.HTML} {
		write, err := export.Writer(format)
		if err != nil {
			t.Fatal(err)
		}
		var plain, out bytes.Buffer
		if err := write(doc, &plain); err != nil {
			t.Fatal(err)
		}
		if err := write(clean, &out); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{token, token[:20], key, "Sommer2026", "Winter2027", "Herbst2025x", "Hunter2Hunter2"} {
			if !strings.Contains(plain.String(), word) {
				t.Errorf("%s: the test is none: %s is not in what is redacted", format, word)
			}
			if strings.Contains(out.String(), word) {
				t.Errorf("%s: %s is in\n%s", format, word, out.String())
			}
		}
	}
	if _, _, ok := clean.Session(); !ok {
		t.Error("what was redacted cannot be taken in again")
	}
}

// A document without secrets is the same, byte for byte.
func TestD6_ADocumentWithoutSecretsStays(t *testing.T) {
	doc, before := document(t)
	clean, err := doc.Redacted(redact)
	if err != nil {
		t.Fatal(err)
	}
	var after bytes.Buffer
	if err := clean.WriteJSON(&after); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), after.String()); diff != "" {
		t.Error(diff)
	}
}

// D6: what a tool returned cannot drive the terminal on which an export is shown.
func TestD6_ExportsAreSafeOnATerminal(t *testing.T) {
	evil := "a\x1b]52;c;ZXZpbA==\x07b\u202ec\u009b2Jd\x7fe"
	s := trimtab.NewSession("demo", start)
	s.Title, s.Seq = evil, 1
	doc, err := export.New(s, []trimtab.Message{{ID: trimtab.MessageID(1), Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: evil}, trimtab.ToolCall{ID: "d", Name: evil, Input: json.RawMessage(`"\u009b"`)}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{export.JSON, export.Markdown} {
		write, err := export.Writer(format)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := write(doc, &out); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\x07\u202e\u009b\x7f") {
			t.Errorf("%s: %q", format, out.String())
		}
		if format != export.JSON {
			continue
		}
		back, err := export.Read(bytes.NewReader(out.Bytes()), export.MaxSize)
		if err != nil || back.Title != evil {
			t.Errorf("the title came back as %q, %v", back.Title, err)
		}
	}
}
