// Package pi reads the sessions that pi keeps as JSON lines.
//
// Each entry names the one before it; where a file can be read twice, what a
// person took back by going to an earlier point is left out. What an extension
// put into the conversation is the Host's, and so are summaries. A command that
// the person ran beside the model is the Host's, too: the model did not ask for
// it, and its output is nobody's words.
//
// The package never writes and never trusts the file: a line that is not as it
// should be is a transcript.Damaged, and the next one is read.
//
//	for item, err := range pi.Read(file, transcript.Options{}) {
//		if errors.Is(err, trimtab.ErrDamaged) {
//			continue // err says which line, and why
//		}
//		…
//	}
package pi

import (
	"fmt"
	"io"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// Read returns the messages of a session. It is a transcript.Reader.
func Read(r io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Lines(r, opt, func(f *feed.Feed) feed.Taker { return &reader{Feed: f} })
}

// reader is one pass over a session.
type reader struct {
	*feed.Feed
	tree             feed.Tree
	line             line // the one that is being read
	session, project string
	compacted        bool
}

// line is an entry. Its values are slices of the file's buffer, as written and not
// decoded.
type line struct {
	kind, id, parent, time, cwd []byte
	summary                     []byte
	content                     content
	message                     message
}

// message is what went to the model or came from it.
type message struct {
	role, model, usage, call, failed []byte
	command, output, cause           []byte
	content                          content
}

// reset makes l an empty line, in the same memory.
func (l *line) reset() {
	entry, said := l.content.blocks[:0], l.message.content.blocks[:0]
	*l = line{content: content{blocks: entry}, message: message{content: content{blocks: said}}}
}

// parse goes through the fields of a line.
func (l *line) parse(b []byte) error {
	l.reset()
	c := jsonscan.Object(b)
	for c.Field() {
		switch string(c.Key) {
		case "type":
			l.kind = c.Take()
		case "id":
			l.id = c.Take()
		case "parentId":
			l.parent = c.Take()
		case "timestamp":
			l.time = c.Take()
		case "cwd":
			l.cwd = c.Take()
		case "summary":
			l.summary = c.Take()
		case "content":
			l.content.parse(&c)
		case "message":
			if c.Peek() == '{' {
				in := c.Down('{')
				l.message.parse(&in)
				c.Up(&in)
			}
		}
	}
	return c.Err()
}

func (m *message) parse(c *jsonscan.Cursor) {
	for c.Field() {
		switch string(c.Key) {
		case "role":
			m.role = c.Take()
		case "content":
			m.content.parse(c)
		case "model":
			m.model = c.Take()
		case "usage":
			m.usage = c.Take()
		case "toolCallId":
			m.call = c.Take()
		case "isError":
			m.failed = c.Take()
		case "command":
			m.command = c.Take()
		case "output":
			m.output = c.Take()
		case "errorMessage":
			m.cause = c.Take()
		}
	}
}

// Plan puts an entry into the tree. Its ids stand before all that is long.
func (r *reader) Plan(b []byte, n int) {
	if b[len(b)-1] != '}' {
		return // it breaks off
	}
	var id, parent []byte
	c := jsonscan.Object(b)
	for (id == nil || parent == nil) && c.Field() {
		switch string(c.Key) {
		case "type":
			if jsonscan.Is(c.Take(), "session") {
				return
			}
		case "id":
			id = c.Take()
		case "parentId":
			parent = c.Take()
		}
	}
	r.tree.Add(n, feed.Chain(id, parent))
}

// Planned decides what is read.
func (r *reader) Planned() { r.tree.Decide() }

// Take turns an entry into a message.
func (r *reader) Take(b []byte) error {
	l := &r.line
	if err := l.parse(b); err != nil {
		return err
	}
	id, err := r.Dec.String(l.id)
	if err != nil {
		return fmt.Errorf("id: %w", err)
	}
	if jsonscan.Is(l.kind, "session") {
		r.session = id
		if r.project, err = r.Dec.String(l.cwd); err != nil {
			return fmt.Errorf("cwd: %w", err)
		}
		return nil
	}
	if !r.tree.Takes(r.N, l.id) {
		return nil
	}
	m := trimtab.Message{ID: id, Role: trimtab.RoleUser}
	switch {
	case jsonscan.Is(l.kind, "message"):
		err = r.message(&l.message, &m)
	case jsonscan.Is(l.kind, "custom_message"):
		m.Parts, err = r.content(&l.content, trimtab.Host)
	case jsonscan.Is(l.kind, "compaction"), jsonscan.Is(l.kind, "branch_summary"):
		r.compacted = r.compacted || jsonscan.Is(l.kind, "compaction")
		m.Parts, err = r.content(&content{text: l.summary}, trimtab.Host)
	}
	if err != nil || len(m.Parts) == 0 {
		return err
	}
	m.At = jsonscan.Time(l.time)
	it := transcript.Item{Message: m, Line: r.N, Session: r.session, Project: r.project, Compacted: r.compacted}
	r.compacted = false
	return r.Put(it, len(b))
}
