package frame

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

// FuzzCommand gives commands as anybody may type them. Whatever comes, there is
// an answer, no fault, and a consistent tree of bounded size.
func FuzzCommand(f *testing.F) {
	for _, v := range Verbs() {
		for _, ex := range v.Examples {
			f.Add(v.Name + "\n" + strings.ReplaceAll(ex, " ", "\n"))
		}
	}
	f.Add("push\n{\"goal\":\"x\",\"successCriteria\":\"y\"}")
	f.Add("pop\n{\"status\":\"failed\",\"summary\":\"x\"}")
	f.Add("plan\n{\"goals\":[\"a\",\"\"],\"parent\":\"f2\"}")
	f.Add("autonomy\n{\"pushThreshold\":1e99}")
	f.Add("should-pop\nnoProgressTurns=99999999999999999999")
	f.Add("should-push\nrecentFileChanges=,,,\n=\n==")
	f.Add("invalidate\nf2\n\xff\xfe")
	f.Add("{\n}\n\x00")
	f.Fuzz(func(t *testing.T, line string) {
		h := newHost(t, Config{}, Autonomy{}).prompt("build a parser").do("plan", "a; b").do("push", "read tabs").work(2).do("pop", "completed", "read").do("push", "more")
		args := strings.Split(line, "\n")
		r := h.ask(args...)
		if r.Text == "" {
			t.Errorf("%q has no answer", args)
		}
		if len(r.Data) > 0 && !json.Valid(r.Data) {
			t.Errorf("%q: data %q", args, r.Data)
		}
		if err := consistent(h); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if n := len(encode(t, h.memory())); n > 200<<10 {
			t.Errorf("%q leaves a memory of %d bytes", args, n)
		}
	})
}

// FuzzMemory loads a memory that anything may have happened to. It may be
// refused as unreadable; it may not break the session, and no step may panic.
func FuzzMemory(f *testing.F) {
	frames, err := New(Config{}, Autonomy{Level: "auto", Confidence: "max", Push: new(1), Pop: new(1)})
	if err != nil {
		f.Fatal(err)
	}
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(frames))
	if err != nil {
		f.Fatal(err)
	}
	h := newHost(f, Config{}, Autonomy{}).prompt("build").work(2).do("plan", "x").do("push", "a").work(2).do("pop").do("push", "b").work(1)
	f.Add([]byte(encode(f, h.memory())))
	f.Add([]byte(`{"active":"f1","frames":[{"id":"f1","parent":"f1","status":"in_progress"}]}`))
	f.Add([]byte(`{"active":"f1","frames":[{"id":"f1","parent":"f2","status":"in_progress"},{"id":"f2","parent":"f1","status":"completed","folded":true,"firstMessage":{"seq":3},"lastMessage":{"seq":1}}]}`))
	f.Add([]byte(`{"past":[{"what":"x","active":"f9","next":-1,"frames":[{"id":"f1"}]}],"set":{"level":"wild"},"folds":[{"key":"f1"}],"next":-5}`))
	f.Add([]byte(`{"open":[{"id":"c"}],"torn":[-1],"tail":-9,"work":{"recent":{"idle":-3,"bytes":-100000000}},"suggestions":[{"state":"pending"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := trimtab.NewSession("s", start).WithMemory("frame", raw)
		for _, ev := range []trimtab.Event{
			trimtab.Said{Message: trimtab.Prompt("hello there")},
			trimtab.Calling{},
			trimtab.Asked{Command: "frame", Args: []string{"status"}},
			trimtab.Asked{Command: "push", Args: []string{"x"}},
			trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "hm")},
			trimtab.Calling{},
			trimtab.Asked{Command: "pop"},
			trimtab.Rewritten{All: true},
			trimtab.Asked{Command: "frame", Args: []string{"undo"}},
			trimtab.Asked{Command: "tree"},
		} {
			var out trimtab.Outcome
			s, out = engine.Step(s, ev, start)
			engine.Status(s)
			for _, fault := range out.Faults {
				if fault.Stack != "" {
					t.Fatalf("%T: %s\n%s", ev, fault.Text, fault.Stack)
				}
			}
		}
	})
}
