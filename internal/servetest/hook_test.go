package servetest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/caller"
	"github.com/trimtab/trimtab/surface/hook"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// X2, X5: a person whose agent has our hooks, on the store of the gateway that it asks with a
// key, has one session for each of the agent's: whoever sees it first names it. There were
// two, claude:ID of the hooks and u:bob:claude:ID of the gateway, and each steered.
func TestX5_HooksAndAKeyAreOneSession(t *testing.T) {
	st := memory.New()
	r := newRig(t, st, "gw1")
	secret, _ := r.key(t, caller.Plan{User: "bob"})
	other, _ := r.key(t, caller.Plan{User: "ann"})
	bobs, err := owned.New(st, owned.Options{User: "bob", Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	hooks := hook.New(hook.Options{Service: session.New(engine, bobs, session.Options{}), Data: t.TempDir(), User: "bob"})
	prompted := func(id string) {
		t.Helper()
		call, err := spool.Read("claude", "UserPromptSubmit", []byte(fmt.Sprintf(`{"session_id":%q,"hook_event_name":"UserPromptSubmit","prompt":"fix the test","cwd":"/tmp"}`, id)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := hooks.Answer(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	asked := func(key, id string) {
		t.Helper()
		status, text, _ := r.ask(t, "POST", "/v1/messages", `{"model":"claude-opus-5","max_tokens":10,"system":"You are an agent.","tools":[{"name":"Bash","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"fix the test"}]}`, "X-Api-Key", key, "Anthropic-Version", "2023-06-01", "X-Claude-Code-Session-Id", id, "User-Agent", "claude-cli/2.1.325 (external, cli)")
		if status != 200 {
			t.Fatal(status, text)
		}
	}
	prompted("hook-first")
	asked(secret, "hook-first")
	asked(secret, "hook-first")
	asked(secret, "key-first")
	until(t, func() bool { _, err := st.Load(t.Context(), "u:bob:claude:key-first"); return err == nil })
	prompted("key-first")
	prompted("key-first")
	asked(other, "hook-first") // Ann cannot name Bob's
	until(t, func() bool { _, err := st.Load(t.Context(), "u:ann:claude:hook-first"); return err == nil })
	got := map[string]string{}
	for info, err := range st.List(t.Context(), trimtab.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		got[info.ID] = info.User
	}
	if len(got) != 3 || got["claude:hook-first"] != "bob" || got["u:bob:claude:key-first"] != "bob" || got["u:ann:claude:hook-first"] != "ann" {
		t.Errorf("%v", got)
	}
}

// until waits for a condition.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came")
		}
	}
}
