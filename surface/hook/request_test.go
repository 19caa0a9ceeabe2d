package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// plugin is a host with a plugin of ours, as far as trimtab sees it.
type plugin struct {
	*rig
	event   string
	model   string
	base    string
	all     []map[string]any
	first   int // of the history that is still sent
	sent    int
	n       int
	started bool
}

func newPlugin(t *testing.T, host string) *plugin {
	p := &plugin{rig: newRig(t, host), model: "claude-sonnet-4-5"}
	p.event = p.name(spool.Request)
	return p
}

func (p *plugin) say(role string, typed bool, parts ...any) string {
	p.n++
	id := fmt.Sprintf("msg_%04d", p.n)
	p.all = append(p.all, map[string]any{"id": id, "role": role, "typed": typed, "parts": parts})
	return id
}

func (p *plugin) types(text string) string {
	return p.say("user", true, map[string]any{"text": text})
}

// tool is a reply that calls a tool, and its result.
func (p *plugin) tool(name, input string) {
	id := fmt.Sprintf("c%d", p.n)
	p.say("assistant", false, map[string]any{"call": map[string]any{"id": id, "name": name, "input": json.RawMessage(input)}})
	p.say("tool", false, map[string]any{"result": map[string]any{"id": id, "text": "ok " + id}})
}

func (p *plugin) shell() { p.tool("bash", fmt.Sprintf(`{"command":"echo %d"}`, p.n)) }

// input is what the plugin sends: what is new since the last answer, and the ids of all.
func (p *plugin) input(more map[string]any) string {
	p.t.Helper()
	var history []map[string]any
	for _, m := range p.all[p.first:] {
		history = append(history, map[string]any{"id": m["id"], "size": 100})
	}
	in := map[string]any{"session_id": "s1", "cwd": "/p", "first": !p.started, "model": p.model, "base_url": p.base, "history": history, "messages": p.all[max(p.sent, p.first):]}
	for k, v := range more {
		in[k] = v
	}
	raw, err := json.Marshal(in)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

// ask is one request.
func (p *plugin) ask() Request {
	p.t.Helper()
	out := p.call(p.event, p.input(nil))
	var r Request
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		p.t.Fatalf("%v: %q", err, out)
	}
	p.sent, p.started = len(p.all), true
	return r
}

// restart is the same session in a new process of the host.
func (p *plugin) restart() { p.sent, p.started = 0, false }

