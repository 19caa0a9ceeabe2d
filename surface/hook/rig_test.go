package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/steer/todo"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// rig is a host with our hooks, on a store in memory.
type rig struct {
	t     *testing.T
	host  string
	data  string
	store trimtab.Archive
	opt   Options
	now   time.Time
	light int // calls that were put aside
	heavy int
}

func newRig(t *testing.T, host string) *rig {
	t.Helper()
	enforce := true
	engine, err := steer.New(steer.Config{Modes: mode.Config{Enforce: &enforce}, Todo: todo.Config{Timing: "fixed"}})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, host: host, data: t.TempDir(), store: memory.New(), now: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)}
	clock := func() time.Time { r.now = r.now.Add(time.Second); return r.now }
	r.opt = Options{Service: session.New(engine, r.store, session.Options{Clock: clock}), Data: r.data, Clock: clock, PID: 7}
	return r
}

// call hands a hook's input over, as the programs do: the light way first.
func (r *rig) call(event, input string) string {
	r.t.Helper()
	c, err := spool.Read(r.host, event, []byte(input))
	if err != nil {
		r.t.Fatal(err)
	}
	if spool.At(r.data, c).Defer(c, r.opt.Clock().UnixNano(), 7) {
		r.light++
		return ""
	}
	r.heavy++
	a, err := New(r.opt).Answer(r.t.Context(), c)
	if err != nil {
		r.t.Fatalf("%s: %v", event, err)
	}
	return r.encode(c, a)
}

func (r *rig) encode(c spool.Call, a Answer) string {
	r.t.Helper()
	out, err := Encode(c, a)
	if err != nil {
		r.t.Fatal(err)
	}
	closed(r.t, c, out)
	return string(out)
}

// The events in the words of each host.
func (r *rig) name(k spool.Kind) string {
	_, e, _ := spool.Find(r.host, k.String())
	return e.Name
}

func (r *rig) start(source string) string {
	return r.call(r.name(spool.Start), fmt.Sprintf(`{"session_id":"s1","cwd":"/p","source":%q}`, source))
}

func (r *rig) prompt(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.call(r.name(spool.Prompt), fmt.Sprintf(`{"session_id":"s1","cwd":"/p","prompt":%s}`, raw))
}

func (r *rig) used(tool, input, response string) string {
	if r.host == "claude" {
		return r.call("PostToolBatch", fmt.Sprintf(`{"session_id":"s1","cwd":"/p","tool_calls":[{"tool_name":%q,"tool_input":%s,"tool_use_id":"t1","tool_response":%q}]}`, tool, input, response))
	}
	return r.call(r.name(spool.Used), fmt.Sprintf(`{"session_id":"s1","cwd":"/p","tool_name":%q,"tool_input":%s,"tool_response":%q}`, tool, input, response))
}

func (r *rig) shell(n int) string {
	return r.used("Bash", fmt.Sprintf(`{"command":"echo %d"}`, n), "ok")
}

func (r *rig) using(tool string) string {
	return r.call(r.name(spool.Using), fmt.Sprintf(`{"session_id":"s1","cwd":"/p","tool_name":%q,"tool_input":{},"tool_use_id":"t1"}`, tool))
}

// stop ends a turn; active is what the host says of the chain, "" is nothing.
func (r *rig) stop(last, active string) string {
	flag := ""
	if active != "" {
		flag = `,"stop_hook_active":` + active
	}
	key := "last_assistant_message"
	if r.host == "gemini" {
		key = "prompt_response"
	}
	return r.call(r.name(spool.Stop), fmt.Sprintf(`{"session_id":"s1","cwd":"/p",%q:%q%s}`, key, last, flag))
}

// todos has the agent write its list, with the tool of its host.
func (r *rig) todos(status string) {
	r.used("TodoWrite", fmt.Sprintf(`{"todos":[{"content":"write the docs","status":%q}]}`, status), "ok")
}

