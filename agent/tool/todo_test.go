package tool_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/host"
)

func TestTodoWriteChecksTheList(t *testing.T) {
	w := tool.TodoWrite()
	if !host.IsTodoTool(w.Name) {
		t.Fatalf("the engine does not know %q as a todo tool", w.Name)
	}
	got := call(t, w, `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"},{"content":"c","status":"pending"}]}`)
	wants(t, got, "3 items", "1 pending, 1 in progress, 1 completed")
	wants(t, call(t, w, `{"todos":[]}`), "empty")
	for input, want := range map[string]string{
		`{}`: `"todos" is missing`,
		`{"todos":[{"content":" ","status":"pending"}]}`:                                                                   `item 1: "content" is empty`,
		`{"todos":[{"content":"a","status":"pending"},{"content":"b","status":"soon"}]}`:                                   `item 2: "status" "soon" is not one of pending, in_progress, completed`,
		`{"todos":[{"content":"` + strings.Repeat("x", 501) + `","status":"pending"}]}`:                                    "at most 500",
		`{"todos":[` + strings.Repeat(`{"content":"a","status":"pending"},`, 200) + `{"content":"a","status":"pending"}]}`: "at most 200",
	} {
		wants(t, refused(t, w, input), want)
	}
}

func TestTodoReadShowsTheSessionsList(t *testing.T) {
	var todos []trimtab.Todo
	r := tool.TodoRead(func(context.Context) []trimtab.Todo { return todos })
	if got := call(t, r, `{}`); got != "the list is empty" {
		t.Errorf("got %q", got)
	}
	todos = []trimtab.Todo{{Text: "look\naround", Status: trimtab.Completed}, {Text: "tidy", Status: trimtab.InProgress}}
	want := "1. [completed] look around\n2. [in_progress] tidy"
	if diff := cmp.Diff(want, call(t, r, `{}`)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
