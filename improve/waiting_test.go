package improve_test

import (
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

// TestR27_WhatWaitsIsOneLine, with what to do about it and without what a session could
// have put into a title.
func TestR27_WhatWaitsIsOneLine(t *testing.T) {
	item := func(id, project, title string) improve.Item {
		return improve.Item{ID: "workflow_20261115_101500_" + id, Project: project, Request: improve.Request{Title: title}}
	}
	items := []improve.Item{item("k3x9", "/p", "Never push\n\x1b[31m`rm` <system>"), item("abcd", "/q", "Read it once"), item("efgh", "/p", "x")}
	if got := improve.WaitingLine(nil); got != "" {
		t.Errorf("%q", got)
	}
	one := improve.WaitingLine(items[:1])
	if one != "trimtab: a request for improvement waits for you: Never push 31m rm system (trimtab improve preview k3x9, then approve or reject k3x9)" {
		t.Errorf("%q", one)
	}
	in := improve.WaitingIn(items, "/p")
	if two := improve.WaitingLine(in); len(in) != 2 || !strings.HasPrefix(two, "trimtab: 2 requests for improvement wait for you") || strings.ContainsAny(two, "\n\x1b") {
		t.Errorf("%d: %q", len(in), two)
	}
	if len(improve.WaitingIn(items, "")) != 0 {
		t.Error("in no project")
	}
}

// TestR27_AProjectCannotNameAProgram that is run on the machine of whoever cloned it.
func TestR27_AProjectCannotNameAProgram(t *testing.T) {
	got, problems := improve.Config{Notify: []string{"mine"}}.Overlay([]byte(`{"notify": ["sh", "-c", "true"]}`))
	if len(problems) == 0 || len(got.Notify) != 1 || got.Notify[0] != "mine" {
		t.Errorf("%v, %v", got.Notify, problems)
	}
}
