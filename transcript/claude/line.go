package claude

import (
	"bytes"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

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
	message, attached         []byte
	compaction                []byte
	rendered, renderedRole    []byte
	side, meta, summary, fail bool
}

// parse takes a line apart. A line that is only bookkeeping has the kind other;
// most of those are known by their first field and looked at no further.
func (l *line) parse(b []byte, number int) error {
	*l = line{number: number, size: len(b)}
	if v := firstType(b); v != nil && kindOf(v) == other {
		if b[len(b)-1] != '}' {
			return errors.New("it breaks off")
		}
		return nil
	}
	var err error
	flag := func(v []byte) bool {
		on, bad := jsonl.Bool(v)
		if bad != nil {
			err = bad
		}
		return on
	}
	c := jsonl.Object(b)
	for c.Next() && err == nil {
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
		case "message":
			l.message = c.Value
		case "attachment":
			l.attached = c.Value
		case "compactMetadata":
			l.compaction = c.Value
		case "rendered":
			l.rendered = c.Value
		case "renderedRole":
			l.renderedRole = c.Value
		case "isSidechain":
			l.side = flag(c.Value)
		case "isMeta":
			l.meta = flag(c.Value)
		case "isCompactSummary":
			l.summary = flag(c.Value)
		case "isApiErrorMessage":
			l.fail = flag(c.Value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	if l.kind == other {
		return nil
	}
	return clean(b)
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

// clean refuses bytes that no JSON text holds and that decoding would change
// without a word.
func clean(b []byte) error {
	if bytes.IndexByte(b, 0) >= 0 {
		return errors.New("it holds NUL bytes")
	}
	if !utf8.Valid(b) {
		return errors.New("it is not valid UTF-8")
	}
	return nil
}

// boundary reports whether the host rewrote its history here.
func (l *line) boundary() bool {
	return l.kind == system && jsonl.Is(l.subtype, "compact_boundary")
}

// byTool reports whether a tool's result, or what came with one, made the line.
func (l *line) byTool() bool { return !jsonl.Null(l.toolResult) || !jsonl.Null(l.toolCaller) }

// at is when the line was written; the zero time if it does not say.
func (l *line) at() time.Time {
	s, _ := jsonl.String(l.time)
	t, _ := time.Parse(time.RFC3339Nano, s)
	return t
}
