package agents

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read feeds an output to the reader of an agent.
func read(t *testing.T, name, out string, size int) *said {
	t.Helper()
	h, ok := find(name)
	if !ok {
		t.Fatal(name)
	}
	s := &said{read: readers[h.Output]}
	for len(out) > 0 {
		n := min(size, len(out))
		if _, err := s.Write([]byte(out[:n])); err != nil {
			t.Fatal(err)
		}
		out = out[n:]
	}
	s.text = s.close()
	return s
}

func TestWhatAgentsSayIsReadFromTheirEvents(t *testing.T) {
	type told struct {
		Text, Session, Fault string
		Cost                 float64
	}
	for _, c := range []struct {
		name, agent, out string
		want             told
	}{
		{"claude over its budget", "claude", `{"type":"assistant","session_id":"s","message":{"id":"a","content":[{"type":"text","text":"half"}]}}
{"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":1.25,"session_id":"s"}`, told{"half", "s", "error_max_budget_usd", 1.25}},
		{"claude not logged in", "claude", `{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}`, told{Fault: "success Not logged in · Please run /login"}},
		{"claude in one line without an end", "claude", `{"type":"result","result":"hi","session_id":"x","total_cost_usd":0.5}`, told{"hi", "x", "", 0.5}},
		{"codex that fails", "codex", `{"type":"thread.started","thread_id":"t"}
{"type":"error","message":"Reconnecting... 5/5"}
{"type":"turn.failed","error":{"message":"stream disconnected"}}`, told{Session: "t", Fault: "stream disconnected"}},
		{"codex that tried again", "codex", `{"type":"error","message":"Reconnecting... 1/5"}
{"type":"item.completed","item":{"type":"agent_message","text":"a"}}
{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}
{"type":"item.completed","item":{"type":"agent_message","text":"b"}}
{"type":"turn.completed"}`, told{Text: "b"}},
		{"gemini in pieces", "gemini", `{"type":"init","session_id":"g"}
{"type":"message","role":"assistant","content":"Let me ","delta":true}
{"type":"tool_use"}
{"type":"tool_result"}
{"type":"message","role":"assistant","content":"All ","delta":true}
{"type":"message","role":"assistant","content":"done.","delta":true}
{"type":"result","status":"success"}`, told{Text: "All done.", Session: "g"}},
		{"gemini that fails", "gemini", `{"type":"result","status":"error","error":{"type":"X","message":"quota"}}`, told{Fault: "quota"}},
		{"opencode adds its steps", "opencode", `{"type":"step_finish","sessionID":"o","part":{"cost":0.5}}
{"type":"step_finish","sessionID":"o","part":{"cost":0.25}}
{"type":"step_finish","sessionID":"o","part":{"cost":-9}}`, told{Session: "o", Cost: 0.75}},
		{"opencode that fails", "opencode", `{"type":"error","sessionID":"o","error":{"name":"ProviderAuthError","data":{"message":"no key"}}}`, told{Session: "o", Fault: "ProviderAuthError  no key"}},
		{"goose in pieces", "goose", `(ready)
{"type":"message","message":{"id":"1","role":"assistant","content":[{"type":"text","text":"All "}]}}
{"type":"message","message":{"id":"1","role":"assistant","content":[{"type":"text","text":"done."}]}}
{"type":"message","message":{"id":"2","role":"user","content":[{"type":"text","text":"no"}]}}
{"type":"complete"}`, told{Text: "All done."}},
		{"lies about the session", "claude", `{"type":"system","session_id":"a\nb"}`, told{}},
		{"other things", "claude", "null\n[]\n{\n\n\"x\"\n{\"type\":7}\n{\"type\":\"assistant\",\"message\":[]}", told{}},
	} {
		for _, size := range []int{1, 10, 1 << 20} {
			s := read(t, c.agent, c.out, size)
			if d := cmp.Diff(c.want, told{s.text, s.session, s.fault, s.cost}); d != "" {
				t.Errorf("%s, in pieces of %d: want -, got +\n%s", c.name, size, d)
			}
		}
	}
}

func TestALineWithoutEndDoesNotFillTheMemory(t *testing.T) {
	h, _ := find("claude")
	s := &said{read: readers[h.Output]}
	long := []byte(strings.Repeat("x", 1<<20))
	for range 3 * maxLine >> 20 {
		_, _ = s.Write(long)
	}
	if len(s.line) > maxLine {
		t.Errorf("%d bytes are held", len(s.line))
	}
	_, _ = s.Write([]byte("\n{\"type\":\"result\",\"result\":\"hi\"}\n"))
	if s.close() != "hi" {
		t.Error("what came after the long line is lost")
	}
}

// FuzzSaid checks that no output of an agent harms its reader, and that how it is
// cut into pieces changes nothing.
func FuzzSaid(f *testing.F) {
	f.Add(0, `{"type":"result","result":"hi","total_cost_usd":1e308,"session_id":"x"}`)
	f.Add(1, `{"type":"item.completed","item":{"type":"agent_message","text":"x"}}`)
	f.Add(2, `{"type":"message","role":"assistant","content":"x"}`)
	f.Add(3, `{"type":"step_finish","part":{"cost":0.1}}`)
	f.Add(5, `{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}`)
	f.Fuzz(func(t *testing.T, which int, out string) {
		all := programs()
		h := all[uint(which)%uint(len(all))]
		whole, pieces := &said{read: readers[h.Output]}, &said{read: readers[h.Output]}
		_, _ = whole.Write([]byte(out))
		random := rand.New(rand.NewPCG(1, uint64(len(out))))
		for b := []byte(out); len(b) > 0; {
			n := 1 + random.IntN(len(b))
			_, _ = pieces.Write(b[:n])
			b = b[n:]
		}
		if a, b := whole.close(), pieces.close(); a != b || whole.session != pieces.session || whole.cost != pieces.cost || whole.fault != pieces.fault {
			t.Errorf("whole: %q, in pieces: %q", a, b)
		}
	})
}
