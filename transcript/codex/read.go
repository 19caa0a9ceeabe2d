package codex

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// Read returns the messages of a rollout. It is a transcript.Reader.
func Read(r io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Lines(r, opt, func(f *feed.Feed) feed.Taker {
		return &reader{Feed: f, failed: map[string]bool{}}
	})
}

// maxFailed bounds how many failures are remembered whose output has not come.
const maxFailed = 4096

// reader is one pass over a rollout.
type reader struct {
	*feed.Feed
	rolled
	line      line // the one that is being read
	begun     bool // the first session_meta was seen: later ones are of sessions that this one was made from
	side      bool
	session   string
	project   string
	model     string
	reply     int    // the number of the reply that is being put together
	replyID   string // the same, as the queue knows it
	over      bool   // the next thing the model says is another reply
	counted   bool   // replies come with records of their usage
	compacted bool
	failed    map[string]bool // calls that are known to have failed, or not
}

// line is a line of a rollout. Its values are slices of the file's buffer, as
// written and not decoded.
type line struct {
	raw                 []byte
	kind, time, payload []byte
	item                item  // of a response_item
	event               event // of an event_msg
}

// reset makes l an empty line with the bytes b, in the same memory.
func (l *line) reset(b []byte) {
	content, output := l.item.content.blocks[:0], l.item.output.blocks[:0]
	*l = line{raw: b}
	l.item.content.blocks, l.item.output.blocks = content, output
}

