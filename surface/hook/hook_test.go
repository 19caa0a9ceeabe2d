package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/steer/stop"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// hearing are the hosts whose hooks can speak to the model.
var hearing = []string{"claude", "codex", "gemini", "qwen"}

func TestEverySampleIsAnsweredInTheHostsOwnWords(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.Host, func(t *testing.T) {
			r := newRig(t, s.Host)
			for event, all := range s.Events {
				for _, input := range all {
					r.call(event, string(input))
				}
			}
			if r.heavy == 0 {
				t.Error("no event was answered from the store")
			}
		})
	}
}

func TestT1_TheReminderComesAfterEightSteps(t *testing.T) {
	for _, host := range hearing {
		t.Run(host, func(t *testing.T) {
			r := newRig(t, host)
			r.start("startup")
			none(t, "the prompt", r.prompt("write the docs"))
			for i := 1; i <= 16; i++ {
				out := r.shell(i)
				if i == 8 || i == 12 || i == 16 {
					holds(t, fmt.Sprint("step ", i), out, "todo", r.name(spool.Used))
				} else {
					none(t, fmt.Sprint("step ", i), out)
				}
			}
			if r.session().Step != 16 {
				t.Errorf("step %d, want 16", r.session().Step)
			}
			if r.light < 9 { // 5, then 2 or 3 between reminders
				t.Errorf("only %d of 16 calls were put aside", r.light)
			}
		})
	}
}

func TestAHostThatShowsTheModelNothingIsToldNothing(t *testing.T) {
	r := newRig(t, "goose")
	r.start("startup")
	r.ask("mode", "planning")
	none(t, "the prompt", r.prompt("write the docs"))
	for i := range 20 {
		none(t, "a step", r.shell(i))
	}
	for _, n := range r.session().Notes {
		if n.Seated() {
			t.Errorf("a note counts as said that the model never saw: %s/%s", n.By, n.Slot)
		}
	}
}

func TestM2_TheFirstPromptInAModeBringsItsEntryPrompt(t *testing.T) {
	for _, host := range hearing {
		t.Run(host, func(t *testing.T) {
			r := newRig(t, host)
			r.start("startup")
			none(t, "the prompt in normal mode", r.prompt("hello"))
			r.ask("mode", "planning")
			first := r.prompt("plan this")
			second := r.prompt("and that")
			holds(t, "the first prompt", first, r.name(spool.Prompt), "lan")
			if second == "" || second == first {
				t.Errorf("the second prompt brings %q", second)
			}
		})
	}
}

func TestA1_OnlyWhatAPersonTypedSwitchesAutomataOn(t *testing.T) {
	for prompt, want := range map[string]bool{
		"automata: tidy this":                                        true,
		"<hook_context>automata</hook_context>\n\nhello":             false,
		"<hook_context>x</hook_context>\n\nautomata please":          true,
		stop.Opening + "your todo list has 1 open item:\n- automata": false,
		"<system-reminder>automata</system-reminder>":                false,
		"  " + stop.Opening + "automata":                             false,
		"":                                                           false,
	} {
		r := newRig(t, "gemini")
		r.start("startup")
		r.prompt(prompt)
		raw, err := r.session().Memory("automata")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(raw), `"automataEnabled":true`); got != want {
			t.Errorf("%q: automata %v", prompt, got)
		}
	}
	r := newRig(t, "gemini")
	r.start("startup")
	r.prompt("<hook_context>the host's words</hook_context>\n\nhello")
	if title := r.session().Title; title != "hello" {
		t.Errorf("the session is called %q: the host's words count as a person's", title)
	}
	r = newRig(t, "claude")
	r.start("startup")
	holds(t, "the prompt", r.prompt("automata"), "systemMessage", "automata on")
}

func TestModesEnforce_AToolIsRefusedInTheHostsOwnWords(t *testing.T) {
	for host, tool := range map[string]string{"claude": "Bash", "codex": "Bash", "gemini": "run_shell_command", "qwen": "run_shell_command", "goose": "shell"} {
		t.Run(host, func(t *testing.T) {
			r := newRig(t, host)
			r.start("startup")
			r.prompt("hello")
			none(t, "a tool in normal mode", r.using(tool))
			r.ask("mode", "planning")
			r.prompt("plan this")
			out := r.using(tool)
			holds(t, "a tool that changes things", out, "planning mode")
			if !strings.Contains(out, `"deny"`) && !strings.Contains(out, `"block"`) {
				t.Errorf("no refusal: %s", out)
			}
			none(t, "a tool that reads", r.using("Read"))
		})
	}
}

