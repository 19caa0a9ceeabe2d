package claude

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab/internal/jsonscan"
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
	case jsonscan.Is(v, "user"):
		return user
	case jsonscan.Is(v, "assistant"):
		return assistant
	case jsonscan.Is(v, "system"):
		return system
	case jsonscan.Is(v, "attachment"):
		return attachment
	}
	return other
}

// line is a line of the file. Its values are slices of the file's buffer, as
// written and not decoded; they are gone with the next line.
type line struct {
	raw    []byte
	number int

	kind                        kind
	side, meta, summary, failed bool

	uuid, parent, logicalParent        []byte
	session, cwd, version, agent, time []byte
	subtype                            []byte
	promptSource, turnOrigin, origin   []byte // who prompted, in three ways
	toolResult, toolCaller             []byte // what only a tool's result has
	attachment, rendered, renderedRole []byte
	compaction                         []byte
	message                            message
}

// reset makes l an empty line with the bytes b. The memory of its blocks is used
// again, since a file has a line for each block.
func (l *line) reset(b []byte, number int) {
	*l = line{raw: b, number: number, message: message{blocks: l.message.blocks[:0]}}
}

// parse reads a line. A line that is only bookkeeping has the kind other; most of
// those are known by their first field and looked at no further.
func (l *line) parse(b []byte, number int) error { return l.read(b, number, false) }

// parseLink reads of a line what its place in the tree needs. It stops at a tool's
// own result, which is long and which the host writes behind all that is needed.
func (l *line) parseLink(b []byte, number int) error { return l.read(b, number, true) }

func (l *line) read(b []byte, number int, onlyLink bool) error {
	l.reset(b, number)
	if v := firstType(b); v != nil && kindOf(v) == other {
		return unbroken(b)
	}
	c := jsonscan.Object(b)
	for c.Field() {
		switch string(c.Key) {
		case "message":
			l.message.parse(&c)
			continue
		case "toolUseResult":
			if first := c.Peek(); onlyLink && (first == '{' || first == '[' || first == '"') && l.kind != other && !jsonscan.Null(l.uuid) {
				l.toolResult = b[:1] // any value: that there is one is enough
				return unbroken(b)
			}
		}
		if c.Take(); c.Err() != nil {
			break
		}
		if err := l.field(c.Key, c.Value); err != nil {
			return fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return c.Err()
}

// field takes the value of a field, if it is one that is wanted.
func (l *line) field(name, v []byte) (err error) {
	switch string(name) {
	case "type":
		l.kind = kindOf(v)
	case "isSidechain":
		l.side, err = jsonscan.Bool(v)
	case "isMeta":
		l.meta, err = jsonscan.Bool(v)
	case "isCompactSummary":
		l.summary, err = jsonscan.Bool(v)
	case "isApiErrorMessage":
		l.failed, err = jsonscan.Bool(v)
	case "uuid":
		l.uuid = v
	case "parentUuid":
		l.parent = v
	case "logicalParentUuid":
		l.logicalParent = v
	case "sessionId":
		l.session = v
	case "cwd":
		l.cwd = v
	case "version":
		l.version = v
	case "agentId":
		l.agent = v
	case "timestamp":
		l.time = v
	case "subtype":
		l.subtype = v
	case "promptSource":
		l.promptSource = v
	case "turnOrigin":
		l.turnOrigin = v
	case "origin":
		l.origin = v
	case "toolUseResult":
		l.toolResult = v
	case "sourceToolAssistantUUID", "sourceToolUseID":
		l.toolCaller = v
	case "attachment":
		l.attachment = v
	case "compactMetadata":
		l.compaction = v
	case "rendered":
		l.rendered = v
	case "renderedRole":
		l.renderedRole = v
	}
	return err
}

// unbroken reports a line that was cut off, where only its beginning is read.
func unbroken(b []byte) error {
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
	return l.kind == system && jsonscan.Is(l.subtype, "compact_boundary")
}

// byTool reports whether a tool's result, or what came with one, made the line.
func (l *line) byTool() bool {
	return !jsonscan.Null(l.toolResult) || !jsonscan.Null(l.toolCaller)
}
