// Package transcript is for looking back: readers of the files in which agents
// keep their sessions. It holds what the readers share; each host has a folder of
// its own beside it. Those of hosts that keep a session as lines (claude, codex,
// gemini, qwen, pi) have one function of the type Reader; those of hosts that keep
// all in a database (opencode, goose) open a Source. Package own does so for our
// own store, and package pick opens any of them by looking at it.
//
// A reader turns a file into messages that say who wrote each span of text, with
// calls and results by the same ids, what the provider counted, and times. It
// streams: its memory does not grow with the text of a file. It never writes, and
// never stops at a line or row that it cannot read.
//
//	var damaged int
//	for item, err := range claude.Read(file, transcript.Options{}) {
//		switch {
//		case errors.Is(err, trimtab.ErrDamaged):
//			damaged++ // err says which line, and why
//		case err != nil:
//			return err
//		case item.Message.IsPrompt():
//			fmt.Println(item.Line, item.Message.Typed())
//		}
//	}
package transcript

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/trimtab/trimtab"
)

// Item is one message of a transcript and where it stood.
type Item struct {
	Message   trimtab.Message
	Line      int    // where it begins in the file, from 1; never falls from item to item
	Session   string // the host's id of the session
	Project   string // the folder that the agent worked in
	Agent     string // the host's id of the sub-agent, if one said it
	Side      bool   // it is from a sub-agent's conversation, not from the main one
	Compacted bool   // the host rewrote its history just before it: what stood there is gone but for a summary
}

// Events are the item as an engine hears of it: what was said, and that the host
// rewrote its history before it.
func (i Item) Events() []trimtab.Event {
	said := trimtab.Said{Message: i.Message}
	if !i.Compacted {
		return []trimtab.Event{said}
	}
	return []trimtab.Event{said, trimtab.Rewritten{All: true, Size: i.Message.Size()}}
}

// Reader reads a transcript. Where the error is a Damaged, the item holds only
// the line and reading goes on behind it; after any other error it ends.
type Reader func(r io.Reader, opt Options) iter.Seq2[Item, error]

// Source is a file that holds several sessions, such as a database. It is opened
// for reading only, and never changed.
type Source interface {
	// Sessions lists what the file holds, newest first.
	Sessions(ctx context.Context) iter.Seq2[trimtab.Info, error]
	// Read returns the messages of one session, as a Reader does. The line of an
	// item is its number in the session.
	Read(ctx context.Context, session string, opt Options) iter.Seq2[Item, error]
	Close() error
}

// Options says how to read. The zero value reads the main conversation.
type Options struct {
	Side     bool `json:"side" doc:"also read what sub-agents and their models said"`
	Branches bool `json:"branches" doc:"also read what the person took back by going to an earlier point; a file that cannot be read twice is always read so"`
	Brief    bool `json:"brief" doc:"keep only the beginning of what tools and the host wrote, and of thoughts and pictures only that they were there; a person's and the model's words, calls and failed results are whole"`
	MaxLine  int  `json:"maxLine" default:"67108864" min:"256" max:"1073741824" doc:"longest line to read, in bytes; a longer one counts as damaged and is passed over"`
}

// BriefText is how many bytes, as written in the file, a brief reading keeps of
// what a tool or the host wrote.
const BriefText = 256

// Damaged is a line, or a row of a database, that could not be read and was
// passed over. It is a trimtab.ErrDamaged. Its text says what is wrong and repeats
// nothing of what stands there.
type Damaged struct {
	Line int
	Row  string // the id of the row, in a database
	Text string
}

func (d Damaged) Error() string {
	if d.Row != "" {
		return fmt.Sprintf("row %q is damaged: %s", d.Row, d.Text)
	}
	return fmt.Sprintf("line %d is damaged: %s", d.Line, d.Text)
}

// Unwrap returns trimtab.ErrDamaged.
func (d Damaged) Unwrap() error { return trimtab.ErrDamaged }
