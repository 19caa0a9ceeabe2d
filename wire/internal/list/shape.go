package list

import (
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// Shape says how an API writes its message list. It is data: the functions only
// look names up.
type Shape struct {
	Name   string
	List   string   // the member that holds the messages
	Bare   bool     // it may be one string instead
	System []string // members that hold the system prompt, by their spellings
	Tools  []string

	Member func(name []byte) Act   // what a member of an item means
	Part   func(name []byte) Act   // what a member of a part of content means
	Class  func(kind []byte) Class // what a part is by its type; nil where members alone tell

	// Settle makes an item of what was found in it, in the light of the one
	// before. ok is false for a role or type in which nothing may be assumed.
	Settle func(f Facts, last wire.Item) (it wire.Item, ok bool)

	// Whole says why the list may not be cut before item at, or "".
	Whole func(b *wire.Body, at int) string

	// Place is where a note for item at stands: as near as the API allows.
	Place func(b *wire.Body, at int) int

	// Keep is how many leading items may not be folded away.
	Keep func(b *wire.Body) int

	// Note appends our message, and Typed a message with a text literal.
	Note func(dst []byte, texts []string) []byte

	// Operator appends our message on the operator's channel, and Behind is the item
	// before which one for item at stands, or -1; both are nil where there is none.
	Operator func(dst []byte, texts []string, clearing bool) []byte
	Behind   func(b *wire.Body, at int) int

	Typed func(dst, literal []byte) []byte
}

// Act is what a member means.
type Act uint8

// The meanings. Those from Role on may stand only once in their object.
const (
	Keep    Act = iota // counts as it is written
	Drop               // does not count
	Mark               // a cache mark; does not count
	Aside              // thinking beside the content; does not count
	Role               //
	Kind               // the type of an item or a part
	Content            // text, or parts
	Output             // the same, of a result
	Text               // the words of a part
	Thought            // true makes its part a thought
	Call               // a tool call, or an array of them
	Result             // a tool's result
	Server             // a tool that the provider runs
	Ref                // the id that ties a call and its result
)

// Class is what a part is.
type Class uint8

// The classes. Use and Return are of tools that the provider runs.
const (
	Other Class = iota
	Words
	Thinking
	Calling
	Resulting
	Use
	Return
)

// Facts is what was found in an item.
type Facts struct {
	Role, Kind []byte // decoded; nil where absent
	Hash       uint64
	Holds      wire.Holds
	Calls      int32
	Results    int32
	Uses       int32 // of the provider's tools
	Returns    int32
	Marks      int32
	HasRef     bool
}

// Leading is how many items at the front are the system's.
func Leading(b *wire.Body) int {
	n := 0
	for n < len(b.Items) && b.Items[n].Role == trimtab.RoleSystem {
		n++
	}
	return n
}
