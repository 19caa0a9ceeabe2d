package wire

import (
	"errors"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// The errors of Scan and Apply. After any of them the body goes out as it came.
var (
	ErrJSON  = jsonscan.ErrJSON                                     // Scan: not JSON, or nested too deep
	ErrShape = errors.New("not a request that we know")             // Scan: no message list, or a name given twice
	ErrSeat  = errors.New("no place for a note")                    // Apply: it would part what belongs together
	ErrEdit  = errors.New("not an edit of this body")               // Apply: out of range, out of order, or without text
	ErrStale = errors.New("the body was scanned by another format") // Apply: or not at all
)

// Format is one API's way of writing requests and replies. It holds no state.
type Format interface {
	// Name is a short name: "anthropic", "openaichat", "responses", "gemini".
	Name() string

	// Scan finds the messages of raw in one pass. It reuses what into has
	// allocated. known is the last body of the session, or nil: items that both
	// begin with alike are taken over without being read again, and the outcome
	// is the same as without it. into may be known, if known is not needed after.
	Scan(raw []byte, into, known *Body) error

	// Message decodes one item of a body that Scan accepted, and says for each
	// span of text who wrote it. It shares no memory with the body.
	Message(b *Body, i int) trimtab.Message

	// Apply appends the body with the edits to dst. Without edits that is the
	// body as it came. On an error what it appended is of no use.
	Apply(dst []byte, b *Body, edits []Edit) ([]byte, error)

	// Pieces is Apply without copying the body. It appends to pieces what Apply
	// would write, in order: runs of the body, and between them runs of ours, which
	// it appends to dst. The pieces share memory with both.
	Pieces(pieces [][]byte, dst []byte, b *Body, edits []Edit) ([][]byte, []byte, error)

	// NewReply returns a reader of a reply, streamed or not.
	NewReply(stream bool) Reply
}

// Edit puts one message of ours into the list. Edits come in the order of At.
type Edit struct {
	At    int      // the item that it stands before; len(Items) is the end
	Texts []string // our notes, in order: a part each, where the API has parts
	Drop  int      // for folding: how many items from At on it stands for

	Channel Channel // the zero Channel is the user's
	Clear   bool    // on the operator's channel: it is for the next reply only, where the API has that
}

// Channel says in whose name a message of ours is written.
type Channel uint8

// The channels. Operator is the provider's own for instructions inside a conversation,
// which no tool can imitate. A format that has none, or none at that place, writes for
// the user.
const (
	User Channel = iota
	Operator
)
