// Package qwen reads the chats that Qwen Code keeps as JSON lines under its
// projects folder.
//
// Each line names the one before it; where a file can be read twice, what a person
// took back by going to an earlier point is left out. Lines say whose they are,
// and only those of a person are a Person's, without what hooks added to them.
// Whether a tool failed is what the line says of it, not its text.
//
// The package never writes and never trusts the file: a line that is not as it
// should be is a transcript.Damaged, and the next one is read.
//
//	for item, err := range qwen.Read(file, transcript.Options{}) {
//		if errors.Is(err, trimtab.ErrDamaged) {
//			continue // err says which line, and why
//		}
//		…
//	}
package qwen

import (
	"fmt"
	"io"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// Read returns the messages of a chat. It is a transcript.Reader.
func Read(r io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Lines(r, opt, func(f *feed.Feed) feed.Taker { return &reader{Feed: f} })
}

// reader is one pass over a chat.
type reader struct {
	*feed.Feed
	tree      feed.Tree
	line      line // the one that is being read
	compacted bool
}

// line is a line of a chat. Its values are slices of the file's buffer, as written
// and not decoded.
type line struct {
	uuid, parent, session, time, kind, subtype, by, cwd, model []byte
	agent, usage, status                                       []byte
	content                                                    feed.Content
	side                                                       bool
}

// reset makes l an empty line, in the same memory.
func (l *line) reset() {
	*l = line{content: l.content}
	l.content.Reset()
}

// parse goes through the fields of a line.
func (l *line) parse(b []byte) error {
	l.reset()
	c := jsonscan.Object(b)
	for c.Field() {
		switch string(c.Key) {
		case "uuid":
			l.uuid = c.Take()
		case "parentUuid":
			l.parent = c.Take()
		case "sessionId":
			l.session = c.Take()
		case "timestamp":
			l.time = c.Take()
		case "type":
			l.kind = c.Take()
		case "subtype":
			l.subtype = c.Take()
		case "provenance":
			l.by = c.Take()
		case "cwd":
			l.cwd = c.Take()
		case "model":
			l.model = c.Take()
		case "agentId":
			l.agent = c.Take()
		case "isSidechain":
			l.side = string(c.Take()) == "true"
		case "usageMetadata":
			l.usage = c.Take()
		case "toolCallResult":
			l.ended(&c)
		case "message":
			l.message(&c)
		}
	}
	return c.Err()
}

// ended goes into how a call ended.
func (l *line) ended(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		return
	}
	in := c.Down('{')
	for in.Field() {
		if string(in.Key) == "status" {
			l.status = in.Take()
		}
	}
	c.Up(&in)
}

// message goes into what went to the model or came from it.
func (l *line) message(c *jsonscan.Cursor) {
	if c.Peek() != '{' {
		return
	}
	in := c.Down('{')
	for in.Field() {
		if string(in.Key) == "parts" {
			l.content.Read(&in)
		}
	}
	c.Up(&in)
}

// Plan puts a line of the main conversation into the tree.
func (r *reader) Plan(b []byte, n int) {
	var id, parent []byte
	side := false
	c := jsonscan.Object(b)
	for c.Field() {
		switch string(c.Key) {
		case "uuid":
			id = c.Take()
		case "parentUuid":
			parent = c.Take()
		case "isSidechain":
			side = side || string(c.Take()) == "true"
		case "agentId":
			side = side || !jsonscan.Null(c.Take())
		}
	}
	if c.Err() == nil && !side {
		r.tree.Add(n, feed.Chain(id, parent))
	}
}

// Planned decides what is read.
func (r *reader) Planned() { r.tree.Decide() }

// Take turns a line into a message.
func (r *reader) Take(b []byte) error {
	l := &r.line
	if err := l.parse(b); err != nil {
		return err
	}
	l.side = l.side || !jsonscan.Null(l.agent)
	id, err := r.Dec.String(l.uuid)
	switch {
	case err != nil:
		return fmt.Errorf("uuid: %w", err)
	case l.side && !r.Opt.Side, !l.side && !r.tree.Takes(r.N, l.uuid):
		return nil
	}
	m := trimtab.Message{ID: id}
	switch {
	case jsonscan.Is(l.kind, "assistant"):
		m.Role = trimtab.RoleAssistant
		if err := r.reply(l, &m); err != nil {
			return err
		}
	case jsonscan.Is(l.kind, "user"):
		m.Role = trimtab.RoleUser
		by := trimtab.Person
		if l.side || !jsonscan.Null(l.by) && !jsonscan.Is(l.by, "real_user") {
			by = trimtab.Host
		}
		m.Parts, err = r.content(l, by)
	case jsonscan.Is(l.kind, "tool_result"):
		m.Role = trimtab.RoleTool
		m.Parts, err = r.content(l, trimtab.Tool)
	case jsonscan.Is(l.kind, "system") && jsonscan.Is(l.subtype, "chat_compression"):
		r.compacted = true
	}
	if err != nil || len(m.Parts) == 0 {
		return err
	}
	return r.put(l, m, len(b))
}

func (r *reader) reply(l *line, m *trimtab.Message) (err error) {
	if m.Model, err = r.Dec.Word(l.model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if m.Usage, err = r.usage(l.usage); err != nil {
		return fmt.Errorf("usageMetadata: %w", err)
	}
	m.Parts, err = r.content(l, trimtab.Model)
	return err
}

func (r *reader) content(l *line, by trimtab.Author) ([]trimtab.Part, error) {
	failed := jsonscan.Is(l.status, "error") || jsonscan.Is(l.status, "cancelled")
	said, err := l.content.Decode(r.Feed, by, func(string) bool { return failed })
	if err != nil {
		return nil, fmt.Errorf("message: %w", err)
	}
	return said, nil
}

func (r *reader) put(l *line, m trimtab.Message, size int) (err error) {
	m.At = jsonscan.Time(l.time)
	it := transcript.Item{Message: m, Line: r.N, Side: l.side, Compacted: r.compacted}
	if it.Session, err = r.Dec.Word(l.session); err != nil {
		return fmt.Errorf("sessionId: %w", err)
	}
	if it.Project, err = r.Dec.Word(l.cwd); err != nil {
		return fmt.Errorf("cwd: %w", err)
	}
	if it.Agent, err = r.Dec.Word(l.agent); err != nil {
		return fmt.Errorf("agentId: %w", err)
	}
	r.compacted = false
	return r.Put(it, size)
}

func (r *reader) usage(v []byte) (*trimtab.Usage, error) {
	if jsonscan.Null(v) {
		return nil, nil
	}
	var in, cached, out, thoughts int
	c := jsonscan.Object(v)
	for c.Next() {
		var err error
		switch string(c.Key) {
		case "promptTokenCount":
			in, err = jsonscan.Int(c.Value)
		case "cachedContentTokenCount":
			cached, err = jsonscan.Int(c.Value)
		case "candidatesTokenCount":
			out, err = jsonscan.Int(c.Value)
		case "thoughtsTokenCount":
			thoughts, err = jsonscan.Int(c.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return r.Count(trimtab.Usage{Input: max(0, in-cached), Output: out + thoughts, CacheRead: cached}), c.Err()
}
