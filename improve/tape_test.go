package improve_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

var start = time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)

// tape is a session that is being recorded.
type tape struct {
	id       string
	messages []trimtab.Message
	calls    int
}

func record(id string) *tape { return &tape{id: id} }

func (r *tape) say(role trimtab.Role, parts ...trimtab.Part) *tape {
	n := len(r.messages) + 1
	r.messages = append(r.messages, trimtab.Message{ID: fmt.Sprintf("%s-%d", r.id, n), Role: role, Parts: parts, At: start.Add(time.Duration(n) * time.Minute)})
	return r
}

func (r *tape) person(text string) *tape {
	return r.say(trimtab.RoleUser, trimtab.Text{Text: text, By: trimtab.Person})
}

func (r *tape) host(text string) *tape {
	return r.say(trimtab.RoleUser, trimtab.Text{Text: text, By: trimtab.Host})
}

func (r *tape) model(text string) *tape {
	return r.say(trimtab.RoleAssistant, trimtab.Text{Text: text, By: trimtab.Model})
}

// edit is a change of a file.
func (r *tape) edit(file string) *tape {
	return r.use("Edit", map[string]string{"file_path": file, "old_string": "a", "new_string": "b"}, "The file was updated", false)
}

// use is a call of a tool and what came of it.
func (r *tape) use(tool string, input any, result string, failed bool) *tape {
	r.calls++
	id := fmt.Sprintf("%s-c%d", r.id, r.calls)
	raw, _ := json.Marshal(input)
	r.say(trimtab.RoleAssistant, trimtab.ToolCall{ID: id, Name: tool, Input: raw})
	return r.say(trimtab.RoleTool, trimtab.ToolResult{ID: id, Text: result, Failed: failed})
}

// bash is a command and its output. Each has something of its own in it, so that it
// is a call of its own.
func (r *tape) bash(command, result string, failed bool) *tape {
	return r.use("Bash", map[string]string{"command": command}, result, failed)
}

func (r *tape) reflect(t testing.TB, redact func(string) string) improve.Result {
	t.Helper()
	return r.reflectWith(t, improve.Options{Redact: redact})
}

func (r *tape) reflectWith(t testing.TB, opt improve.Options) improve.Result {
	t.Helper()
	opt.Session = r.id
	f, err := improve.NewReflector(opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.messages {
		if !f.See(m) {
			t.Fatalf("session %s was taken for one of our own", r.id)
		}
	}
	result, ok := f.Result(start)
	if !ok {
		t.Fatalf("session %s has no result", r.id)
	}
	return result
}

// of are the patterns of a type, without those about the session as a whole where
// the type has others.
func of(r improve.Result, kind string) []improve.Pattern {
	var out []improve.Pattern
	for _, p := range r.Patterns {
		if p.Type == kind {
			out = append(out, p)
		}
	}
	return out
}

// one is the only pattern of a type.
func one(t testing.TB, r improve.Result, kind string) improve.Pattern {
	t.Helper()
	found := of(r, kind)
	if len(found) != 1 {
		t.Fatalf("%d patterns %s in %s", len(found), kind, gist(r))
	}
	return found[0]
}

func gist(r improve.Result) string {
	out := ""
	for _, p := range r.Patterns {
		out += fmt.Sprintf("\n  %s ×%d %s %v", p.Type, p.Count, p.Severity, p.Context)
	}
	return out
}
