package improve_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/trimtab/trimtab/improve"
)

// Whatever a session holds, reflecting on it gives a result in bounds that has a
// JSON form, and the same again.
func FuzzReflector(f *testing.F) {
	f.Add("Bash", `{"command":"go test"}`, "Exit code 1\n--- FAIL: TestX\n x", "it doesn't work", true)
	f.Add("", "", "Traceback (most recent call last)\nValueError: x", "continue", true)
	f.Add("exec_command", `{"cmd":["a",1],"timeout":1}`, "exited with code -", "```\n> if it doesn't work", false)
	f.Add("TodoWrite", `{"todos":[{"content":"\u0000","status":"pending"}]}`, "<tool_use_error>", "\xff still failing '", true)
	f.Fuzz(func(t *testing.T, tool, input, result, person string, failed bool) {
		r := record("s")
		for i := range 4 {
			r.person(person+string(rune('a'+i))).use(tool, json.RawMessage(nil), result, failed).use(tool, input, result, failed).model(person).host(result)
		}
		got := make([][]byte, 2)
		for i := range got {
			reflector, err := improve.NewReflector(improve.Options{Session: "s"})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range r.messages {
				if !reflector.See(m) {
					return
				}
			}
			result, _ := reflector.Result(start)
			for _, p := range result.Patterns {
				for _, s := range p.Samples {
					if len(s.Excerpt) > 200 || !utf8.ValidString(s.Excerpt) {
						t.Errorf("excerpt %q", s.Excerpt)
					}
				}
				if p.Score < 0 || p.Score > 200 || p.Severity.Rank() == 0 || len(improve.NewRequest(p, nil, improve.Constraints{}).Description) > 8000 {
					t.Errorf("pattern %+v", p)
				}
			}
			if got[i], err = json.Marshal(result); err != nil {
				t.Fatal(err)
			}
		}
		if string(got[0]) != string(got[1]) {
			t.Errorf("%s\nand\n%s", got[0], got[1])
		}
	})
}
