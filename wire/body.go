package wire

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// Span is a run of bytes of a body. The zero Span is none.
type Span struct{ Start, End int }

// Holds says what is inside an item.
type Holds uint16

// The kinds of content that steering tells apart.
const (
	HoldsText    Holds = 1 << iota // prose
	HoldsCall                      // tool calls that the client answers
	HoldsResult                    // results of them
	HoldsThought                   // thinking, signed or encrypted
	HoldsServer                    // tools that the provider runs itself
	HoldsOther                     // images, documents and what is not known
)

// Item is one element of the message list.
type Item struct {
	Span
	Hash   uint64       // of what it says; 0 for one that says nothing, see Body.Hash
	Role   trimtab.Role // developer counts as system, results that are items of their own as tool
	Holds  Holds
	Open   int32 // tool calls asked for and not answered behind this item
	Server int32 // tools of the provider that have no result behind this item
	Marks  int32 // cache marks in the list up to the end of this item

	// Continues says that the item is part of the reply that an earlier item
	// began. Only one API spreads a reply over several items.
	Continues bool
}

// Field is a member of the body's outermost object.
type Field struct {
	Name  Span // between its quotes, as written
	Value Span
	Marks int32 // cache marks in it, the list's aside
}

// Body is a request as a Format sees it. Raw belongs to the caller and must stay
// as it is for as long as the Body is used. The zero Body is ready to be scanned.
type Body struct {
	Format string // the name of the format that scanned it
	Raw    []byte
	List   Span // the message list with its brackets, or the text that stands for it
	Bare   bool // the list is one string: what a person typed
	Items  []Item
	Fields []Field
	System Span // the value of the system prompt, where it is not part of the list
	Tools  Span
	Stream bool
	Marks  int // cache marks in the whole body

	Before, After []byte // what stands around Raw, where a format wraps the request in another object
}

// Bytes returns the bytes of a span.
func (b *Body) Bytes(s Span) []byte { return b.Raw[s.Start:s.End] }

// Find returns the value at a path of names in the body, as written, or nil. It
// is for facts beside the messages: "model", "metadata", "user_id".
func (b *Body) Find(path ...string) []byte {
	if len(path) == 0 {
		return nil
	}
	for _, f := range b.Fields {
		if jsonscan.Word(b.Bytes(f.Name)) == path[0] {
			return Find(b.Bytes(f.Value), path[1:]...)
		}
	}
	return nil
}

// Text returns the string at a path of names in the body, or "".
func (b *Body) Text(path ...string) string {
	text, _ := jsonscan.Unquote(b.Find(path...))
	return text
}

// Model is the model that the body asks for; "" where only the URL says it.
func (b *Body) Model() string {
	if model := b.Text("model"); model != "" || len(b.Before) == 0 {
		return model
	}
	model, _ := jsonscan.Unquote(Find(append(slices.Clip(b.Before), "null}"...), "model"))
	return model
}

// Previous is the reply that the body builds on, where the provider keeps the
// history: then the list holds only what came since.
func (b *Body) Previous() string { return b.Text("previous_response_id") }

// Session is the id that the client gives the session in the body, or "".
func (b *Body) Session() string {
	if id := b.Text("client_metadata", "session_id"); id != "" {
		return id
	}
	if user := b.Text("metadata", "user_id"); user != "" {
		if id, ok := jsonscan.Unquote(Find([]byte(user), "session_id")); ok && id != "" {
			return id
		}
		if _, id, ok := strings.Cut(user, "_session_"); ok { // of older clients
			return id
		}
	}
	return b.Text("prompt_cache_key")
}

// Find returns the value at a path of names in a JSON value, as written, or nil.
func Find(value []byte, path ...string) []byte { return jsonscan.Find(value, path...) }

// Hash is that of the message that begins at item i: of the item and of all that
// continue it. It is 0 for an item that continues another.
func (b *Body) Hash(i int) uint64 {
	if b.Items[i].Continues {
		return 0
	}
	h := b.Items[i].Hash
	for j := b.continued(i); j >= 0; j = b.continued(j) {
		switch next := b.Items[j].Hash; {
		case h == 0:
			h = next
		case next != 0:
			h = jsonscan.Mix(h, next)
		}
	}
	return h
}

// continued returns the next item of the reply that item i belongs to, or -1.
func (b *Body) continued(i int) int {
	if b.Items[i].Role != trimtab.RoleAssistant {
		return -1
	}
	for j := i + 1; j < len(b.Items); j++ {
		switch it := &b.Items[j]; {
		case it.Continues:
			return j
		case it.Role == trimtab.RoleAssistant || it.Role == trimtab.RoleUser:
			return -1
		}
	}
	return -1
}

// Whole decodes the message that begins at item i, with all that continue it.
func Whole(f Format, b *Body, i int) trimtab.Message {
	m := f.Message(b, i)
	for j := b.continued(i); j >= 0; j = b.continued(j) {
		m.Parts = append(m.Parts, f.Message(b, j).Parts...)
	}
	return m
}
