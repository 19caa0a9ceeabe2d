// Package frames reads the frames of a stored session: the tree, one frame with its
// messages, a graph to draw. It asks the engine what a command would answer and leaves
// the session as it was: nothing is stored, and no note is made.
//
//	r := frames.Reader{Engine: engine, Archive: store, Now: time.Now}
//	tree, err := r.Tree(s)
//	log, err := r.Log(ctx, s, "f3")
//	err = sessiontext.WriteLog(os.Stdout, log.Lines, true)
package frames

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/flame"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/steer/frame"
)

// ErrRefused is what is asked for and is not there, in the engine's words.
var ErrRefused = errors.New("refused")

// refused is ErrRefused without that word.
type refused string

func (r refused) Error() string { return string(r) }
func (r refused) Unwrap() error { return ErrRefused }

// Reader reads frames. Skipped hears of messages that could not be read; nil drops it.
type Reader struct {
	Engine  *trimtab.Engine
	Archive trimtab.Archive
	Now     func() time.Time
	Skipped func(error)
}

// Ask answers a verb of frames that only looks.
func (r Reader) Ask(s trimtab.Session, verb string, args ...string) (trimtab.Reply, error) {
	_, out := r.Engine.Step(s, trimtab.Asked{Command: "frame", Args: append([]string{verb}, args...), Away: true}, r.Now())
	reply, err := out.Reply()
	if err == nil && reply.Failed {
		err = refused(reply.Text)
	}
	return reply, err
}

// Tree is the tree of a session.
func (r Reader) Tree(s trimtab.Session) (tree frame.Tree, err error) {
	reply, err := r.Ask(s, "tree")
	if err != nil {
		return tree, err
	}
	if err := json.Unmarshal(reply.Data, &tree); err != nil {
		return tree, fmt.Errorf("frames of session %s: %w", s.ID, err)
	}
	return tree, nil
}

// Log is a frame, with its messages.
type Log struct {
	Frame frame.View
	Text  string // all that is known of the frame, for a person
	Lines []sessiontext.LogLine
}

// LogData is a frame and its messages for programs.
type LogData struct {
	Frame    frame.View        `json:"frame"`
	Messages []trimtab.Message `json:"messages"`          // its own
	Below    []string          `json:"below,omitempty"`   // frames whose messages stand between them
	Missing  string            `json:"missing,omitempty"` // why there are none, where there should be
}

// Data is the log for programs.
func (l Log) Data() LogData {
	out := LogData{Frame: l.Frame, Messages: []trimtab.Message{}, Missing: sessiontext.WhyEmpty(l.Frame, l.Lines)}
	for _, line := range l.Lines {
		if line.Below != nil {
			out.Below = append(out.Below, line.Below.ID)
		} else {
			out.Messages = append(out.Messages, line.Message)
		}
	}
	return out
}

// Log reads a frame by its id, the one that is worked on where none is given, with its
// messages, folded or not.
func (r Reader) Log(ctx context.Context, s trimtab.Session, id ...string) (Log, error) {
	reply, err := r.Ask(s, "show", id...)
	if err != nil {
		return Log{}, err
	}
	log := Log{Text: reply.Text}
	if err := json.Unmarshal(reply.Data, &log.Frame); err != nil {
		return log, fmt.Errorf("frame of session %s: %w", s.ID, err)
	}
	tree, err := r.Tree(s)
	if err != nil {
		return log, err
	}
	var run []sessiontext.Numbered
	if first := log.Frame.First.Seq; first > 0 {
		run = r.messages(ctx, s.ID, first-1, sessiontext.LastOf(log.Frame, s.Seq))
	}
	log.Lines = sessiontext.FrameLog(tree, log.Frame, run)
	return log, nil
}

// messages reads those with the numbers from after to last.
func (r Reader) messages(ctx context.Context, id string, after, last int) []sessiontext.Numbered {
	var run []sessiontext.Numbered
	seq := after
	for m, err := range r.Archive.Messages(ctx, id, after) {
		if seq++; seq > last {
			break
		}
		if err != nil {
			if r.Skipped != nil {
				r.Skipped(err)
			}
			continue
		}
		run = append(run, sessiontext.Numbered{Message: m, Seq: seq})
	}
	return run
}

// Graph is the tree to draw, with the first line of every message if they are wanted.
func (r Reader) Graph(ctx context.Context, s trimtab.Session, withLog bool) (flame.Graph, error) {
	reply, err := r.Ask(s, "tree")
	if err != nil {
		return flame.Graph{}, err
	}
	graph, err := flame.Parse(reply.Data)
	if err != nil {
		return graph, err
	}
	graph.Title = s.Title
	if !withLog {
		return graph, nil
	}
	tree, err := r.Tree(s)
	if err != nil {
		return graph, err
	}
	all := r.messages(ctx, s.ID, 0, s.Seq)
	for i, f := range tree.Frames {
		for _, l := range sessiontext.FrameLog(tree, f, all) {
			graph.Frames[i].Log = append(graph.Frames[i].Log, l.String())
		}
	}
	return graph, nil
}
