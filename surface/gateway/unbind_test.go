package gateway

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestH2b_TheSwitch: it goes into the request where something can be bound, and nothing
// else changes.
func TestH2b_TheSwitch(t *testing.T) {
	const history = `"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"b"}]},{"role":"user","content":"c"}]}`
	for _, c := range []struct{ body, want string }{
		{`{"model":"claude-opus-5-5","thinking":{"type":"adaptive"},` + history, `{"model":"claude-opus-5-5","thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"},"type":"adaptive"},` + history},
		{`{"model":"claude-opus-5-5","thinking": { },` + history, `{"model":"claude-opus-5-5","thinking": {"block_binding":{"prefix_mismatch_behavior":"drop_block"} },` + history},
		{` {"model":"claude-opus-5-5",` + history, ` {"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"model":"claude-opus-5-5",` + history},
		{`{"model":"claude-opus-5-5","thinking":{"type":"disabled"},` + history, ""},
		{`{"model":"claude-opus-5-5","thinking":{"block_binding":{"prefix_mismatch_behavior":"error"}},` + history, ""},
		{`{"model":"claude-opus-5-5","thinking":null,` + history, ""},
		{`{"model":"claude-sonnet-5","thinking":{"type":"adaptive"},` + history, ""},
		{`{"model":"claude-opus-5-5","thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"a"}]}`, ""},
		{`{"model":"claude-opus-5-5","thinking":`, ""},
	} {
		h := http.Header{"Anthropic-Beta": {"one,two"}}
		got, ok := unbind([]byte(c.body), h)
		if ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%s\nbecame %v %s", c.body, ok, got)
		}
		if beta := h.Get("Anthropic-Beta"); ok != strings.Contains(beta, "binding") || !strings.HasPrefix(beta, "one,two") {
			t.Errorf("%s\nhas the header %q", c.body, beta)
		}
	}
}

func FuzzUnbind(f *testing.F) {
	f.Add([]byte(`{"model":"claude-opus-5-5","thinking":{"type":"adaptive"},"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"b"}]}]}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","content":[{"type":"thinking"}]}],"model":"claude-x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, ok := unbind(raw, http.Header{})
		if !ok {
			return
		}
		if json.Valid(raw) && !json.Valid(out) {
			t.Fatalf("%s\nbecame\n%s", raw, out)
		}
		if again, twice := unbind(out, http.Header{}); twice {
			t.Fatalf("twice:\n%s", again)
		}
	})
}
