package loop

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

func TestCallsAreEqualWhateverTheOrderOfTheirKeys(t *testing.T) {
	key := func(name, input string) uint64 { return callKey(name, []byte(input)) }
	base := key("Read", `{"path":"a.go","lines":[1,2],"deep":{"x":1,"y":"two"}}`)
	for _, same := range []string{
		`{"lines":[1,2],"deep":{"y":"two","x":1},"path":"a.go"}`,
		"{\n  \"path\" : \"a.go\",\n  \"lines\" : [ 1 , 2 ],\n  \"deep\" : { \"x\" : 1, \"y\" : \"two\" }\n}\n",
	} {
		if key("Read", same) != base {
			t.Errorf("%s is another call", same)
		}
	}
	for _, other := range []string{
		`{"path":"b.go","lines":[1,2],"deep":{"x":1,"y":"two"}}`,
		`{"path":"a.go","lines":[2,1],"deep":{"x":1,"y":"two"}}`,
		`{"path":"a.go","lines":[1,2],"deep":{"x":1,"y":"two","z":null}}`,
		`{"path":"a.go","lines":[1,2],"deep":{"x":"1","y":"two"}}`,
		`{"path":"a.go","lines":[1,2]}`,
		`{}`, ``, `[]`, `"a.go"`, `{"path":"a.go",`,
	} {
		if key("Read", other) == base {
			t.Errorf("%s is the same call", other)
		}
	}
	if key("Write", `{}`) == key("Read", `{}`) {
		t.Error("two tools are the same call")
	}
}

func TestAsidesDoNotCount(t *testing.T) {
	a := callKey("Bash", []byte(`{"command":"make","description":"Build it"}`), asides...)
	b := callKey("Bash", []byte(`{"description":"Build it once more","command":"make","timeout":9}`), asides...)
	c := callKey("Bash", []byte(`{"command":"make test","description":"Build it"}`), asides...)
	if a != b || a == c {
		t.Errorf("make %x, make %x, make test %x; want the first two alike", a, b, c)
	}
	if callKey("think", []byte(`{"thought":"one"}`), asides...) == callKey("think", []byte(`{"thought":"two"}`), asides...) {
		t.Error("two thoughts are one call: nothing else was said")
	}
}

func TestTextOfAField(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{`{"x":1,"cmd":"ls","command":"make\n\"all\""}`, "make\n\"all\""}, // the first key that is asked for wins
		{`{"cmd":"ls"}`, "ls"},
		{`{"command":7,"cmd":"ls"}`, "ls"},
		{`{"command":"","cmd":"ls"}`, "ls"},
		{`{"other":"ls"}`, ""},
		{`not json`, ""},
		{`{"command":"unfinished`, ""},
		{`{"command":"` + strings.Repeat(`é`, 100) + `"}`, strings.Repeat("é", 10)},
		{`{"command":"` + strings.Repeat(`\\`, 400) + `"}`, strings.Repeat(`\`, 20)},
		{`{"command":"` + strings.Repeat(`\u00e9`, 400) + `"}`, strings.Repeat("é", 10)},
	} {
		if got := text([]byte(c.input), 20, "command", "cmd"); got != c.want {
			t.Errorf("%.60s: %q, want %q", c.input, got, c.want)
		}
	}
}

func FuzzFields(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1}`, `{"a":{"b":[1,"two",null,true]},"c":"d\"e"}`, `{"a":1,}`, `{"a" "b"}`, `[1,2`, `"`, `{"\u0061":"\ud83d\ude00"}`,
		strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100), "{\"a\":\"\xff\"}", `{"a":1}{"b":2}`, ` { "k" : - } `, `{"a":"one","b":"two"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		callKey("t", raw)
		callKey("t", raw, "a")
		got := text(raw, 10, "a", "b")
		if len(got) > 10 {
			t.Fatalf("text of %d bytes", len(got))
		}
		// Of two members with one name either may be read, encoding/json takes the last.
		var want map[string]any
		if json.Unmarshal(raw, &want) != nil || bytes.Count(raw, []byte(":")) > len(want) {
			return
		}
		for _, key := range []string{"a", "b"} {
			if s, ok := want[key].(string); ok && s != "" {
				if cut := trimtab.Clip(s, 10); got != cut {
					t.Fatalf("%s: %q, want %q", raw, got, cut)
				}
				return
			}
		}
		if got != "" {
			t.Fatalf("%s: %q, want nothing", raw, got)
		}
	})
}
