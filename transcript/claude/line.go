package claude

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// kind says what a line is to us.
type kind byte

const (
	other kind = iota // bookkeeping
	user
	assistant
	system
	attachment
)

func kindOf(v []byte) kind {
	switch {
	case jsonl.Is(v, "user"):
		return user
	case jsonl.Is(v, "assistant"):
		return assistant
	case jsonl.Is(v, "system"):
		return system
	case jsonl.Is(v, "attachment"):
		return attachment
	}
	return other
}

// line is a line of the file, taken apart but not decoded: its values are spans
// of it and are gone with the next line.
type line struct {
	kind                      kind
	number, size              int
	uuid, parent, logical     []byte
	session, cwd, version     []byte
	agent, time, subtype      []byte
	source, turn, origin      []byte // who prompted, in three ways
	toolResult, toolCaller    []byte // what only a tool's result has
	message                   message
	attached, compaction      []byte
	rendered, renderedRole    []byte
	side, meta, summary, fail bool
	twice                     jsonl.Twice
	last                      *tail
}

// tail is the end of a line, from the value of userType on. It is the same on most
// lines of a file, and what was read of it once need not be read again.
type tail struct {
	raw                   []byte
	session, cwd, version []byte // spans of raw
}

// take notes the value of a field behind userType, of which rest is left of the
// line, and reports whether it is one of those that a tail may hold.
func (t *tail) take(name, value []byte, rest int) bool {
	end := len(t.raw) - rest
	switch v := t.raw[end-len(value) : end]; string(name) {
	case "sessionId":
		t.session = v
	case "cwd":
		t.cwd = v
	case "version":
		t.version = v
	case "userType", "entrypoint", "gitBranch":
	default:
		return false
	}
	return true
}

// place takes a line apart as far as its place in the tree needs. Of replies and
// attachments that is a little at either end, and of a tool's result all but what
// the tool returned.
func (l *line) place(b []byte, number int) error {
	l.number, l.size = number, len(b)
	if l.ends(b) {
		return nil
	}
	*l = line{last: l.last, message: message{blocks: l.message.blocks[:0]}}
	return l.walk(b, number, true)
}

// ends takes a reply or an attachment apart from both ends, and reports whether
// that told enough.
func (l *line) ends(b []byte) bool {
	c := jsonl.Object(b)
	for front := true; front && c.Field(); {
		switch string(c.Key) {
		case "parentUuid":
			l.parent = c.Take()
		case "isSidechain":
			l.side = string(c.Take()) == "true"
		case "message":
			front = false
			l.message.id = firstID(&c)
		case "attachment":
			front = false
		case "agentId":
		default:
			return false
		}
	}
	if l.parent == nil {
		return false
	}
	for last := jsonl.Last(b); last.Next(); {
		switch string(last.Key) {
		case "uuid":
			l.uuid = last.Value
		case "type":
			l.kind = kindOf(last.Value)
		case "isSidechain", "parentUuid":
			return false // twice
		}
		if l.uuid != nil && l.kind != other {
			return l.kind == assistant && !jsonl.Null(l.message.id) || l.kind == attachment
		}
	}
	return false
}

// firstID returns the id of the message at which the cursor stands, if it comes
// before the content.
func firstID(c *jsonl.Cursor) []byte {
	in := c.Down('{')
	for in.Field() && string(in.Key) != "content" {
		if string(in.Key) == "id" {
			return in.Take()
		}
	}
	return nil
}

// parse takes a line apart. A line that is only bookkeeping has the kind other;
// most of those are known by their first field and looked at no further.
func (l *line) parse(b []byte, number int) error { return l.walk(b, number, false) }

func (l *line) walk(b []byte, number int, placed bool) error {
	l.number, l.size = number, len(b)
	if v := firstType(b); v != nil && kindOf(v) == other {
		return whole(b)
	}
	var err error
	c := jsonl.Line(b, &l.twice)
	var next tail // as far as it is known that the line has one
	for err == nil && c.Field() {
		switch string(c.Key) {
		case "message":
			l.message.parse(&c)
			continue
		case "userType":
			if t := l.last; t.raw != nil && bytes.Equal(c.Rest(), t.raw) {
				l.session, l.cwd, l.version = or(t.session, l.session), or(t.cwd, l.cwd), or(t.version, l.version)
				return nil
			}
			next.raw = bytes.Clone(c.Rest())
		}
		if placed && l.uuid != nil && l.kind != other && string(c.Key) == "toolUseResult" && c.Peek() != 'n' {
			l.toolResult = b[len(b)-1:]
			return whole(b)
		}
		if c.Take(); c.Err() != nil {
			break
		}
		switch string(c.Key) {
		case "type":
			l.kind = kindOf(c.Value)
		case "uuid":
			l.uuid = c.Value
		case "parentUuid":
			l.parent = c.Value
		case "logicalParentUuid":
			l.logical = c.Value
		case "sessionId":
			l.session = c.Value
		case "cwd":
			l.cwd = c.Value
		case "version":
			l.version = c.Value
		case "agentId":
			l.agent = c.Value
		case "timestamp":
			l.time = c.Value
		case "subtype":
			l.subtype = c.Value
		case "promptSource":
			l.source = c.Value
		case "turnOrigin":
			l.turn = c.Value
		case "origin":
			l.origin = c.Value
		case "toolUseResult":
			l.toolResult = c.Value
		case "sourceToolAssistantUUID", "sourceToolUseID":
			l.toolCaller = c.Value
		case "attachment":
			l.attached = c.Value
		case "compactMetadata":
			l.compaction = c.Value
		case "rendered":
			l.rendered = c.Value
		case "renderedRole":
			l.renderedRole = c.Value
		default:
			err = l.flag(c.Key, c.Value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Key, err)
		}
		if next.raw != nil && !next.take(c.Key, c.Value, len(c.Rest())) {
			next.raw = nil
		}
	}
	if c.Err() == nil && next.raw != nil {
		*l.last = next
	}
	return c.Err()
}

// flag reads a field that is true or false.
func (l *line) flag(name, v []byte) (err error) {
	switch string(name) {
	case "isSidechain":
		l.side, err = jsonl.Bool(v)
	case "isMeta":
		l.meta, err = jsonl.Bool(v)
	case "isCompactSummary":
		l.summary, err = jsonl.Bool(v)
	case "isApiErrorMessage":
		l.fail, err = jsonl.Bool(v)
	}
	return err
}

func or(v, other []byte) []byte {
	if v != nil {
		return v
	}
	return other
}

// whole reports a line that was cut off.
func whole(b []byte) error {
	if b[len(b)-1] != '}' {
		return errors.New("it breaks off")
	}
	return nil
}

// firstType returns the value of "type" if it is the first field, as in most of
// the bookkeeping.
func firstType(b []byte) []byte {
	rest, ok := bytes.CutPrefix(b, []byte(`{"type":`))
	if !ok {
		return nil
	}
	rest = bytes.TrimLeft(rest, " ")
	if len(rest) == 0 || rest[0] != '"' {
		return nil
	}
	k := bytes.IndexByte(rest[1:], '"')
	if k < 0 {
		return nil
	}
	return rest[:k+2]
}

// boundary reports whether the host rewrote its history here.
func (l *line) boundary() bool {
	return l.kind == system && jsonl.Is(l.subtype, "compact_boundary")
}

// byTool reports whether a tool's result, or what came with one, made the line.
func (l *line) byTool() bool { return !jsonl.Null(l.toolResult) || !jsonl.Null(l.toolCaller) }

// at is when the line was written; the zero time if it does not say.
func (l *line) at() time.Time {
	return jsonl.Time(l.time)
}
