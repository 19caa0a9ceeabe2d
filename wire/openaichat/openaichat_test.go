package openaichat_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/openaichat"
)

func TestP8_WhereANoteStands(t *testing.T) {
	const (
		s    = `{"role":"system","content":"s"}`
		u    = `{"role":"user","content":"u"}`
		c    = `{"role":"assistant","content":null,"tool_calls":[{"id":"a"},{"id":"b"}]}`
		a, b = `{"role":"tool","tool_call_id":"a","content":"x"}`, `{"role":"tool","tool_call_id":"b","content":"y"}`
		n    = `{"role":"user","content":"one\n\ntwo"}`
	)
	for _, x := range []struct {
		list string
		at   int
		want string
	}{
		{s + `,` + u, 0, s + `,` + n + `,` + u}, // the system's words stay first
		{s + `,` + u, 1, s + `,` + n + `,` + u},
		{s + `,` + s, 0, s + `,` + s + `,` + n},
		{u + `,` + c + `,` + a + `,` + b, 2, ""},
		{u + `,` + c + `,` + a + `,` + b, 3, ""},
		{u + `,` + c + `,` + a + `,` + b, 4, u + `,` + c + `,` + a + `,` + b + `,` + n},
		{u + `,` + c + `,` + a, 3, ""}, // b is open
		{u + `,` + c, 2, ""},
		{u + `,` + a, 1, ""}, // whose call the client has cut away
		{``, 0, n},
	} {
		var body wire.Body
		f := openaichat.Format{}
		if err := f.Scan([]byte(`{"messages":[`+x.list+`]}`), &body, nil); err != nil {
			t.Fatal(err)
		}
		out, err := f.Apply(nil, &body, []wire.Edit{{At: x.at, Texts: []string{"one", "two"}}})
		if x.want == "" != errors.Is(err, wire.ErrSeat) || x.want != "" && string(out) != `{"messages":[`+x.want+`]}` {
			t.Errorf("%s, before %d: %v\n%s", x.list, x.at, err, out)
		}
	}
}

func TestTheSystemIsNotFoldedAway(t *testing.T) {
	var body wire.Body
	f := openaichat.Format{}
	if err := f.Scan([]byte(`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}`), &body, nil); err != nil {
		t.Fatal(err)
	}
	// Two guards stand here; the first says what it is about.
	if _, err := f.Apply(nil, &body, []wire.Edit{{At: 0, Drop: 2, Texts: []string{"x"}}}); !errors.Is(err, wire.ErrSeat) || !strings.Contains(err.Error(), "the system's") {
		t.Error(err)
	}
}

func TestStreamsOfOtherServers(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      []trimtab.Part
		stop      wire.Stop
	}{
		{
			"calls without an index", `data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"y","arguments":{"k":1}}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n",
			[]trimtab.Part{trimtab.ToolCall{ID: "a", Name: "x", Input: []byte("{}")}, trimtab.ToolCall{ID: "b", Name: "y", Input: []byte(`{"k":1}`)}},
			wire.StopCalls,
		},
		{
			"a name that is repeated", `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\""}}]}}]}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":":1}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n",
			[]trimtab.Part{trimtab.ToolCall{ID: "a", Name: "x", Input: []byte(`{"k":1}`)}},
			wire.StopCalls,
		},
		{
			"reasoning under both names", `data: {"choices":[{"delta":{"reasoning":"t","reasoning_content":"t"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
			[]trimtab.Part{trimtab.Opaque{Kind: "reasoning", By: trimtab.Model, Raw: []byte(`"t"`)}, trimtab.Text{Text: "x", By: trimtab.Model}},
			wire.StopEnd,
		},
		{
			"arguments that were cut off", `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"k"}}]},"finish_reason":"length"}]}` + "\n\ndata: [DONE]\n\n",
			[]trimtab.Part{trimtab.ToolCall{ID: "a", Name: "x", Input: []byte(`"{\"k"`)}},
			wire.StopLength,
		},
		{
			"another choice", `data: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"},"finish_reason":"content_filter"}]}` + "\n\ndata: [DONE]\n\n",
			[]trimtab.Part{trimtab.Text{Text: "yes", By: trimtab.Model}},
			wire.StopRefused,
		},
	} {
		r := openaichat.Format{}.NewReply(true)
		r.Write([]byte(c.raw))
		got := r.Close()
		if diff := cmp.Diff(c.want, got.Message.Parts); diff != "" || got.Stop != c.stop || !got.Complete {
			t.Errorf("%s: %+v\n%s", c.name, got, diff)
		}
	}
	r := openaichat.Format{}.NewReply(false)
	r.Write([]byte(`{"error":{"message":"x","type":"invalid_request_error"}}`))
	if got := r.Close(); got.Complete || got.Fault != "invalid_request_error" {
		t.Errorf("%+v", got)
	}
}
