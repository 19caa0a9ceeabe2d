package config_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/trimtab/trimtab/internal/config"
)

func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := config.Schema[settings]("https://example.org/s.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// agree checks that the schema and Load give the same answer to a file.
func agree(t rapid.TB, s *jsonschema.Resolved, text string) (taken bool) {
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	cfg, report := config.Load[settings](user(text))
	err := s.Validate(doc)
	if taken = len(report.Problems) == 0; taken != (err == nil) {
		t.Fatalf("%s\nLoad: %v\nschema: %v", text, lines(report), err)
	}
	if taken {
		again(t, cfg, text)
	}
	return taken
}

// again checks that a config written out as a file loads as the same one.
func again(t rapid.TB, cfg settings, text string) {
	cfg.Untagged, cfg.Hidden = nil, nil
	raw := map[string]any{}
	report := config.Report{}
	for _, e := range config.Entries(cfg, report) {
		put(raw, e.Key, e.Value)
	}
	file, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	got, report := config.Load[settings](user(string(file)))
	if len(report.Problems) > 0 {
		t.Fatalf("%s\nwritten out as\n%s\n%v", text, file, lines(report))
	}
	if a, b := fmt.Sprint(config.Entries(cfg, config.Report{})), fmt.Sprint(config.Entries(got, config.Report{})); a != b {
		t.Fatalf("%s\nloads as\n%s\nthen as\n%s", text, a, b)
	}
}

func put(into map[string]any, path string, value json.RawMessage) {
	most := 3 // a section, a key, and below it an entry of a map
	if strings.HasPrefix(path, "plugins.") {
		most = 5 // a section, a key, an entry, a key, and an entry of that
	}
	names := strings.SplitN(path, ".", most)
	for _, name := range names[:len(names)-1] {
		next, ok := into[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			into[name] = next
		}
		into = next
	}
	into[names[len(names)-1]] = value
}

func TestTheSchemaAndLoadAgreeOnEveryKeyAndKindOfValue(t *testing.T) {
	s := resolved(t)
	values := []string{
		"null", "true", "false", "0", "1", "-1", "8", "0.5", "0.0005", "1.5", "100", "101", "1000", "1001", "86401", "9007199254740991", "9007199254740992",
		`""`, `"x"`, `"8"`, `"strict"`, `"auto"`, `"AUTO"`, `"http"`, `"depth"`, "[]", `["x"]`, `["depth","topic"]`, "[1]", "[null]", "{}", `{"a":"b"}`, `{"a":1}`, `{"a":null}`, `{"enabled":true}`,
		`{"a":{}}`, `{"a":{"command":"x","args":["y"],"env":{"A":"b"},"trust":true,"retries":0,"kind":"http"}}`, `{"a":{"comand":"x"}}`, `{"a":{"args":[1]}}`, `{"a b":{}}`, `{"":{}}`, `{"command":"x"}`,
	}
	taken := map[string]int{}
	paths := []string{"$schema", "nosuch", "steering", "steering.nosuch", "forge", "gateway.upstreams.any"}
	for _, k := range config.Keys[settings]() {
		paths = append(paths, k.Path)
	}
	for _, k := range config.Keys[plugin]() {
		paths = append(paths, "plugins.servers.any."+k.Path)
	}
	paths = append(paths, "plugins.servers.any", "plugins.servers.any.nosuch", "plugins.own.any.env.X", "plugins.servers.not/a/name.nosuch", "plugins.servers."+strings.Repeat("x", 65)+".nosuch", "plugins.servers."+strings.Repeat("x", 64))
	for _, path := range paths {
		for _, v := range values {
			names := strings.Split(path, ".")
			text := v
			for _, name := range slices.Backward(names) {
				text = fmt.Sprintf("{%q: %s}", name, text)
			}
			if agree(t, s, text) {
				taken[path]++
			}
		}
	}
	for _, path := range paths {
		if never := strings.HasSuffix(path, "nosuch"); never != (taken[path] == 0) {
			t.Errorf("%s took %d of %d values", path, taken[path], len(values))
		}
	}
}

// TestTheSchemaAndLoadAgree: over files put together at random, the schema
// holds what Load takes without a problem for valid, and nothing else.
func TestTheSchemaAndLoadAgree(t *testing.T) {
	s := resolved(t)
	taken, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		file := map[string]any{}
		keys := config.Keys[settings]()
		for range rapid.IntRange(0, 5).Draw(t, "keys") {
			k := rapid.SampledFrom(keys).Draw(t, "key")
			raw, err := json.Marshal(valueFor(t, k))
			if err != nil {
				t.Fatal(err)
			}
			path := k.Path
			if rapid.IntRange(0, 30).Draw(t, "slip") == 0 {
				path += "x"
			}
			put(file, path, raw)
		}
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		if agree(t, s, string(text)) {
			taken++
		} else {
			refused++
		}
	})
	if least := (taken + refused) / 10; taken < least || refused < least {
		t.Errorf("%d files taken, %d refused: the test shows little", taken, refused)
	}
}

