package claude

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
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
	line      line // the one that is being read
	tree      feed.Tree
	marks     string  // the version that was last seen to mark prompts
	compacted [2]bool // a boundary was passed, in the main and in a side conversation
}

// Plan puts a line of the main conversation into the tree.
func (r *reader) Plan(b []byte, n int) {
	l := &r.line
	if err := l.parseLink(b, n); err == nil && l.kind != other && !l.side {
		r.tree.Add(n, l.link())
	}
}

// Planned decides what is read.
func (r *reader) Planned() { r.tree.Decide() }

// Take turns a line into a message, if it belongs to what is read.
func (r *reader) Take(b []byte) error {
	l := &r.line
	if err := l.parse(b, r.N); err != nil || !r.wanted(l) {
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
	return r.tree.Takes(l.number, l.uuid)
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
		agent, err := jsonscan.String(l.agent)
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
	said, err := r.content(&l.message, by)
	if err != nil {
		return err
	}
	return r.say(l, trimtab.Message{Role: trimtab.RoleUser, Parts: said})
}

// reply takes one block of the model's reply, or a notice that Claude Code wrote
// in the model's place: that is the host's and no step of the model.
func (r *reader) reply(l *line) error {
	model, err := r.Dec.Word(l.message.model)
	if err != nil {
		return fmt.Errorf("message.model: %w", err)
	}
	if l.failed || model == "<synthetic>" {
		said, err := r.content(&l.message, trimtab.Host)
		if err != nil {
			return err
		}
		return r.say(l, trimtab.Message{Role: trimtab.RoleSystem, Parts: said})
	}
	id, err := r.Dec.String(l.message.id)
	if err != nil {
		return fmt.Errorf("message.id: %w", err)
	}
	usage, err := r.counts(&l.message)
	if err != nil {
		return err
	}
	said, err := r.content(&l.message, trimtab.Model)
	if err != nil || len(said) == 0 {
		return err
	}
	it, err := r.item(l, trimtab.Message{Role: trimtab.RoleAssistant, Parts: said, Model: model, Usage: usage})
	if err != nil {
		return err
	}
	return r.Reply(it, id, len(l.raw))
}

// attachment takes what Claude Code put before the model on its own, in the form
// in which the model saw it, or a prompt that a person typed while the model was
// at work.
func (r *reader) attachment(l *line) error {
	said, typed, err := r.queued(l.attachment)
	if err != nil {
		return err
	}
	if typed && !l.side {
		return r.say(l, trimtab.Message{Role: trimtab.RoleUser, Parts: said})
	}
	if jsonscan.Null(l.rendered) {
		return nil
	}
	m := trimtab.Message{Role: trimtab.RoleUser}
	if jsonscan.Is(l.renderedRole, "system") {
		m.Role = trimtab.RoleSystem
	}
	c := jsonscan.Array(l.rendered)
	for c.Next() {
		var shown message
		in := jsonscan.At(c.Value)
		if shown.parse(&in); in.Err() != nil {
			return fmt.Errorf("rendered: %w", in.Err())
		}
		said, err := r.content(&shown, trimtab.Host)
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
	c := jsonscan.Object(attached)
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
	if !jsonscan.Is(kind, "queued_command") || !jsonscan.Is(mode, "prompt") {
		return nil, false, nil
	}
	if from, err := originOf(origin); err != nil || from != "human" {
		return nil, false, err
	}
	m := message{present: true}
	if len(prompt) > 0 {
		in := jsonscan.At(prompt)
		if m.parseContent(&in); in.Err() != nil {
			return nil, false, fmt.Errorf("prompt: %w", in.Err())
		}
	}
	said, err = r.content(&m, trimtab.Person)
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
	return r.Put(it, len(l.raw))
}

// item adds to a message where it stood.
func (r *reader) item(l *line, m trimtab.Message) (transcript.Item, error) {
	var errs [4]error
	m.ID, errs[0] = r.Dec.String(l.uuid)
	m.At = jsonscan.Time(l.time)
	it := transcript.Item{Message: m, Line: l.number, Side: l.side}
	it.Session, errs[1] = r.Dec.Word(l.session)
	it.Project, errs[2] = r.Dec.Word(l.cwd)
	it.Agent, errs[3] = r.Dec.Word(l.agent)
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
