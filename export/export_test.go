package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/steer"
)

var start = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// session is one in planning mode with an entry, a live reminder and a tool call.
func session(t *testing.T) (trimtab.Session, []trimtab.Message) {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := trimtab.NewSession("demo", start)
	var history []trimtab.Message
	say := func(m trimtab.Message) {
		m.ID = trimtab.MessageID(s.Seq + 1)
		history = append(history, m)
		s, _ = engine.Step(s, trimtab.Said{Message: m}, start)
		s, _ = engine.Step(s, trimtab.Calling{}, start)
	}
	s, _ = engine.Step(s, trimtab.Asked{Command: "mode", Args: []string{"planning"}}, start)
	say(trimtab.Prompt("automata: <b>first</b> & ```fence```"))
	say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c", Name: "read", Input: json.RawMessage(`{"path":"a"}`)}}})
	say(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: "```go\nx\n```", Failed: true}}})
	say(trimtab.Prompt("second"))
	return s, history
}

func document(t *testing.T) (export.Document, []byte) {
	t.Helper()
	s, history := session(t)
	copies := []trimtab.Change{{Kind: trimtab.Copied, By: "mode", Slot: "reminder", Text: "Remember: You are still in PLANNING MODE."}}
	doc, err := export.New(s, history, []trimtab.Entry{{Seq: 1, At: start, Event: trimtab.Calling{}, Changes: copies}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := doc.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	return doc, out.Bytes()
}

// TestM7_TheContract reads the JSON as another program would.
func TestM7_TheContract(t *testing.T) {
	_, raw := document(t)
	var got struct {
		Project, SessionID, ModelID, Title, CreatedAt, UpdatedAt *string
		Messages                                                 []struct {
			Role, Origin string
			Content      []struct{ Type, Text string }
		}
		ModeState     map[string]any
		AutomataState map[string]any
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.SessionID == nil || *got.SessionID != "demo" || got.CreatedAt == nil || got.UpdatedAt == nil || got.Title == nil {
		t.Errorf("keys of the contract are missing: %s", raw)
	}
	if diff := cmp.Diff(map[string]any{"mode": "planning"}, got.ModeState); diff != "" {
		t.Errorf("modeState: %s", diff)
	}
	if diff := cmp.Diff(map[string]any{"automataEnabled": true, "lastAutomataTurn": 0.0, "lastReflectionTurn": 0.0}, got.AutomataState); diff != "" {
		t.Errorf("automataState: %s", diff)
	}
	if m := got.Messages[0]; m.Origin != "mode" || m.Role != "user" || !strings.HasPrefix(m.Content[0].Text, "You are in PLANNING MODE") {
		t.Errorf("M12: the entry prompt is not marked as injected: %+v", m)
	}
	if m := got.Messages[1]; m.Origin != "" || m.Content[0].Type != "text" {
		t.Errorf("the person's message: %+v", m)
	}
}

// TestM3_RemindersAreInNoExport looks for the words themselves, everywhere.
func TestM3_RemindersAreInNoExport(t *testing.T) {
	s, _ := session(t)
	if len(s.Notes) != 2 {
		t.Fatalf("the session should have an entry and a reminder: %+v", s.Notes)
	}
	doc, raw := document(t)
	var md, html bytes.Buffer
	if err := errors.Join(doc.WriteMarkdown(&md), doc.WriteHTML(&html)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"json": string(raw), "md": md.String(), "html": html.String()} {
		if strings.Contains(text, "still in PLANNING") {
			t.Errorf("%s holds the reminder", name)
		}
		if !strings.Contains(text, "You are in PLANNING MODE") {
			t.Errorf("%s lacks the entry prompt", name)
		}
	}
}

func TestComesBackAsItWas(t *testing.T) {
	s, history := session(t)
	_, raw := document(t)
	doc, err := export.Read(bytes.NewReader(raw), export.MaxSize)
	if err != nil {
		t.Fatal(err)
	}
	back, messages, ok := doc.Session()
	if !ok {
		t.Fatal("our own export is not taken as one")
	}
	if diff := cmp.Diff(history, messages); diff != "" {
		t.Error(diff)
	}
	if back.Step != s.Step || back.Seq != s.Seq || len(back.Notes) != 1 || back.Notes[0].Life != trimtab.Kept {
		t.Errorf("came back as %+v", back)
	}
	a, _ := s.Memory("automata")
	b, _ := back.Memory("automata")
	if string(a) != string(b) {
		t.Errorf("memory %s came back as %s", a, b)
	}
}

func TestMarkdownFencesHold(t *testing.T) {
	doc, _ := document(t)
	var out bytes.Buffer
	if err := doc.WriteMarkdown(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "````\n```go\nx\n```\n````") {
		t.Errorf("a result with a fence breaks out of its own:\n%s", out.String())
	}
}

func TestHTMLIsInert(t *testing.T) {
	doc, _ := document(t)
	var out bytes.Buffer
	if err := doc.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "<b>") || strings.Contains(out.String(), "<script") || !strings.Contains(out.String(), "default-src 'none'") {
		t.Error("text of the session acts as HTML, or the page may load things")
	}
}

func TestReadRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "not a session document",
		"{}":                                "no messages",
		"[1]":                               "not a session document",
		"{\n\"messages\": [{\"role\": 5}]}": "line 2",
		`{"messages":[],"trimtab":{"format":99,"session":{}}}`:      "newer",
		`{"messages":[],"pad":"` + strings.Repeat("x", 2000) + `"}`: "too large",
	} {
		if _, err := export.Read(strings.NewReader(in), 1000); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q gave %v, want %q", in, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"sessionId":"a","messages":[{"role":"user","content":"x"}],"trimtab":{"format":1,"session":{"seq":1,"notes":[{}]}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := export.Read(bytes.NewReader(raw), 1<<20)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := doc.WriteJSON(&out); err != nil {
			return // a time that JSON cannot hold
		}
		if _, err := export.Read(&out, 8<<20); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if s, history, ok := doc.Session(); ok {
			s.View(history)
		}
		if err := errors.Join(doc.WriteMarkdown(&out), doc.WriteHTML(&out)); err != nil {
			t.Error(err)
		}
	})
}

