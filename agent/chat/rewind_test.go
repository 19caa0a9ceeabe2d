package chat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer/frame"
	"github.com/trimtab/trimtab/store/memory"
)

// turnsOf plays a script, a prompt to each of its turns, in a folder.
func turnsOf(t *testing.T, script string, prompts ...string) (c *Chat, id, dir string) {
	t.Helper()
	frames, err := frame.New(frame.Config{}, frame.Autonomy{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(frames)) // nothing that sends the agent on after a turn
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	c, _ = open(t, func(o *Options) {
		o.Service, o.Archive = session.New(engine, store, session.Options{}), store
		o.Record = filepath.Join(t.TempDir(), "record")
		dir = o.Dir
		put(t, filepath.Join(dir, "mill.go"), "package mill\n\nvar wind = 1\n")
		put(t, filepath.Join(dir, "play.script"), script)
	})
	yes := func(context.Context, tool.Ask) (tool.Reply, error) { return tool.Reply{Answer: tool.Once}, nil }
	chosen, err := c.Choose(t.Context(), "demo:"+filepath.Join(dir, "play.script"), yes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Begin(t.Context(), chosen.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range prompts {
		for _, err := range chosen.Run(t.Context(), s.ID, trimtab.Prompt(p)) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return c, s.ID, dir
}

// seqOf is the number of a prompt.
func seqOf(t *testing.T, c *Chat, id, prompt string) (seq int) {
	t.Helper()
	for m, err := range c.opt.Archive.Messages(t.Context(), id, 0) {
		if seq++; err != nil {
			t.Fatal(err)
		}
		if m.Typed() == prompt {
			return seq
		}
	}
	t.Fatalf("%q was not said", prompt)
	return 0
}

func text(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const twoTurns = `reply
call read {"path":"mill.go"}
reply
call edit {"path":"mill.go","old_text":"wind = 1","new_text":"wind = 2"}
reply
say turned
reply
call write {"path":"pond.go","content":"package pond\n"}
call bash {"command":"echo by bash >> mill.go; echo x > out.txt"}
reply
say made
`

// TestChat_2_RewindToAnyPrompt: files and conversation together, those that commands
// changed too, and a later turn does not see what was taken back.
func TestChat_2_RewindToAnyPrompt(t *testing.T) {
	c, id, dir := turnsOf(t, twoTurns, "turn it", "make a pond")
	at := func(name string) string { return filepath.Join(dir, name) }
	if got := text(t, at("mill.go")); got != "package mill\n\nvar wind = 2\nby bash\n" {
		t.Fatalf("mill.go is %q", got)
	}
	diff, err := c.Diff(id, 1)
	if err != nil || !strings.Contains(diff, "-var wind = 1\n+var wind = 2\n+by bash\n") || !strings.Contains(diff, "+++ b/pond.go") {
		t.Errorf("%s, %v", diff, err)
	}
	r, err := c.Rewind(t.Context(), id, seqOf(t, c, id, "make a pond"), false)
	if err != nil || r.Prompt != "make a pond" || len(r.Files) != 3 || len(r.Left) > 0 || r.Frame == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	if text(t, at("mill.go")) != "package mill\n\nvar wind = 2\n" || text(t, at("pond.go")) != "(none)" || text(t, at("out.txt")) != "(none)" {
		t.Errorf("mill.go is %q, pond.go %q, out.txt %q", text(t, at("mill.go")), text(t, at("pond.go")), text(t, at("out.txt")))
	}
	s, err := c.opt.Service.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var history []trimtab.Message
	for m, err := range c.opt.Archive.Messages(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		history = append(history, m)
	}
	view := s.View(history)
	last := view[len(view)-1].Text()
	if !strings.Contains(last, "The person took this back. The files that they changed are as before: pond.go, mill.go, out.txt") {
		t.Errorf("the model reads %q last", last)
	}
	if gone := TakenBack(s); len(gone) != 1 || gone[0].First.Seq != seqOf(t, c, id, "make a pond") {
		t.Errorf("%+v", gone)
	}
	if r, err = c.Rewind(t.Context(), id, 1, false); err != nil || len(r.Files) != 1 || text(t, at("mill.go")) != "package mill\n\nvar wind = 1\n" {
		t.Errorf("%+v, %v; mill.go is %q", r, err, text(t, at("mill.go")))
	}
	if _, err := c.Rewind(t.Context(), id, 2, false); err == nil {
		t.Error("it went back to a message that is no prompt")
	}
}

// TestChat_2_SomebodyElsesChangeIsNotOverwritten, unless the person says so.
func TestChat_2_SomebodyElsesChangeIsNotOverwritten(t *testing.T) {
	c, id, dir := turnsOf(t, twoTurns, "turn it", "make a pond")
	put(t, filepath.Join(dir, "pond.go"), "package pond // mine\n")
	r, err := c.Rewind(t.Context(), id, seqOf(t, c, id, "make a pond"), false)
	if err != nil || len(r.Files) != 2 || len(r.Left) != 1 || !strings.Contains(r.Left[0], "pond.go: changed since by somebody else") {
		t.Errorf("%+v, %v", r, err)
	}
	if got := text(t, filepath.Join(dir, "pond.go")); got != "package pond // mine\n" {
		t.Errorf("pond.go is %q", got)
	}
	c, id, dir = turnsOf(t, twoTurns, "turn it", "make a pond")
	put(t, filepath.Join(dir, "pond.go"), "package pond // mine\n")
	if r, err := c.Rewind(t.Context(), id, seqOf(t, c, id, "make a pond"), true); err != nil || len(r.Left) > 0 || text(t, filepath.Join(dir, "pond.go")) != "(none)" {
		t.Errorf("%+v, %v", r, err)
	}
}

// BenchmarkUndo takes back a command that changed a thousand files; the goal is a second.
func BenchmarkUndo(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		folder, err := tool.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		var changes []tool.FileChange
		for i := range 1000 {
			name := fmt.Sprintf("f%d.go", i)
			if err := os.WriteFile(filepath.Join(dir, name), []byte("after"), 0o600); err != nil {
				b.Fatal(err)
			}
			changes = append(changes, tool.FileChange{Path: name, Existed: true, Exists: true, Before: []byte(strings.Repeat("before\n", 500)), After: []byte("after"), Mode: 0o644})
		}
		b.StartTimer()
		if r := folder.Restore(changes, false); len(r.Done) != 1000 {
			b.Fatalf("%d files, left %v", len(r.Done), r.Left[:1])
		}
		b.StopTimer()
		_ = folder.Close()
		b.StartTimer()
	}
}

// TestChat_B9_TheToolThatAFoldNamesIsThere, and reads what was folded away.
func TestChat_B9_TheToolThatAFoldNamesIsThere(t *testing.T) {
	c, id, _ := turnsOf(t, "reply\nsay it is built\nreply\nsay painted\n", "build a mill", "paint it")
	if _, _, err := c.opt.Service.Handle(t.Context(), id, trimtab.Asked{Command: "frame", Args: []string{"turns", "1", "2", "build"}}); err != nil {
		t.Fatal(err)
	}
	set, err := c.tools()
	if err != nil {
		t.Fatal(err)
	}
	tools := c.ownTools(set)
	log := tools[len(tools)-1]
	got, err := log.Call(tool.WithSession(t.Context(), id), []byte(`{"id":"f2"}`))
	if err != nil || log.Name != "flame_log" || !strings.Contains(got, "it is built") || strings.Contains(got, "painted") {
		t.Errorf("%s: %q, %v", log.Name, got, err)
	}
	if _, err := log.Call(tool.WithSession(t.Context(), id), []byte(`{"id":"f99"}`)); err == nil {
		t.Error("a frame that does not exist was read")
	}
}

// TestChat_3_RedoBringsBackWhatUndoTook, files and conversation, until something new is said.
func TestChat_3_RedoBringsBackWhatUndoTook(t *testing.T) {
	c, id, dir := turnsOf(t, twoTurns, "turn it", "dig a pond")
	mill, pond := filepath.Join(dir, "mill.go"), filepath.Join(dir, "pond.go")
	seen := func() int {
		s, err := c.opt.Service.Session(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return len(TakenBack(s))
	}
	if _, err := c.Redo(t.Context(), id, false); err == nil {
		t.Error("there was nothing to do again")
	}
	const turned = "package mill\n\nvar wind = 2\n"
	for _, prompt := range []string{"dig a pond", "turn it"} {
		if _, err := c.Rewind(t.Context(), id, seqOf(t, c, id, prompt), false); err != nil {
			t.Fatal(err)
		}
	}
	if text(t, mill) == turned || text(t, pond) != "(none)" {
		t.Fatalf("%q, %q", text(t, mill), text(t, pond))
	}
	if r, err := c.Redo(t.Context(), id, false); err != nil || len(r.Files) != 1 || text(t, mill) != turned || text(t, pond) != "(none)" {
		t.Fatalf("%+v, %v: %q, %q", r, err, text(t, mill), text(t, pond))
	}
	put(t, pond, "somebody else's\n")
	r, err := c.Redo(t.Context(), id, false)
	if err != nil || len(r.Left) != 1 || text(t, pond) != "somebody else's\n" {
		t.Errorf("%+v, %v: %q", r, err, text(t, pond))
	}
	if n := seen(); n != 0 {
		t.Errorf("%d turns are still taken back", n)
	}
	if diff, err := c.Diff(id, 1); err != nil || !strings.Contains(diff, "+++ b/pond.go") || !strings.Contains(diff, "wind = 2") {
		t.Errorf("%q, %v", diff, err)
	}
}

// What git has in its history is not a file of the turn: it stays, and that is said.
func TestChat_2_WhatGitKeepsIsNamed(t *testing.T) {
	c, id, _ := turnsOf(t, "reply\ncall bash {\"command\":\"echo a > a.txt && git commit -qm a; git log --oneline\"}\nreply\nsay done\n", "commit it")
	text, err := c.Undo(t.Context(), id)
	if err != nil || !strings.Contains(text, "git's history stays as it is: git commit") || strings.Contains(text, "git log") {
		t.Errorf("%q, %v", text, err)
	}
}