func TestG5_WhatStandsIsPutBackAfterACompaction(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	r.ask("mode", "planning")
	entry := r.prompt("plan this")
	for i := range 4 {
		r.shell(i)
	}
	r.call("PreCompact", `{"session_id":"s1","trigger":"manual"}`)
	if got := r.session().Step; got != 4 {
		t.Errorf("%d steps are told before the compaction, want 4", got)
	}
	back := r.start("compact")
	holds(t, "the start after a compaction", back, "PLANNING", entry[len(entry)-60:len(entry)-10])
	if r.session().Step != 4 {
		t.Errorf("the counter went to %d", r.session().Step)
	}
	r = newRig(t, "codex")
	r.start("startup")
	r.ask("mode", "planning")
	r.prompt("plan this")
	none(t, "PostCompact", r.call("PostCompact", `{"session_id":"s1","trigger":"auto"}`))
	holds(t, "the next step", r.shell(1), "additionalContext")
}

func TestStart_TellsWhatStands(t *testing.T) {
	r := newRig(t, "claude")
	none(t, "a new session", r.start("startup"))
	r.prompt("automata: go")
	r.todos("in_progress")
	holds(t, "the session opened again", r.start("resume"), "SessionStart", "automata", "todo 0/1")
	none(t, "one that starts over", newRig(t, "claude").start("clear"))
}

// TestG7_WhereAGatewaySeesTheSessionItSteers: hooks add nothing to its record and
// say nothing to the model, but still keep the agent from stopping and refuse.
func TestG7_WhereAGatewaySeesTheSessionItSteers(t *testing.T) {
	for name, known := range map[string]bool{"by the run": true, "by its messages": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "claude")
			r.opt.Gateway = known
			if _, err := r.opt.Service.Begin(t.Context(), trimtab.Info{ID: "claude:s1", Host: "claude"}); err != nil {
				t.Fatal(err)
			}
			none(t, "the start", r.start("startup"))
			said := func(id string, m trimtab.Message) trimtab.Event { m.ID = id; return trimtab.Said{Message: m} }
			call := trimtab.ToolCall{ID: "t", Name: "TodoWrite", Input: []byte(`{"todos":[{"content":"write the docs","status":"pending"}]}`)}
			if _, _, err := r.opt.Service.Handle(t.Context(), "claude:s1",
				said("h1a", trimtab.Prompt("go")), trimtab.Calling{},
				said("h2b", trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{call}}),
				said("h3c.2", trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: "t"}}}),
				trimtab.Asked{Command: "mode", Args: []string{"planning"}}); err != nil {
				t.Fatal(err)
			}
			before := len(r.messages())
			if known {
				none(t, "the start of another run", r.start("resume"))
			}
			none(t, "the prompt", r.prompt("plan this"))
			for i := range 20 {
				none(t, "a step", r.shell(i))
			}
			holds(t, "a tool", r.using("Bash"), "deny")
			holds(t, "the stop", r.stop("That is all.", "false"), "block", "write the docs")
			none(t, "the stop after it", r.stop("That is all.", "true"))
			if after := len(r.messages()); after != before {
				t.Errorf("the hooks told %d messages that the gateway tells", after-before)
			}
		})
	}
}

// TestG7_OneOwnerPerTurn: a session that a gateway saw in a former run belongs to
// the hooks in a run without one, and to a gateway as soon as it tells something.
// Seeded bug: the owner of the newest message owns the session for ever.
func TestG7_OneOwnerPerTurn(t *testing.T) {
	r := newRig(t, "claude")
	if _, err := r.opt.Service.Begin(t.Context(), trimtab.Info{ID: "claude:s1", Host: "claude"}); err != nil {
		t.Fatal(err)
	}
	gateway := func(id string, m trimtab.Message) {
		t.Helper()
		m.ID = id
		if _, _, err := r.opt.Service.Handle(t.Context(), "claude:s1", trimtab.Said{Message: m}, trimtab.Calling{}); err != nil {
			t.Fatal(err)
		}
	}
	gateway("h1a", trimtab.Prompt("go"))
	gateway("r2.k3x9", trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "Done."))
	r.ask("mode", "planning")
	r.start("resume")
	holds(t, "the prompt of a run without a gateway", r.prompt("plan this"), "additionalContext", "PLANNING")
	if got := r.session().Step; got != 1 {
		t.Fatalf("step %d", got)
	}
	r.shell(1)
	r.stop("That is all.", "false")
	if got := r.session().Step; got != 3 {
		t.Errorf("the hooks tell what happens: step %d, want 3", got)
	}
	gateway("h3c", trimtab.Prompt("on"))
	before := r.session()
	none(t, "the prompt where a gateway tells", r.prompt("on"))
	none(t, "a step there", r.shell(2))
	if after := r.session(); after.Seq != before.Seq || after.Step != before.Step {
		t.Errorf("told twice: %d messages, %d steps; before %d, %d", after.Seq, after.Step, before.Seq, before.Step)
	}
}