func (r *rig) ask(command string, args ...string) {
	r.t.Helper()
	if _, _, err := r.opt.Service.Handle(r.t.Context(), r.host+":s1", trimtab.Asked{Command: command, Args: args, Away: true}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) session() trimtab.Session {
	r.t.Helper()
	s, err := r.store.Load(r.t.Context(), r.host+":s1")
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *rig) messages() []trimtab.Message {
	r.t.Helper()
	var all []trimtab.Message
	for m, err := range r.store.Messages(r.t.Context(), r.host+":s1", 0) {
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// keys are what a host takes, and where: written down from what the hosts accept,
// apart from the types that make the answers.
var keys = map[string]map[spool.Kind][]string{
	"claude": {
		spool.Start:  {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
		spool.Prompt: {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage", "decision", "reason"},
		spool.Used:   {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
		spool.Using:  {"hookSpecificOutput.hookEventName", "hookSpecificOutput.permissionDecision", "hookSpecificOutput.permissionDecisionReason", "systemMessage"},
		spool.Stop:   {"decision", "reason", "systemMessage"},
	},
	"gemini": {
		spool.Start:  {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
		spool.Prompt: {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
		spool.Used:   {"hookSpecificOutput.hookEventName", "hookSpecificOutput.additionalContext", "systemMessage"},
		spool.Using:  {"decision", "reason", "systemMessage"},
		spool.Stop:   {"decision", "reason", "systemMessage"},
	},
	"goose": {spool.Stop: {"decision", "reason"}, spool.Using: {"decision", "reason"}},
}

// closed fails on an answer with a key that the host does not take at the event:
// Codex throws such an answer away.
func closed(t *testing.T, c spool.Call, out []byte) {
	t.Helper()
	if len(out) == 0 {
		return
	}
	host := c.Host.Name
	if c.Host.Install.Code != "" { // a plugin of ours reads it
		var answer pluginOut
		d := json.NewDecoder(bytes.NewReader(out))
		d.DisallowUnknownFields()
		if err := d.Decode(&answer); err != nil {
			t.Errorf("%s %s: %v: %s", c.Host.Name, c.Event.Name, err, out)
		}
		return
	}
	if host == "codex" || host == "qwen" {
		host = "claude"
	}
	var top map[string]any
	if err := json.Unmarshal(out, &top); err != nil {
		t.Fatalf("%s %s answers no JSON: %q", c.Host.Name, c.Event.Name, out)
	}
	check := func(key string, v any) {
		if text, ok := v.(string); !ok || text == "" || !slices.Contains(keys[host][c.Event.Kind], key) {
			t.Errorf("%s %s does not take %q: %s", c.Host.Name, c.Event.Name, key, out)
		}
		if key == "hookSpecificOutput.hookEventName" && v != c.Event.Name {
			t.Errorf("%s %s answers for %v", c.Host.Name, c.Event.Name, v)
		}
		words := map[string][]string{"decision": {"block"}, "hookSpecificOutput.permissionDecision": {"deny"}}
		if host == "gemini" {
			words["decision"] = []string{"deny"}
		}
		if allowed, ok := words[key]; ok && !slices.Contains(allowed, v.(string)) {
			t.Errorf("%s %s: %s is %v", c.Host.Name, c.Event.Name, key, v)
		}
	}
	for key, v := range top {
		inner, ok := v.(map[string]any)
		if !ok {
			check(key, v)
			continue
		}
		for k, v := range inner {
			check(key+"."+k, v)
		}
	}
}

// sample is the recorded input of a host's hooks.
type sample struct {
	Host   string                       `json:"host"`
	Events map[string][]json.RawMessage `json:"stdin_by_event"`
}

func samples(t testing.TB) []sample {
	t.Helper()
	files, err := filepath.Glob("testdata/*-hook-stdin.json")
	if err != nil || len(files) != len(spool.Hosts()) {
		t.Fatalf("%d samples: %v", len(files), err)
	}
	var all []sample
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s sample
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// dead is a store that fails in every way.
type dead struct {
	Service
	err error
}

func (d dead) Session(context.Context, string) (trimtab.Session, error) {
	return trimtab.Session{}, d.err
}

func (d dead) Begin(context.Context, trimtab.Info) (trimtab.Session, error) {
	return trimtab.Session{}, d.err
}

func (d dead) Handle(context.Context, string, ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	return trimtab.Session{}, trimtab.Outcome{}, d.err
}

func holds(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not hold %q: %s", what, w, text)
		}
	}
}

func none(t *testing.T, what, text string) {
	t.Helper()
	if text != "" {
		t.Errorf("%s answered: %s", what, text)
	}
}