// TestSeed001_61_ToolsOfTheSeedsMessages: a document that is not ours has its calls and
// results read, in both versions of their form.
func TestSeed001_61_ToolsOfTheSeedsMessages(t *testing.T) {
	doc, err := export.Read(strings.NewReader(`{"sessionId":"s","messages":[
		{"role":"user","content":[{"type":"text","text":"look"}]},
		{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"read","input":{"path":"x"}},{"type":"tool-call","toolCallId":"b","toolName":"read","args":{"path":"y"}},{"type":"tool-call","toolCallId":"c","toolName":"bash","input":{}},{"type":"reasoning","text":"hm"}]},
		{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"read","output":{"type":"text","value":"one"}},{"type":"tool-result","toolCallId":"b","toolName":"read","result":"two"},{"type":"tool-result","toolCallId":"c","toolName":"bash","output":{"type":"error-json","value":{"code":2}}}]}]}`), export.MaxSize)
	if err != nil {
		t.Fatal(err)
	}
	want := []trimtab.Part{
		trimtab.ToolResult{ID: "a", Text: "one"}, trimtab.ToolResult{ID: "b", Text: "two"}, trimtab.ToolResult{ID: "c", Text: `{"code":2}`, Failed: true},
	}
	if diff := cmp.Diff(want, doc.Messages[2].Parts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	calls := doc.Messages[1].Parts
	if diff := cmp.Diff(trimtab.Part(trimtab.ToolCall{ID: "b", Name: "read", Input: json.RawMessage(`{"path":"y"}`)}), calls[1]); diff != "" || len(calls) != 4 {
		t.Errorf("%d parts (-want +got)\n%s", len(calls), diff)
	}
}
