package feed

import (
	"errors"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
)

// ErrStopped says that nobody wants more items.
var ErrStopped = errors.New("stopped")

// What the queue holds at most. A file that a host wrote stays far below; beyond
// it, a reply may come in two messages rather than fill the memory.
const (
	maxHeld      = 4096
	maxHeldBytes = 64 << 20
)

// Queue puts replies together. Hosts write a line for each block of a reply, and
// may start a tool and write its result, or what the provider counted, before the
// next block of the same reply has come. So a reply is held, and what follows it
// waits, until the next reply of that conversation begins: then it goes out as
// one message, with the results of its tools behind it, in the order of the file.
type Queue struct {
	yield func(transcript.Item, error) bool
	held  []entry
	bytes int
}

// entry is an item in the queue, or a damaged line.
type entry struct {
	item transcript.Item
	err  error
	size int
	id   string // of a reply to which more blocks may come; "" is whole
}

// Stream names a conversation within a file.
func Stream(it transcript.Item) string {
	if !it.Side {
		return ""
	}
	return "side " + it.Agent
}

// Reply takes a block of the reply with this id.
func (q *Queue) Reply(it transcript.Item, id string, size int) error {
	in := Stream(it)
	if more, err := q.more(in, id, &it.Message, size); more || err != nil {
		return err
	}
	if err := q.Close(in); err != nil {
		return err
	}
	return q.put(&it, nil, size, id)
}

// more takes a block if it is one more of the reply that is open in a
// conversation, and reports whether it is. Of m, only what was said, the counts
// and the model matter.
func (q *Queue) more(stream, id string, m *trimtab.Message, size int) (bool, error) {
	open := q.open(stream)
	if open == nil || id == "" || open.id != id {
		return false, nil
	}
	to := &open.item.Message
	to.Parts = append(to.Parts, m.Parts...)
	if m.Usage != nil {
		to.Usage = m.Usage // counts grow while the reply streams
	}
	if m.Model != "" {
		to.Model = m.Model
	}
	open.size += size
	q.bytes += size
	return true, q.advance()
}

// Open returns the reply of a conversation to which more may come, and its id;
// nil if there is none.
func (q *Queue) Open(stream string) (*transcript.Item, string) {
	if e := q.open(stream); e != nil {
		return &e.item, e.id
	}
	return nil, ""
}

func (q *Queue) open(stream string) *entry {
	for i := len(q.held) - 1; i >= 0; i-- {
		e := &q.held[i]
		if e.id != "" && Stream(e.item) == stream {
			return e
		}
	}
	return nil
}

// Close says that no more blocks come to the open reply of a conversation.
func (q *Queue) Close(stream string) error {
	if open := q.open(stream); open != nil {
		open.id = ""
	}
	return q.advance()
}

// Put takes an item that is whole.
func (q *Queue) Put(it transcript.Item, size int) error { return q.put(&it, nil, size, "") }

// Damage takes what could not be read.
func (q *Queue) Damage(d transcript.Damaged) error {
	return q.put(&transcript.Item{Line: d.Line}, d, 0, "")
}

func (q *Queue) put(it *transcript.Item, err error, size int, id string) error {
	if len(q.held) == 0 && id == "" { // the usual case
		if !q.yield(*it, err) {
			return ErrStopped
		}
		return nil
	}
	q.held = append(q.held, entry{})
	e := &q.held[len(q.held)-1]
	e.item, e.err, e.size, e.id = *it, err, size, id
	q.bytes += size
	return q.advance()
}

// advance passes on what nothing is waited for.
func (q *Queue) advance() error {
	if len(q.held) > maxHeld || q.bytes > maxHeldBytes {
		return q.Flush()
	}
	n := 0
	for n < len(q.held) && q.held[n].id == "" {
		n++
	}
	return q.pass(n)
}

// Flush passes on everything.
func (q *Queue) Flush() error { return q.pass(len(q.held)) }

func (q *Queue) pass(n int) error {
	if n == 0 {
		return nil
	}
	for i := range q.held[:n] {
		e := &q.held[i]
		q.bytes -= e.size
		if !q.yield(e.item, e.err) {
			return ErrStopped
		}
	}
	rest := copy(q.held, q.held[n:])
	clear(q.held[rest:])
	q.held = q.held[:rest]
	return nil
}
