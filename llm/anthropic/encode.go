package anthropic

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/normalize"
)

// The request, in the API's words. The order of the members is that in which they
// are written, so that one request is like another.
type (
	request struct {
		Model     string    `json:"model"`
		MaxTokens int       `json:"max_tokens"`
		Thinking  *thinking `json:"thinking,omitempty"`
		Tools     []tool    `json:"tools,omitempty"`
		System    []*block  `json:"system,omitempty"`
		Messages  []message `json:"messages"`
		Stream    bool      `json:"stream"`
	}
	thinking struct {
		Type    string `json:"type"`
		Budget  int    `json:"budget_tokens,omitempty"`
		Display string `json:"display,omitempty"`
	}
	tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Schema      json.RawMessage `json:"input_schema"`
		Cache       *mark           `json:"cache_control,omitempty"`
	}
	message struct {
		Role    string   `json:"role"`
		Content []*block `json:"content"`
	}
	block struct {
		Type   string          `json:"type,omitempty"`
		Text   string          `json:"text,omitempty"`
		ID     string          `json:"id,omitempty"`
		Name   string          `json:"name,omitempty"`
		Input  json.RawMessage `json:"input,omitempty"`
		Use    string          `json:"tool_use_id,omitempty"`
		Result *string         `json:"content,omitempty"`
		Failed bool            `json:"is_error,omitempty"`
		Cache  *mark           `json:"cache_control,omitempty"`

		raw  json.RawMessage // the whole block, as it came
		note bool
	}
	mark struct {
		Type string `json:"type"`
	}
)

// MarshalJSON writes a block, or what it was when it came.
func (b *block) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	type plain block
	return normalize.Encode((*plain)(b))
}

var errEmpty = errors.New("there is nothing to send: the conversation is empty")

// encode writes a request, with what the model thought before or without it. It
// says whether there is any of that.
func (m *Model) encode(r llm.Request, thoughts bool) (body []byte, thought bool, err error) {
	name := m.opt.Name
	if !thoughts {
		name = ""
	}
	talk := normalize.Order(r.Messages, name)
	if len(talk.Turns) == 0 {
		return nil, false, errEmpty
	}
	out := request{Model: m.opt.Model, MaxTokens: r.MaxTokens, Stream: true}
	if out.MaxTokens <= 0 {
		out.MaxTokens = m.opt.MaxTokens
	}
	for _, text := range append([]string{r.System}, talk.System...) {
		if !blank(text) {
			out.System = append(out.System, &block{Type: "text", Text: text})
		}
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, tool{Name: t.Name, Description: t.Description, Schema: normalize.Schema(t.Schema)})
	}
	for _, t := range talk.Turns {
		out.Messages = append(out.Messages, write(t))
	}
	out.Thinking = m.thinking(out)
	out.mark()
	for _, m := range out.Messages {
		thought = thought || m.Role == "assistant" && slices.ContainsFunc(m.Content, func(b *block) bool { return b.raw != nil })
	}
	body, err = normalize.Encode(out)
	return body, thought, err
}

// write makes a message of a turn.
func write(t normalize.Turn) message {
	m := message{Role: string(t.Role)}
	for _, r := range t.Results {
		m.Content = append(m.Content, &block{Type: "tool_result", Use: r.ID, Result: &r.Text, Failed: r.Failed})
	}
	for _, say := range t.Says {
		for _, p := range say.Parts {
			switch p := p.(type) {
			case trimtab.Text:
				m.Content = append(m.Content, &block{Type: "text", Text: p.Text, note: say.Note})
			case trimtab.ToolCall:
				m.Content = append(m.Content, &block{Type: "tool_use", ID: p.ID, Name: p.Name, Input: normalize.Object(p.Input)})
			case trimtab.Opaque:
				if b := opaque(p, t.Role); b != nil {
					m.Content = append(m.Content, b)
				}
			}
		}
	}
	return m
}

