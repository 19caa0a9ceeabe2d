package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/automata"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/gateway"
)

// TestH2_NotesClearThemselves: on a model that binds its thinking a note goes as a system
// message that the provider takes away; each copy stays in the request where it was
// sent, and the model sees one.
func TestH2_NotesClearThemselves(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(12))
	h := anthropicHost(c)
	inMode(c, "claude:s1", "planning")
	h.say("first thing")
	h.say("second thing")
	all := c.model.Main()
	for i := 1; i < len(all); i++ {
		keeps(t, all[i-1], all[i])
	}
	last := all[len(all)-1]
	if n := count(string(last.Body), `"clear_at":"next_user_message"`); n < 13 {
		t.Errorf("%d copies stand in the last request", n)
	}
	if got := seen(last); count(got, "still in PLANNING") != 1 || count(got, "no todo list") != 1 {
		t.Errorf("the model does not see one of each:\n%s", got)
	}
	c.model.NoneRefused(t)
}

// TestH2b_ALostStore: thinking is bound to notes of which nobody knows any more. The
// request asks the provider to leave it out, and is not refused.
func TestH2b_ALostStore(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(3))
	h := anthropicHost(c)
	inMode(c, "claude:s1", "planning")
	h.say("first thing")
	h.say("second thing")
	c.settle()
	c.store = memory.New()
	c.open(steer.Config{})
	h.say("third thing")
	h.say("fourth thing")
	c.model.NoneRefused(t)
	if all := c.model.Main(); !bytes.Contains(all[len(all)-1].Body, []byte(`"drop_block"`)) {
		t.Error("the switch is not on in a later request")
	}
}

// TestH2b_FailingOpen: a request that cannot be steered goes out as it came, with the
// switch on, since notes were sent before; a count of tokens too.
func TestH2b_FailingOpen(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(3))
	h := anthropicHost(c)
	inMode(c, "claude:s1", "planning")
	h.say("first thing")
	h.say("second thing")
	m := &moods{}
	gate, err := gateway.New(gateway.Options{
		Service: service{c.service, m}, History: c.store, Project: "project",
		Config: gateway.Config{Upstreams: map[string]string{"anthropic": c.model.URL}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.gate = gate
	c.listen()
	m.set(failed, "")
	h.say("third thing")
	if status, reply := c.send("/v1/messages/count_tokens", h.header, bytes.Replace(h.raw(), []byte(`"max_tokens":100,`), nil, 1)); status != http.StatusOK {
		t.Errorf("counting tokens: %d %s", status, reply)
	}
	m.set(well, "")
	h.say("fourth thing")
	c.model.NoneRefused(t)
}

// TestH2b_ARefusalIsMended: the provider says that thinking is bound to another
// conversation, or that it has no such channel. The request is sent once more, and the
// client sees no error.
func TestH2b_ARefusalIsMended(t *testing.T) {
	d := dialects()["anthropic"]
	for name, c := range map[string]struct{ when, says, then string }{
		"bound":    {`"thinking":{"type":"adaptive"}`, "messages.1.content.0: The block is bound to a different conversation", `"thinking":{"block_binding":{"prefix_mismatch_behavior":"drop_block"},"type":"adaptive"}`},
		"clear_at": {"clear_at", "messages.3.clear_at: Extra inputs are not permitted", `"role":"user","content":[{"type":"text","text":"Remember: You are still`},
		"role":     {`"role":"system"`, `messages.3.role: Input should be "user" or "assistant"`, `"role":"user","content":[{"type":"text","text":"Remember: You are still`},
	} {
		t.Run(name, func(t *testing.T) {
			up := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				if raw, _ := io.ReadAll(r.Body); bytes.Contains(raw, []byte(c.when)) {
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprintf(w, `{"type":"error","error":{"type":"invalid_request_error","message":%q}}`, c.says)
					return
				}
				fmt.Fprint(w, hiReply)
			})
			r := newRig(t, parts{up: up.URL, opening: planning()})
			ask := func(history string) answer {
				return r.do(http.MethodPost, d.path, with(d.key, "X-Trimtab-Session", "s"),
					[]byte(`{"model":"claude-opus-5-5","max_tokens":100,"thinking":{"type":"adaptive"},"messages":[`+history+`]}`))
			}
			first := `{"role":"user","content":"one"}`
			ask(first)
			later := first + `,{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"Hi"}]},{"role":"user","content":"two"}`
			if a := ask(later); a.status != http.StatusOK || string(a.body) != hiReply {
				t.Fatalf("the client got %d %s", a.status, a.body)
			}
			if got := string(up.last(t).body); !strings.Contains(got, c.then) {
				t.Errorf("sent again:\n%s\nwithout %s", got, c.then)
			}
			tries := len(up.got())
			if ask(later + `,{"role":"assistant","content":"ok"},{"role":"user","content":"three"}`); name != "bound" && len(up.got()) != tries+1 {
				t.Errorf("it was tried again with what was refused: %d requests", len(up.got())-tries)
			}
		})
	}
	t.Run("any other refusal passes", func(t *testing.T) {
		up := newProvider(t, answers(http.StatusBadRequest, `{"error":{"message":"max_tokens is too large"}}`))
		r := newRig(t, parts{up: up.URL, opening: planning()})
		a := r.do(http.MethodPost, d.path, d.key, d.ask("hello", false))
		if a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "too large") || len(up.got()) != 1 {
			t.Errorf("%d %s after %d requests", a.status, a.body, len(up.got()))
		}
	})
}

