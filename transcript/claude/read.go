package claude

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// Read returns the messages of a session. It is a transcript.Reader.
//
// A sub-agent's own file holds nothing but a side conversation: read it with
// Options.Side.
func Read(r io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Lines(r, opt, func(f *feed.Feed) feed.Taker { return &reader{Feed: f} })
}

// reader is one pass over a file.
type reader struct {
	*feed.Feed
	line, shown      line // the memory of what is read
	walk             jsonl.Walk
	shapes, places   jsonl.Shapes[facts] // of lines that were parsed, and placed
	tree             feed.Tree
	marks            string // the version that was last seen to mark prompts
	session, project jsonl.Seen
	model, version   jsonl.Seen
	replyID          jsonl.Seen
	compacted        [2]bool // a boundary was passed, in the main and in a side conversation
}

// Plan puts a line of the main conversation into the tree.
func (r *reader) Plan(b []byte, n int) {
	l, err := r.place(b, n)
	if err == nil && l.kind != other && !l.side {
		r.tree.Add(n, l.link())
	}
}

// Planned decides what is read.
func (r *reader) Planned() { r.tree.Decide() }

// Take turns a line into a message, if it belongs to what is read.
func (r *reader) Take(b []byte) error {
	l, err := r.parse(b, r.N)
	if err != nil || !r.wanted(l) {
		return err
	}
	return r.take(l)
}

// wanted reports whether a line belongs to what is read.
func (r *reader) wanted(l *line) bool {
	switch {
	case l.kind == other:
		return false
	case l.side:
		return r.Opt.Side
	}
	return r.tree.Takes(l.number, l.get(uuidAt))
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
		agent, err := jsonl.String(l.get(agentAt))
		if err != nil {
			return err
		}
		r.compacted[side(l.side)] = true
		return r.Close(feed.Stream(transcript.Item{Side: l.side, Agent: agent}))
	}
	return nil
}

func (r *reader) user(l *line) error {
	by, err := r.author(l)
	if err != nil {
		return err
	}
	said, err := r.content(l, by)
	if err != nil {
		return err
	}
	return r.say(l, trimtab.Message{Role: trimtab.RoleUser, Parts: said})
}

// reply takes one block of the model's reply, or a notice that Claude Code wrote
// in the model's place: that is the host's and no step of the model.
func (r *reader) reply(l *line) error {
	model, err := r.Dec.Again(l.get(modelAt), &r.model)
	if err != nil {
		return fmt.Errorf("message.model: %w", err)
	}
	if l.fail || model == "<synthetic>" {
		said, err := r.content(l, trimtab.Host)
		if err != nil {
			return err
		}
		return r.say(l, trimtab.Message{Role: trimtab.RoleSystem, Parts: said})
	}
	id, err := r.Dec.Last(l.get(idAt), &r.replyID)
	if err != nil {
		return fmt.Errorf("message.id: %w", err)
	}
	usage, err := r.counts(l)
	if err != nil {
		return err
	}
	said, err := r.content(l, trimtab.Model)
	if err != nil || len(said) == 0 {
		return err
	}
	m := trimtab.Message{Role: trimtab.RoleAssistant, Parts: said, Model: model, Usage: usage}
	if !l.side && r.plain(l) {
		if more, err := r.More("", id, &m, len(l.b)); more || err != nil {
			return err
		}
	}
	it, err := r.item(l, m)
	if err != nil {
		return err
	}
	return r.Reply(it, id, len(l.b))
}

// plain reports whether item would tell nothing of a line that the one before did
// not, and find nothing wrong.
func (r *reader) plain(l *line) bool {
	return !l.summary && !r.compacted[0] && jsonl.Sound(l.get(uuidAt)) && r.session.Is(l.get(sessionAt)) && r.project.Is(l.get(cwdAt)) && len(l.get(agentAt)) == 0
}

// attachment takes what Claude Code put before the model on its own, in the form
// in which the model saw it, or a prompt that a person typed while the model was
// at work.
func (r *reader) attachment(l *line) error {
	said, typed, err := r.queued(l.get(attachedAt))
	if err != nil {
		return err
	}
	if typed && !l.side {
		return r.say(l, trimtab.Message{Role: trimtab.RoleUser, Parts: said})
	}
	if jsonl.Null(l.get(renderedAt)) {
		return nil
	}
	m := trimtab.Message{Role: trimtab.RoleUser}
	if jsonl.Is(l.get(renderedRoleAt), "system") {
		m.Role = trimtab.RoleSystem
	}
	c := jsonl.Array(l.get(renderedAt))
	for c.Next() {
		if err := r.shown.read(c.Value); err != nil {
			return fmt.Errorf("rendered: %w", err)
		}
		said, err := r.content(&r.shown, trimtab.Host)
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
func (r *reader) queued(attached []byte) (said []trimtab.Part, typed bool, err error) {
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
	m := &r.shown
	m.begin(prompt, 0)
	if m.said = true; len(prompt) > 0 && prompt[0] == '[' {
		list := jsonl.Array(prompt)
		if m.list(&list); list.Err() != nil {
			return nil, false, fmt.Errorf("prompt: %w", list.Err())
		}
	} else {
		m.at[textAt] = jsonl.Span{0, int32(len(prompt))}
	}
	said, err = r.content(m, trimtab.Person)
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
		if err := r.Close(feed.Stream(it)); err != nil {
			return err
		}
	}
	return r.Put(it, len(l.b))
}

// item adds to a message where it stood.
func (r *reader) item(l *line, m trimtab.Message) (transcript.Item, error) {
	var errs [4]error
	m.ID, errs[0] = r.Dec.String(l.get(uuidAt))
	m.At = jsonl.Time(l.get(timeAt))
	it := transcript.Item{Message: m, Line: l.number, Side: l.side}
	it.Session, errs[1] = r.Dec.Again(l.get(sessionAt), &r.session)
	it.Project, errs[2] = r.Dec.Again(l.get(cwdAt), &r.project)
	it.Agent, errs[3] = r.Dec.Word(l.get(agentAt))
	if errs[0] != nil || errs[1] != nil || errs[2] != nil || errs[3] != nil {
		return it, errors.Join(errs[:]...)
	}
	passed := &r.compacted[side(l.side)]
	it.Compacted = *passed || l.summary
	*passed = false
	return it, nil
}

func side(is bool) int {
	if is {
		return 1
	}
	return 0
}
