package gemini

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// record is one record of a chat. Its values are slices of the file's buffer, as
// written and not decoded.
type record struct {
	id, time, kind, thoughts, tokens, model []byte
	display                                 []byte
	content                                 feed.Content
	calls                                   []call
	results                                 feed.Content // of all calls
}

// call is the call of a tool, and its result.
type call struct {
	id, name, args, status []byte
	from, to               int // its parts of the results
	object                 bool
}

// reset makes rec an empty record, in the same memory.
func (rec *record) reset() {
	calls, content, results := rec.calls[:0], rec.content, rec.results
	*rec = record{calls: calls, content: content, results: results}
	rec.content.Reset()
	rec.results.Reset()
}

// parse goes through the fields of a record.
func (rec *record) parse(b []byte) error {
	rec.reset()
	c := jsonscan.Object(b)
	for c.Field() {
		switch string(c.Key) {
		case "id":
			rec.id = c.Take()
		case "timestamp":
			rec.time = c.Take()
		case "type":
			rec.kind = c.Take()
		case "content":
			rec.content.Read(&c)
		case "displayContent":
			rec.display = c.Take()
		case "thoughts":
			rec.thoughts = c.Take()
		case "tokens":
			rec.tokens = c.Take()
		case "model":
			rec.model = c.Take()
		case "toolCalls":
			rec.parseCalls(&c)
		}
	}
	return c.Err()
}

// parseCalls goes into the calls of a record.
func (rec *record) parseCalls(c *jsonscan.Cursor) {
	if c.Peek() != '[' {
		return
	}
	list := c.Down('[')
	for list.Field() {
		rec.calls = append(rec.calls, call{})
		if t := &rec.calls[len(rec.calls)-1]; list.Peek() == '{' {
			t.object = true
			in := list.Down('{')
			t.parse(&in, &rec.results)
			list.Up(&in)
		}
	}
	c.Up(&list)
}

func (t *call) parse(c *jsonscan.Cursor, results *feed.Content) {
	for c.Field() {
		switch string(c.Key) {
		case "id":
			t.id = c.Take()
		case "name":
			t.name = c.Take()
		case "args":
			t.args = c.Take()
		case "status":
			t.status = c.Take()
		case "result":
			t.from = len(results.Parts)
			results.Add(c)
			t.to = len(results.Parts)
		}
	}
}

// reply is the model's last message. It is held while the record may be written
// again and its tools may answer.
type reply struct {
	id      string
	item    transcript.Item
	size    int
	results []trimtab.Part    // as the record knows them
	failed  map[string]bool   // calls that went wrong
	behind  []transcript.Item // what came after it
	sizes   []int
}

const maxBehind = 4096

// record takes a record.
func (r *reader) record(b []byte) error {
	rec := &r.rec
	if err := rec.parse(b); err != nil {
		return err
	}
	id, err := r.Dec.String(rec.id)
	if err != nil {
		return fmt.Errorf("id: %w", err)
	}
	if r.N < r.gone[id] {
		return nil
	}
	switch {
	case jsonscan.Is(rec.kind, "gemini"):
		return r.reply(rec, id, len(b))
	case r.known(id):
		return nil
	case jsonscan.Is(rec.kind, "user"):
		return r.user(rec, id, len(b))
	case jsonscan.Is(rec.kind, "error"), jsonscan.Is(rec.kind, "warning"):
		said, err := rec.content.Decode(r.Feed, trimtab.Host, nil)
		if err != nil {
			return fmt.Errorf("content: %w", err)
		}
		return r.follow(rec, trimtab.Message{ID: id, Role: trimtab.RoleSystem, Parts: said}, len(b))
	}
	return nil
}

// known reports whether a record was passed on before, and remembers it.
func (r *reader) known(id string) bool {
	if id == "" {
		return false
	}
	if r.said[id] {
		return true
	}
	if len(r.said) < maxKnown {
		r.said[id] = true
	}
	return false
}