// TestH2_WhereTheProviderKeepsTheHistoryNotesAreAppended: a request holds only what is new,
// and what was sent with one stays. Each note is sent once, behind what is new.
func TestH2_WhereTheProviderKeepsTheHistoryNotesAreAppended(t *testing.T) {
	for name, header := range map[string]http.Header{
		"named":   {"Authorization": {"Bearer sk-test"}, "X-Trimtab-Session": {"codex:s1"}},
		"unnamed": {"Authorization": {"Bearer sk-test"}, "User-Agent": {"sdk/1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var replies []fakemodel.Reply
			for i := range 16 {
				replies = append(replies, fakemodel.Reply{Text: "All done."})
				if i%8 < 7 {
					replies[i] = fakemodel.Reply{Calls: []fakemodel.Call{fakemodel.Run(fmt.Sprintf("echo %d", i))}}
				}
			}
			c := newHarness(t, steer.Config{Automata: automata.Config{InitialTurns: 3}}, fakemodel.Replies(replies...))
			var sent []string
			previous, restarted := "", false
			var turn func(input ...any)
			turn = func(input ...any) {
				body := obj{"model": "gpt-5.5", "instructions": "You are an agent.", "input": input, "tools": []any{obj{"type": "function", "name": "exec_command", "parameters": schema, "strict": false}}}
				if previous != "" {
					body["previous_response_id"] = previous
				}
				raw, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				var reply struct {
					ID     string
					Output []obj
				}
				decode(t, c.post("/v1/responses", header, raw), &reply)
				all := c.model.Requests()
				sent = append(sent, string(all[len(all)-1].Raw("input")))
				previous = reply.ID
				var results []any
				for _, item := range reply.Output {
					if item["type"] == "function_call" {
						results = append(results, obj{"type": "function_call_output", "call_id": item["call_id"], "output": "ok"})
					}
				}
				if len(sent) == 5 && name == "named" && !restarted {
					restarted = true
					c.settle()
					c.open(steer.Config{Automata: automata.Config{InitialTurns: 3}})
				}
				if len(results) > 0 {
					turn(results...)
				}
			}
			say := func(text string) {
				turn(obj{"type": "message", "role": "user", "content": []any{obj{"type": "input_text", "text": text}}})
			}
			say("automata: first thing")
			say("second thing")
			c.model.NoneRefused(t)
			c.settle()
			looks := 0
			for i, input := range sent {
				n := count(input, "Time to look up")
				if looks += n; n != 0 && (i%3 != 0 || n != 1) {
					t.Errorf("request %d: %d reflections in %s", i+1, n, input)
				}
				if n == 1 && !strings.HasSuffix(input, "(This replaces every earlier note of its kind.)\"}]}]") {
					t.Errorf("request %d: the note does not stand behind what is new: %s", i+1, input)
				}
			}
			if looks != 5 {
				t.Errorf("%d reflections in %d requests", looks, len(sent))
			}
			if name == "named" {
				if s := c.session("codex:s1"); s.Step != len(sent) {
					t.Errorf("%d steps after %d replies", s.Step, len(sent))
				}
			}
		})
	}
}

// TestH1_NothingStandsInFrontOfWhatTheHostOpensWith: a host that writes its opening into
// the message of the first prompt writes it again behind a compaction, and the provider
// has kept it.
func TestH1_NothingStandsInFrontOfWhatTheHostOpensWith(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(1))
	h := chatHost(c)
	inMode(c, "s1", "planning")
	opening := obj{"type": "text", "text": "<system-reminder>\nThis is the folder.\n</system-reminder>"}
	h.user = func(text string) any {
		return obj{"role": "user", "content": []any{opening, obj{"type": "text", "text": text}}}
	}
	h.say("first thing")
	c.settle()
	c.open(steer.Config{}) // the place is the same for one who reads it from the store
	h.say("second thing")
	all := c.model.Main()
	for i, r := range all {
		got := r.Transcript()
		typed, entry, reply := strings.Index(got, "user text first thing"), strings.Index(got, "You are in PLANNING"), strings.Index(got, "\nassistant")
		if entry < typed || i > 0 && entry > reply {
			t.Errorf("request %d: the entry does not stand right behind the prompt:\n%s", i+1, got)
		}
	}
	c.model.NoneRefused(t)
}
