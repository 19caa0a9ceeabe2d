package trimtab

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Role says where a message stands in a conversation.
type Role string

// The roles that the model APIs share.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Author says who wrote a span of text. It is a fact of the span, set by the
// surface that saw it arrive, and is never guessed from the text itself.
type Author string

// The authors. Text without an author counts as the host's: only Person text
// can switch anything.
const (
	Person Author = "person"
	Model  Author = "model"
	Tool   Author = "tool"
	Host   Author = "host"
	Ours   Author = "trimtab"
	// Unvouched text has the shape of a prompt, and nobody vouches that a person typed
	// it. It begins a turn, so that steering goes on, and switches nothing.
	Unvouched Author = "unvouched"
)

// Message is one entry of a conversation.
type Message struct {
	ID    string    // unique in its session; given by the engine when empty
	Role  Role      //
	Parts []Part    //
	From  string    // the intervention that wrote it; "" is the host or a person
	At    time.Time // when it was said, if known
	Model string    // the model that replied, if known
	Usage *Usage    // what the provider counted for this reply, if known
	Via   Via       // the surface that told it, where that matters to another one
	After string    // the message that it follows, where that is not the one said before it; NoMessage is none
}

// NoMessage stands where a message would be named and there is none: a history that
// begins anew in a session, behind a compaction, begins after it.
const NoMessage = "-"

// Via is a surface that tells messages of a session that another may tell too.
type Via string

// ViaGateway is a message that a gateway read in a request or a reply. Hooks of the
// same session need not tell it again.
const ViaGateway Via = "gateway"

// Usage is what a provider reports for one reply, in tokens.
type Usage struct {
	Input      int `json:"input,omitempty"` // not served from a cache
	Output     int `json:"output,omitempty"`
	CacheRead  int `json:"cacheRead,omitempty"`
	CacheWrite int `json:"cacheWrite,omitempty"`
}

// Context is the size of the request that the reply answered.
func (u Usage) Context() int { return u.Input + u.CacheRead + u.CacheWrite }

// Part is a piece of a message: Text, ToolCall, ToolResult or Opaque.
type Part interface{ part() }

// Text is prose.
type Text struct {
	Text string `json:"text"`
	By   Author `json:"by,omitempty"`
	From string `json:"from,omitempty"` // the intervention, where By is Ours
	Raw  []byte `json:"raw,omitempty"`  // the bytes as they came, where they were not UTF-8
}

// ToolCall is the model asking for a tool.
type ToolCall struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
}

// ToolResult answers the ToolCall of the same ID.
type ToolResult struct {
	ID     string `json:"id"`
	Text   string `json:"text,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

// Opaque is a part that passes through unread: thinking, an image, a document.
type Opaque struct {
	Kind string          `json:"kind"`
	By   Author          `json:"by,omitempty"`
	Raw  json.RawMessage `json:"raw,omitempty"`
}

func (Text) part()       {}
func (ToolCall) part()   {}
func (ToolResult) part() {}
func (Opaque) part()     {}

// Say returns a message with one span of text.
func Say(role Role, by Author, text string) Message {
	return Message{Role: role, Parts: []Part{Text{Text: text, By: by}}}
}

// Prompt returns what a person typed as a message.
func Prompt(text string) Message { return Say(RoleUser, Person, text) }

// Typed returns what a person typed in m: never a tool's, the model's, the
// host's or our own words.
func (m Message) Typed() string { return m.text(Person) }

// Text returns all prose of m, whoever wrote it.
func (m Message) Text() string { return m.text("") }

func (m Message) text(by Author) string {
	var out []string
	for _, p := range m.Parts {
		if t, ok := p.(Text); ok && (by == "" || t.By == by) {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, "\n")
}

// IsPrompt reports whether a person typed any part of m, or may have.
func (m Message) IsPrompt() bool {
	return m.From == "" && slices.ContainsFunc(m.Parts, func(p Part) bool {
		t, ok := p.(Text)
		return ok && (t.By == Person || t.By == Unvouched)
	})
}

// Size is the number of bytes of m that a model reads, near enough.
func (m Message) Size() int {
	n := 0
	for _, p := range m.Parts {
		switch p := p.(type) {
		case Text:
			n += len(p.Text)
		case ToolCall:
			n += len(p.Name) + len(p.Input)
		case ToolResult:
			n += len(p.Text)
		case Opaque:
			n += len(p.Raw)
		}
	}
	return n
}

// Clip shortens s to at most n bytes, between characters.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