// opaque is a part that goes out as it came: our own provider's thinking, or a
// picture. Others are told of, so that nobody wonders what is missing.
func opaque(p trimtab.Opaque, role trimtab.Role) *block {
	if role == trimtab.RoleAssistant {
		if thought(p) {
			return &block{raw: p.Raw}
		}
		return nil
	}
	if pic, ok := normalize.Picture(p); ok {
		return &block{raw: pic.Anthropic()}
	}
	if slices.Contains([]string{"image", "document"}, p.Kind) && typed(p) {
		return &block{raw: p.Raw}
	}
	return &block{Type: "text", Text: normalize.Missing(p)}
}

// typed reports whether a raw part is a block of its kind.
func typed(p trimtab.Opaque) bool {
	var is struct {
		Type   string          `json:"type"`
		Source json.RawMessage `json:"source"`
	}
	return normalize.Is(p.Raw) && json.Unmarshal(p.Raw, &is) == nil && is.Type == p.Kind && normalize.Is(is.Source)
}

// thought reports whether a raw part is thinking that the API takes back.
func thought(p trimtab.Opaque) bool {
	var is struct {
		Type      string  `json:"type"`
		Thinking  *string `json:"thinking"`
		Signature *string `json:"signature"`
		Data      *string `json:"data"`
	}
	if !normalize.Is(p.Raw) || json.Unmarshal(p.Raw, &is) != nil {
		return false
	}
	switch is.Type {
	case "thinking":
		return is.Thinking != nil && is.Signature != nil && *is.Signature != ""
	case "redacted_thinking":
		return is.Data != nil
	}
	return false
}

// claude finds the version in a model's name: claude-opus-4-6, claude-fable-5,
// claude-3-7-sonnet-20250219. A day is no version.
var claude = lazyregexp.Pattern(`^claude-(?:[a-z]+-)?(\d{1,2})(?:-(\d{1,2}))?(?:-|$)`)

// thinking asks for thinking in the form that the model knows. From 4.6 on they
// decide themselves how much; older ones want a budget. A tool loop that began
// without thinking has to end without it.
func (m *Model) thinking(r request) *thinking {
	v := claude().FindStringSubmatch(m.opt.Model)
	major, minor := 0, 0
	if v != nil {
		major, _ = strconv.Atoi(v[1])
		minor, _ = strconv.Atoi(v[2])
	}
	version := 100*major + minor
	switch {
	case version >= 407: // these do not show their thinking unless asked to
		return &thinking{Type: "adaptive", Display: "summarized"}
	case version == 406:
		return &thinking{Type: "adaptive"}
	case m.opt.Budget < 1024 || !begins(r.Messages):
		return nil
	}
	// Thinking may use half of the tokens; the rest is for the reply.
	budget := min(m.opt.Budget, r.MaxTokens/2)
	if budget < 1024 {
		return nil
	}
	return &thinking{Type: "enabled", Budget: budget}
}

// begins reports whether the last reply, if it called tools, began with thinking.
func begins(all []message) bool {
	for _, m := range slices.Backward(all) {
		if m.Role != "assistant" {
			continue
		}
		calls := slices.ContainsFunc(m.Content, func(b *block) bool { return b.Type == "tool_use" })
		return !calls || m.Content[0].raw != nil
	}
	return true
}

// mark sets the marks of the provider's cache, three of the four that it takes:
// behind tools and system prompt, behind the end of the last request, and behind
// the end of this one. The second is where the last request had its third, so
// that it is found however much came since. Notes of ours may be gone with the
// next request: the mark stands before them.
func (r *request) mark() {
	here := &mark{"ephemeral"}
	switch {
	case len(r.System) > 0:
		r.System[len(r.System)-1].Cache = here
	case len(r.Tools) > 0:
		r.Tools[len(r.Tools)-1].Cache = here
	}
	left := 2
	for _, m := range slices.Backward(r.Messages) {
		if m.Role != "user" || left == 0 {
			continue
		}
		for _, b := range slices.Backward(m.Content) {
			if !b.note && b.raw == nil {
				b.Cache = here
				left--
				break
			}
		}
	}
}

func blank(s string) bool {
	for _, r := range s {
		if r != ' ' && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
	}
	return true
}
