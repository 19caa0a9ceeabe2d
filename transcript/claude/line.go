package claude

import (
	"bytes"
	"errors"
	"fmt"

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

// field is a value of a line that is wanted.
type field int

const (
	uuidAt field = iota
	parentAt
	logicalAt
	sessionAt
	cwdAt
	versionAt
	agentAt
	timeAt
	subtypeAt
	sourceAt // who prompted, in three ways
	turnAt
	originAt
	toolResultAt // what only a tool's result has
	toolCallerAt
	attachedAt
	compactionAt
	renderedAt
	renderedRoleAt
	messageFields
)

// line is a line of the file, taken apart but not decoded: where its values stand.
// They are gone with the next line.
type line struct {
	facts
	b      []byte
	number int
	at     []jsonl.Span // by field; those of each block of content follow
	twice  jsonl.Twice
}

// facts are what a line says beside its values.
type facts struct {
	kind                      kind
	side, meta, summary, fail bool
	said                      bool // it has a message
	odd                       bool // which is none
	blocks                    int  // how many blocks of content the message has
}

// get returns a value as it is written, nothing if the line has none.
func (l *line) get(f field) []byte { return l.at[f].Of(l.b) }

// begin makes the line ready for being walked.
func (l *line) begin(b []byte, number int) {
	l.facts, l.b, l.number, l.twice = facts{}, b, number, jsonl.Twice{}
	if cap(l.at) < int(fields) {
		l.at = make([]jsonl.Span, fields, 2*fields)
	}
	l.at = l.at[:fields]
	clear(l.at)
}

// parse takes a line apart. A line that is only bookkeeping has the kind other;
// most of those are known by their first field and looked at no further.
func (r *reader) parse(b []byte, number int) (*line, error) {
	return r.apart(b, number, &r.shapes, false)
}

// place takes a line apart as far as its place in the tree needs. What stands
// behind the beginning of a tool's own result is not looked at.
func (r *reader) place(b []byte, number int) (*line, error) {
	return r.apart(b, number, &r.places, true)
}

func (r *reader) apart(b []byte, number int, shapes *jsonl.Shapes[facts], placed bool) (*line, error) {
	l := &r.line
	if v := firstType(b); v != nil && kindOf(v) == other {
		l.begin(b, number)
		return l, whole(b)
	}
	l.b, l.number, l.twice = b, number, jsonl.Twice{}
	var ok bool
	if l.facts, l.at, ok = shapes.Match(b, &l.twice, l.at); ok {
		return l, nil
	}
	l.begin(b, number)
	err := l.walk(&r.walk, placed)
	if err == nil {
		shapes.Learn(b, &r.walk, l.at, l.facts)
	}
	return l, err
}

// walk goes through a line field by field.
func (l *line) walk(w *jsonl.Walk, placed bool) error {
	c := jsonl.Walked(l.b, &l.twice, w)
	for c.Field() {
		switch string(c.Key) {
		case "message":
			l.message(&c)
			continue
		case "toolUseResult":
			if first := c.Peek(); placed && (first == '{' || first == '[' || first == '"') && l.kind != other && !jsonl.Null(l.get(uuidAt)) {
				at := int32(len(l.b) - len(c.Rest()))
				l.at[toolResultAt] = jsonl.Span{at - 1, at} // that there is one is enough
				w.Stop(&c)
				return whole(l.b)
			}
		}
		if c.Take(); c.Err() != nil {
			break
		}
		if f := fieldOf(c.Key); f >= 0 {
			l.at[f] = c.Span()
			continue
		}
		known, err := l.flag(c.Key, c.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Key, err)
		}
		if known {
			w.Fix()
		}
	}
	return c.Err()
}

// fieldOf returns the field of this name, -1 if it is not wanted.
func fieldOf(name []byte) field {
	switch string(name) {
	case "uuid":
		return uuidAt
	case "parentUuid":
		return parentAt
	case "logicalParentUuid":
		return logicalAt
	case "sessionId":
		return sessionAt
	case "cwd":
		return cwdAt
	case "version":
		return versionAt
	case "agentId":
		return agentAt
	case "timestamp":
		return timeAt
	case "subtype":
		return subtypeAt
	case "promptSource":
		return sourceAt
	case "turnOrigin":
		return turnAt
	case "origin":
		return originAt
	case "toolUseResult":
		return toolResultAt
	case "sourceToolAssistantUUID", "sourceToolUseID":
		return toolCallerAt
	case "attachment":
		return attachedAt
	case "compactMetadata":
		return compactionAt
	case "rendered":
		return renderedAt
	case "renderedRole":
		return renderedRoleAt
	}
	return -1
}

// flag reads a field that is true or false, or the type, and reports whether it is
// one.
func (l *line) flag(name, v []byte) (known bool, err error) {
	switch string(name) {
	case "type":
		l.kind = kindOf(v)
	case "isSidechain":
		l.side, err = jsonl.Bool(v)
	case "isMeta":
		l.meta, err = jsonl.Bool(v)
	case "isCompactSummary":
		l.summary, err = jsonl.Bool(v)
	case "isApiErrorMessage":
		l.fail, err = jsonl.Bool(v)
	default:
		return false, nil
	}
	return true, err
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
	return l.kind == system && jsonl.Is(l.get(subtypeAt), "compact_boundary")
}

// byTool reports whether a tool's result, or what came with one, made the line.
func (l *line) byTool() bool {
	return !jsonl.Null(l.get(toolResultAt)) || !jsonl.Null(l.get(toolCallerAt))
}
