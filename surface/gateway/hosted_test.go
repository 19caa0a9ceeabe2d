package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/hook/relay"
)

// hookedHost plays Claude Code with our hooks: before each request it asks, and what it
// is given it keeps in its own history, as it does: in a system message behind the user's
// turn, and on older models in that turn.
type hookedHost struct {
	*host
	model   string
	kept    []string // of the hooks since the last request
	forgets bool     // it asks and keeps nothing
	silent  bool     // it does not ask
	late    bool     // it does not ask at the next prompt
	hosted  bool     // as the gateway said last
}

func newHooked(c *harness) *hookedHost {
	h := &hookedHost{host: anthropicHost(c), model: "claude-opus-5-5"}
	body := h.body
	h.body = func(history []any) any {
		b := body(history).(obj)
		b["model"] = h.model
		return b
	}
	return h
}

// hook is a call of a hook.
func (h *hookedHost) hook(events ...trimtab.Event) {
	h.t.Helper()
	if h.silent {
		return
	}
	a, err := relay.Ask(context.Background(), h.url, relay.Call{Session: "claude:s1", Events: events})
	if err != nil {
		h.t.Fatal(err)
	}
	if h.hosted = a.Hosted; !h.forgets {
		h.kept = append(h.kept, a.Notes...)
	}
}

// ask sends a prompt and works until the model has nothing to call.
func (h *hookedHost) ask(text string) {
	h.t.Helper()
	h.history = append(h.history, h.user(text))
	if !h.late {
		h.hook(trimtab.Said{Message: trimtab.Prompt(text)})
	}
	h.late = false
	for {
		if words := strings.Join(h.kept, "\n\n"); len(h.kept) > 0 && h.model == "claude-sonnet-4-5" {
			h.history = append(h.history, obj{"role": "user", "content": "<system-reminder>\nhook additional context: " + words + "\n</system-reminder>"})
		} else if len(h.kept) > 0 {
			h.history = append(h.history, obj{"role": "system", "content": "hook additional context: " + words})
		}
		h.kept = nil
		raw := h.post(h.path, h.header, h.raw())
		if !h.take(h.host, raw) {
			return
		}
		var reply struct{ Content []obj }
		decode(h.t, raw, &reply)
		asked, answered := trimtab.Message{Role: trimtab.RoleAssistant}, trimtab.Message{Role: trimtab.RoleTool}
		for _, b := range reply.Content {
			if id, ok := b["id"].(string); ok {
				asked.Parts = append(asked.Parts, trimtab.ToolCall{ID: id, Name: "Bash"})
				answered.Parts = append(answered.Parts, trimtab.ToolResult{ID: id, Text: "ok"})
			}
		}
		h.hook(trimtab.Said{Message: asked}, trimtab.Said{Message: answered})
	}
}

// TestH2_TheHostAddsTheNotes: what hooks were given stands in the host's own history;
// the gateway adds nothing to it, also after a restart, and the session goes on without
// us.
func TestH2_TheHostAddsTheNotes(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(10))
	h := newHooked(c)
	inMode(c, "claude:s1", "planning")
	h.ask("automata: first thing")
	h.ask("second thing")
	c.settle()
	c.open(steer.Config{})
	h.ask("third thing")
	for i, r := range c.model.Main() {
		if bytes.Contains(r.Body, []byte("clear_at")) {
			t.Fatalf("request %d has a note of the gateway's own: %s", i+1, r.Transcript())
		}
	}
	got := c.last()
	for words, want := range map[string]int{"You are in PLANNING": 1, "still in PLANNING": 2, "Time to look up": 4, "until the next prompt": 2} {
		if n := count(got, words); n != want {
			t.Errorf("%q stands %d times, want %d:\n%s", words, n, want, got)
		}
	}
	c.settle()
	for _, n := range c.session("claude:s1").Notes {
		if !n.Hosted {
			t.Errorf("the session does not know that the host keeps %+v", n)
		}
	}
	c.url = c.model.URL // without us
	h.silent = true
	h.ask("fourth thing")
	c.model.NoneRefused(t)
}

