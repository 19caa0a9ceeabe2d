package opencode

import (
	"context"
	"fmt"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// message passes on a message with its parts. What is wrong with the row is a
// transcript.Damaged; a part that is damaged is named, and the others are read.
func (r *reader) message(ctx context.Context, id string) error {
	var created int64
	var data []byte
	err := r.file.QueryRowContext(ctx, `SELECT coalesce(time_created, 0), CASE WHEN length(CAST(data AS BLOB)) <= ? THEN CAST(data AS BLOB) END FROM message WHERE id = ?`,
		r.Opt.MaxLine, id).Scan(&created, &data)
	if err != nil {
		return fmt.Errorf("message %s: %w", id, err)
	}
	if data == nil {
		return transcript.Damaged{Line: r.N, Row: id, Text: fmt.Sprintf("it is empty or longer than %d bytes", r.Opt.MaxLine)}
	}
	m := trimtab.Message{ID: id, At: time.UnixMilli(created).UTC()}
	compacted, err := r.head(&m, data)
	if err != nil {
		return transcript.Damaged{Line: r.N, Row: id, Text: err.Error()}
	}
	results, err := r.parts(ctx, &m, compacted)
	if err != nil {
		return err
	}
	return r.pass(m, data, results, compacted)
}

// pass passes on a message, and what its tools answered behind it.
func (r *reader) pass(m trimtab.Message, data []byte, results []trimtab.Part, compacted bool) error {
	if len(m.Parts) == 0 && m.Role == trimtab.RoleAssistant {
		r.notice(&m, data)
	}
	it := transcript.Item{Message: m, Line: r.N, Session: r.session, Project: r.project, Side: r.parent != "", Compacted: compacted}
	if it.Side {
		it.Agent = r.session
	}
	if len(m.Parts) > 0 {
		if err := r.Put(it, 0); err != nil {
			return err
		}
	}
	if len(results) == 0 {
		return nil
	}
	it.Compacted = false
	it.Message = trimtab.Message{ID: m.ID + "-results", Role: trimtab.RoleTool, Parts: results, At: m.At}
	return r.Put(it, 0)
}

// head reads all of a message but its parts. A summary that stands for the history
// before it is the host's, though a model wrote it.
func (r *reader) head(m *trimtab.Message, data []byte) (compacted bool, err error) {
	var role, model, tokens []byte
	c := jsonscan.Object(data)
	for c.Next() {
		switch string(c.Key) {
		case "role":
			role = c.Value
		case "modelID":
			model = c.Value
		case "tokens":
			tokens = c.Value
		case "summary":
			compacted = string(c.Value) == "true"
		}
	}
	if err := c.Err(); err != nil {
		return false, err
	}
	switch {
	case jsonscan.Is(role, "user"):
		m.Role = trimtab.RoleUser
		return false, nil
	case !jsonscan.Is(role, "assistant"):
		return false, fmt.Errorf("it has no role that is known")
	case compacted:
		m.Role = trimtab.RoleUser
		return true, nil
	}
	m.Role = trimtab.RoleAssistant
	if m.Model, err = r.Dec.Word(model); err != nil {
		return false, fmt.Errorf("modelID: %w", err)
	}
	if m.Usage, err = usage(tokens); err != nil {
		return false, fmt.Errorf("tokens: %w", err)
	}
	return false, nil
}

// notice makes of a reply that failed the host's notice of it.
func (r *reader) notice(m *trimtab.Message, data []byte) {
	text, err := r.Text(jsonscan.FindFirst(data, "error", "data", "message"), trimtab.Host)
	if err != nil || text == "" {
		return
	}
	*m = trimtab.Message{ID: m.ID, Role: trimtab.RoleSystem, At: m.At, Parts: feed.Spans(text, trimtab.Host)}
}

// parts reads the parts of a message, and returns the results of its tools apart.
func (r *reader) parts(ctx context.Context, m *trimtab.Message, compacted bool) (results []trimtab.Part, err error) {
	rows, err := r.file.QueryContext(ctx, `SELECT id, CASE WHEN length(CAST(data AS BLOB)) <= ? THEN CAST(data AS BLOB) END FROM part WHERE message_id = ? ORDER BY id`, r.Opt.MaxLine, m.ID)
	if err != nil {
		return nil, fmt.Errorf("parts of message %s: %w", m.ID, err)
	}
	defer rows.Close()
	by := r.author(*m, compacted)
	var d markup.Divider
	for rows.Next() {
		var id string
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return nil, fmt.Errorf("parts of message %s: %w", m.ID, err)
		}
		answered, err := r.add(m, &d, id, data, by)
		if err != nil {
			return nil, err
		}
		results = append(results, answered...)
	}
	return results, rows.Err()
}

