package record_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/record"
	"github.com/trimtab/trimtab/agent/tool"
)

func change(path, before, after string) tool.Effect {
	return tool.Effect{Files: []tool.FileChange{{Path: path, Existed: before != "", Exists: after != "", Before: []byte(before), After: []byte(after), Mode: 0o644}}}
}

func put(t *testing.T, l *record.Log, seq int, call string, effects ...tool.Effect) {
	t.Helper()
	if err := l.Record("s1", trimtab.Ref{ID: trimtab.MessageID(seq), Seq: seq}, trimtab.ToolCall{ID: call, Name: "edit"}, effects); err != nil {
		t.Fatal(err)
	}
}

// TestChat_2_WhatATurnDidIsKept across processes: files before the first change and after
// the last, commands with exit and output, and without what was taken back.
func TestChat_2_WhatATurnDidIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "record")
	l := record.Open(dir)
	put(t, l, 1, "a", change("x.go", "", "one"))
	put(t, l, 3, "b", change("x.go", "one", "two"), change("y.go", "why", ""))
	put(t, l, 3, "c", change("x.go", "two", "three"), tool.Effect{Command: &tool.CommandRun{Command: "go test", Exit: 1, Output: "FAIL"}})
	put(t, l, 5, "d", change("z.go", "", "zed"), change("same.go", "s", "t"))
	put(t, l, 5, "e", change("same.go", "t", "s"))
	again := record.Open(dir)
	check := func(seq int, want string) {
		t.Helper()
		got := ""
		all, err := again.Since("s1", seq)
		for _, c := range all {
			got += fmt.Sprintf("%s %v%q %v%q; ", c.Path, c.Existed, c.Before, c.Exists, c.After)
		}
		if err != nil || got != want {
			t.Errorf("since %d: %s, %v; want %s", seq, got, err, want)
		}
	}
	check(5, `z.go false"" true"zed"; `)
	check(3, `x.go true"one" true"three"; y.go true"why" false""; z.go false"" true"zed"; `)
	entries, err := again.Entries("s1")
	if err != nil || len(entries) != 5 || entries[2].Command == nil || entries[2].Command.Exit != 1 || entries[2].Command.Output != "FAIL" {
		t.Errorf("%+v, %v", entries, err)
	}
	calls, err := again.Changes("s1")
	if err != nil || len(calls["b"]) != 2 || string(calls["b"][0].After) != "two" {
		t.Errorf("%+v, %v", calls, err)
	}
	if err := l.TakenBack("s1", 3); err != nil {
		t.Fatal(err)
	}
	check(1, `x.go false"" true"one"; `) // the other process sees it
	if err := l.Remove("s1", "unknown", "../x"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "s1")); !os.IsNotExist(err) {
		t.Errorf("the record is left: %v", err)
	}
}

// A journal that a crash cut off, and names that lead elsewhere.
func TestWhatIsDamagedIsPassedOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "record")
	put(t, record.Open(dir), 1, "a", change("x.go", "", "one"))
	f, err := os.OpenFile(filepath.Join(dir, "s1", "journal"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("not JSON\n{\"turn\":")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := record.Open(dir).Since("s1", 1); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	for _, id := range []string{"", "..", "../x", "a/b", ".hidden"} {
		if _, err := record.Open(dir).Since(id, 1); err == nil {
			t.Errorf("%q is taken for a session", id)
		}
	}
	if all, err := record.Open(dir).Since("s2", 1); err != nil || len(all) != 0 {
		t.Errorf("a session without a record: %v, %v", all, err)
	}
}
