package fakemodel

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
)

// memory is what a server remembers of its own replies, to see that a client
// brings their thinking back as it was. It is safe for many at once.
type memory struct {
	mu        sync.Mutex
	made      int
	thoughts  map[string]string   // Anthropic: signature that a test told of → thinking as it was shown
	began     map[string][]string // Anthropic: tool_use id → the signatures of its reply
	encrypted map[string]bool     // Responses
	stored    map[string][]string // Responses: id → the calls of a stored response
	prompts   map[string]prompt   // Responses: id → the stored response with what led to it
	signed    map[string]string   // Gemini: call id → signature
	seen      map[sum]bool        // Anthropic: the prefixes of messages
}

func newMemory() *memory {
	return &memory{
		thoughts: map[string]string{}, began: map[string][]string{}, encrypted: map[string]bool{},
		stored: map[string][]string{}, prompts: map[string]prompt{}, signed: map[string]string{}, seen: map[sum]bool{},
	}
}

// number returns the next number for ids: unique in this server and, for one
// request after the other, the same on every run.
func (m *memory) number() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made++
	return m.made
}

// sign64 makes a signature for the reply with a number.
func sign64(n int, thinking string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", n, thinking))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// remember keeps what a reply will have to come back with.
func (m *memory) remember(r *Request, a answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch r.Format {
	case Anthropic:
		if a.signature == "" {
			return
		}
		for _, c := range a.calls {
			m.began[c.ID] = []string{a.signature}
		}
	case Responses:
		if a.signature != "" {
			m.encrypted[a.signature] = true
		}
		if r.tree["store"] != false {
			var ids []string
			for _, c := range a.calls {
				ids = append(ids, c.ID)
			}
			m.stored[a.id], m.prompts[a.id] = ids, r.prompt.then(a)
		}
	case Gemini:
		if len(a.calls) > 0 && a.signature != "" {
			m.signed[a.calls[0].ID] = a.signature
		}
	}
}

// prompt is a stored response with what led to it.
func (m *memory) prompt(id string) prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.prompts[id]
}

// check refuses a request whose thinking is not what was sent.
func (m *memory) check(r *Request, account Binding) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch r.Format {
	case Anthropic:
		all, err := m.checkAnthropic(r.tree)
		if err != nil {
			return err
		}
		return r.bound(all, account, m)
	case Responses:
		return m.checkResponses(r.tree)
	case Gemini:
		return m.checkGemini(r.tree)
	}
	return nil
}

const changedThinking = "messages.%d.content.%d: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."

// checkAnthropic wants every signature to be one of ours, the words under those
// of the latest assistant message unchanged, and none of them missing there
// while a tool loop goes on with thinking. Models that bind thinking take a turn
// whose thinking was left out whole; what stands behind a gap is found by its
// chain.
func (m *memory) checkAnthropic(b object) ([]thought, error) {
	latest, last := lastAssistant(b)
	all, err := m.thoughtsOf(b)
	if err != nil {
		return nil, err
	}
	if kind := str(obj(b, "thinking"), "type"); kind != "enabled" && kind != "adaptive" {
		return all, nil
	}
	var want, got []string
	for _, block := range objects(list(last, "content")) {
		switch str(block, "type") {
		case "thinking":
			got = append(got, str(block, "signature"))
		case "tool_use":
			for _, s := range m.began[str(block, "id")] {
				if !slices.Contains(want, s) {
					want = append(want, s)
				}
			}
		}
	}
	if len(got) == 0 && claudeOf(str(b, "model")).binds() {
		return all, nil
	}
	if len(want) > 0 && !slices.Equal(got, want) {
		return nil, refuseAnthropic(changedThinking, latest, 0)
	}
	return all, nil
}

// checkResponses wants reasoning to be ours, and a response that is built upon
// to be stored, with its calls answered.
func (m *memory) checkResponses(b object) error {
	answered := map[string]bool{}
	for i, item := range objects(list(b, "input")) {
		if _, ok := isOutput(itemType(item)); ok {
			answered[str(item, "call_id")] = true
		}
		if itemType(item) != "reasoning" {
			continue
		}
		if s, ok := item["encrypted_content"].(string); ok && !m.encrypted[s] {
			return refuseResponses(fmt.Sprintf("input[%d].encrypted_content", i), "invalid_encrypted_content", "The encrypted content for item %s could not be verified. Reason: Encrypted content could not be decrypted or parsed.", str(item, "id"))
		}
	}
	id := str(b, "previous_response_id")
	if id == "" {
		return nil
	}
	calls, ok := m.stored[id]
	if !ok {
		return refuseResponses("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", id)
	}
	for _, call := range calls {
		if !answered[call] {
			return refuseResponses("input", "", "No tool output found for function call %s.", call)
		}
	}
	return nil
}

// noSignature are what a client may send for a call that no model made.
var noSignature = []string{"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"}

// checkGemini wants the calls of the current turn to carry the signatures that
// they were sent with.
func (m *memory) checkGemini(b object) error {
	contents := objects(list(b, "contents"))
	start := 0
	for i, c := range contents { // the turn begins after the last words of the user
		if str(c, "role") != "model" && len(geminiAnswers(c)) == 0 {
			start = i
		}
	}
	for i := start; i < len(contents); i++ {
		for j, part := range objects(list(contents[i], "parts")) {
			call, ok := either(part, "functionCall", "function_call").(object)
			if !ok {
				continue
			}
			sent := m.signed[str(call, "id")]
			got, _ := either(part, "thoughtSignature", "thought_signature").(string)
			switch {
			case sent == "" || got == sent || slices.Contains(noSignature, got):
			case got == "":
				return refuseGemini("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s`, position %d.", str(call, "name"), j+1)
			default:
				return refuseGemini("Corrupted thought signature.")
			}
		}
	}
	return nil
}

// Remember lets a test send a thinking block that this server did not make.
func (m *Model) Remember(thinking, signature string) {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	m.memory.thoughts[signature] = thinking
	m.memory.encrypted[signature] = true
}

// shown is the thinking as the client gets to see it.
func (a answer) shown() string {
	if a.hidden {
		return ""
	}
	return a.thinking
}
