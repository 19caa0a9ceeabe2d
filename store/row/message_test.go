package row

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

func encoded(t testing.TB, m trimtab.Message) string {
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMessage_TakesTheShortWayForWhatWeWrite(t *testing.T) {
	for i := range 3 {
		m, ok := plain([]byte(encoded(t, storetest.Sample(i))))
		if !ok {
			t.Errorf("took the long way for %v", storetest.Sample(i))
		}
		if diff := cmp.Diff(encoded(t, storetest.Sample(i)), encoded(t, m)); diff != "" {
			t.Error(diff)
		}
	}
}

// FuzzMessage holds the short way to the root's reader.
func FuzzMessage(f *testing.F) {
	for i := range 3 {
		f.Add(encoded(f, storetest.Sample(i)))
	}
	f.Add(encoded(f, trimtab.Message{Role: trimtab.RoleUser, From: "todo", At: time.Unix(1, 5).UTC(), Parts: []trimtab.Part{
		trimtab.Text{Text: "tab\t\"quote\" <b> \u2028 🚢", Raw: []byte{0xff}},
		trimtab.ToolResult{ID: "c", Failed: true},
		trimtab.Opaque{Kind: "image", Raw: []byte(`{"a":[1,"}"]}`)},
		trimtab.ToolCall{ID: "c", Input: []byte(`{"a":{"b":"\\\"}"}}`)},
	}}))
	for _, s := range []string{
		"", "{}", "null", "[]", `{"role":"user","content":"hi"}`, `{"role":"user","content":null}`, `{"ROLE":"user"}`,
		`{"role":"user","role":"tool"}`, `{ "role":"user"}`, `{"role":"user"}x`, `{"at":"2026-11-15T09:00:00+25:00"}`,
		`{"content":[{"type":"text"}]}`, `{"content":[{"type":"text","text":"\ud83d"}]}`, `{"content":[{"type":"text","text":"\ud83d\ude00\u00e9\/"}]}`,
		`{"content":[{"type":"text","text":"\x"}]}`, `{"content":[{"text":"x","type":"text"}]}`, "{\"id\":\"\xff\"}", "{\"id\":\"\x01\"}",
		`{"content":[{"type":"tool_call","id":"c","name":"n","input":{"a":1]}]}`, `{"content":[{"type":"tool_call","input":{]}}]}`,
		`{"usage":{"input":01}}`, `{"usage":{"input":-1}}`, `{"usage":{"input":99999999999}}`, `{"usage":{}}`, `{"usage":null}`,
		`{"content":[{"type":"tool_result","id":"c","failed":false}]}`, `{"content":[],}`, `{"\u000\\"`, `{"content":[{"type":"later","x":1}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, ok := plain([]byte(body))
		if !ok {
			return
		}
		var want trimtab.Message
		if err := json.Unmarshal([]byte(body), &want); err != nil {
			t.Fatalf("%q: read, though it is %v", body, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\ngot  %#v\nwant %#v", body, got, want)
		}
	})
}