// TestH2_ANoteThatTheHostDropsTravelsOtherwise: it waits for a hook to bring it, but not
// for long; and where no hook asks any more, the gateway sends it.
func TestH2_ANoteThatTheHostDropsTravelsOtherwise(t *testing.T) {
	for name, drop := range map[string]func(h *hookedHost){
		"the host keeps nothing": func(h *hookedHost) { h.forgets = true },
		"no hook asks":           func(h *hookedHost) { h.silent = true },
	} {
		t.Run(name, func(t *testing.T) {
			c := newHarness(t, steer.Config{}, tools(3))
			h := newHooked(c)
			inMode(c, "claude:s1", "planning")
			h.ask("first thing")
			drop(h)
			h.ask("second thing")
			all := c.model.Main()
			if got := seen(all[4]); count(got, "still in PLANNING") != 0 {
				t.Errorf("it did not wait for the host:\n%s", got)
			}
			if got := seen(all[len(all)-1]); count(got, "still in PLANNING") != 1 {
				t.Errorf("it never came:\n%s", got)
			}
			c.model.NoneRefused(t)
		})
	}
}

// TestH2_AHookThatCameTooLateIsGivenTheNoteAgain: the host did not wait for it once.
func TestH2_AHookThatCameTooLateIsGivenTheNoteAgain(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(2))
	h := newHooked(c)
	inMode(c, "claude:s1", "planning")
	h.ask("first thing")
	h.hook(trimtab.Said{Message: trimtab.Prompt("second thing")})
	h.kept, h.late = nil, true
	h.ask("second thing")
	if got := c.last(); count(got, "still in PLANNING") != 1 || bytes.Contains(c.model.Main()[5].Body, []byte("clear_at")) {
		t.Errorf("it does not stand once, added by the host:\n%s", got)
	}
	c.model.NoneRefused(t)
}

// TestH2_NotesOfOtherModelsAreNotTheHosts: where thinking is not bound, a note at the
// tail is taken away without a trace.
func TestH2_NotesOfOtherModelsAreNotTheHosts(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(1))
	h := newHooked(c)
	h.model = "claude-sonnet-4-5"
	inMode(c, "claude:s1", "planning")
	h.ask("first thing") // nobody knows the model before its first request
	h.ask("second thing")
	if h.hosted {
		t.Error("the host is to add notes of a model that does not bind its thinking")
	}
	got := c.last()
	if count(got, "You are in PLANNING") != 1 || count(got, "still in PLANNING") != 1 {
		t.Errorf("the notes do not stand once each:\n%s", got)
	}
	c.model.NoneRefused(t)
}

