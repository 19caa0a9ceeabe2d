package claude

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// Read returns the messages of a session. It is a transcript.Reader.
//
// A sub-agent's own file holds nothing but a side conversation: read it with
// Options.Side.
func Read(r io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return func(yield func(transcript.Item, error) bool) {
		opt, err := trimtab.Fill(opt)
		if err != nil {
			yield(transcript.Item{}, fmt.Errorf("reading options: %w", err))
			return
		}
		rd := &reader{opt: opt, out: queue{yield: yield}}
		if rd.tree, err = treeOf(r, opt); err == nil {
			err = rd.read(jsonl.NewLines(r, opt.MaxLine))
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(transcript.Item{}, fmt.Errorf("reading a transcript: %w", err))
		}
	}
}

// errStopped says that nobody wants more items.
var errStopped = errors.New("stopped")

// reader is one pass over a file.
type reader struct {
	opt       transcript.Options
	tree      *tree // nil in file order
	out       queue
	marks     string  // the version that was last seen to mark prompts
	compacted [2]bool // a boundary was passed, in the main and in a side conversation
	session   string  // as of the last line: mostly the same ones
	project   string
}

func (r *reader) read(lines *jsonl.Lines) error {
	var l line
	for {
		b, err := lines.Next()
		switch {
		case err == io.EOF:
			return r.out.flush()
		case errors.Is(err, jsonl.ErrLong):
			err = fmt.Errorf("it is longer than %d bytes", r.opt.MaxLine)
		case err != nil:
			return errors.Join(r.out.flush(), err)
		case len(b) == 0:
			continue
		default:
			if err = l.parse(b, lines.N); err == nil && r.wanted(&l) {
				err = r.take(&l)
			}
		}
		if errors.Is(err, errStopped) {
			return err
		}
		if err != nil {
			err = r.out.put(entry{item: transcript.Item{Line: lines.N}, err: transcript.Damaged{Line: lines.N, Text: err.Error()}})
			if err != nil {
				return err
			}
		}
	}
}

// wanted reports whether a line belongs to what is read.
func (r *reader) wanted(l *line) bool {
	switch {
	case l.kind == other:
		return false
	case l.side:
		return r.opt.Side
	}
	return r.tree == nil || r.tree.take(l.uuid)
}

// take turns a line into a message.
func (r *reader) take(l *line) error {
	switch l.kind {
	case assistant:
		return r.reply(l)
	case user:
		return r.user(l)
	case attachment:
		return r.attachment(l)
	}
	if l.boundary() {
		agent, err := jsonl.String(l.agent)
		if err != nil {
			return err
		}
		r.compacted[side(l.side)] = true
		return r.out.close(stream(l.side, agent))
	}
	return nil
}

func (r *reader) user(l *line) error {
	by, err := r.author(l)
	if err != nil {
		return err
	}
	m, err := parseMessage(l.message)
	if err != nil {
		return err
	}
	said, err := parts(m.content, by)
	if err != nil {
		return err
	}
	return r.say(l, trimtab.Message{Role: trimtab.RoleUser, Parts: said})
}

// reply takes one block of the model's reply, or a notice that Claude Code wrote
// in the model's place: that is the host's and no step of the model.
func (r *reader) reply(l *line) error {
	m, err := parseMessage(l.message)
	if err != nil {
		return err
	}
	if l.fail || m.model == "<synthetic>" {
		said, err := parts(m.content, trimtab.Host)
		if err != nil {
			return err
		}
		return r.say(l, trimtab.Message{Role: trimtab.RoleSystem, Parts: said})
	}
	said, err := parts(m.content, trimtab.Model)
	if err != nil || len(said) == 0 {
		return err
	}
	it, err := r.item(l, trimtab.Message{Role: trimtab.RoleAssistant, Parts: said, Model: m.model, Usage: m.usage})
	if err != nil {
		return err
	}
	return r.out.reply(it, m.id, l.size)
}

// attachment takes what Claude Code put before the model on its own, in the form
// in which the model saw it, or a prompt that a person typed while the model was
// at work.
func (r *reader) attachment(l *line) error {
	said, typed, err := queued(l.attached)
	if err != nil {
		return err
	}
	if typed && !l.side {
		return r.say(l, trimtab.Message{Role: trimtab.RoleUser, Parts: said})
	}
	if jsonl.Null(l.rendered) {
		return nil
	}
	m := trimtab.Message{Role: trimtab.RoleUser}
	if jsonl.Is(l.renderedRole, "system") {
		m.Role = trimtab.RoleSystem
	}
	c := jsonl.Array(l.rendered)
	for c.Next() {
		shown, err := parseMessage(c.Value)
		if err != nil {
			return fmt.Errorf("rendered: %w", err)
		}
		said, err := parts(shown.content, trimtab.Host)
		if err != nil {
			return fmt.Errorf("rendered: %w", err)
		}
		m.Parts = append(m.Parts, said...)
	}
	if err := c.Err(); err != nil {
		return fmt.Errorf("rendered: %w", err)
	}
	return r.say(l, m)
}

// queued reads the attachment that is a prompt given to a model at work. Typed
// is true only where it says that a person gave it.
func queued(attached []byte) (said []trimtab.Part, typed bool, err error) {
	var kind, mode, origin, prompt []byte
	c := jsonl.Object(attached)
	for c.Next() {
		switch string(c.Key) {
		case "type":
			kind = c.Value
		case "commandMode":
			mode = c.Value
		case "origin":
			origin = c.Value
		case "prompt":
			prompt = c.Value
		}
	}
	if err := c.Err(); err != nil {
		return nil, false, fmt.Errorf("attachment: %w", err)
	}
	if !jsonl.Is(kind, "queued_command") || !jsonl.Is(mode, "prompt") {
		return nil, false, nil
	}
	if from, err := originOf(origin); err != nil || from != "human" {
		return nil, false, err
	}
	said, err = parts(prompt, trimtab.Person)
	return said, true, err
}

// say passes on a message that is whole. A prompt ends the reply before it.
func (r *reader) say(l *line, m trimtab.Message) error {
	if len(m.Parts) == 0 {
		return nil
	}
	it, err := r.item(l, m)
	if err != nil {
		return err
	}
	if m.IsPrompt() {
		if err := r.out.close(stream(it.Side, it.Agent)); err != nil {
			return err
		}
	}
	return r.out.put(entry{item: it, size: l.size})
}

// item adds to a message where it stood.
func (r *reader) item(l *line, m trimtab.Message) (transcript.Item, error) {
	var errs [4]error
	m.ID, errs[0] = jsonl.String(l.uuid)
	m.At = l.at()
	it := transcript.Item{Message: m, Line: l.number, Side: l.side}
	it.Session, errs[1] = same(&r.session, l.session)
	it.Project, errs[2] = same(&r.project, l.cwd)
	it.Agent, errs[3] = jsonl.String(l.agent)
	if err := errors.Join(errs[:]...); err != nil {
		return it, err
	}
	passed := &r.compacted[side(l.side)]
	it.Compacted = *passed || l.summary
	*passed = false
	return it, nil
}

// same reads a string that is mostly that of the line before.
func same(last *string, v []byte) (s string, err error) {
	if len(v) > 1 && string(v[1:len(v)-1]) == *last && v[0] == '"' {
		return *last, nil
	}
	if s, err = jsonl.String(v); err == nil {
		*last = s
	}
	return s, err
}

func side(is bool) int {
	if is {
		return 1
	}
	return 0
}

// stream names a conversation within a file.
func stream(side bool, agent string) string {
	if !side {
		return ""
	}
	return "side " + agent
}
