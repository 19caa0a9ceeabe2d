package claude

import "github.com/trimtab/trimtab/transcript"

// What the queue holds at most. A file that Claude Code wrote stays far below;
// beyond it, a reply may come in two messages rather than fill the memory.
const (
	maxHeld      = 4096
	maxHeldBytes = 64 << 20
)

// queue puts replies together. Claude Code writes a line for each block of a
// reply, and may start a tool and write its result before the next block of the
// same reply has come. So a reply is held, and what follows it waits, until the
// next reply of that conversation begins: then it goes out as one message, with
// the results of its tools behind it, in the order of the file.
type queue struct {
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

// reply takes a block of the reply with this id.
func (q *queue) reply(it transcript.Item, id string, size int) error {
	in := stream(it.Side, it.Agent)
	if open := q.open(in); open != nil && id != "" && open.id == id {
		m := &open.item.Message
		m.Parts = append(m.Parts, it.Message.Parts...)
		if it.Message.Usage != nil {
			m.Usage = it.Message.Usage // counts grow while the reply streams
		}
		if it.Message.Model != "" {
			m.Model = it.Message.Model
		}
		open.size += size
		q.bytes += size
		return q.advance()
	}
	if err := q.close(in); err != nil {
		return err
	}
	return q.put(entry{item: it, size: size, id: id})
}

// open returns the reply of a conversation to which more blocks may come.
func (q *queue) open(in string) *entry {
	for i := len(q.held) - 1; i >= 0; i-- {
		e := &q.held[i]
		if e.id != "" && stream(e.item.Side, e.item.Agent) == in {
			return e
		}
	}
	return nil
}

// close says that no more blocks come to the open reply of a conversation.
func (q *queue) close(in string) error {
	if open := q.open(in); open != nil {
		open.id = ""
	}
	return q.advance()
}

func (q *queue) put(e entry) error {
	q.held = append(q.held, e)
	q.bytes += e.size
	return q.advance()
}

// advance passes on what nothing is waited for.
func (q *queue) advance() error {
	if len(q.held) > maxHeld || q.bytes > maxHeldBytes {
		return q.flush()
	}
	n := 0
	for n < len(q.held) && q.held[n].id == "" {
		n++
	}
	return q.pass(n)
}

// flush passes on everything.
func (q *queue) flush() error { return q.pass(len(q.held)) }

func (q *queue) pass(n int) error {
	for _, e := range q.held[:n] {
		q.bytes -= e.size
		if !q.yield(e.item, e.err) {
			return errStopped
		}
	}
	rest := copy(q.held, q.held[n:])
	clear(q.held[rest:])
	q.held = q.held[:rest]
	return nil
}