// valueFor draws a value that fits the key, and now and then one that may not.
func valueFor(t *rapid.T, k config.Key) any {
	word := rapid.SampledFrom(append([]string{"", "a", "strict", "é\u2028<&>", "depth"}, k.Field.Enum...))
	number := rapid.IntRange(-2, 1100)
	fits := map[string]func() any{
		"bool":    func() any { return rapid.Bool().Draw(t, "bool") },
		"int":     func() any { return number.Draw(t, "int") },
		"float64": func() any { return float64(number.Draw(t, "thousandths")) / 1000 },
		"string":  func() any { return word.Draw(t, "text") },
		"slice":   func() any { return rapid.SliceOfN(word, 0, 3).Draw(t, "list") },
		"map":     func() any { return rapid.MapOfN(rapid.StringMatching(`[a-z.]{1,4}`), word, 0, 3).Draw(t, "map") },
	}
	if k.Type.Kind() == reflect.Map && k.Type.Elem().Kind() == reflect.Struct {
		fits["map"] = func() any { return entriesFor(t) }
	}
	kind := k.Type.Kind().String()
	if rapid.IntRange(0, 12).Draw(t, "wrong") == 0 {
		kind = rapid.SampledFrom([]string{"bool", "int", "float64", "string", "slice", "map", "null"}).Draw(t, "kind")
	}
	if kind == "null" {
		return nil
	}
	return fits[kind]() // json.Marshal writes 8.0 as 8, so that the one form on which they differ does not occur
}

// entriesFor draws entries, each with a few keys.
func entriesFor(t *rapid.T) map[string]any {
	all := map[string]any{}
	names := rapid.OneOf(rapid.StringMatching(`[a-z0-9_-]{1,4}`), rapid.SampledFrom([]string{"ok", "OK", "not ok", "a.b", ""}))
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		entry := map[string]any{}
		for _, k := range config.Keys[plugin]() {
			if rapid.IntRange(0, 2).Draw(t, "given") == 0 {
				entry[k.Path] = valueFor(t, k)
			}
		}
		all[names.Draw(t, "name")] = entry
	}
	return all
}

type few struct {
	Reminder struct {
		Enabled *bool `json:"enabled" default:"true" doc:"remind at all"`
		Turns   int   `json:"turns" default:"8" min:"1" max:"1000" doc:"steps before it"`
	} `json:"reminder"`
	Retract   string            `json:"retract" default:"strict" enum:"strict,cache"`
	Listen    string            `json:"listen" default:"127.0.0.1:0"`
	Hosts     []string          `json:"hosts" default:"a,b"`
	Upstreams map[string]string `json:"upstreams" guard:"user" doc:"where requests go"`
	Servers   map[string]struct {
		Args  []string `json:"args" doc:"its arguments"`
		Tries int      `json:"tries" default:"3" min:"1" max:"9"`
	} `json:"servers" guard:"user" doc:"programs by name"`
}

const fewSchema = `{
  "$id": "https://example.org/s.json",
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "$schema": {
      "type": "string",
      "description": "where the schema of this file is"
    },
    "locked": {
      "type": "array",
      "items": {
        "type": "string"
      },
      "description": "keys and sections that later layers may not set, or *; only in the managed file of a machine"
    },
    "reminder": {
      "type": "object",
      "properties": {
        "enabled": {
          "type": "boolean",
          "description": "remind at all",
          "default": true
        },
        "turns": {
          "type": "integer",
          "description": "steps before it",
          "default": 8,
          "minimum": 1,
          "maximum": 1000
        }
      },
      "additionalProperties": false
    },
    "retract": {
      "type": "string",
      "default": "strict",
      "enum": [
        "strict",
        "cache"
      ]
    },
    "listen": {
      "type": "string",
      "default": "127.0.0.1:0",
      "minLength": 1
    },
    "hosts": {
      "type": "array",
      "items": {
        "type": "string"
      },
      "default": [
        "a",
        "b"
      ]
    },
    "upstreams": {
      "type": "object",
      "description": "where requests go (only in your own config, never in a project's)",
      "additionalProperties": {
        "type": "string"
      }
    },
    "servers": {
      "type": "object",
      "propertyNames": {
        "pattern": "^[A-Za-z0-9_-]{1,64}$"
      },
      "description": "programs by name (only in your own config, never in a project's)",
      "maxProperties": 256,
      "additionalProperties": {
        "type": "object",
        "properties": {
          "args": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "its arguments"
          },
          "tries": {
            "type": "integer",
            "default": 3,
            "minimum": 1,
            "maximum": 9
          }
        },
        "additionalProperties": false
      }
    }
  },
  "additionalProperties": false
}
`

func TestTheSchemaSaysWhatTheTagsSay(t *testing.T) {
	got, err := config.Schema[few]("https://example.org/s.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fewSchema, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAWronglyDeclaredStructHasNoSchema(t *testing.T) {
	_, err := config.Schema[struct {
		A []int `json:"a"`
	}]("x")
	if err == nil || !strings.Contains(err.Error(), "a []int is not a type of setting") {
		t.Errorf("got %v", err)
	}
}