// author is who wrote the texts of a message.
func (r *reader) author(m trimtab.Message, compacted bool) trimtab.Author {
	switch {
	case compacted || m.Role == trimtab.RoleUser && r.parent != "":
		return trimtab.Host
	case m.Role == trimtab.RoleUser:
		return trimtab.Person
	}
	return trimtab.Model
}

// add adds a part to its message and returns what a tool answered. One that is damaged
// is named and left out.
func (r *reader) add(m *trimtab.Message, d *markup.Divider, id string, data []byte, by trimtab.Author) (answered []trimtab.Part, err error) {
	var said []trimtab.Part
	bad := fmt.Errorf("it is empty or longer than %d bytes", r.Opt.MaxLine)
	if data != nil {
		said, answered, bad = r.part(d, data, by)
	}
	if bad != nil {
		return nil, r.Damage(transcript.Damaged{Line: r.N, Row: id, Text: bad.Error()})
	}
	m.Parts = append(m.Parts, said...)
	return answered, nil
}

func (r *reader) part(d *markup.Divider, data []byte, by trimtab.Author) (said, answered []trimtab.Part, err error) {
	var kind, text, tool, call, state []byte
	synthetic := false
	c := jsonscan.Object(data)
	for c.Next() {
		switch string(c.Key) {
		case "type":
			kind = c.Value
		case "text":
			text = c.Value
		case "tool":
			tool = c.Value
		case "callID":
			call = c.Value
		case "state":
			state = c.Value
		case "synthetic", "ignored":
			synthetic = synthetic || string(c.Value) == "true"
		}
	}
	if err := c.Err(); err != nil {
		return nil, nil, err
	}
	switch {
	case jsonscan.Is(kind, "text"):
		if synthetic {
			by = trimtab.Host
		}
		s, err := r.Text(text, by)
		return feed.Append(nil, d, s, by), nil, err
	case jsonscan.Is(kind, "tool"):
		return r.tool(tool, call, state)
	case jsonscan.Is(kind, "reasoning"), jsonscan.Is(kind, "file"), jsonscan.Is(kind, "agent"), jsonscan.Is(kind, "subtask"):
		word, err := r.Dec.Word(kind)
		if err != nil {
			return nil, nil, err
		}
		p, err := r.Opaque(word, by, data)
		return []trimtab.Part{p}, nil, err
	}
	return nil, nil, nil // bookkeeping
}

// tool reads a call and, if it has ended, its result.
func (r *reader) tool(tool, id, state []byte) (said, answered []trimtab.Part, err error) {
	var call trimtab.ToolCall
	if call.ID, err = r.Dec.String(id); err != nil {
		return nil, nil, fmt.Errorf("callID: %w", err)
	}
	if call.Name, err = r.Dec.Word(tool); err != nil {
		return nil, nil, fmt.Errorf("tool: %w", err)
	}
	var status, output, cause, exit []byte
	c := jsonscan.Object(state)
	for c.Next() {
		switch string(c.Key) {
		case "status":
			status = c.Value
		case "input":
			if call.Input, err = jsonscan.Raw(c.Value); err != nil {
				return nil, nil, fmt.Errorf("state.input: %w", err)
			}
		case "output":
			output = c.Value
		case "error":
			cause = c.Value
		case "metadata":
			exit = jsonscan.FindFirst(c.Value, "exit")
		}
	}
	if err := c.Err(); err != nil {
		return nil, nil, fmt.Errorf("state: %w", err)
	}
	result := trimtab.ToolResult{ID: call.ID}
	switch {
	case jsonscan.Is(status, "completed"):
		result.Failed = !jsonscan.Null(exit) && string(exit) != "0"
	case jsonscan.Is(status, "error"):
		result.Failed, output = true, cause
	default:
		return []trimtab.Part{call}, nil, nil
	}
	if result.Text, err = r.Result(output, result.Failed); err != nil {
		return nil, nil, fmt.Errorf("state.output: %w", err)
	}
	return []trimtab.Part{call}, []trimtab.Part{result}, nil
}

func usage(v []byte) (*trimtab.Usage, error) {
	if jsonscan.Null(v) {
		return nil, nil
	}
	u := &trimtab.Usage{}
	c := jsonscan.Object(v)
	for c.Next() {
		var n int
		var err error
		switch string(c.Key) {
		case "input":
			u.Input, err = jsonscan.Int(c.Value)
		case "output", "reasoning":
			n, err = jsonscan.Int(c.Value)
			u.Output += n
		case "cache":
			if u.CacheRead, err = jsonscan.Int(jsonscan.FindFirst(c.Value, "read")); err == nil {
				u.CacheWrite, err = jsonscan.Int(jsonscan.FindFirst(c.Value, "write"))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return u, c.Err()
}