func (p *plugin) session() trimtab.Session {
	p.t.Helper()
	s, err := p.store.Load(p.t.Context(), p.host+":s1")
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func counted(r Request, words string) (n int) {
	for _, note := range r.Notes {
		n += strings.Count(note.Text, words)
	}
	return n
}

var pluginHosts = []string{"opencode", "pi"}

// TestH11_APluginPutsTheLiveNotesAtTheTail: on every request while they live, behind the
// newest message, and nowhere after a todo write.
func TestH11_APluginPutsTheLiveNotesAtTheTail(t *testing.T) {
	for _, host := range pluginHosts {
		t.Run(host, func(t *testing.T) {
			p := newPlugin(t, host)
			p.types("write the docs")
			for i := range 11 {
				r := p.ask()
				want := 0
				if i >= 8 {
					want = 1
				}
				if n := counted(r, "no todo list has been written"); n != want {
					t.Fatalf("request %d holds the reminder %d times: %+v", i, n, r)
				}
				for _, note := range r.Notes {
					if last := p.all[len(p.all)-1]["id"]; note.At != last || !note.After {
						t.Errorf("request %d: the note is at %s, the newest message is %s", i, note.At, last)
					}
					if !strings.Contains(note.Text, "Trimtab") {
						t.Errorf("a note that does not say who wrote it: %q", note.Text)
					}
				}
				p.shell()
			}
			p.tool("todowrite", `{"todos":[{"content":"one","status":"pending"}]}`)
			if r := p.ask(); len(r.Notes) != 0 {
				t.Errorf("the todo list was written, and there is %+v", r.Notes)
			}
		})
	}
}

// TestH11_WhereThinkingIsBoundANoteStaysWhereItWasSent: at the same message, with the
// same bytes.
func TestH11_WhereThinkingIsBoundANoteStaysWhereItWasSent(t *testing.T) {
	p := newPlugin(t, "opencode")
	p.model = "claude-opus-5-5"
	p.types("write the docs")
	var was PlacedNote
	for i := range 11 {
		r := p.ask()
		switch {
		case i == 8:
			was = r.Notes[0]
			if !was.Fixed {
				t.Errorf("not fixed: %+v", was)
			}
		case i > 8 && (len(r.Notes) == 0 || r.Notes[0] != was):
			t.Errorf("request %d: %+v became %+v", i, was, r.Notes)
		}
		p.shell()
	}
}

// TestH8_APluginVouchesForWhatWasTyped: a message that the host had from no person
// switches nothing.
func TestH8_APluginVouchesForWhatWasTyped(t *testing.T) {
	for _, typed := range []bool{true, false} {
		p := newPlugin(t, "opencode")
		p.say("user", typed, map[string]any{"text": "automata: tidy this folder"})
		n := 0
		for range 9 {
			n = max(n, counted(p.ask(), "Time to look up"))
			p.shell()
		}
		if (n > 0) != typed {
			t.Errorf("typed %v: %d reflections", typed, n)
		}
	}
}

// TestH6_AProcessThatStartsAgainTellsNothingTwice: the whole history is sent, and only
// what is new counts.
func TestH6_AProcessThatStartsAgainTellsNothingTwice(t *testing.T) {
	p := newPlugin(t, "pi")
	p.types("write the docs")
	for range 3 {
		p.ask()
		p.shell()
	}
	p.ask()
	before := p.session()
	p.restart()
	p.say("assistant", false, map[string]any{"text": "Done."})
	p.types("and now the tests")
	p.ask()
	if s := p.session(); s.Step != before.Step+1 || s.Seq != before.Seq+2 {
		t.Errorf("step %d became %d, %d messages became %d", before.Step, s.Step, before.Seq, s.Seq)
	}
}

// TestM2_AfterACompactionTheModeIsToldAgain: the message that it stood at is not sent any
// more.
func TestM2_AfterACompactionTheModeIsToldAgain(t *testing.T) {
	p := newPlugin(t, "opencode")
	p.types("hello")
	p.ask()
	if _, _, err := p.opt.Service.Handle(t.Context(), "opencode:s1", trimtab.Asked{Command: "mode", Args: []string{"planning"}}); err != nil {
		t.Fatal(err)
	}
	p.say("assistant", false, map[string]any{"text": "Hello."})
	p.types("plan it")
	entry := p.ask()
	if counted(entry, "You are in PLANNING MODE") != 1 {
		t.Fatalf("no entry: %+v", entry)
	}
	if kept := entry.Notes[0]; kept.After || kept.At != p.all[len(p.all)-1]["id"] {
		t.Errorf("the entry does not stand before the prompt: %+v", kept)
	}
	p.shell()
	p.first = len(p.all)
	p.types("go on")
	r := p.ask()
	if counted(r, "You are in PLANNING MODE") != 1 {
		t.Errorf("after the compaction: %+v", r)
	}
	for _, n := range r.Notes {
		if n.At != p.all[len(p.all)-1]["id"] {
			t.Errorf("a note at a message that is not sent: %+v", n)
		}
	}
}

// TestH11_BesideAGatewayAPluginIsQuiet: whether it is known from the environment, from
// the host's settings, or by what it has told.
func TestH11_BesideAGatewayAPluginIsQuiet(t *testing.T) {
	for name, set := range map[string]func(*plugin){
		"environment": func(p *plugin) { p.opt.Gateway = true },
		"settings":    func(p *plugin) { p.base = "http://127.0.0.1:8787/k/abcdefghijklmnopqrstuvwxyz012345/v1" },
	} {
		p := newPlugin(t, "opencode")
		set(p)
		p.types("automata: tidy")
		for range 9 {
			if r := p.ask(); !r.Quiet || len(r.Notes) > 0 {
				t.Errorf("%s: %+v", name, r)
			}
			p.shell()
		}
		if _, err := p.store.Load(t.Context(), "opencode:s1"); !errors.Is(err, trimtab.ErrNotFound) {
			t.Errorf("%s: the plugin began a session beside the gateway's: %v", name, err)
		}
	}
	p := newPlugin(t, "opencode")
	p.types("automata: tidy")
	p.ask()
	m := trimtab.Prompt("from a request")
	m.ID, m.Via = "h1", trimtab.ViaGateway
	if _, _, err := p.opt.Service.Handle(t.Context(), "opencode:s1", trimtab.Said{Message: m}); err != nil {
		t.Fatal(err)
	}
	if r := p.ask(); !r.Quiet {
		t.Errorf("a gateway has told of the session: %+v", r)
	}
	p.restart()
	p.say("assistant", false, map[string]any{"text": "Done."})
	p.types("go on")
	if r := p.ask(); r.Quiet {
		t.Error("a new process without a gateway is still quiet")
	}
}

// TestH11_APluginSendsTheAgentOnOnce at a stop with work left, and refuses tools where
// the mode does.
func TestH11_APluginSendsTheAgentOnOnce(t *testing.T) {
	for _, host := range pluginHosts {
		p := newPlugin(t, host)
		p.types("write both halves")
		p.ask()
		said := "The first half is done. Now I'll write the second half."
		stop := func(active bool) string {
			return p.call(p.name(spool.Stop), p.input(map[string]any{"last_assistant_message": said, "stop_hook_active": active}))
		}
		p.say("assistant", false, map[string]any{"text": said})
		out := stop(false)
		if !strings.Contains(out, `"continue":"Before you stop: `) {
			t.Fatalf("%s: %s", host, out)
		}
		if last := p.session().Last.ID; last != p.all[len(p.all)-1]["id"] { // the reason comes back with the next request
			t.Errorf("%s: the newest message is %q", host, last)
		}
		p.sent = len(p.all)
		p.say("user", false, map[string]any{"text": "Before you stop: go on"})
		p.ask()
		step := p.session().Step
		p.say("assistant", false, map[string]any{"text": said})
		if out := stop(true); strings.Contains(out, "continue") {
			t.Errorf("%s: sent on twice: %s", host, out)
		}
		if s := p.session(); s.Step != step+1 {
			t.Errorf("%s: step %d became %d", host, step, s.Step)
		}

		if _, _, err := p.opt.Service.Handle(t.Context(), host+":s1", trimtab.Asked{Command: "mode", Args: []string{"planning"}}); err != nil {
			t.Fatal(err)
		}
		p.types("plan")
		if r := p.ask(); !r.Guard {
			t.Errorf("%s: it is not told to ask before tools", host)
		}
		using := `{"session_id":"s1","cwd":"/p","tool_name":"edit","tool_input":{"filePath":"a.go"},"tool_use_id":"t1"}`
		if out := p.call(p.name(spool.Using), using); !strings.Contains(out, `"deny":`) {
			t.Errorf("%s: an edit in planning mode: %q", host, out)
		}
	}
}

// TestH11_AStoreThatFailsIsNoAnswer: the plugin then sends the same again.
func TestH11_AStoreThatFailsIsNoAnswer(t *testing.T) {
	p := newPlugin(t, "opencode")
	p.types("hello")
	c, err := spool.Read("opencode", p.event, []byte(p.input(nil)))
	if err != nil {
		t.Fatal(err)
	}
	alive := p.opt.Service
	p.opt.Service = dead{alive, errors.New("the disk is gone")}
	if a, err := New(p.opt).Answer(t.Context(), c); err == nil || a.Request != nil {
		t.Errorf("%+v, %v", a, err)
	}
	p.opt.Service = alive
	p.ask()
	if s := p.session(); s.Seq != 1 {
		t.Errorf("%d messages, want 1", s.Seq)
	}
}

// TestF5_APluginIsToldOfAPoppedFrame: which messages its summary stands for, by the
// host's own ids.
func TestF5_APluginIsToldOfAPoppedFrame(t *testing.T) {
	p := newPlugin(t, "opencode")
	p.types("count to many")
	p.ask()
	asked := func(command string, args ...string) {
		if _, _, err := p.opt.Service.Handle(t.Context(), "opencode:s1", trimtab.Asked{Command: command, Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	asked("push", "Count")
	for range 4 {
		p.tool("bash", fmt.Sprintf(`{"command":"echo %d %s"}`, p.n, strings.Repeat("x", 4000)))
		p.ask()
	}
	asked("pop", "It was counted.")
	p.shell()
	r := p.ask()
	if len(r.Folds) != 1 || !strings.HasPrefix(r.Folds[0].First, idPrefix) || r.Folds[0].Last <= r.Folds[0].First || r.Folds[0].Text == "" {
		t.Errorf("%+v", r)
	}
}