// parse goes through the fields of a line. Of the kinds that are not needed, only the
// beginning is looked at.
func (l *line) parse(b []byte) error {
	l.reset(b)
	bare := false
	c := jsonscan.Object(b)
	for c.Field() {
		switch string(c.Key) {
		case "timestamp":
			l.time = c.Take()
		case "type":
			if l.kind = c.Take(); !needed(l.kind) {
				return unbroken(b)
			}
		case "payload":
			l.load(&c)
		case "call_id", "content", "role", "summary":
			bare = true
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	if bare && l.payload == nil { // as the first versions wrote them
		l.payload, l.kind = b, []byte(`"response_item"`)
		in := jsonscan.Object(b)
		l.item.parse(&in)
		l.item.raw = b
		return in.Err()
	}
	if l.item.raw == nil && jsonscan.Is(l.kind, "response_item") || l.event.kind == nil && jsonscan.Is(l.kind, "event_msg") {
		in := jsonscan.At(l.payload) // it came before its type
		l.load(&in)
		return in.Err()
	}
	return nil
}

// load goes into the payload at which the cursor stands.
func (l *line) load(c *jsonscan.Cursor) {
	if c.Peek() == '{' {
		in := c.Down('{')
		switch {
		case jsonscan.Is(l.kind, "response_item"):
			l.item.parse(&in)
			c.Up(&in)
			l.item.raw = c.Value
		case jsonscan.Is(l.kind, "event_msg"):
			l.event.parse(&in)
			c.Up(&in)
		}
	}
	l.payload = c.Take()
}

func needed(kind []byte) bool {
	for _, skip := range []string{"world_state", "inter_agent_communication"} {
		if jsonscan.Is(kind, skip) {
			return false
		}
	}
	return true
}

// unbroken reports a line that was cut off, where only its beginning is read.
func unbroken(b []byte) error {
	if b[len(b)-1] != '}' {
		return errors.New("it breaks off")
	}
	return nil
}

// Take turns a line into what it says.
func (r *reader) Take(b []byte) error {
	l := &r.line
	if err := l.parse(b); err != nil {
		return err
	}
	if r.dead(r.N) {
		return nil
	}
	switch {
	case jsonscan.Is(l.kind, "session_meta"):
		return r.meta(l.payload)
	case jsonscan.Is(l.kind, "turn_context"):
		return r.context(l.payload)
	case jsonscan.Is(l.kind, "compacted"):
		return r.compaction(l, len(b))
	case jsonscan.Is(l.kind, "token_usage_record"):
		return r.usageRecord(l.payload)
	case jsonscan.Is(l.kind, "event_msg"):
		return r.happened(&l.event)
	case jsonscan.Is(l.kind, "response_item"):
		return r.item(l, len(b))
	}
	return nil
}

// meta reads who the session is.
func (r *reader) meta(v []byte) error {
	if r.begun {
		return nil
	}
	r.begun = true
	c := jsonscan.Object(v)
	var err error
	for c.Next() && err == nil {
		switch string(c.Key) {
		case "id":
			r.session, err = r.Dec.String(c.Value)
		case "cwd":
			r.project, err = r.Dec.String(c.Value)
		case "source":
			r.side = r.side || len(c.Value) > 0 && c.Value[0] == '{' && subagent(c.Value)
		case "thread_source":
			r.side = r.side || jsonscan.Is(c.Value, "subagent")
		}
		if err != nil {
			return fmt.Errorf("session_meta.%s: %w", c.Key, err)
		}
	}
	return c.Err()
}

func subagent(v []byte) bool {
	c := jsonscan.Object(v)
	for c.Next() {
		if string(c.Key) == "subagent" && !jsonscan.Null(c.Value) {
			return true
		}
	}
	return false
}

// context reads what holds for a turn.
func (r *reader) context(v []byte) error {
	c := jsonscan.Object(v)
	var err error
	for c.Next() && err == nil {
		switch string(c.Key) {
		case "cwd":
			r.project, err = r.Dec.Word(c.Value)
		case "model":
			r.model, err = r.Dec.Word(c.Value)
		}
		if err != nil {
			return fmt.Errorf("turn_context.%s: %w", c.Key, err)
		}
	}
	return c.Err()
}

// compaction reads that the history was replaced by a summary.
func (r *reader) compaction(l *line, size int) error {
	r.over, r.compacted = true, true
	if err := r.Close(r.stream()); err != nil {
		return err
	}
	c := jsonscan.Object(l.payload)
	for c.Next() {
		if string(c.Key) != "message" {
			continue
		}
		text, err := r.Text(c.Value, trimtab.Host)
		if err != nil {
			return fmt.Errorf("compacted.message: %w", err)
		}
		if text != "" {
			return r.say(l, trimtab.Say(trimtab.RoleUser, trimtab.Host, text), size)
		}
	}
	return c.Err()
}

// say passes on a message that is no part of a reply.
func (r *reader) say(l *line, m trimtab.Message, size int) error {
	it, ok := r.stand(l, m)
	if !ok || len(m.Parts) == 0 {
		return nil
	}
	if m.IsPrompt() {
		if err := r.Close(r.stream()); err != nil {
			return err
		}
	}
	r.over = true
	return r.Put(it, size)
}

// stand adds to a message where it stood. A side conversation is read only where
// it is asked for.
func (r *reader) stand(l *line, m trimtab.Message) (transcript.Item, bool) {
	if r.side && !r.Opt.Side {
		return transcript.Item{}, false
	}
	m.At = jsonscan.Time(l.time)
	it := transcript.Item{Message: m, Line: r.N, Session: r.session, Project: r.project, Side: r.side, Compacted: r.compacted}
	if r.side {
		it.Agent = r.session
	}
	r.compacted = false
	return it, true
}

func (r *reader) stream() string { return feed.Stream(transcript.Item{Side: r.side, Agent: r.session}) }

// says passes on a part of the model's reply.
func (r *reader) says(l *line, id string, size int, parts []trimtab.Part) error {
	it, ok := r.stand(l, trimtab.Message{ID: id, Role: trimtab.RoleAssistant, Parts: parts, Model: r.model})
	if !ok || len(parts) == 0 {
		return nil
	}
	if r.over || r.replyID == "" {
		r.reply++
		r.over, r.replyID = false, strconv.Itoa(r.reply)
	}
	return r.Reply(it, r.replyID, size)
}
