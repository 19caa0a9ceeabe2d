// Package transcript is for looking back: readers of the files in which agents
// keep their sessions. It holds what the readers share; each host has a folder
// of its own beside it (claude, …) with one function of the type Reader.
//
// A reader turns a file into messages that say who wrote each span of text. It
// streams: its memory does not grow with the file. It never writes, never opens
// a file itself, and never stops at a line that it cannot read.
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
	"fmt"
	"io"
	"iter"

	"github.com/trimtab/trimtab"
)

// Item is one message of a transcript and where it stood.
type Item struct {
	Message   trimtab.Message
	Line      int    // where it begins in the file, from 1; rises from item to item
	Session   string // the host's id of the session
	Project   string // the folder that the agent worked in
	Agent     string // the host's id of the sub-agent, if one said it
	Side      bool   // it is from a sub-agent's conversation, not from the main one
	Compacted bool   // the host rewrote its history just before it: what stood there is gone but for a summary
}

// Reader reads a transcript. Where the error is a Damaged, the item holds only
// the line and reading goes on behind it; after any other error it ends.
type Reader func(r io.Reader, opt Options) iter.Seq2[Item, error]

// Options says how to read. The zero value reads the main conversation.
type Options struct {
	Side     bool `json:"side" doc:"also read what sub-agents and their models said"`
	Branches bool `json:"branches" doc:"also read what the person took back by going to an earlier point; a file that cannot be read twice is always read so"`
	MaxLine  int  `json:"maxLine" default:"67108864" min:"256" max:"1073741824" doc:"longest line to read, in bytes; a longer one counts as damaged and is passed over"`
}

// Damaged is a line that could not be read and was passed over. It is a
// trimtab.ErrDamaged. Its text says what is wrong and repeats nothing of the line.
type Damaged struct {
	Line int
	Text string
}

func (d Damaged) Error() string { return fmt.Sprintf("line %d is damaged: %s", d.Line, d.Text) }

// Unwrap returns trimtab.ErrDamaged.
func (d Damaged) Unwrap() error { return trimtab.ErrDamaged }
