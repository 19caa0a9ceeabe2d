package summary_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/summary"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/frame"
	"github.com/trimtab/trimtab/store/memory"
)

// scribe is a model that notes what it was asked.
type scribe struct {
	asked []llm.Request
	text  string
	err   error
}

func (s *scribe) Name() string { return "scribe" }

func (s *scribe) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s.asked = append(s.asked, r)
		if s.err != nil {
			yield(nil, s.err)
			return
		}
		yield(llm.Done{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, s.text), Stop: llm.StopEnd}, nil)
	}
}

// popped is a session with a frame that ended without a summary, and what was
// asked for then.
func popped(t *testing.T, rounds int) (*session.Service, *memory.Store, trimtab.Enqueue) {
	t.Helper()
	engine, err := steer.New(steer.Config{Frames: frame.Config{Summaries: "model"}})
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	h := session.New(engine, st, session.Options{})
	if _, err := h.Begin(t.Context(), trimtab.Info{ID: "s", Host: "trimtab"}); err != nil {
		t.Fatal(err)
	}
	handle := func(ev trimtab.Event) trimtab.Outcome {
		_, out, err := h.Handle(t.Context(), "s", ev)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	handle(trimtab.Said{Message: trimtab.Prompt("mind the mill")})
	handle(trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "I do.")})
	handle(trimtab.Asked{Command: "frame", Args: []string{"push", "measure the sails"}})
	for i := range rounds {
		handle(trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: fmt.Sprint(i), Name: "measure", Input: []byte(`{}`)}}}})
		handle(trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: fmt.Sprint(i), Text: fmt.Sprintf("sail %d is nine feet. %s", i, strings.Repeat("wood ", 200))}}}})
	}
	handle(trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "All measured.")})
	for _, taken := range handle(trimtab.Asked{Command: "frame", Args: []string{"pop"}}).Actions {
		if work, ok := taken.Action.(trimtab.Enqueue); ok {
			return h, st, work
		}
	}
	t.Fatal("nothing was asked for")
	return nil, nil, trimtab.Enqueue{}
}

func view(t *testing.T, h *session.Service, st *memory.Store) string {
	t.Helper()
	s, err := h.Session(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	var all []trimtab.Message
	for m, err := range st.Messages(t.Context(), "s", 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	var b strings.Builder
	for _, m := range s.View(all) {
		fmt.Fprintln(&b, m.Text())
	}
	return b.String()
}

func TestF5_AModelsSummaryTakesThePlaceOfTheDraft(t *testing.T) {
	h, st, work := popped(t, 20)
	model := &scribe{text: "Twenty sails, nine feet each."}
	w := summary.Writer{Service: h, History: st, Model: func(context.Context) (llm.Model, error) { return model, nil }}
	if err := w.Write(t.Context(), work.Data); err != nil {
		t.Fatal(err)
	}
	if got := view(t, h, st); !strings.Contains(got, "Twenty sails, nine feet each.") || strings.Contains(got, "sail 7") {
		t.Errorf("the model sees\n%s", got)
	}
	record := model.asked[0].Messages[0].Text()
	for _, words := range []string{"measure the sails", "sail 0 is nine feet", "sail 19 is nine feet", "All measured."} {
		if !strings.Contains(record, words) {
			t.Errorf("%q is not in the record", words)
		}
	}
	if strings.Contains(record, "mind the mill") {
		t.Error("the record holds more than the frame")
	}
}

// TestF5_CallsAreShownAsPlainText: a store writes < and & of a call as \u003c and \u0026,
// and line breaks are escapes in JSON.
func TestF5_CallsAreShownAsPlainText(t *testing.T) {
	model := &scribe{text: "Done."}
	calls := []trimtab.Part{
		trimtab.ToolCall{ID: "1", Name: "bash", Input: []byte(`{"command":"cat \u003cin.txt 2\u003e\u00261 \u0026\u0026 echo \"so\"","timeout":5}`)},
		trimtab.ToolCall{ID: "2", Name: "write", Input: []byte(`{"path":"a.go","text":"package a\n\tif a \u003c b {}\n"}`)},
		trimtab.ToolCall{ID: "3", Name: "odd", Input: []byte(`[1`)},
		trimtab.ToolCall{ID: "4", Name: "list", Input: []byte(`{"of":["\u003ca\u003e",{"b":"\u0026"}]}`)},
		trimtab.ToolCall{ID: "5", Name: "none", Input: []byte(`{}`)},
	}
	if _, err := summary.Of(t.Context(), model, "tidy", []trimtab.Message{{Role: trimtab.RoleAssistant, Parts: calls}}); err != nil {
		t.Fatal(err)
	}
	got := model.asked[0].Messages[0].Text()
	for _, want := range []string{"calls bash command: cat <in.txt 2>&1 && echo \"so\", timeout: 5\n", "calls write path: a.go, text: package a\n\tif a < b {}\n", "calls odd [1\n", `calls list of: ["<a>",{"b":"&"}]`, "calls none"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, `\u00`) {
		t.Errorf("escapes are left:\n%s", got)
	}
}

func TestF5_ALongRecordKeepsItsBeginningAndItsEnd(t *testing.T) {
	h, st, work := popped(t, 400)
	model := &scribe{text: "Many sails."}
	w := summary.Writer{Service: h, History: st, Model: func(context.Context) (llm.Model, error) { return model, nil }}
	if err := w.Write(t.Context(), work.Data); err != nil {
		t.Fatal(err)
	}
	record := model.asked[0].Messages[0].Text()
	if len(record) > 100<<10 || !strings.Contains(record, "sail 0 ") || !strings.Contains(record, "All measured.") || !strings.Contains(record, "lines left out") {
		t.Errorf("%d bytes: %.200s … %s", len(record), record, record[len(record)-200:])
	}
}

func TestF5_AModelThatFailsLeavesTheDraft(t *testing.T) {
	h, st, work := popped(t, 20)
	before := view(t, h, st)
	for name, model := range map[string]*scribe{"an error": {err: errors.New("no credit")}, "nothing": {text: "  "}} {
		w := summary.Writer{Service: h, History: st, Model: func(context.Context) (llm.Model, error) { return model, nil }}
		if err := w.Write(t.Context(), work.Data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if after := view(t, h, st); after != before {
		t.Errorf("the view changed:\n%s", after)
	}
}
