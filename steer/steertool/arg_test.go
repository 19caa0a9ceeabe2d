package steertool

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/trimtab/trimtab/steer"
)

// session is what the MCP server adds to every tool.
var session = TextArg("session", 128, "id of the session")

// every returns all tools of the whole lineup.
func every(t testing.TB) []Tool {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return FromCommands(engine.Commands())
}

func resolved(t testing.TB, of Tool) *jsonschema.Resolved {
	raw, err := json.Marshal(of.Schema(session))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The schema tells a client what to send; the check decides. Where they disagree,
// a client does right and is refused, or does wrong and is not.
func TestTheSchemaAndTheCheckAgree(t *testing.T) {
	all := every(t)
	schemas := map[string]*jsonschema.Resolved{}
	for _, one := range all {
		schemas[one.Name] = resolved(t, one)
	}
	values := rapid.OneOf(
		rapid.Just[any](nil), rapid.Just[any](""), rapid.Just[any]("completed"), rapid.Just[any]("auto"), rapid.Just[any]("f1"),
		rapid.Just[any](strings.Repeat("ä", 1000)), rapid.Just[any](strings.Repeat("x", 1001)), rapid.Just[any](strings.Repeat("x", 4001)),
		rapid.Just[any](true), rapid.Just[any](0), rapid.Just[any](1), rapid.Just[any](-1), rapid.Just[any](100), rapid.Just[any](101), rapid.Just[any](2.5), rapid.Just[any](1e12),
		rapid.Just[any]([]any{}), rapid.Just[any]([]any{"duration"}), rapid.Just[any]([]any{"a", 1}), rapid.Just[any]([]any{nil}), rapid.Just[any](map[string]any{}),
		rapid.Just[any](slices.Repeat([]any{"a"}, maxItems)), rapid.Just[any](slices.Repeat([]any{"a"}, maxItems+1)), rapid.Just[any](slices.Repeat([]any{"duration"}, 8)),
		rapid.Map(rapid.SliceOfN(rapid.String(), 0, 60), func(s []string) any { return s }),
	)
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.SampledFrom(all).Draw(t, "tool")
		in := map[string]any{}
		for _, a := range one.arguments(session) {
			if rapid.Bool().Draw(t, "given") {
				in[a.name] = values.Draw(t, a.name)
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "more") == 0 {
			in["more"] = 1
		}
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > maxInput {
			t.Skip("beyond what any call may hold")
		}
		_, err = one.Read(raw, session)
		var plain map[string]any
		if err := json.Unmarshal(raw, &plain); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(plain, func(_ string, v any) bool { return v == nil }) // null counts as not given
		said := schemas[one.Name].Validate(plain)
		if (err == nil) != (said == nil) {
			t.Fatalf("%s %s\ncheck:  %v\nschema: %v", one.Name, raw, err, said)
		}
	})
}

func TestEveryBoundHoldsOnBothSides(t *testing.T) {
	for _, one := range every(t) {
		for _, a := range one.arguments(session) {
			item, long := "", "none of them"
			switch {
			case len(a.enum) > 0:
				item = a.enum[0]
			case a.kind == text || a.kind == strList:
				item, long = strings.Repeat("ä", a.max), strings.Repeat("ä", a.max+1)
			}
			var good, bad []any
			switch a.kind {
			case text:
				good, bad = []any{item}, []any{long}
			case whole:
				good, bad = []any{a.min, a.max}, []any{a.min - 1, a.max + 1}
			case yes:
				good, bad = []any{true, false}, []any{"true", 1}
			case strList:
				good, bad = []any{[]string{item}, slices.Repeat([]string{"duration"}, a.items)}, []any{[]string{long}, slices.Repeat([]string{"duration"}, a.items+1)}
			}
			for fits, values := range map[bool][]any{true: good, false: bad} {
				for _, v := range values {
					raw, err := json.Marshal(map[string]any{a.name: v})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := read([]Arg{a}, raw); (err == nil) != fits {
						t.Errorf("%s %s %.80s: %v", one.Name, a.name, raw, err)
					}
				}
			}
		}
	}
}

func TestEveryToolNameFitsEveryHost(t *testing.T) {
	for _, one := range every(t) {
		if len(one.Name) > 40 || strings.ContainsAny(one.Name, "-. ") {
			t.Errorf("%s: hosts put a prefix before it and take 64 letters, digits and _", one.Name)
		}
	}
}

func TestWholeNumbersArriveAsWholeNumbers(t *testing.T) {
	args := []Arg{countArg("n", "")}
	got, err := read(args, json.RawMessage(`{"n": 3.0}`))
	if err != nil || got["n"] != 3 {
		t.Errorf("%v %v", got, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{``, `{}`, `null`, `[]`, `{"goal":"x"}`, `{"goal":null}`, `{"goals":["a"],"parent":"f1"}`, `{"pushThreshold":1e400}`, `{"goal":"\ud800"}`, `{"session":"a:b","id":7}`, `{"goal":`, "{\"goals\":\"\xb1\"}"} {
		f.Add([]byte(seed))
	}
	all := every(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, one := range all {
			in, err := one.Read(raw, session)
			if err != nil {
				if len(err.Error()) > 2000 || !utf8.ValidString(err.Error()) {
					t.Errorf("%s: %d bytes of error: %q", one.Name, len(err.Error()), err)
				}
				continue
			}
			delete(in, "session")
			ev, err := one.Event(in)
			if err != nil {
				t.Errorf("%s: %v", one.Name, err)
			}
			if !one.words && len(ev.Args) > 1 && !json.Valid([]byte(ev.Args[1])) {
				t.Errorf("%s asks %q", one.Name, ev.Args)
			}
		}
	})
}