// TestH2_TheModelOfTheRunCounts: a session that goes on in another run asks what that run
// names, and not what it asked before.
func TestH2_TheModelOfTheRunCounts(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(1))
	h := newHooked(c)
	h.model = "claude-sonnet-4-5"
	h.ask("first thing")
	c.settle()
	gate, err := gateway.New(gateway.Options{
		Service: c.service, History: c.store, Project: "project", Model: "claude-opus-5-5",
		Config: gateway.Config{Upstreams: map[string]string{"anthropic": c.model.URL}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.gate = gate
	c.listen()
	if h.hook(trimtab.Said{Message: trimtab.Prompt("second thing")}); !h.hosted {
		t.Error("the notes of a model that binds its thinking are not left to the host")
	}
}

// TestH2_TheHostIsGivenTheModeAgainAfterACompaction, by the hook that tells of it.
func TestH2_TheHostIsGivenTheModeAgainAfterACompaction(t *testing.T) {
	c := newHarness(t, steer.Config{}, fakemodel.Echo())
	h := newHooked(c)
	inMode(c, "claude:s1", "planning")
	h.ask("first thing")
	h.history = []any{obj{"role": "user", "content": "This session is being continued from a previous one. All is well."}}
	h.hook(trimtab.Rewritten{All: true})
	h.ask("second thing")
	if got := c.last(); count(got, "You are in PLANNING") != 1 || count(got, "still in PLANNING") != 1 {
		t.Errorf("after the summary:\n%s", got)
	}
	c.model.NoneRefused(t)
}

// TestH2_AHookIsAnsweredInOrderOrNotAtAll: what is no call of a hook gets an error, and
// changes nothing.
func TestH2_AHookIsAnsweredInOrderOrNotAtAll(t *testing.T) {
	c := newHarness(t, steer.Config{}, fakemodel.Echo())
	for body, want := range map[string]int{
		`{"session":"claude:s1","events":[]}`:                  http.StatusOK,
		`{"session":"../x","events":[]}`:                       http.StatusServiceUnavailable,
		`{"session":"claude:s1","events":[{"type":"danced"}]}`: http.StatusBadRequest,
		`[]`:  http.StatusBadRequest,
		`{"`:  http.StatusBadRequest,
		`nil`: http.StatusBadRequest,
	} {
		if status, reply := c.send(relay.Path, nil, []byte(body)); status != want || !json.Valid(reply) {
			t.Errorf("%s: %d %s", body, status, reply)
		}
	}
	if _, err := c.service.Session(t.Context(), "claude:s1"); err == nil {
		t.Error("asking made a session")
	}
}

// TestH8_OnlyWhatTheHookVouchesForIsTyped: the text of a command comes in the same shape
// as a prompt, and switches nothing. Where no hook told of it, its shape decides.
func TestH8_OnlyWhatTheHookVouchesForIsTyped(t *testing.T) {
	for name, c := range map[string]struct {
		told trimtab.Event
		want bool
	}{
		"typed":            {trimtab.Said{Message: trimtab.Prompt("automata,  please")}, true},
		"of a command":     {trimtab.Said{Message: trimtab.Say(trimtab.RoleUser, trimtab.Host, "/tidy")}, false},
		"of another one":   {trimtab.Said{Message: trimtab.Prompt("something else")}, false},
		"nobody says what": {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, model := range []string{"claude-opus-5-5", "claude-sonnet-4-5"} {
				g := newHarness(t, steer.Config{}, fakemodel.Echo())
				h := newHooked(g)
				h.model = model
				if c.told != nil {
					h.hook(c.told)
				}
				h.silent = true
				h.ask("automata, please")
				g.settle()
				raw, err := g.session("claude:s1").Memory("automata")
				if err != nil || strings.Contains(string(raw), `"automataEnabled":true`) != c.want {
					t.Errorf("%s: %s %v", model, raw, err)
				}
			}
		})
	}
}

// slowStore takes its time to store, as a busy disk does.
type slowStore struct{ trimtab.Archive }

func (s slowStore) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-ctx.Done():
	}
	return s.Archive.Commit(ctx, c)
}

// TestJ9_AStopIsDecidedByWhatTheGatewayKnows: the hook of a stop is another process and
// reads the store, some milliseconds after the reply. It has the gateway store that first.
func TestJ9_AStopIsDecidedByWhatTheGatewayKnows(t *testing.T) {
	c := newHarness(t, steer.Config{}, tools(2))
	c.store = slowStore{c.store}
	c.open(steer.Config{})
	h := newHooked(c)
	h.ask("first thing")
	until(t, "all is stored", func() bool { // a busy machine may not have it in time
		_, err := relay.Ask(t.Context(), c.url, relay.Call{Session: "claude:s1", Store: true})
		return err == nil
	})
	s, err := c.store.Load(t.Context(), "claude:s1")
	if sent := len(h.history) - 1; err != nil || s.Seq < sent { // the newest reply may still be read
		t.Errorf("the store has %d messages of %d, %v", s.Seq, sent, err)
	}
}
