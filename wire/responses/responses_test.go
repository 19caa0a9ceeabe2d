package responses_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/responses"
)

// A text in the place of the list becomes an array around the same literal.
func TestABareInputKeepsItsLiteral(t *testing.T) {
	const n = `{"type":"message","role":"user","content":[{"type":"input_text","text":"note"}]}`
	const typed = `{"type":"message","role":"user","content":[{"type":"input_text","text":"h\u0069 \/"}]}`
	for _, c := range []struct {
		edits []wire.Edit
		want  string
	}{
		{nil, `"h\u0069 \/"`},
		{[]wire.Edit{{At: 1, Texts: []string{"note"}}}, "[" + typed + "," + n + "]"},
		{[]wire.Edit{{At: 0, Texts: []string{"note"}}}, "[" + n + "," + typed + "]"},
		{[]wire.Edit{{At: 0, Texts: []string{"note"}}, {At: 0, Texts: []string{"note"}}, {At: 1, Texts: []string{"note"}}, {At: 1, Texts: []string{"note"}}}, "[" + n + "," + n + "," + typed + "," + n + "," + n + "]"},
		{[]wire.Edit{{At: 0, Drop: 1, Texts: []string{"note"}}}, "[" + n + "]"},
		{[]wire.Edit{{At: 0, Drop: 1, Texts: []string{"note"}}, {At: 1, Texts: []string{"note"}}}, "[" + n + "," + n + "]"},
	} {
		var b wire.Body
		f := responses.Format{}
		if err := f.Scan([]byte(`{"model":"m", "input" : "h\u0069 \/" ,"x":1}`), &b, nil); err != nil {
			t.Fatal(err)
		}
		out, err := f.Apply(nil, &b, c.edits)
		if want := `{"model":"m", "input" : ` + c.want + ` ,"x":1}`; err != nil || string(out) != want {
			t.Errorf("%+v: %v\n%s\nwant\n%s", c.edits, err, out, want)
		}
		if m := f.Message(&b, 0); m.Typed() != "hi /" {
			t.Errorf("typed %q", m.Typed())
		}
		var array wire.Body
		if err := f.Scan([]byte(`{"input":[{"role":"user","content":"h\u0069 \/"}]}`), &array, nil); err != nil || array.Hash(0) != b.Hash(0) {
			t.Errorf("the same words in an array: %v, %x and %x", err, array.Hash(0), b.Hash(0))
		}
	}
}

func TestRepliesThatFail(t *testing.T) {
	item := `data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m"}}` + "\n\n" + `data: {"type":"response.output_text.delta","output_index":0,"delta":"half"}` + "\n\n"
	for _, c := range []struct{ name, raw, fault, text string }{
		{"failed", item + `data: {"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded"},"output":[]}}` + "\n\n", "rate_limit_exceeded", "half"},
		{"an error event", item + `data: {"type":"error","code":"server_error","message":"x"}` + "\n\n", "server_error", "half"},
		{"a refused request", `{"error":{"type":"invalid_request_error","code":null}}`, "invalid_request_error", ""},
		{"cut", item, "", "half"},
		{"cancelled", item + `data: {"type":"response.completed","response":{"status":"cancelled","output":[]}}` + "\n\n", "", "half"},
	} {
		r := responses.Format{}.NewReply(true)
		r.Write([]byte(c.raw))
		if got := r.Close(); got.Complete || got.Fault != c.fault || got.Message.Text() != c.text {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Only the last event came whole, or a provider sends nothing else.
func TestTheLastEventIsEnough(t *testing.T) {
	r := responses.Format{}.NewReply(true)
	r.Write([]byte(`data: {"type":"response.completed","response":{"model":"m","status":"completed","output":[{"type":"local_shell_call","call_id":"c","action":{"command":["ls"]}},{"type":"web_search_call","id":"w"}],"usage":{"input_tokens":5,"output_tokens":2}}}` + "\n\n"))
	want := wire.Result{Stop: wire.StopCalls, Reason: "completed", Complete: true, Message: trimtab.Message{
		Role: trimtab.RoleAssistant, Model: "m", Usage: &trimtab.Usage{Input: 5, Output: 2},
		Parts: []trimtab.Part{
			trimtab.ToolCall{ID: "c", Name: "local_shell", Input: []byte(`{"command":["ls"]}`)},
			trimtab.Opaque{Kind: "web_search_call", By: trimtab.Model, Raw: []byte(`{"type":"web_search_call","id":"w"}`)},
		},
	}}
	if diff := cmp.Diff(want, r.Close()); diff != "" {
		t.Error(diff)
	}
}
