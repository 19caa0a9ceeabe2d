package mode_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/trimtab/trimtab/steer/mode"
)

// bad are files that make no mode, and what is said of them. Those that begin with
// ! are such that a schema cannot see it.
var bad = []struct{ name, file, want string }{
	{"empty", ``, `m.json:1: it is not a JSON object: EOF`},
	{"no object", `[1]`, `m.json:1: a list is not allowed; give an object`},
	{"cut", "{\n\"id\": ", `m.json:2: it is not a JSON object`},
	{"two", `{"id":"a","name":"A","goalReminder":"g"} {}`, `there is more behind the object`},
	{"a comment", "{\n// names\n\"id\":\"a\"}", `m.json:2: it is not a JSON object`},
	{"no id", `{"name":"A","goalReminder":"g"}`, `m.json:1: id: it is missing`},
	{"no name", "{\"id\":\"a\",\n\"goalReminder\":\"g\"}", `name: it is missing`},
	{"no goal", `{"id":"a","name":"A"}`, `the mode has no goal; give a goalReminder, phases, or`},
	{"!built in", `{"id":"copywrite","name":"A","goalReminder":"g"}`, `"copywrite" is built in`},
	{"!one of the five", `{"id":"normal","name":"A","goalReminder":"g"}`, `"normal" is built in`},
	{"!a word of the command line", `{"id":"list","name":"A","goalReminder":"g"}`, `is a word of the command line`},
	{"an id that leads elsewhere", `{"id":"../a","name":"A","goalReminder":"g"}`, `id: "../a" is not allowed`},
	{"unknown key", "{\"id\":\"a\",\"name\":\"A\",\n\n\"gaol\":\"g\"}", `m.json:3: gaol: there is no such key`},
	{"unknown key inside", `{"id":"a","name":"A","phases":[{"id":"p","next":"p"}]}`, `phases[0].next: there is no such key; give some of id, name, maxMessages`},
	{"!twice", `{"id":"a","id":"b","name":"A","goalReminder":"g"}`, `id: it is given twice`},
	{"wrong kind", "{\"id\":\"a\",\"name\":\"A\",\"phases\":[\n{\"id\":\"p\",\"maxMessages\":\"ten\"}]}", `m.json:2: phases[0].maxMessages: "ten" is not allowed; give a whole number`},
	{"half a message", `{"id":"a","name":"A","goalReminder":"g","maxMessages":1.5}`, `maxMessages: "1.5" is not allowed; give a whole number`},
	{"null", `{"id":"a","name":"A","goalReminder":null}`, `goalReminder: <nil> is not allowed; give text`},
	{"a list for an object", `{"id":"a","name":"A","loopDetection":[]}`, `loopDetection: a list is not allowed; give an object`},
	{"a number for a criterion", `{"id":"a","name":"A","goalReminder":"g","successCriteria":[7]}`, `successCriteria[0]: "7" is not allowed; give an id or an object`},
	{"negative limit", "{\"id\":\"a\",\"name\":\"A\",\"goalReminder\":\"g\",\n\"maxResearchRequests\":-1}", `m.json:2: maxResearchRequests: -1 is not allowed; give a whole number from 0`},
	{"negative frequency", `{"id":"a","name":"A","goalReminder":"g","goalReminderFrequency":-8}`, `goalReminderFrequency: -8 is not allowed`},
	{"huge limit", `{"id":"a","name":"A","goalReminder":"g","maxMessages":99999999999999999999}`, `maxMessages: "99999999999999999999" is not allowed`},
	{"threshold", `{"id":"a","name":"A","goalReminder":"g","loopDetection":{"similarityThreshold":1.5}}`, `similarityThreshold: 1.5 is not allowed`},
	{"a threshold that everything passes", `{"id":"a","name":"A","goalReminder":"g","loopDetection":{"similarityThreshold":0.001}}`, `similarityThreshold: 0.001 is not allowed`},
	{"window of one", `{"id":"a","name":"A","goalReminder":"g","loopDetection":{"windowSize":1}}`, `windowSize: 1 is not allowed`},
	{"!a cycle of phases", "{\"id\":\"a\",\"name\":\"A\",\"phases\":[{\"id\":\"p\"},{\"id\":\"q\"},\n{\"id\":\"p\"}]}", `m.json:2: phases[2].id: phase "p" comes twice; phases follow each other and never go in a circle`},
	{"!a criterion twice", `{"id":"a","name":"A","goalReminder":"g","successCriteria":["x",{"id":"x"}]}`, `successCriteria[1].id: criterion "x" comes twice`},
	{"a phase without an id", `{"id":"a","name":"A","phases":[{"name":"P"}]}`, `phases[0].id: it is missing`},
	{"a criterion without an id", `{"id":"a","name":"A","goalReminder":"g","successCriteria":[{"description":"d"}]}`, `successCriteria[0].id: it is missing`},
	{"!more required than allowed", `{"id":"a","name":"A","goalReminder":"g","maxResearchRequests":1,"requiredResearch":2}`, `requiredResearch: 2 are required and only 1 allowed`},
	{"!control characters", `{"id":"a","name":"A","goalReminder":"\u001b[2J"}`, `goalReminder: it holds the control character U+001B`},
	{"!a name that turns", "{\"id\":\"a\",\"name\":\"A\u202eB\",\"goalReminder\":\"g\"}", `name: it holds the control character U+202E`},
	{"a long name", `{"id":"a","name":"` + strings.Repeat("n", 61) + `","goalReminder":"g"}`, `name: 61 characters; give at most 60`},
	{"!the entry prompt under both names", `{"id":"a","name":"A","entryPrompt":"e",
"initialPrompt":"i"}`, `m.json:2: initialPrompt: entryPrompt and initialPrompt are two names of one text; give one`},
	{"a number for an initial prompt", `{"id":"a","name":"A","initialPrompt":7}`, `initialPrompt: "7" is not allowed; give text`},
	{"a long prompt", `{"id":"a","name":"A","goalReminder":"` + strings.Repeat("g", 33<<10) + `"}`, `goalReminder: 33792 bytes; give at most 32768`},
	{"!10 MB", `{"id":"a","name":"A","goalReminder":"` + strings.Repeat("g", 10<<20) + `"}`, `bytes; a mode takes at most 262144`},
	{"!deep", strings.Repeat(`{"phases":[`, 100), `nested deeper than`},
	{"!not text", "{\"id\":\"\xff\"}", `it is not UTF-8 text`},
}