// reply takes what the model said, or a later version of it.
func (r *reader) reply(rec *record, id string, size int) error {
	if r.open == nil || r.open.id != id || id == "" {
		if r.known(id) {
			return nil
		}
		if err := r.finish(); err != nil {
			return err
		}
	}
	next := &reply{id: id, size: size}
	parts, err := r.thoughts(rec.thoughts)
	if err != nil {
		return fmt.Errorf("thoughts: %w", err)
	}
	said, err := rec.content.Decode(r.Feed, trimtab.Model, nil)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	if parts = append(parts, said...); len(parts) == 0 {
		parts = r.Parts(len(rec.calls))
	}
	if parts, err = r.calls(parts, rec, next); err != nil {
		return fmt.Errorf("toolCalls: %w", err)
	}
	m := trimtab.Message{ID: id, Role: trimtab.RoleAssistant, Parts: parts}
	if m.Model, err = r.Dec.Word(rec.model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if m.Usage, err = r.usage(rec.tokens); err != nil {
		return fmt.Errorf("tokens: %w", err)
	}
	if r.side && !r.Opt.Side {
		return nil
	}
	if r.open != nil { // a later version stands where the first one did
		next.behind, next.sizes = r.open.behind, r.open.sizes
		at := r.open.item
		at.Message = m
		at.Message.At = r.open.item.Message.At
		next.item = at
	} else {
		next.item = r.stand(rec, m)
	}
	r.open = next
	return nil
}

// thoughts are what the model thought, as far as the file shows it.
func (r *reader) thoughts(v []byte) ([]trimtab.Part, error) {
	if jsonscan.Null(v) {
		return nil, nil
	}
	var out []trimtab.Part
	c := jsonscan.Array(v)
	for c.Next() {
		p, err := r.Opaque("thought", trimtab.Model, c.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, c.Err()
}

// calls reads the calls of a record, and their results into the reply.
func (r *reader) calls(out []trimtab.Part, rec *record, into *reply) ([]trimtab.Part, error) {
	for i := range rec.calls {
		t := &rec.calls[i]
		if !t.object {
			return nil, errors.New("not an object")
		}
		made, err := r.Call(t.id, t.name, t.args)
		if err != nil {
			return nil, err
		}
		out = append(out, made)
		failed := jsonscan.Is(t.status, "error") || jsonscan.Is(t.status, "cancelled")
		if failed {
			if into.failed == nil {
				into.failed = map[string]bool{}
			}
			into.failed[made.ID] = true
		}
		if t.from == t.to {
			continue
		}
		result := feed.Content{Parts: rec.results.Parts[t.from:t.to]}
		said, err := result.Decode(r.Feed, trimtab.Tool, func(string) bool { return failed })
		if err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		into.results = append(into.results, asResult(made.ID, said, failed)...)
	}
	return out, nil
}

// asResult makes a result of what a tool returned in another form.
func asResult(id string, parts []trimtab.Part, failed bool) []trimtab.Part {
	var texts []string
	var rest []trimtab.Part
	for _, p := range parts {
		switch p := p.(type) {
		case trimtab.ToolResult:
			if p.ID == id && len(parts) == 1 {
				return parts
			}
			p.ID = id
			return []trimtab.Part{p}
		case trimtab.Text:
			texts = append(texts, p.Text)
		default:
			rest = append(rest, p)
		}
	}
	return append([]trimtab.Part{trimtab.ToolResult{ID: id, Text: strings.Join(texts, "\n"), Failed: failed}}, rest...)
}

// user takes a prompt, or the results of tools.
func (r *reader) user(rec *record, id string, size int) error {
	parts := rec.content.Parts
	by, results := trimtab.Person, false
	for _, p := range parts {
		results = results || p.Response
		// Where hooks add to a prompt, the file keeps beside it what the person saw
		// of it. A reason that a hook gave for going on has no such thing.
		if len(parts) > 1 && jsonscan.Null(rec.display) && r.hooked(p.Text) {
			by = trimtab.Host
		}
	}
	if r.side {
		by = trimtab.Host
	}
	said, err := rec.content.Decode(r.Feed, by, func(id string) bool { return r.open != nil && r.open.failed[id] })
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	m := trimtab.Message{ID: id, Role: trimtab.RoleUser, Parts: said}
	if results {
		m.Role = trimtab.RoleTool
		return r.follow(rec, m, size)
	}
	if m.IsPrompt() {
		if err := r.finish(); err != nil {
			return err
		}
	}
	return r.follow(rec, m, size)
}

// hooked reports whether a text is the context that a hook gave, however it is
// escaped.
func (r *reader) hooked(text []byte) bool {
	head, err := r.Dec.Clip(text, 256)
	return err == nil && strings.HasPrefix(strings.TrimLeft(head, " "), "<hook_context>")
}

// unanswered returns the results that no record of their own has.
func (o *reply) unanswered() []trimtab.Part {
	if len(o.behind) == 0 {
		return o.results
	}
	own := map[string]bool{}
	for _, it := range o.behind {
		for _, p := range it.Message.Parts {
			if r, ok := p.(trimtab.ToolResult); ok {
				own[r.ID] = true
			}
		}
	}
	return slices.DeleteFunc(o.results, func(p trimtab.Part) bool {
		r, ok := p.(trimtab.ToolResult)
		return ok && own[r.ID]
	})
}

// follow passes on a message behind the reply that is open.
func (r *reader) follow(rec *record, m trimtab.Message, size int) error {
	if r.open == nil {
		return r.say(rec, m, size)
	}
	if len(m.Parts) == 0 || r.side && !r.Opt.Side {
		return nil
	}
	r.open.behind = append(r.open.behind, r.stand(rec, m))
	r.open.sizes = append(r.open.sizes, size)
	if len(r.open.behind) > maxBehind {
		return r.finish()
	}
	return nil
}

// finish passes on the reply that is open, with the results that only its record
// has, and what came behind it.
func (r *reader) finish() error {
	o := r.open
	if r.open = nil; o == nil {
		return nil
	}
	if len(o.item.Message.Parts) > 0 {
		if err := r.Put(o.item, o.size); err != nil {
			return err
		}
	}
	if results := o.unanswered(); len(results) > 0 {
		it := o.item
		it.Compacted = false
		it.Message = trimtab.Message{Role: trimtab.RoleTool, Parts: results, At: o.item.Message.At}
		if o.id != "" {
			it.Message.ID = o.id + "-results"
		}
		if err := r.Put(it, 0); err != nil {
			return err
		}
	}
	for i, it := range o.behind {
		if err := r.Put(it, o.sizes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) usage(v []byte) (*trimtab.Usage, error) {
	if jsonscan.Null(v) {
		return nil, nil
	}
	var in, cached, out, thoughts, tool int
	c := jsonscan.Object(v)
	for c.Next() {
		var err error
		switch string(c.Key) {
		case "input":
			in, err = jsonscan.Int(c.Value)
		case "cached":
			cached, err = jsonscan.Int(c.Value)
		case "output":
			out, err = jsonscan.Int(c.Value)
		case "thoughts":
			thoughts, err = jsonscan.Int(c.Value)
		case "tool":
			tool, err = jsonscan.Int(c.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	if c.Err() != nil {
		return nil, errors.New("not an object")
	}
	return r.Count(trimtab.Usage{Input: max(0, in-cached) + tool, Output: out + thoughts, CacheRead: cached}), nil
}
