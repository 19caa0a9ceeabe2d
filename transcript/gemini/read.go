// Package gemini reads the chats that Gemini CLI keeps as JSON lines, and as one
// object in its older versions.
//
// A record that changes is appended again under its id, with the calls of tools
// and how they went; Read returns the last of them, with the results behind it.
// Patches replace the history when it is compressed or a person goes back. Only
// what a person typed is a Person's: the context of hooks and sessions is the
// Host's, and so is a prompt that a hook gave, where the file tells it.
//
// The package never writes and never trusts the file: what is not as it should be
// is a transcript.Damaged, and the next record is read. A sub-agent's chat is a
// file of its own: read it with Options.Side.
//
//	for item, err := range gemini.Read(file, transcript.Options{}) {
//		if errors.Is(err, trimtab.ErrDamaged) {
//			continue // err says which line, and why
//		}
//		…
//	}
package gemini

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// Read returns the messages of a chat. It is a transcript.Reader.
func Read(r io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Lines(r, opt, func(f *feed.Feed) feed.Taker {
		return &reader{Feed: f, gone: map[string]int{}, said: map[string]bool{}}
	})
}

// What is remembered of a chat at most. Beyond it, a record that is written again
// may come twice.
const maxKnown = 1 << 20

// reader is one pass over a chat.
type reader struct {
	*feed.Feed
	whole     []byte // an older file, which is one object over many lines
	session   string
	side      bool
	compacted bool
	ids       []string       // of the records that stand, while planning
	gone      map[string]int // the line that took a record back
	said      map[string]bool
	open      *reply
	rec       record // the one that is being read
}

// Plan notes what was taken back.
func (r *reader) Plan(b []byte, n int) {
	c := jsonscan.Object(b)
	if !c.Field() || len(r.ids) >= maxKnown {
		return
	}
	switch string(c.Key) {
	case "id":
		id, _ := r.Dec.String(c.Take())
		r.ids = append(r.ids, id)
	case "$rewindTo":
		id, _ := r.Dec.String(c.Take())
		r.rewind(id, n)
	}
}

// rewind takes back all from the record with this id on.
func (r *reader) rewind(id string, n int) {
	i := slices.Index(r.ids, id)
	if i < 0 {
		return
	}
	for _, gone := range r.ids[i:] {
		r.gone[gone] = n
	}
	r.ids = r.ids[:i]
}

// Planned forgets what only the planning needed.
func (r *reader) Planned() { r.ids = nil }

// Take turns a line into what it says.
func (r *reader) Take(b []byte) error {
	if r.whole != nil || r.N == 1 && string(bytes.TrimSpace(b)) == "{" {
		return r.gather(b)
	}
	c := jsonscan.Object(b)
	if !c.Field() {
		return c.Err()
	}
	switch string(c.Key) {
	case "sessionId", "projectHash":
		return r.header(b)
	case "$set":
		set := c.Take()
		for c.Field() {
		}
		if messages := jsonscan.FindFirst(set, "messages"); messages != nil && c.Err() == nil {
			return r.replace(messages)
		}
		return c.Err()
	case "$rewindTo":
		return nil
	}
	return r.record(b)
}

// gather keeps the lines of an older file until its end.
func (r *reader) gather(b []byte) error {
	if len(r.whole)+len(b) > r.Opt.MaxLine {
		return fmt.Errorf("the chat is longer than %d bytes", r.Opt.MaxLine)
	}
	r.whole = append(append(r.whole, b...), '\n')
	return nil
}

// End reads an older file.
func (r *reader) End() error {
	if r.whole != nil {
		if err := r.header(r.whole); err != nil && !errors.Is(err, feed.ErrStopped) {
			r.N = 1
			return r.Damage(transcript.Damaged{Line: 1, Text: err.Error()})
		} else if err != nil {
			return err
		}
	}
	return r.finish()
}

// header reads who the chat is, and in an older file all of it.
func (r *reader) header(b []byte) error {
	var messages []byte
	var err error
	c := jsonscan.Object(b)
	for c.Next() && err == nil {
		switch string(c.Key) {
		case "sessionId":
			r.session, err = r.Dec.String(c.Value)
		case "kind":
			r.side = jsonscan.Is(c.Value, "subagent")
		case "messages":
			messages = c.Value
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	return r.messages(messages)
}

// replace takes a history that stands for all before it.
func (r *reader) replace(messages []byte) error {
	if len(r.said) > 0 {
		if err := r.finish(); err != nil {
			return err
		}
		r.compacted = true
	}
	return r.messages(messages)
}

// messages takes a list of records.
func (r *reader) messages(v []byte) error {
	if jsonscan.Null(v) {
		return nil
	}
	var bad error
	n := 0
	c := jsonscan.Array(v)
	for c.Next() {
		n++
		err := r.record(c.Value)
		if errors.Is(err, feed.ErrStopped) {
			return err
		}
		if err != nil && bad == nil {
			bad = fmt.Errorf("message %d: %w", n, err)
		}
	}
	return errors.Join(bad, c.Err())
}

// say passes on a message.
func (r *reader) say(rec *record, m trimtab.Message, size int) error {
	if len(m.Parts) == 0 || r.side && !r.Opt.Side {
		return nil
	}
	return r.Put(r.stand(rec, m), size)
}

func (r *reader) stand(rec *record, m trimtab.Message) transcript.Item {
	m.At = jsonscan.Time(rec.time)
	it := transcript.Item{Message: m, Line: r.N, Session: r.session, Side: r.side, Compacted: r.compacted}
	if r.side {
		it.Agent = r.session
	}
	r.compacted = false
	return it
}
