package teamtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// Play is a session of an agent. Two plays of one seed send the same requests.
type Play struct {
	Seed     uint64
	Session  string
	Model    string               // claude-opus-5 if empty
	Requests int                  // of the main line
	Pick     func(n int) string   // the base URL for the next request
	Pause    func() time.Duration // between requests; nil is none
	Client   *http.Client         // http.DefaultClient if nil
	Retry    bool                 // a request that fails goes to the next address that Pick gives: a gateway may be gone
}

// Run plays the session. An error names the request.
func (p Play) Run(ctx context.Context) error {
	s := &state{Play: p, chance: rand.New(rand.NewPCG(p.Seed, 1)), ctx: ctx} //nolint:gosec // no secret: the same every time
	if s.Client == nil {
		s.Client = http.DefaultClient
	}
	if s.Model == "" {
		s.Model = "claude-opus-5"
	}
	s.prompt()
	for s.turn = 0; s.turn < p.Requests; s.turn++ {
		if err := s.next(); err != nil {
			return fmt.Errorf("session %s, turn %d: %w", p.Session, s.turn, err)
		}
	}
	return nil
}

type state struct {
	Play
	ctx     context.Context
	chance  *rand.Rand
	history []any
	prompts []int // where prompts stand in the history
	turn    int
	sent    int
}

func (s *state) prompt() {
	words := []string{"automata: tidy this", "please go on", "planning: what is next", "fix the test", "and now the docs"}
	s.prompts = append(s.prompts, len(s.history))
	s.history = append(s.history, obj{"role": "user", "content": words[s.chance.IntN(len(words))] + fmt.Sprintf(" (%d)", s.turn)})
}

// next sends the next request of the main line, and what may come beside it.
func (s *state) next() error {
	body := s.body("You are an agent.", s.history, true)
	if s.chance.IntN(16) == 0 { // the reply was lost on the way, and the agent asks again
		if _, err := s.send(body, false); err != nil {
			return err
		}
	}
	content, err := s.send(body, false)
	if err != nil {
		return err
	}
	s.history = append(s.history, obj{"role": "assistant", "content": content})
	var results []any
	for _, block := range content {
		block := block.(obj)
		if block["type"] != "tool_use" {
			continue
		}
		if block["name"] == "Task" {
			if err := s.delegate(block["input"].(obj)["prompt"].(string)); err != nil {
				return err
			}
		}
		results = append(results, obj{"type": "tool_result", "tool_use_id": block["id"], "content": fmt.Sprintf("ok %d", s.turn)})
	}
	switch odd := s.chance.IntN(40); {
	case odd == 0 && len(s.prompts) > 1: // rewound to a prompt before
		at := s.prompts[len(s.prompts)-1]
		s.history, s.prompts = slices.Clone(s.history[:at]), s.prompts[:len(s.prompts)-1]
		s.prompt()
	case odd == 1 && len(s.history) > 10: // compacted
		s.history, s.prompts = nil, nil
		s.prompt()
	case results != nil:
		s.history = append(s.history, obj{"role": "user", "content": results})
	default:
		s.prompt()
	}
	return nil
}

// delegate sends the requests of a sub-agent.
func (s *state) delegate(prompt string) error {
	history := []any{obj{"role": "user", "content": prompt}}
	_, err := s.send(s.body("You are a helper who reads folders and nothing else.", history, true), true)
	return err
}

func (s *state) body(system string, history []any, tools bool) []byte {
	b := obj{"model": s.Model, "max_tokens": 100, "system": system, "messages": history}
	if s.turn%2 == 1 {
		b["stream"] = true
	}
	if tools {
		b["tools"] = []any{obj{"name": "Bash", "input_schema": obj{"type": "object"}}, obj{"name": "Task", "input_schema": obj{"type": "object"}}, obj{"name": "TodoWrite", "input_schema": obj{"type": "object"}}}
	}
	raw, _ := json.Marshal(b)
	return raw
}

// tries is how often a request is sent where gateways come and go.
const tries = 50

func (s *state) send(body []byte, side bool) ([]any, error) {
	for try := 1; ; try++ {
		content, err := s.post(body, side)
		if err == nil || !s.Retry || try == tries || s.ctx.Err() != nil {
			return content, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (s *state) post(body []byte, side bool) ([]any, error) {
	r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.Pick(s.sent)+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	s.sent++
	r.Header.Set("X-Api-Key", "k")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	r.Header.Set(sessionHeader, s.Session)
	r.Header.Set(turnHeader, fmt.Sprint(s.turn))
	r.Header.Set("User-Agent", "claude-cli/2.1.325 (external, cli)")
	r.Header.Set("Content-Type", "application/json")
	if side {
		r.Header.Set(sideHeader, "1")
	}
	reply, err := s.Client.Do(r)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	if err != nil {
		return nil, err
	}
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %s", reply.StatusCode, raw)
	}
	if s.Pause != nil {
		time.Sleep(s.Pause())
	}
	out := replyTo(s.turn, side)["content"].([]any) // a stream says the same
	return out, nil
}
