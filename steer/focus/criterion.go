package focus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/speech"
	"github.com/trimtab/trimtab/steer/mode"
)

// How says by what a criterion was met.
type How string

// The ways.
const (
	ByMark    How = "mark"    // a tag, or the tool
	ByHeading How = "heading" // a section of its name
	ByCount   How = "count"   // so many proposals, items or voices
	ByCheck   How = "check"   // a command that succeeded
	ByPerson  How = "person"  // a person's command
)

// Mark is a criterion that was met, with the evidence. Where later work has undone
// it, Stale says how, and it counts no longer.
type Mark struct {
	ID    string      `json:"id"`
	How   How         `json:"how"`
	By    string      `json:"by,omitempty"` // who said it
	At    trimtab.Ref `json:"at,omitzero"`  // in which message
	Text  string      `json:"evidence,omitempty"`
	Stale string      `json:"stale,omitempty"`

	Check string   `json:"check,omitempty"` // the command that it rests on
	Files []string `json:"files,omitempty"` // the files that it rests on
}

const maxEvidence, maxMarkFiles = 300, 8

// met reports whether a criterion is met and nothing has undone it.
func (m Memory) met(id string) bool {
	return slices.ContainsFunc(m.Marks, func(k Mark) bool { return k.ID == id && k.Stale == "" })
}

// mark keeps the evidence of a criterion, in the place of older evidence. The
// number of marks is that of the mode's criteria at most.
func (m Memory) mark(k Mark) Memory {
	k.Text = line(k.Text, maxEvidence)
	m.Marks = slices.Clone(m.Marks)
	if i := slices.IndexFunc(m.Marks, func(o Mark) bool { return o.ID == k.ID }); i >= 0 {
		m.Marks[i] = k
		return m
	}
	m.Marks = append(m.Marks, k)
	return m
}

// claim is somebody's word that a criterion is met. It returns why it does not
// count, if it does not.
func (p plan) claim(m Memory, name, text, by string, how How, at trimtab.Ref) (Memory, mode.Criterion, string) {
	c, ok := p.criterion(name)
	switch {
	case !ok:
		return m, c, fmt.Sprintf("the mode %s has no criterion %q; give one of %s", p.Name, trimtab.Clip(name, 60), names(p.criteria))
	case how == ByPerson:
	case c.Check != "":
		return m, c, fmt.Sprintf("%s is met only when %q succeeds; run it", c.ID, c.Check)
	case voted(c) && m.Talk.table() > 1:
		return m, c, c.ID + " is not one speaker's to declare: it is counted from [PROPOSAL], [AGREEMENT] and [DISAGREEMENT]"
	}
	if c.Items > 0 && (how == ByMark || how == ByHeading) && listed(text) < c.Items {
		return m, c, fmt.Sprintf("%s asks for %d; list them, each on a line of its own", c.ID, c.Items)
	}
	k := Mark{ID: c.ID, How: how, By: by, At: at, Text: text}
	if how == ByMark {
		k.Files = filesIn(text)
		r, never, ok := m.rests(c.ID, text)
		switch {
		case never != "":
			return m, c, fmt.Sprintf("%s rests on %q, which was not run in this session; run it", c.ID, never)
		case !ok:
		case r.Outcome == evidence.Failed:
			return m, c, fmt.Sprintf("%s rests on %q, which failed when it ran last", c.ID, r.Command)
		case r.Outcome != evidence.Passed:
			return m, c, fmt.Sprintf("%s rests on %q, which has shown nothing: it had nothing to do, or still runs", c.ID, r.Command)
		case !m.Did.Holds(r):
			return m, c, fmt.Sprintf("%s rests on %q, and files changed since it ran; run it again", c.ID, r.Command)
		default:
			k.Check = r.Command
		}
	}
	return m.mark(k), c, ""
}

