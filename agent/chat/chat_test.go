package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/instruct"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/store/memory"
)

// models knows the demo and no other, but for one that a test may add.
type models struct {
	opened []string
	known  string
	own    llm.Model // nil where the test has none
}

func (m *models) Default(context.Context) (string, string) { return "demo", "Set a key." }

func (m *models) Open(_ context.Context, name string) (llm.Model, error) {
	m.opened = append(m.opened, name)
	if m.own != nil && m.own.Name() == name {
		return m.own, nil
	}
	if name != "demo" && name == m.known {
		return called{demo.New(demo.Options{}), name}, nil
	}
	if name != "demo" {
		return nil, errors.New("model " + name + " is unavailable")
	}
	return demo.New(demo.Options{}), nil
}

// called is a model under another name.
type called struct {
	llm.Model
	name string
}

func (c called) Name() string { return c.name }

func open(t *testing.T, change func(*Options)) (*Chat, *models) {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	store, m := memory.New(), &models{}
	clock := func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	opt := Options{
		Service: session.New(engine, store, session.Options{Clock: clock}), Archive: store, Models: m, Dir: t.TempDir(), Clock: clock,
		Sandbox: sandbox.Config{Mode: "none"},
	}
	if change != nil {
		change(&opt)
	}
	c, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, m
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestAChatNeedsItsParts(t *testing.T) {
	if _, err := Open(Options{Dir: t.TempDir()}); err == nil {
		t.Error("no error without a service")
	}
}

func TestAPromptIsAnsweredAndRemembered(t *testing.T) {
	c, _ := open(t, nil)
	chosen, err := c.Choose(t.Context(), "", nil)
	if err != nil || chosen.Name != "demo" || !strings.Contains(chosen.Note, "Set a key.") || chosen.Sandbox.Kind != sandbox.None {
		t.Fatalf("%+v, %v", chosen, err)
	}
	s, err := c.Begin(t.Context(), chosen.Name)
	if err != nil || s.Host != trimtab.OwnHost || s.Project != c.opt.Dir || s.Model != "demo" {
		t.Fatalf("%+v, %v", s.Info, err)
	}
	prompt, left := c.Prompt("what is in this folder?")
	if len(left) > 0 {
		t.Error(left)
	}
	for _, err := range chosen.Run(t.Context(), s.ID, prompt) {
		if err != nil {
			t.Fatal(err)
		}
	}
	newest, err := c.Newest(t.Context())
	if err != nil || newest.ID != s.ID {
		t.Errorf("the newest is %q, %v", newest.ID, err)
	}
	if words, err := c.Recall(t.Context()); err != nil || !cmp.Equal(words, []string{"what is in this folder?"}) {
		t.Errorf("%q, %v", words, err)
	}
}

func TestTheModelOfASessionIsTakenWhereItIsAvailable(t *testing.T) {
	var left []string
	c, m := open(t, func(o *Options) { o.Left = func(why error) { left = append(left, why.Error()) } })
	old, err := c.Begin(t.Context(), "anthropic/gone")
	if err != nil {
		t.Fatal(err)
	}
	if chosen, err := c.ChooseFor(t.Context(), old.ID, "", nil); err != nil || chosen.Name != "demo" {
		t.Errorf("%+v, %v", chosen, err)
	}
	if want := []string{"model anthropic/gone is unavailable"}; !cmp.Equal(left, want) {
		t.Errorf("told %q", left)
	}
	if _, err := c.ChooseFor(t.Context(), old.ID, "another", nil); err == nil {
		t.Error("a model that was named and is not there is an error")
	}
	if want := []string{"anthropic/gone", "demo", "another"}; !cmp.Equal(m.opened, want) {
		t.Errorf("opened %q", m.opened)
	}
	if _, err := c.ChooseFor(t.Context(), "none", "", nil); !errors.Is(err, trimtab.ErrNotFound) {
		t.Errorf("a session that is not there: %v", err)
	}
}

func TestNewest_SaysThatThereIsNone(t *testing.T) {
	c, _ := open(t, nil)
	if _, err := c.Newest(t.Context()); !errors.Is(err, trimtab.ErrNotFound) {
		t.Error(err)
	}
}

func TestASessionOfAnotherAgentIsRefused(t *testing.T) {
	if err := CheckOwn(trimtab.Session{Info: trimtab.Info{ID: "x", Host: "claude"}}); err == nil || !strings.Contains(err.Error(), "claude") {
		t.Error(err)
	}
	if err := CheckOwn(trimtab.Session{Info: trimtab.Info{Host: trimtab.OwnHost}}); err != nil {
		t.Error(err)
	}
}

func TestP16_WhatTheProjectSaysIsLeftOutUnlessItIsTrusted(t *testing.T) {
	c, _ := open(t, func(o *Options) {
		put(t, filepath.Join(o.Dir, "AGENTS.md"), "be brief")
		o.Refuse = func(instruct.File) string { return "not trusted" }
	})
	for i, want := range []bool{true, false} { // it is told once
		chosen, err := c.Choose(t.Context(), "demo", nil)
		if err != nil || strings.Contains(chosen.Note, "AGENTS.md: left out: not trusted") != want {
			t.Errorf("choice %d: %q, %v", i, chosen.Note, err)
		}
	}
	other, _ := open(t, func(o *Options) { put(t, filepath.Join(o.Dir, "AGENTS.md"), "be brief") })
	if chosen, err := other.Choose(t.Context(), "demo", nil); err != nil || !strings.Contains(chosen.Note, "AGENTS.md") {
		t.Errorf("where nobody decides: %q, %v", chosen.Note, err)
	}
}

func TestTheModelIsToldWhetherSomebodyCanBeAsked(t *testing.T) {
	for unattended, want := range map[bool]string{false: "ask what only the person can decide", true: "Nobody can be asked here"} {
		c, _ := open(t, func(o *Options) { o.Unattended = unattended })
		if role := c.role(true); !strings.Contains(role, want) || !strings.Contains(role, c.opt.Dir) || strings.Contains(role, "{{") {
			t.Errorf("%s", role)
		}
	}
}

// TestChat_6_ATaskIsToldOnlyWhatIsTrueForIt: the agent that works on it has no todo tool,
// nobody to ask, and no notes come to it.
func TestChat_6_ATaskIsToldOnlyWhatIsTrueForIt(t *testing.T) {
	for _, unattended := range []bool{false, true} {
		c, m := open(t, func(o *Options) {
			o.Unattended = unattended
			put(t, filepath.Join(o.Dir, "AGENTS.md"), "be brief")
			o.Refuse = func(instruct.File) string { return "" }
		})
		giver := &taskGiver{}
		m.own = giver
		chosen, err := c.Choose(t.Context(), giver.Name(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Begin(t.Context(), chosen.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range chosen.Run(t.Context(), s.ID, trimtab.Prompt("have it looked at")) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(giver.asked) != 3 {
			t.Fatalf("%d requests", len(giver.asked))
		}
		main, task := giver.asked[0], giver.asked[1]
		for _, tl := range task.Tools {
			if strings.Contains(tl.Name, "todo") {
				t.Errorf("the task has %s", tl.Name)
			}
		}
		for _, untrue := range []string{"todo", "the person can decide", "decide yourself", "notes of trimtab", "automata", "In some modes"} {
			if strings.Contains(task.System, untrue) {
				t.Errorf("unattended %v: the task is told %q:\n%s", unattended, untrue, task.System)
			}
		}
		for _, both := range []string{c.opt.Dir, "do what was asked and no more", "be brief"} {
			if !strings.Contains(task.System, both) || !strings.Contains(main.System, both) {
				t.Errorf("not told to both: %q", both)
			}
		}
		if !strings.Contains(main.System, "todo list") || !strings.Contains(main.System, "notes of trimtab") {
			t.Errorf("the agent itself is told\n%s", main.System)
		}
	}
}

// taskGiver is a model that gives one task, and does nothing else.
type taskGiver struct{ asked []llm.Request }

func (*taskGiver) Name() string { return "giver" }

func (g *taskGiver) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	g.asked = append(g.asked, r)
	reply := llm.Done{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "Done."), Stop: llm.StopEnd}
	if len(g.asked) == 1 {
		call := trimtab.ToolCall{ID: "1", Name: "task", Input: []byte(`{"title":"look","prompt":"look at it"}`)}
		reply = llm.Done{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{call}}, Stop: llm.StopCalls}
	}
	return func(yield func(llm.Chunk, error) bool) { yield(reply, nil) }
}

func TestAScriptIsPlayed(t *testing.T) {
	c, _ := open(t, nil)
	file := filepath.Join(t.TempDir(), "s.txt")
	put(t, file, "reply\nsay Done.\n")
	m, note, err := c.Model(t.Context(), "demo:"+file)
	if err != nil || m.Name() != "demo:"+file || note != "" {
		t.Errorf("%v, %q, %v", m, note, err)
	}
	put(t, file, "nonsense\n")
	for _, name := range []string{file, file + "x"} {
		if _, _, err := c.Model(t.Context(), "demo:"+name); err == nil || !strings.Contains(err.Error(), "model demo:"+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	put(t, file, strings.Repeat("#", maxScript+1))
	if _, _, err := c.Model(t.Context(), "demo:"+file); err == nil || !strings.Contains(err.Error(), "over the limit") {
		t.Error(err)
	}
}

func TestFilesForCompletionHonourIgnoreFiles(t *testing.T) {
	c, _ := open(t, func(o *Options) {
		for _, f := range []string{"README.md", "src/a.go", "src/deep/b.go", "build/out", "src/with blank.txt"} {
			put(t, filepath.Join(o.Dir, f), "x")
		}
		put(t, filepath.Join(o.Dir, ".gitignore"), "build\n")
	})
	want := []string{".gitignore", "README.md", "src/", "src/a.go", "src/deep/", "src/deep/b.go", "src/with blank.txt"}
	got, err := c.Files(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestChat_A4_AllFilesOfALargeRepository, and not the first thousand four levels deep.
func TestChat_A4_AllFilesOfALargeRepository(t *testing.T) {
	c, _ := open(t, func(o *Options) {
		for i := range 3000 {
			put(t, filepath.Join(o.Dir, fmt.Sprintf("a/b/c/d/e/f%d/x.go", i)), "x")
		}
		put(t, filepath.Join(o.Dir, "z.go"), "x")
	})
	got, err := c.Files(t.Context())
	if err != nil || len(got) != 5+2*3000+1 || got[len(got)-1] != "z.go" {
		t.Errorf("%d paths, %v", len(got), err)
	}
}

func inMode(id string) (s trimtab.Session) {
	if id != "" {
		s = s.WithMemory("mode", []byte(`{"mode":"`+id+`"}`))
	}
	return s
}

func TestModesThatOnlyLookRunOnlyToolsThatLook(t *testing.T) {
	own := []mode.Definition{{ID: "survey", Name: "SURVEY", Tools: []string{"search"}}, {ID: "audit", Name: "AUDIT", ReadOnly: true}}
	c, _ := open(t, func(o *Options) { o.Modes = func() []mode.Definition { return append(mode.BuiltIn(), own...) } })
	look, write := llm.Tool{Name: "read", ReadOnly: true}, llm.Tool{Name: "write"}
	for id, want := range map[string][2]bool{
		"": {true, true}, "normal": {true, true}, "debugging": {true, true}, "planning": {true, false}, "research": {true, false},
		"code-review": {true, false}, "unheard-of": {true, true}, "survey": {false, false}, "audit": {true, false},
	} {
		s := inMode(id)
		if got := [2]bool{c.refuses(s, look) == "", c.refuses(s, write) == ""}; got != want || !c.offers(s, look) || !c.offers(s, write) {
			t.Errorf("%s: read and write %v, want %v", id, got, want)
		}
		if c.refuses(s, llm.Tool{Name: "todo_write", ReadOnly: true})+c.refuses(s, llm.Tool{Name: "flame_pop", ReadOnly: true}) != "" {
			t.Errorf("%s takes the session's own tools away", id)
		}
	}
	only, _ := open(t, func(o *Options) { o.ReadOnly = true })
	if got := [2]bool{only.offers(trimtab.Session{}, look), only.offers(trimtab.Session{}, write)}; got != [2]bool{true, false} {
		t.Errorf("read only offers read and write %v", got)
	}
}

func TestTools_SayWhatIsNotOfferedNow(t *testing.T) {
	c, _ := open(t, nil)
	off := map[string]string{}
	for _, st := range c.Tools(inMode("planning")) {
		off[st.Name] = st.Off
		if st.Text == "" || strings.Contains(st.Text, "\n") {
			t.Errorf("%s: %q", st.Name, st.Text)
		}
	}
	if off["read"] != "" || off["write"] == "" {
		t.Errorf("%q", off)
	}
}

// TestChat_A7_TheLastChoiceIsTheNextDefault, unless it is gone or the demo.
func TestChat_A7_TheLastChoiceIsTheNextDefault(t *testing.T) {
	var left []error
	c, m := open(t, func(o *Options) {
		o.LastModel = filepath.Join(o.Dir, "model")
		o.Left = func(err error) { left = append(left, err) }
	})
	name := func() string {
		t.Helper()
		chosen, err := c.Choose(t.Context(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		return chosen.Name
	}
	if err := errors.Join(c.Remember("demo"), c.Remember("")); err != nil || name() != "demo" {
		t.Errorf("%v, %s", err, name())
	}
	m.known = "large"
	if err := c.Remember("large"); err != nil || name() != "large" {
		t.Errorf("%v, %s", err, name())
	}
	m.known = ""
	if got := name(); got != "demo" || len(left) != 1 {
		t.Errorf("%s, told %v", got, left)
	}
}
