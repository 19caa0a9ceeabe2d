package sessiontext

import (
	"fmt"
	"io"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/steer/frame"
)

// Numbered is a stored message and its place in the session.
type Numbered struct {
	trimtab.Message
	Seq int
}

// LastOf is the number of the last message of a frame; one in progress reaches to
// the newest.
func LastOf(f frame.View, newest int) int {
	if f.Last.Seq > 0 {
		return f.Last.Seq
	}
	return newest
}

// LogLine is a message of a frame, or a frame below it whose messages stand there.
type LogLine struct {
	Message trimtab.Message
	Below   *frame.View // nil for a message
}

// FrameLog is what a frame holds, in order: its own messages, and in the place of
// those of a frame below it that frame's name.
func FrameLog(tree frame.Tree, f frame.View, run []Numbered) []LogLine {
	if f.First.Seq == 0 {
		return nil
	}
	const newest = int(^uint(0) >> 1)
	var out []LogLine
	for _, m := range run {
		if m.Seq < f.First.Seq || m.Seq > LastOf(f, newest) {
			continue
		}
		inside := (*frame.View)(nil)
		for i, c := range tree.Frames {
			if c.Parent == f.ID && c.First.Seq > 0 && c.First.Seq <= m.Seq && m.Seq <= LastOf(c, newest) {
				inside = &tree.Frames[i]
			}
		}
		switch {
		case inside == nil:
			out = append(out, LogLine{Message: m.Message})
		case len(out) == 0 || out[len(out)-1].Below == nil || out[len(out)-1].Below.ID != inside.ID:
			out = append(out, LogLine{Below: inside})
		}
	}
	return out
}

// String is the log line in one line.
func (l LogLine) String() string {
	if f := l.Below; f != nil {
		return fmt.Sprintf("%s frame %s: %s (%s; trimtab frame log %s)", f.Status.Mark(), f.ID, termsafe.FirstLine(f.Goal, 80), plural.Count(f.Messages, "message"), f.ID)
	}
	var parts []string
	for _, p := range l.Message.Parts {
		who, text := said(p)
		parts = append(parts, fmt.Sprintf("%-8s %s", who, termsafe.FirstLine(text, 160)))
	}
	return l.Message.ID + "  " + strings.Join(parts, "\n     ")
}

// WriteLog writes the log of a frame.
func WriteLog(w io.Writer, lines []LogLine, full bool) error {
	p := termsafe.NewPrinter(w)
	for _, l := range lines {
		if l.Below != nil {
			p.Printf("%5s  %s\n", "", l.String())
			continue
		}
		writeMessage(p, l.Message, full)
	}
	return p.Err()
}

// WhyEmpty says why a frame has no messages to show.
func WhyEmpty(f frame.View, lines []LogLine) string {
	switch {
	case len(lines) > 0:
		return ""
	case f.Status == frame.Planned:
		return "It has not begun: it has no messages."
	case f.First.Seq == 0:
		return "Nothing was said in it."
	}
	return "Its messages are not in the store."
}
