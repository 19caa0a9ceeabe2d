package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// files writes a project folder, given as path and content by turns. A path that
// ends in a slash is a folder.
func files(t *testing.T, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(pairs[i]))
		if strings.HasSuffix(pairs[i], "/") {
			must(t, os.MkdirAll(name, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(pairs[i+1]), 0o644))
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *tool.Folder {
	t.Helper()
	f, err := tool.Open(dir)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func call(t *testing.T, tl tool.Tool, input string) string {
	t.Helper()
	text, err := tl.Call(t.Context(), json.RawMessage(input))
	if err != nil {
		t.Fatalf("%s %s: %v", tl.Name, input, err)
	}
	return text
}

// refused returns the error of a call that must not succeed.
func refused(t *testing.T, tl tool.Tool, input string) string {
	t.Helper()
	text, err := tl.Call(t.Context(), json.RawMessage(input))
	if err == nil {
		t.Fatalf("%s %s was not refused; it gave:\n%s", tl.Name, input, text)
	}
	return err.Error()
}

func wants(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%q is missing in:\n%.3000s", p, got)
		}
	}
}

func every(t *testing.T) []tool.Tool {
	f := open(t, t.TempDir())
	all := append(f.Tools(), tool.TodoWrite(), tool.TodoRead(func(context.Context) []trimtab.Todo { return nil }))
	all = append(all, f.Changes()...)
	bash, err := f.Bash(tool.BashOptions{})
	must(t, err)
	return append(all, bash)
}

func TestEveryToolHasWordsAndAValidSchema(t *testing.T) {
	good := map[string]string{
		"read": `{"path": "a", "offset": 1, "limit": 2}`, "list": `{"path": ".", "depth": 2, "all": true}`,
		"search":     `{"pattern": "x", "path": "a", "glob": "*.go", "ignore_case": true, "context": 3}`,
		"todo_write": `{"todos": [{"content": "a", "status": "pending"}]}`, "todo_read": `{}`,
		"write": `{"path": "a", "content": ""}`, "edit": `{"path": "a", "old_text": "b", "new_text": "", "replace_all": true}`, "bash": `{"command": "ls", "dir": ".", "timeout": 600}`,
	}
	bad := map[string]string{
		"read": `{"file": "a"}`, "list": `{"depth": "deep"}`, "search": `{}`, "todo_write": `{"todos": [{"content": "a", "status": "later"}]}`, "todo_read": `{"x": 1}`,
		"write": `{"path": "a"}`, "edit": `{"path": "a", "old_text": "", "new_text": "x"}`, "bash": `{"command": "ls", "timeout": 601}`,
	}
	changes := map[string]bool{"write": true, "edit": true, "bash": true}
	for _, tl := range every(t) {
		if tl.Description == "" {
			t.Errorf("%s has no description", tl.Name)
		}
		if tl.ReadOnly == changes[tl.Name] || (tl.Ask != nil) != changes[tl.Name] {
			t.Errorf("%s: read-only %v, asks %v", tl.Name, tl.ReadOnly, tl.Ask != nil)
		}
		var schema jsonschema.Schema
		must(t, json.Unmarshal(tl.Schema, &schema))
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: schema: %v", tl.Name, err)
		}
		check := func(input string) error {
			var v any
			must(t, json.Unmarshal([]byte(input), &v))
			return resolved.Validate(v)
		}
		if err := check(good[tl.Name]); err != nil {
			t.Errorf("%s: the schema refuses %s: %v", tl.Name, good[tl.Name], err)
		}
		if check(bad[tl.Name]) == nil {
			t.Errorf("%s: the schema takes %s", tl.Name, bad[tl.Name])
		}
		refused(t, tl, bad[tl.Name])
	}
}

func TestInputThatDoesNotFitIsRefused(t *testing.T) {
	for _, tl := range every(t) {
		for _, input := range []string{`[`, `[]`, `"x"`, `{"path": 7, "todos": 7, "pattern": 7, "none": 7}`, `{} {}`, `{"pattern":"` + strings.Repeat("a", 2<<20) + `"}`} {
			refused(t, tl, input)
		}
	}
}

func TestAPanicOfAToolIsAnError(t *testing.T) {
	tl := tool.Tool{Tool: llm.Tool{Name: "bad"}, Run: func(context.Context, json.RawMessage) (string, error) { panic("oh") }}
	_, err := tl.Call(t.Context(), nil)
	var p *tool.Panic
	if !errors.As(err, &p) || p.Stack == "" {
		t.Fatalf("err = %#v, want a *tool.Panic with its stack", err)
	}
	wants(t, err.Error(), "bad", "oh")
}

func TestAnyToolsTextIsLimitedAndUTF8(t *testing.T) {
	tl := tool.Tool{Run: func(context.Context, json.RawMessage) (string, error) {
		return "\xff" + strings.Repeat("é", 1<<20), nil
	}}
	got := call(t, tl, `{}`)
	if len(got) > 300<<10 {
		t.Errorf("the text has %d bytes", len(got))
	}
	if strings.ToValidUTF8(got, "") != got {
		t.Error("the text is not UTF-8")
	}
	wants(t, got[len(got)-100:], "[cut: ")
}

func TestACancelledCallDoesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := open(t, files(t, "a", "x"))
	for _, tl := range f.Tools() {
		if _, err := tl.Call(ctx, json.RawMessage(`{"path":"a"}`)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: err = %v, want cancelled", tl.Name, err)
		}
	}
}
