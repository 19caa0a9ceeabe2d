package anthropic_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
	"github.com/trimtab/trimtab/wire/wiretest"
)

// The items of these conversations: u a prompt, a a reply, c a reply that calls a
// tool, r its result, s a system message, x a reply in which a tool of the
// provider runs and calls back, y one that calls back again, z one in which that
// tool is done, n our note.
var items = map[byte]string{
	'u': `{"role":"user","content":"u"}`,
	'a': `{"role":"assistant","content":"a"}`,
	'c': `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"i%d","name":"n","input":{}}]}`,
	'r': `{"role":"user","content":[{"type":"tool_result","tool_use_id":"i%d","content":"x"}]}`,
	's': `{"role":"system","content":"s"}`,
	'x': `{"role":"assistant","content":[{"type":"server_tool_use","id":"v","name":"code_execution","input":{}},{"type":"tool_use","id":"i%d","name":"n","input":{},"caller":{"type":"code_execution_20250825","tool_id":"v"}}]}`,
	'y': `{"role":"assistant","content":[{"type":"tool_use","id":"i%d","name":"n","input":{}}]}`,
	'z': `{"role":"assistant","content":[{"type":"code_execution_tool_result","tool_use_id":"v","content":{}},{"type":"text","text":"z"}]}`,
	'n': `{"role":"user","content":[{"type":"text","text":"note"}]}`,
}

func body(shape string) string {
	var list []string
	calls := 0
	for i := range len(shape) {
		if strings.IndexByte("cxy", shape[i]) >= 0 {
			calls++
		}
		list = append(list, strings.ReplaceAll(items[shape[i]], "%d", strconv.Itoa(calls)))
	}
	return `{"model":"claude-opus-5","max_tokens":9,"messages":[` + strings.Join(list, ",") + `]}`
}

func TestP8_WhereANoteStands(t *testing.T) {
	for _, c := range []struct {
		shape string
		at    int
		want  string // "" is refused
	}{
		{"u", 0, "nu"},
		{"u", 1, "un"},
		{"", 0, "n"},
		{"ua", 2, "uan"},
		{"uau", 2, "uanu"},
		{"ucr", 2, ""}, // between a call and its result
		{"ucr", 3, "ucrn"},
		{"uc", 2, ""}, // the call is open
		{"ucrau", 3, "ucrnau"},
		{"us", 2, "uns"}, // not behind a system message, which a reply must follow
		{"us", 1, "uns"},
		{"usa", 2, "unsa"},
		{"ucrs", 4, "ucrns"},
		{"ucrsau", 4, "ucrnsau"},
		{"usau", 3, "usanu"},
		{"uaus", 4, "uauns"},
		{"uxr", 3, "unxr"}, // beside such results nothing may stand
		{"uxryr", 5, "unxryr"},
		{"uxryr", 3, "unxryr"},
		{"uxrz", 4, "uxrzn"},
		{"uxrzcr", 6, "uxrzcrn"},
		{"uxr", 2, ""},
		{"uau" + "xr", 5, "uaunxr"},
	} {
		var b wire.Body
		f := anthropic.Format{}
		if err := f.Scan([]byte(body(c.shape)), &b, nil); err != nil {
			t.Fatal(err)
		}
		out, err := f.Apply(nil, &b, []wire.Edit{{At: c.at, Texts: []string{"note"}}})
		switch {
		case c.want == "" && !errors.Is(err, wire.ErrSeat):
			t.Errorf("%s, before %d: %v\n%s", c.shape, c.at, err, out)
		case c.want != "" && string(out) != body(c.want):
			t.Errorf("%s, before %d: %v\n%s\nwant %s", c.shape, c.at, err, out, c.want)
		}
		if err := wiretest.Anthropic().Check(out); c.want != "" && err != nil {
			t.Errorf("%s, before %d: %v", c.shape, c.at, err)
		}
	}
}

func TestFoldsBesideSystemMessages(t *testing.T) {
	for _, c := range []struct {
		shape    string
		at, drop int
		want     string
	}{
		{"uauau", 1, 2, "unau"},
		{"ucrau", 1, 2, "unau"},
		{"ucrau", 1, 1, ""},
		{"ucrau", 2, 1, ""},
		{"usaua", 2, 1, ""}, // a user message would follow the system message
		{"usaa", 2, 1, "unsa"},
		{"usa", 2, 1, "uns"},
		{"usau", 0, 2, "nau"},
		{"uxrz", 1, 2, ""}, // the tool's own result would be left alone
		{"uxrzu", 1, 3, "unu"},
	} {
		var b wire.Body
		f := anthropic.Format{}
		if err := f.Scan([]byte(body(c.shape)), &b, nil); err != nil {
			t.Fatal(err)
		}
		out, err := f.Apply(nil, &b, []wire.Edit{{At: c.at, Drop: c.drop, Texts: []string{"note"}}})
		switch {
		case c.want == "" && !errors.Is(err, wire.ErrSeat):
			t.Errorf("%s, %d from %d: %v\n%s", c.shape, c.drop, c.at, err, out)
		case c.want != "" && string(out) != body(c.want):
			t.Errorf("%s, %d from %d: %v\n%s\nwant %s", c.shape, c.drop, c.at, err, out, c.want)
		}
	}
}

func TestThePartsOfAMessage(t *testing.T) {
	raw := `{"messages":[
		{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"I look"},{"type":"tool_use","id":"i","name":"Bash","input":{"command": "ls"}},{"type":"server_tool_use","id":"v","name":"web_search","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","is_error":true,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"image","source":{}}]},{"type":"text","text":"[Request interrupted by user for tool use]"},{"type":"text","text":"do it so"}]},
		{"role":"user","content":[{"type":"image","source":{"data":"` + strings.Repeat("A", 20000) + `"}},{"type":"text","text":"bad ` + "\xff" + `"}]}]}`
	var b wire.Body
	f := anthropic.Format{}
	if err := f.Scan([]byte(raw), &b, nil); err != nil {
		t.Fatal(err)
	}
	want := []trimtab.Message{
		{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{
			trimtab.Opaque{Kind: "thinking", By: trimtab.Model, Raw: []byte(`{"type":"thinking","thinking":"t","signature":"s"}`)},
			trimtab.Text{Text: "I look", By: trimtab.Model},
			trimtab.ToolCall{ID: "i", Name: "Bash", Input: []byte(`{"command": "ls"}`)},
			trimtab.Opaque{Kind: "server_tool_use", By: trimtab.Model, Raw: []byte(`{"type":"server_tool_use","id":"v","name":"web_search","input":{}}`)},
		}},
		{Role: trimtab.RoleUser, Parts: []trimtab.Part{
			trimtab.ToolResult{ID: "i", Text: "a\nb", Failed: true},
			trimtab.Opaque{Kind: "image", By: trimtab.Tool, Raw: []byte(`{"type":"image","source":{}}`)},
			trimtab.Text{Text: "[Request interrupted by user for tool use]", By: trimtab.Host},
			trimtab.Text{Text: "do it so", By: trimtab.Person},
		}},
		{Role: trimtab.RoleUser, Parts: []trimtab.Part{
			trimtab.Opaque{Kind: "image", By: trimtab.Host},
			trimtab.Text{Text: "bad \ufffd", By: trimtab.Person, Raw: []byte("\"bad \xff\"")},
		}},
	}
	for i := range want {
		if diff := cmp.Diff(want[i], f.Message(&b, i)); diff != "" {
			t.Errorf("message %d:\n%s", i, diff)
		}
	}
}
