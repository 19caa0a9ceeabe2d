package fakemodel_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

func TestAnInstanceIsSmallAndValid(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"string", `{"type":"string"}`, `"fake"`},
		{"long string", `{"type":"string","minLength":6}`, `"fake.."`},
		{"short string", `{"type":"string","maxLength":2}`, `"fa"`},
		{"date", `{"type":"string","format":"date"}`, `"2026-01-01"`},
		{"time", `{"type":"string","format":"date-time"}`, `"2026-01-01T00:00:00Z"`},
		{"Gemini's capitals", `{"type":"OBJECT","properties":{"a":{"type":"INTEGER"}},"required":["a"]}`, `{"a":1}`},
		{"limits", `{"type":"integer","minimum":5}`, `5`},
		{"open limit", `{"type":"number","exclusiveMinimum":5}`, `6`},
		{"largest", `{"type":"integer","maximum":-2}`, `-2`},
		{"boolean", `{"type":"boolean"}`, `false`},
		{"null or text", `{"type":["null","string"]}`, `"fake"`},
		{"null", `{"type":"null"}`, `null`},
		{"enum", `{"type":"string","enum":["b","a"]}`, `"b"`},
		{"const", `{"const":{"x":1}}`, `{"x":1}`},
		{"required only", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}`, `{"b":"fake"}`},
		{"required and not described", `{"type":"object","required":["a"]}`, `{"a":"fake"}`},
		{"array", `{"type":"array","minItems":2,"items":{"type":"boolean"}}`, `[false,false]`},
		{"empty array", `{"type":"array","items":{"type":"boolean"}}`, `[]`},
		{"any of", `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `null`},
		{"one of", `{"oneOf":[{"type":"integer"},{"type":"string"}]}`, `1`},
		{"all of", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"null"}},"required":["b"]}]}`, `{"a":"fake","b":null}`},
		{"reference", `{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}}}`, `{"title":"Fake title"}`},
		{"a reference to nowhere", `{"$ref":"#/$defs/x"}`, `"fake"`},
		{"anything", `true`, `"fake"`},
		{"without a type", `{"properties":{"a":{}},"required":["a"]}`, `{"a":"fake"}`},
	} {
		got, err := fakemodel.Instance([]byte(c.schema))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestAnEndlessSchemaIsAnError(t *testing.T) {
	for name, schema := range map[string]string{
		"itself":    `{"$ref":"#"}`,
		"a chain":   `{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`,
		"too many":  `{"type":"array","minItems":1000000,"items":{"type":"null"}}`,
		"too long":  `{"type":"string","minLength":1000000000}`,
		"a tree":    strings.Repeat(`{"type":"array","minItems":9,"items":`, 20) + `true` + strings.Repeat("}", 20),
		"not JSON":  `{`,
		"too twice": `{"type":"string","type":"string"}`,
	} {
		if got, err := fakemodel.Instance([]byte(schema)); err == nil {
			t.Errorf("%s: %.50s", name, got)
		}
	}
}