func TestG7_OneIdentityOnEverySurface(t *testing.T) {
	id := func(name, session string, opt Options) string {
		h, ok := host.Find(name)
		if !ok {
			h.Name = name
		}
		return New(opt).id(t.Context(), spool.Call{Host: h, Session: session})
	}
	run := Options{Gateway: true, Session: "20261115-101500-k3x9"}
	for _, c := range []struct{ got, want string }{
		{id("claude", "c9698cf5", Options{}), "claude:c9698cf5"},
		{id("claude", "c9698cf5", run), "claude:c9698cf5"},
		{id("goose", "20261115_7", run), "goose:20261115_7"},
		{id("gemini", "82183390", Options{}), "gemini:82183390"},
		{id("gemini", "82183390", run), run.Session}, // its requests carry no id
		{id("qwen", "144995e5", run), run.Session},
		{id("claude", "../x", Options{}), "id:"},
	} {
		if !strings.HasPrefix(c.got, c.want) || c.want != "id:" && c.got != c.want {
			t.Errorf("id %q, want %q", c.got, c.want)
		}
	}
}

func TestA8_SubAgentsAreLeftAlone(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	before := r.session().Version
	for _, event := range []string{"PreToolUse", "PostToolBatch", "Stop", "UserPromptSubmit"} {
		c, err := spool.Read("claude", event, []byte(`{"session_id":"s1","agent_id":"a1","prompt":"automata","tool_name":"Bash","tool_input":{},"last_assistant_message":"Now I'll go on."}`))
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(r.opt).Answer(t.Context(), c) // not even the long way
		if err != nil || r.encode(c, a) != "" {
			t.Errorf("%s: %v %v", event, a, err)
		}
	}
	if r.session().Version != before {
		t.Error("a sub-agent's event changed the session")
	}
}