func TestD_ABadFileIsNamedWithLineAndReason(t *testing.T) {
	for _, c := range bad {
		t.Run(c.name, func(t *testing.T) {
			def, problems := mode.Parse("m.json", []byte(c.file))
			if len(problems) == 0 {
				t.Fatalf("taken: %+v", def)
			}
			var said []string
			for _, p := range problems {
				said = append(said, p.Error())
			}
			if text := strings.Join(said, "\n"); !strings.Contains(text, c.want) {
				t.Errorf("got\n%s\nwant %s", text, c.want)
			}
			if diff := cmp.Diff(mode.Definition{}, def); diff != "" {
				t.Errorf("a bad file made a mode: %s", diff)
			}
		})
	}
}

func schemaOf(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(mode.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestD_TheSchemaAgreesWithParse checks that the published schema takes what Parse
// takes, and refuses what it refuses, as far as a schema can see it.
func TestD_TheSchemaAgreesWithParse(t *testing.T) {
	schema := schemaOf(t)
	for _, d := range append(mode.BuiltIn()[1:], mode.Sessions()...) {
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", d.ID, err)
		}
	}
	for _, c := range bad {
		var v any
		if strings.HasPrefix(c.name, "!") || json.Unmarshal([]byte(c.file), &v) != nil {
			continue
		}
		if schema.Validate(v) == nil {
			t.Errorf("%s: the schema takes %s", c.name, c.file[:min(len(c.file), 100)])
		}
	}
}

// FuzzParse looks that no file brings Parse down, and that what it takes is good:
// it can be written and read again, opened, and is taken by the schema.
func FuzzParse(f *testing.F) {
	for _, c := range bad {
		if len(c.file) < 1000 {
			f.Add([]byte(c.file))
		}
	}
	for _, d := range mode.Sessions() {
		d.ID = "my-" + d.ID
		raw, err := json.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	schema := schemaOf(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		def, problems := mode.Parse("m.json", data)
		if len(problems) > 0 {
			return
		}
		raw, err := json.Marshal(def)
		if err != nil {
			t.Fatal(err)
		}
		again, problems := mode.Parse("m.json", raw)
		if len(problems) > 0 {
			t.Fatalf("taken once and refused then: %v\n%s", problems, raw)
		}
		if diff := cmp.Diff(def.Opening(), again.Opening()); diff != "" {
			t.Fatal(diff)
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Fatalf("the schema refuses what Parse takes: %v\n%s", err, raw)
		}
	})
}

// TestSeed001_26_TheSeedsNamesAreTaken: a mode file with the keys of the seed's
// ModeDefinition, and the seed's name of a mode that ours writes with a hyphen.
func TestSeed001_26_TheSeedsNamesAreTaken(t *testing.T) {
	file := `{"id":"pairing","name":"Pairing","description":"two at one keyboard","initialPrompt":"You are in PAIRING MODE.","reminderPrompt":"Still pairing."}`
	def, problems := mode.Parse("m.json", []byte(file))
	if len(problems) > 0 || def.Entry != "You are in PAIRING MODE." || def.Reminder != "Still pairing." {
		t.Errorf("%+v, %v", def, problems)
	}
	var v any
	if err := json.Unmarshal([]byte(file), &v); err != nil {
		t.Fatal(err)
	}
	if err := schemaOf(t).Validate(v); err != nil {
		t.Error(err)
	}
}
