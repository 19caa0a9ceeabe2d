package setting

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/steer/mode"
)

func TestD_AFileMayHaveComments(t *testing.T) {
	var m Modes
	m.add("naming.json", []byte("\ufeff"+`// names
{
  "$schema": "urn:trimtab:mode",
  "id": "naming", /* one
  comment */ "name": "Naming // not a comment",
  "goalReminder": "We \"name\" a /* product */.",
  "phases": [{"id": "brainstorm", "exitCriteria": ["candidates", {"id": "fun", "items": 3,},],},],
} // the end`))
	want := []mode.Definition{{
		ID: "naming", Name: "Naming // not a comment", Goal: `We "name" a /* product */.`,
		Phases: []mode.Phase{{ID: "brainstorm", Exit: []mode.Criterion{{ID: "candidates"}, {ID: "fun", Items: 3}}}},
	}}
	if diff := cmp.Diff(want, m.Definitions()); diff != "" || len(m.Problems) > 0 {
		t.Errorf("%v (-want +got)\n%s", m.Problems, diff)
	}
}

func TestD_ABadFileWithCommentsIsNamedWithItsLine(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "m.json:1: it is not valid JSON: parsing value: unexpected EOF"},
		{"cut", "// one\n{\n\"id\": ", "m.json:3: it is not valid JSON: parsing value: unexpected EOF"},
		{"no value, behind comments", "// one\n/* two\nthree */\n{\"id\": }", "m.json:4: it is not valid JSON: "},
		{"a comment that never ends", "{\"id\":\"a\"\n/* ", "it is not valid JSON: "},
		{"two", "{\"id\":\"a\"}\n{}", "m.json:2: it is not valid JSON: "},
		{"unknown key, behind comments", "{ // one\n/* two\n*/ \"gaol\": 1,\n}", "m.json:3: gaol: there is no such key"},
		{"wrong kind", "{\"id\":\"a\",\"name\":\"A\",// n\n\"phases\":[\n{\"id\":\"p\",\"maxMessages\":\"ten\",}]}", `m.json:3: phases[0].maxMessages: "ten" is not allowed; give a whole number`},
		{"a limit", "// one\n{\"id\":\"a\",\"name\":\"A\",\"goalReminder\":\"g\",\n\"maxResearchRequests\":-1}", "m.json:3: maxResearchRequests: -1 is not allowed"},
		{"too long", "{\"id\":\"" + strings.Repeat("a", mode.MaxFile) + "\"}", "bytes; a mode takes at most 262144"},
		{"not text", "{\"id\":\"\xff\"}", "m.json:1: it is not UTF-8 text"},
		{"deep", strings.Repeat(`{"phases":[`, 10_000), "nested deeper than"},
	} {
		var m Modes
		m.add("m.json", []byte(c.file))
		if len(m.Problems) == 0 || len(m.List) > 0 {
			t.Errorf("%s: taken: %+v", c.name, m.List)
			continue
		}
		if got := m.Problems[0].Error(); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