// TestP17_AStoreThatIsAwayLosesNothing: the host gets no answer and goes on; what
// was told comes in with the next call that finds the store.
func TestP17_AStoreThatIsAwayLosesNothing(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	r.prompt("go")
	service := r.opt.Service
	r.opt.Service = dead{service, errors.New("disk I/O error")}
	fails := func(event, input string) {
		t.Helper()
		c, err := spool.Read("claude", event, []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(r.opt).Answer(t.Context(), c)
		if err == nil || r.encode(c, a) != "" {
			t.Errorf("%s: %v, %v", event, a, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells what was said: %v", err)
		}
	}
	for i := range 3 {
		fails("PostToolBatch", fmt.Sprintf(`{"session_id":"s1","tool_calls":[{"tool_name":"Bash","tool_input":{"command":"secret %d"},"tool_use_id":"t","tool_response":"ok"}]}`, i))
	}
	fails("UserPromptSubmit", `{"session_id":"s1","prompt":"automata: secret"}`)
	fails("Stop", `{"session_id":"s1","last_assistant_message":"Now I'll write the docs.","stop_hook_active":false}`)
	fails("SessionEnd", `{"session_id":"s1"}`)
	r.opt.Service = service
	r.call("PreCompact", `{"session_id":"s1"}`)
	s := r.session()
	if s.Step != 3 {
		t.Errorf("step %d, want 3", s.Step)
	}
	raw, err := s.Memory("automata")
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "the memory", string(raw), `"automataEnabled":true`)

	// What was told is not told again, by whoever comes when this process is gone.
	c, err := spool.Read("claude", "PreCompact", []byte(`{"session_id":"s1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if again := spool.At(r.opt.Data, c).Take(1 << 22); len(again.Calls) != 0 {
		t.Errorf("%d calls would be told again", len(again.Calls))
	}
	left := 0
	_ = filepath.WalkDir(spool.Folder(r.opt.Data), func(name string, d fs.DirEntry, err error) error {
		if raw, failed := os.ReadFile(name); err == nil && failed == nil && strings.Contains(string(raw), "secret 1") {
			left++
		}
		return nil
	})
	if left > 0 {
		t.Errorf("%d files still hold a call that was told", left)
	}
}

// TestTheLightWaySaysTheSame: with calls put aside, the same texts come at the
// same steps as when each is answered from the store.
func TestTheLightWaySaysTheSame(t *testing.T) {
	play := func(light bool) (said []string) {
		r := newRig(t, "claude")
		r.start("startup")
		said = append(said, r.prompt("automata: go"))
		for i := range 40 {
			if !light {
				c, err := spool.Read("claude", "Stop", []byte(`{"session_id":"s1"}`))
				if err != nil {
					t.Fatal(err)
				}
				if err := spool.At(r.data, c).Leave(spool.State{}, 7); err != nil { // nothing is known: the long way
					t.Fatal(err)
				}
			}
			if i == 10 || i == 11 {
				r.todos("pending")
			}
			said = append(said, r.shell(i))
		}
		if light && r.light < 15 || !light && r.light > 2 { // those behind a todo write
			t.Errorf("%d calls were put aside", r.light)
		}
		return said
	}
	light, heavy := play(true), play(false)
	for i := range heavy {
		if light[i] != heavy[i] {
			t.Errorf("call %d: the light way says %q, the long way %q", i, light[i], heavy[i])
		}
	}
}

func TestOldBoxesAreSweptAway(t *testing.T) {
	r := newRig(t, "claude")
	r.start("startup")
	c, err := spool.Read("claude", "SessionStart", []byte(`{"session_id":"other"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.now = time.Now().Add(30 * 24 * time.Hour)
	if _, err := New(r.opt).Answer(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	gone, err := spool.Read("claude", "Stop", []byte(`{"session_id":"s1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spool.At(r.data, gone).State(); err == nil {
		t.Error("the box of a month ago is still there")
	}
	r.call("SessionEnd", `{"session_id":"other"}`)
	if _, err := spool.At(r.data, c).State(); err == nil {
		t.Error("the box of a session that ended is still there")
	}
}

func TestALongTextIsCutToWhatHostsTake(t *testing.T) {
	c, err := spool.Read("codex", "UserPromptSubmit", []byte(`{"session_id":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Encode(c, Answer{Context: strings.Repeat("ü", 20000)})
	if err != nil || len(out) > maxContext+200 || !strings.Contains(string(out), "[…]") || strings.Contains(string(out), "\ufffd") {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// FuzzAnswer: whatever a host writes, there is no panic, and an answer that the
// host takes.
func FuzzAnswer(f *testing.F) {
	for _, s := range samples(f) {
		for event, all := range s.Events {
			for _, input := range all {
				f.Add(s.Host, event, []byte(input))
			}
		}
	}
	f.Add("claude", "PostToolBatch", []byte(`{"session_id":"s","tool_calls":[{"tool_name":"TodoWrite","tool_input":7,"tool_response":{"error":{}}}]}`))
	f.Fuzz(func(t *testing.T, host, event string, input []byte) {
		c, err := spool.Read(host, event, input)
		if err != nil {
			return
		}
		r := newRig(t, host)
		a, err := New(r.opt).Answer(t.Context(), c)
		if err == nil {
			r.encode(c, a)
		}
	})
}

// TestG7_WhoToldAMessageIsAFact: a name that looks like the gateway's does not make a
// message the gateway's, where the session says who told it.
func TestG7_WhoToldAMessageIsAFact(t *testing.T) {
	for _, c := range []struct {
		id   string
		via  trimtab.Via
		want bool
	}{
		{"hdeadbeef", "other", false},
		{"m7", trimtab.ViaGateway, true},
		{"hdeadbeef", "", true},
		{"m7", "", false}, // stored by an earlier version
	} {
		s := trimtab.Session{Via: c.via}
		s.Last.ID = c.id
		if got := seenByGateway(s); got != c.want {
			t.Errorf("%s via %q: %v", c.id, c.via, got)
		}
	}
}