// read takes what a message says apart: tags, sections, lists, voices.
func (s *step) read(said trimtab.Message) {
	for _, part := range said.Parts {
		t, ok := part.(trimtab.Text)
		if !ok {
			continue
		}
		by := author(t, said.Role)
		if by == "" {
			continue
		}
		r := speech.Read(t.Text)
		s.voices(by, r, t.From != "" || len(s.m.Talk.Agents) > 0)
		for _, tag := range r.Done {
			if tag.Line == "" { // the tag stands alone: what it is about stands around it
				tag.Line = excerpt(t.Text)
			}
			s.m, _, _ = s.claim(s.m, tag.ID, tag.Line, by, markOf(by), s.at)
		}
		s.sections(by, r)
		for _, ask := range r.Asked {
			if ask.Topic != "" {
				s.request(ask.Topic)
			}
		}
	}
	s.votes()
}

// excerpt is the beginning of a text, without tags.
func excerpt(text string) string {
	var out []string
	for ln := range strings.Lines(trimtab.Clip(text, 4*maxEvidence)) {
		if ln = strings.TrimSpace(ln); ln != "" && !strings.HasPrefix(ln, "[") {
			out = append(out, ln)
		}
	}
	return line(strings.Join(out, " "), maxEvidence)
}

// markOf is how a tag counts: a person's is their word.
func markOf(by string) How {
	if by == person {
		return ByPerson
	}
	return ByMark
}

// sections looks for criteria among the headings and the lists.
func (s *step) sections(by string, r speech.Speech) {
	for _, sec := range r.Sections {
		i, ok := s.bySlug[sec.Slug]
		if !ok {
			continue
		}
		switch c := s.criteria[i]; {
		case c.Items > 0 && c.Check == "":
			s.list(c, by, speech.Read(sec.Body))
		case sec.Whole():
			s.m, _, _ = s.claim(s.m, c.ID, speech.Words(trimtab.Clip(sec.Body, 8*maxEvidence)), by, ByHeading, s.at)
		}
	}
	for _, c := range s.criteria {
		if c.Items > 0 && c.Check == "" && !s.strict[c.ID] {
			s.list(c, by, r)
		}
	}
}

// list meets a criterion that counts by a list that is long enough.
func (s *step) list(c mode.Criterion, by string, r speech.Speech) {
	if r.Items >= c.Items {
		s.m = s.m.mark(Mark{ID: c.ID, How: ByCount, By: by, At: s.at, Text: fmt.Sprintf("a list of %d items, the first: %s", r.Items, line(r.First, 80))})
	}
}

// listed counts the items that a text names: those of its longest list, or what stands
// between commas and semicolons.
func listed(text string) int {
	parts := 0
	for p := range strings.FieldsFuncSeq(trimtab.Clip(text, maxRead), func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		if strings.TrimSpace(p) != "" {
			parts++
		}
	}
	return max(parts, speech.Read(text).Items)
}

// undo notes that a criterion counts no longer, and says so once in a phase.
func (s *step) undo(id, why string) {
	i := slices.IndexFunc(s.m.Marks, func(k Mark) bool { return k.ID == id })
	if i < 0 || s.m.Marks[i].Stale != "" {
		return
	}
	s.m.Marks = slices.Clone(s.m.Marks)
	s.m.Marks[i].Stale = line(why, maxEvidence)
	s.m.Done = false
	if s.once("undone " + id) {
		s.lost = append(s.lost, fmt.Sprintf("%s (%s)", id, why))
	}
}

// withdraw tells what counts no longer, all at once.
func (s *step) withdraw() {
	if len(s.lost) > 0 {
		text := "no longer met: " + strings.Join(s.lost, ", ")
		s.do(SuccessCheck, Low, InjectMessage, text, words("undone", s.told(text)))
	}
}

// evidence lists criteria with what shows that they are met.
func (p plan) evidence(m Memory, list []mode.Criterion) string {
	var lines []string
	for _, c := range list {
		i := slices.IndexFunc(m.Marks, func(k Mark) bool { return k.ID == c.ID })
		if i < 0 {
			continue
		}
		k := m.Marks[i]
		text := "✓ " + c.ID
		if k.At.ID != "" {
			text += " (" + k.At.ID + ")"
		}
		if k.Text != "" {
			text += ": " + k.Text
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// count is how many of the criteria of success are met, or of all where there are
// none of success.
func (p plan) count(m Memory) (met, all int) {
	list := p.Success
	if len(list) == 0 {
		list = p.criteria
	}
	for _, c := range list {
		if m.met(c.ID) {
			met++
		}
	}
	return met, len(list)
}
