package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/normalize"
)

// The request, in the API's words.
type (
	request struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
		Tools    []tool    `json:"tools,omitempty"`
		Stream   bool      `json:"stream"`
		Options  options   `json:"stream_options"`
		Limit    int       `json:"max_completion_tokens,omitempty"`
		OldLimit int       `json:"max_tokens,omitempty"`
	}
	options struct {
		Usage bool `json:"include_usage"`
	}
	tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	message struct {
		Role    string `json:"role"`
		Content any    `json:"content"` // a text, parts where there are pictures, or null beside calls
		Calls   []call `json:"tool_calls,omitempty"`
		CallID  string `json:"tool_call_id,omitempty"`

		Reasoning  json.RawMessage `json:"reasoning,omitempty"`
		Reasoning2 json.RawMessage `json:"reasoning_content,omitempty"`
	}
	call struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	}
	text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
)

// encode writes a request.
func (m *Model) encode(r llm.Request) ([]byte, error) {
	talk := normalize.Order(r.Messages, m.opt.Name)
	if len(talk.Turns) == 0 {
		return nil, errEmpty
	}
	out := request{Model: m.opt.Model, Stream: true, Options: options{Usage: true}}
	limit := r.MaxTokens
	if limit <= 0 {
		limit = max(m.opt.MaxTokens, 0)
	}
	if m.opt.URL == URL {
		out.Limit = limit
	} else { // the name that all other servers know
		out.OldLimit = limit
	}
	var system []string
	for _, s := range append([]string{r.System}, talk.System...) {
		if strings.TrimSpace(s) != "" {
			system = append(system, s)
		}
	}
	if len(system) > 0 { // one: many servers' templates take no second
		out.Messages = append(out.Messages, message{Role: "system", Content: strings.Join(system, "\n\n")})
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, tool{"function", function{t.Name, t.Description, normalize.Schema(t.Schema)}})
	}
	since := lastWords(talk.Turns)
	for i, t := range talk.Turns {
		out.Messages = append(out.Messages, write(t, i > since)...)
	}
	return normalize.Encode(out)
}

// lastWords finds the last turn in which somebody said something, and not only
// tools answered. What a model thought before it is of no use any more, and some
// servers refuse it.
func lastWords(turns []normalize.Turn) int {
	for i, t := range slices.Backward(turns) {
		if t.Role == trimtab.RoleUser && slices.ContainsFunc(t.Says, func(s normalize.Say) bool { return !s.Note }) {
			return i
		}
	}
	return -1
}

// write makes messages of a turn: one for each result and each message in it.
func write(t normalize.Turn, recent bool) []message {
	var all []message
	for _, r := range t.Results {
		words := r.Text
		if r.Failed { // the API has no other way to say so
			words = strings.TrimSpace("[failed]\n" + words)
		}
		all = append(all, message{Role: "tool", CallID: r.ID, Content: words})
	}
	for _, say := range t.Says {
		if t.Role == trimtab.RoleAssistant {
			all = append(all, reply(say, recent))
		} else {
			all = append(all, message{Role: "user", Content: content(say)})
		}
	}
	return all
}

// reply makes the assistant's message.
func reply(say normalize.Say, recent bool) message {
	m := message{Role: "assistant"}
	var words []string
	for _, p := range say.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			words = append(words, p.Text)
		case trimtab.ToolCall:
			c := call{ID: p.ID, Type: "function"}
			c.Function.Name, c.Function.Arguments = p.Name, string(normalize.Object(p.Input))
			m.Calls = append(m.Calls, c)
		case trimtab.Opaque:
			var thought string
			if !recent || json.Unmarshal(p.Raw, &thought) != nil || thought == "" {
				continue
			}
			switch p.Kind {
			case "reasoning":
				m.Reasoning = p.Raw
			case "reasoning_content":
				m.Reasoning2 = p.Raw
			}
		}
	}
	if len(words) > 0 {
		m.Content = strings.Join(words, "\n\n")
	}
	return m
}

// content is what the user says: one text, and parts only where there is more.
func content(say normalize.Say) any {
	var parts []any
	var words []string
	plain := true
	for _, p := range say.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			words = append(words, p.Text)
			parts = append(parts, text{"text", p.Text})
		case trimtab.Opaque:
			if pic, ok := normalize.Picture(p); ok {
				plain = false
				parts = append(parts, pic.Chat())
				continue
			}
			words = append(words, normalize.Missing(p))
			parts = append(parts, text{"text", normalize.Missing(p)})
		}
	}
	if plain {
		return strings.Join(words, "\n\n")
	}
	return parts
}
