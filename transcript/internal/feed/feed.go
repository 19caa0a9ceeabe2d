// Package feed is what the readers of hosts' files share: going through a file
// line by line, naming what is damaged, putting replies together, and telling a
// person's words from the host's. Of formats it knows only the one that two hosts
// share, that of Google's models (genai.go). It keeps no more than a line and the
// messages that are waited for, and starts no goroutine.
//
//	func Read(r io.Reader, opt transcript.Options) iter.Seq2[transcript.Item, error] {
//		return feed.Lines(r, opt, func(f *feed.Feed) feed.Taker { return &reader{Feed: f} })
//	}
//
//	func (r *reader) Take(line []byte) error {
//		… // an error says what is wrong with the line; the next one is read
//		return r.Put(item, len(line))
//	}
package feed

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/internal/settingtag"
	"github.com/trimtab/trimtab/transcript"
)

// Feed is one pass over a file.
type Feed struct {
	Opt transcript.Options
	Dec jsonscan.Decoder
	N   int // the line that is being read, from 1
	Queue
	parts  []trimtab.Part  // what Parts hands out
	counts []trimtab.Usage // what Count hands out
	opaque trimtab.Part    // what Opaque handed out last
}

// shared is how many parts or counts have one piece of memory.
const shared = 32

// Parts returns an empty slice with capacity for n parts of a message.
func (f *Feed) Parts(n int) []trimtab.Part {
	if n > shared/4 {
		return make([]trimtab.Part, 0, n)
	}
	if len(f.parts) < n {
		f.parts = make([]trimtab.Part, shared)
	}
	parts := f.parts[:0:n]
	f.parts = f.parts[n:]
	return parts
}

// One returns a list of one part.
func (f *Feed) One(p trimtab.Part) []trimtab.Part { return append(f.Parts(1), p) }

// Count returns what a provider counted in memory that stays.
func (f *Feed) Count(u trimtab.Usage) *trimtab.Usage {
	if len(f.counts) == 0 {
		f.counts = make([]trimtab.Usage, shared)
	}
	kept := &f.counts[0]
	f.counts = f.counts[1:]
	*kept = u
	return kept
}

// Taker takes the lines of a file. An error names what is wrong with the line.
type Taker interface{ Take(line []byte) error }

// planner is a Taker that goes through a file once before it is read, if it can
// be read twice. Plan looks at a line; what it says is wrong with it is passed
// over, since Take will say it again.
type planner interface {
	Plan(line []byte, n int)
	Planned()
}

// finisher is a Taker whose End is called once, after the last line.
type finisher interface{ End() error }

// Lines reads a file of JSON lines.
func Lines(r io.Reader, opt transcript.Options, begin func(*Feed) Taker) iter.Seq2[transcript.Item, error] {
	return Run(opt, func(f *Feed) error {
		t := begin(f)
		if p, ok := t.(planner); ok && !f.Opt.Branches {
			if err := plan(r, f.Opt, p); err != nil {
				return err
			}
		}
		return f.lines(newSplitter(r, f.Opt.MaxLine), t)
	})
}

// Run calls read with a feed whose items go to whoever ranges over the sequence.
func Run(opt transcript.Options, read func(*Feed) error) iter.Seq2[transcript.Item, error] {
	return func(yield func(transcript.Item, error) bool) {
		opt, err := settingtag.Fill(opt)
		if err != nil {
			yield(transcript.Item{}, fmt.Errorf("reading options: %w", err))
			return
		}
		f := &Feed{Opt: opt}
		f.yield = yield
		if err = read(f); err == nil {
			err = f.Flush()
		}
		if err != nil && !errors.Is(err, ErrStopped) {
			yield(transcript.Item{}, fmt.Errorf("reading a transcript: %w", err))
		}
	}
}

