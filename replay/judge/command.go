package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/trimtab/trimtab/internal/plural"
)

// About is the help of the command.
const About = `Plays recorded sessions through the engine, under the present settings, and shows
each note that would be given: where, of which kind, why, and its text. One key says
what you think of it (useful, harmless, annoying); m marks a step at which something
was missing: a loop, an unproved finish, the same report, a lost goal, a forgotten
item. Each key is saved at once, and the next time goes on where you left. At the end,
and with --labels, a table says how often each kind was right (precision) and how many
of the moments it spoke to (recall), beside a rule that knows nothing but the length of
a session: a kind that does no better has found nothing.

With nothing named it reads the newest sessions of the agents on this machine and of
our own store. No model is called, no session is changed. The file of labels holds ids,
steps and verdicts and no text of a session, so it can be shared: docs/reference/formats.md has
its form. Without a terminal the notes are listed.`

// Command is what a person asked for on the command line.
type Command struct {
	Options
	Corpora []Corpus
	Labels  string                             // measure against this file or folder; "" is to label
	To      string                             // the file that labels go to
	JSON    bool                               // for programs
	List    bool                               // every note, in measures too
	Screen  func(context.Context, *Walk) error // walks a person through; nil where there is no terminal
	Out     io.Writer                          //
	Tell    func(format string, args ...any)   // what a person should know beside the answer
}

// Run measures against labels, walks a person through, or lists the notes.
func (c Command) Run(ctx context.Context) error {
	switch {
	case c.Labels != "":
		known, err := ReadLabels(c.Labels)
		if err != nil {
			return err
		}
		return c.measure(ctx, known)
	case c.Screen == nil || c.JSON:
		return c.list(ctx)
	}
	book, err := OpenBook(c.To)
	if err != nil {
		return err
	}
	defer book.Close()
	c.Story = true
	sessions, err := c.play(ctx)
	if err != nil {
		return err
	}
	walk := NewWalk(sessions, book)
	if err := c.Screen(ctx, walk); err != nil {
		return err
	}
	notes, judged := walk.Judged()
	c.Tell("%d of %s judged; saved in %s\n", judged, plural.Count(notes, "note"), book.Path())
	if len(book.Known()) == 0 {
		return nil
	}
	return c.table(sessions, book.Known())
}

func (c Command) play(ctx context.Context) (all []Played, err error) {
	for _, corpus := range c.Corpora {
		if n := len(corpus.Files); n > 10 {
			c.Tell("%s: playing %s …\n", corpus.Name, plural.Count(n, "file"))
		}
		runs, warnings, err := corpus.Play(ctx, c.Options)
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			c.Tell("%s\n", w)
		}
		all = append(all, runs...)
	}
	return all, nil
}

// table scores what was just labelled.
func (c Command) table(sessions []Played, known map[string]*SessionLabels) error {
	for i := range sessions {
		if l := known[sessions[i].ID]; l != nil && l.of(sessions[i].Steps) {
			sessions[i].label = l
		}
	}
	return Write(c.Out, Result{Corpora: []CorpusResult{score("labelled", sessions, c.Tolerance)}}, false)
}

func (c Command) measure(ctx context.Context, known map[string]*SessionLabels) error {
	c.Known = known
	res, err := Measure(ctx, c.Corpora, c.Options)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.encode(res)
	}
	for _, w := range res.Warnings {
		c.Tell("%s\n", w)
	}
	return Write(c.Out, res, c.List)
}

// list prints the notes; with the labels beside them that the person's file has.
func (c Command) list(ctx context.Context) error {
	known, err := ReadIfThere(c.To)
	if err != nil {
		return fmt.Errorf("%s: %w", c.To, err)
	}
	c.Known = known
	sessions, err := c.play(ctx)
	if err != nil {
		return err
	}
	if !c.JSON {
		return list(c.Out, sessions)
	}
	type listed struct {
		Session string `json:"session"`
		Title   string `json:"title,omitempty"`
		File    string `json:"file,omitempty"`
		Steps   int    `json:"steps"`
		Notes   []Said `json:"notes"`
	}
	all := []listed{}
	for _, s := range sessions {
		for i := range s.Said {
			if s.label != nil {
				s.Said[i].Verdict = s.label.verdict(s.Said[i])
			}
		}
		all = append(all, listed{s.ID, s.Title, s.File, s.Steps, append([]Said{}, s.Said...)})
	}
	return c.encode(all)
}

func (c Command) encode(v any) error {
	enc := json.NewEncoder(c.Out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
