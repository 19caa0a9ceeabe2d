package gemini_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/gemini"
)

// The signature of a call is sent back with it, so a reply keeps it.
func TestSignaturesAreKept(t *testing.T) {
	r := gemini.Format{}.NewReply(true)
	r.Write([]byte(`data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":{"a":1}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}],"modelVersion":"g"}` + "\r\n\r\n"))
	want := []trimtab.Part{
		trimtab.Opaque{Kind: "thoughtSignature", By: trimtab.Model, Raw: []byte(`{"thoughtSignature":"c2ln"}`)},
		trimtab.ToolCall{ID: "n", Name: "n", Input: []byte(`{"a":1}`)},
	}
	got := r.Close()
	if diff := cmp.Diff(want, got.Message.Parts); diff != "" || got.Stop != wire.StopCalls || !got.Complete {
		t.Errorf("%+v\n%s", got, diff)
	}
}

func TestRepliesThatFail(t *testing.T) {
	for raw, want := range map[string]wire.Result{
		`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}`:     {Fault: "RESOURCE_EXHAUSTED"},
		`[{"error":{"code":500}}]`:                                 {Fault: "error"},
		`{"promptFeedback":{"blockReason":"SAFETY"}}`:              {Stop: wire.StopRefused, Reason: "SAFETY", Complete: true},
		`{"candidates":[{"content":{"parts":[{"text":"half"}]}}]}`: {Message: trimtab.Message{Parts: []trimtab.Part{trimtab.Text{Text: "half", By: trimtab.Model}}}},
	} {
		r := gemini.Format{}.NewReply(true)
		r.Write([]byte(raw))
		want.Message.Role = trimtab.RoleAssistant
		if diff := cmp.Diff(want, r.Close()); diff != "" {
			t.Errorf("%s\n%s", raw, diff)
		}
	}
}

func TestP8_NoNoteBetweenACallAndItsResponse(t *testing.T) {
	const call, response = `{"role":"model","parts":[{"functionCall":{"name":"a"}},{"functionCall":{"name":"b"}}]}`, `{"role":"user","parts":[{"functionResponse":{"name":"a","response":{}}}]}`
	for _, c := range []struct {
		list string
		at   int
		ok   bool
	}{
		{call, 0, true},
		{call, 1, false},
		{call + "," + response, 1, false},
		{call + "," + response, 2, false},
		{call + "," + response + "," + response, 2, false},
		{call + "," + response + "," + response, 3, true},
		{response, 0, false},
	} {
		var b wire.Body
		f := gemini.Format{}
		if err := f.Scan([]byte(`{"contents":[`+c.list+`]}`), &b, nil); err != nil {
			t.Fatal(err)
		}
		if out, err := f.Apply(nil, &b, []wire.Edit{{At: c.at, Texts: []string{"note"}}}); (err == nil) != c.ok {
			t.Errorf("%s, before %d: %v\n%s", c.list, c.at, err, out)
		}
	}
}

func TestResponsesOfTools(t *testing.T) {
	raw := `{"contents":[{"parts":[{"functionResponse":{"name":"a","response":{"output":"x"}}},{"functionResponse":{"id":"i","name":"b","response":{"error":"no"}}},{"functionResponse":{"id":"j","name":"c","response":{"files":[1, 2]}}}]},
		{"role":"user","parts":[{"text":"go"}]},{"parts":[{"text":"no role is the user's"}]}]}`
	var b wire.Body
	f := gemini.Format{}
	if err := f.Scan([]byte(raw), &b, nil); err != nil {
		t.Fatal(err)
	}
	want := []trimtab.Part{trimtab.ToolResult{ID: "a", Text: "x"}, trimtab.ToolResult{ID: "i", Text: "no", Failed: true}, trimtab.ToolResult{ID: "j", Text: `{"files":[1, 2]}`}}
	if diff := cmp.Diff(want, f.Message(&b, 0).Parts); diff != "" {
		t.Error(diff)
	}
	if m := f.Message(&b, 2); !m.IsPrompt() {
		t.Errorf("%+v", m)
	}
}