// plan goes through a file and back, if it can be read twice.
func plan(r io.Reader, opt transcript.Options, p planner) error {
	seeker, ok := r.(io.Seeker)
	if !ok {
		return nil
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // a pipe
	}
	lines := newSplitter(r, opt.MaxLine)
	for {
		b, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, errLong) {
			return err
		}
		if err == nil && len(b) > 0 {
			p.Plan(b, lines.N)
		}
	}
	if _, err := seeker.Seek(start, io.SeekStart); err != nil {
		return fmt.Errorf("going back for the second pass: %w", err)
	}
	p.Planned()
	return nil
}

func (f *Feed) lines(lines *splitter, t Taker) error {
	for {
		b, err := lines.Next()
		f.N = lines.N
		switch {
		case err == io.EOF:
			if e, ok := t.(finisher); ok {
				return e.End()
			}
			return nil
		case errors.Is(err, errLong):
			err = fmt.Errorf("it is longer than %d bytes", f.Opt.MaxLine)
		case err != nil:
			return errors.Join(f.Flush(), err)
		case len(b) == 0:
			continue
		default:
			err = t.Take(b)
		}
		if errors.Is(err, ErrStopped) {
			return err
		}
		if err != nil {
			if err := f.Damage(transcript.Damaged{Line: f.N, Text: err.Error()}); err != nil {
				return err
			}
		}
	}
}

// Text decodes prose. Of what tools and the host wrote, a brief reading takes
// only the beginning.
func (f *Feed) Text(v []byte, by trimtab.Author) (string, error) {
	if f.Opt.Brief && (by == trimtab.Host || by == trimtab.Tool) {
		return f.Dec.Clip(v, transcript.BriefText)
	}
	return f.Dec.String(v)
}

// Result decodes what a tool answered. A failure is whole, however brief the
// reading.
func (f *Feed) Result(v []byte, failed bool) (string, error) {
	if failed {
		return f.Dec.String(v)
	}
	return f.Text(v, trimtab.Tool)
}

// Brief shortens a text that is decoded already, as Text does.
func (f *Feed) Brief(text string, by trimtab.Author) string {
	if !f.Opt.Brief || by != trimtab.Host && by != trimtab.Tool || len(text) <= transcript.BriefText {
		return text
	}
	n := transcript.BriefText
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}

// Opaque is a part that is passed on unread. A brief reading says only that it
// was there.
func (f *Feed) Opaque(kind string, by trimtab.Author, raw []byte) (trimtab.Part, error) {
	if f.Opt.Brief {
		if last, ok := f.opaque.(trimtab.Opaque); !ok || last.Kind != kind || last.By != by {
			f.opaque = trimtab.Opaque{Kind: kind, By: by}
		}
		return f.opaque, nil
	}
	r, err := f.Dec.Raw(raw)
	return trimtab.Opaque{Kind: kind, By: by, Raw: r}, err
}

// Call is a tool's call of these values.
func (f *Feed) Call(id, name, input []byte) (call trimtab.ToolCall, err error) {
	var errs [3]error
	call.ID, errs[0] = f.Dec.String(id)
	call.Name, errs[1] = f.Dec.Word(name)
	call.Input, errs[2] = f.Dec.Raw(input)
	if errs[0] != nil || errs[1] != nil || errs[2] != nil {
		err = errors.Join(errs[:]...)
	}
	return call, err
}

// Append appends a text, divided by author. What a person typed may hold words of
// the host's; package host tells them apart. Texts of one message have one
// divider.
func Append(out []trimtab.Part, d *markup.Divider, text string, by trimtab.Author) []trimtab.Part {
	switch {
	case text == "":
		return out
	case by != trimtab.Person:
		return append(out, trimtab.Text{Text: text, By: by})
	}
	return append(out, d.Divide(text)...)
}

// Spans divides a text that stands alone.
func Spans(text string, by trimtab.Author) []trimtab.Part {
	var d markup.Divider
	return Append(nil, &d, text, by)
}

// Joined is texts with a newline between them. Empty ones are left out.
type Joined struct{ text string }

// Add puts a text behind the others.
func (j *Joined) Add(text string) {
	if j.text != "" && text != "" {
		text = j.text + "\n" + text
	}
	if text != "" {
		j.text = text
	}
}

func (j *Joined) String() string { return j.text }
