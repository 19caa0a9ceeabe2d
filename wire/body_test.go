package wire_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
	"github.com/trimtab/trimtab/wire/gemini"
	"github.com/trimtab/trimtab/wire/openaichat"
	"github.com/trimtab/trimtab/wire/responses"
)

func scanned(t *testing.T, f wire.Format, raw string) *wire.Body {
	t.Helper()
	var b wire.Body
	if err := f.Scan([]byte(raw), &b, nil); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestG2_TheClientsOwnSessionIdIsFound(t *testing.T) {
	for _, c := range []struct {
		format    wire.Format
		raw, want string
	}{
		{anthropic.Format{}, `{"messages":[],"metadata":{"user_id":"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"s-1\"}"}}`, "s-1"},
		{anthropic.Format{}, `{"messages":[],"metadata":{"user_id":"user_ab12_account__session_s-2"}}`, "s-2"},
		{anthropic.Format{}, `{"messages":[],"metadata":{"user_id":"someone"}}`, ""},
		{anthropic.Format{}, `{"messages":[],"metadata":7}`, ""},
		{responses.Format{}, `{"input":[],"prompt_cache_key":"s-3"}`, "s-3"},
		{responses.Format{}, `{"input":[],"prompt_cache_key":"k","client_metadata":{"session_id":"s-4"}}`, "s-4"},
		{responses.Format{}, `{"input":[]}`, ""},
	} {
		if got := scanned(t, c.format, c.raw).Session(); got != c.want {
			t.Errorf("%s: %q, want %q", c.raw, got, c.want)
		}
	}
}

func TestFactsBesideTheMessages(t *testing.T) {
	b := scanned(t, anthropic.Format{}, `{"model":"cl\u0061ude","\u0073tream":true,"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}],
		"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}},{"type":"text","text":"t","cache_control":null}],
		"tools":[{"name":"a","input_schema":{"properties":{"cache_control":{}}},"cache_control":{"type":"ephemeral"}}],"output_config":{"format":{"type":"json_schema"}}}`)
	if b.Model() != "claude" || !b.Stream || b.Marks != 3 || b.Previous() != "" {
		t.Errorf("model %q, stream %v, %d marks", b.Model(), b.Stream, b.Marks)
	}
	if got := string(b.Bytes(b.System)); got[:24] != `[{"type":"text","text":"` {
		t.Errorf("system %s", got)
	}
	if got := string(b.Bytes(b.Tools)); got[:12] != `[{"name":"a"` {
		t.Errorf("tools %s", got)
	}
	if b.Text("output_config", "format", "type") != "json_schema" || b.Find("nothing") != nil || b.Find() != nil || b.Text("tools") != "" {
		t.Error("Find or Text")
	}
}

// codex is a reply that is spread over items, with a hook's words between a call
// and its output, as Codex sends it.
const codex = `{"model":"gpt","previous_response_id":"resp_1","input":[
	{"type":"additional_tools","role":"developer","tools":[]},
	{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]},
	{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>e</environment_context>"}]},
	{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},
	{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"},
	{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look"}]},
	{"type":"function_call","call_id":"a","name":"exec","arguments":"{\"cmd\":1}"},
	{"type":"message","role":"developer","content":"hook"},
	{"type":"custom_tool_call","call_id":"b","name":"patch","input":"*** Begin"},
	{"type":"function_call_output","call_id":"a","output":"done"},
	{"type":"custom_tool_call_output","call_id":"b","output":[{"type":"input_text","text":"ok"},{"type":"input_image","image_url":"data:"}]},
	{"type":"message","role":"assistant","content":"ready"}]}`

func TestItemsOfOneReplyAreOneMessage(t *testing.T) {
	f := responses.Format{}
	b := scanned(t, f, codex)
	var starts []int
	for i, it := range b.Items {
		if !it.Continues {
			starts = append(starts, i)
		}
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 7, 9, 10, 11}, starts); diff != "" {
		t.Fatal(diff)
	}
	want := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{
		trimtab.Opaque{Kind: "reasoning", By: trimtab.Model, Raw: []byte(`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"}`)},
		trimtab.Text{Text: "I look", By: trimtab.Model},
		trimtab.ToolCall{ID: "a", Name: "exec", Input: []byte(`{"cmd":1}`)},
		trimtab.ToolCall{ID: "b", Name: "patch", Input: []byte(`"*** Begin"`)},
	}}
	if diff := cmp.Diff(want, wire.Whole(f, b, 4)); diff != "" {
		t.Error(diff)
	}
	output := []trimtab.Part{trimtab.ToolResult{ID: "b", Text: "ok"}, trimtab.Opaque{Kind: "input_image", By: trimtab.Tool, Raw: []byte(`{"type":"input_image","image_url":"data:"}`)}}
	if diff := cmp.Diff(output, wire.Whole(f, b, 10).Parts); diff != "" {
		t.Error(diff)
	}
	if b.Previous() != "resp_1" || f.Message(b, 2).IsPrompt() || !f.Message(b, 3).IsPrompt() {
		t.Error("what is before this body, or who typed")
	}
	if b.Hash(4) == 0 || b.Hash(5) != 0 || b.Hash(4) == b.Items[5].Hash {
		t.Error("the hash of a reply is of all its items")
	}
	for at, ok := range []bool{true, true, true, true, true, false, false, false, false, false, false, true, true} {
		_, err := f.Apply(nil, b, []wire.Edit{{At: at, Texts: []string{"note"}}})
		if (err == nil) != ok || err != nil && !errors.Is(err, wire.ErrSeat) {
			t.Errorf("before item %d: %v", at, err)
		}
	}
}

// A client may leave its thoughts out of older replies: the reply is the same.
func TestAReplyWithoutItsThoughtsHasTheSameHash(t *testing.T) {
	f := responses.Format{}
	with := scanned(t, f, `{"input":[{"type":"reasoning","id":"r","summary":[]},{"role":"assistant","content":"a"},{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}]}`)
	without := scanned(t, f, `{"input":[{"type":"message","id":"m","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]},{"type":"function_call","id":"fc","call_id":"c","name":"n","arguments":"{}"}]}`)
	if with.Hash(0) != without.Hash(0) || with.Hash(0) == 0 {
		t.Errorf("%x and %x", with.Hash(0), without.Hash(0))
	}
}

// A session's ledger outlives the program: the hash of a message may not change
// from one version to the next.
func TestHashesStayWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		format wire.Format
		raw    string
		want   uint64
	}{
		{anthropic.Format{}, `{"messages":[{"role":"user","content":"hello"}]}`, 0xfb7e9974d4a1b49b},
		{anthropic.Format{}, `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"n","input":{"a":[1,true,null,"x"]}}]}]}`, 0x16e2ffe2fbc1733},
		{openaichat.Format{}, `{"messages":[{"role":"tool","tool_call_id":"i","content":[{"type":"text","text":"x"}]}]}`, 0xfb3bc438828f760},
		{responses.Format{}, `{"input":[{"type":"function_call","call_id":"i","name":"n","arguments":"{}"}]}`, 0x7416860f9ef38582},
		{gemini.Format{}, `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"n","args":{}}}]}]}`, 0x4a29c2bb2cebdc74},
	} {
		if got := scanned(t, c.format, c.raw).Hash(0); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.raw, got, c.want)
		}
	}
}
