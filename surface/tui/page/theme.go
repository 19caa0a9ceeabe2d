package page

import (
	"strings"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// Style is how a piece of text looks: the parameters of an SGR sequence, such as
// "1;34". The empty Style is plain text.
type Style string

// Theme is the colours and marks of a page. Where a style of prose is empty, the
// marks of Markdown stay, so that nothing is told by colour alone.
type Theme struct {
	Prompt  Style // what the person wrote
	Heading Style
	Strong  Style
	Emph    Style
	Strike  Style
	Code    Style // in a line
	Block   Style // of several lines
	Keyword Style
	Literal Style // strings and numbers
	Comment Style
	Link    Style
	Address Style // where a link leads
	Quote   Style
	Mark    Style // bullets, bars and rules
	Dim     Style // thoughts, results, and what can be opened
	Tool    Style // the name of a tool
	Good    Style
	Bad     Style
	Busy    Style // a call that runs, an item in progress
	Note    Style // what steering said to the model
	Notice  Style
	Added   Style // lines of a diff
	Removed Style
	Hunk    Style

	AddedWord, RemovedWord Style // what changed within a line of a diff

	// Grounds stand behind whole rows: of code, and of lines that a diff adds or removes.
	// They hold no colour of the text.
	CodeGround, AddedGround, RemovedGround Style

	Marks Marks
}

// Marks are the signs of a page, of one to three cells each; those that make up
// lines have one. One that has another width is replaced by that of ASCII.
type Marks struct {
	Prompt, Thought, Note, Notice, Fault string
	Call, Running, Failed                string
	Done, Doing, Open                    string // items of a list of things to do
	Bullets                              [3]string
	Bar                                  string // beside a quote and below a call
	Rule, Column, Cross                  string // lines of a table
	Cut, Below                           string
}

// The colours have one meaning each: blue is the person and what they can choose, violet is
// steering, yellow is under way or wants attention, green and red are well and not well. All
// else is a shade of the text.

// Dark is the theme for a dark background and 256 colours or more.
func Dark() Theme {
	return Theme{
		Prompt: "1;38;5;117", Heading: "1;38;5;231", Strong: "1", Emph: "3", Strike: "9",
		Code: "38;5;223", Block: "38;5;252", Keyword: "38;5;146", Literal: "38;5;151", Comment: "38;5;245",
		Link: "4;38;5;252", Address: "38;5;245", Quote: "38;5;250", Mark: "38;5;243", Dim: "38;5;246",
		Tool: "1", Good: "38;5;114", Bad: "38;5;210", Busy: "38;5;222", Note: "38;5;183", Notice: "38;5;250",
		Added: "38;5;157", Removed: "38;5;217", Hunk: "38;5;246", AddedWord: "38;5;231;48;5;28", RemovedWord: "38;5;231;48;5;88",
		CodeGround: "48;5;235", AddedGround: "48;5;22", RemovedGround: "48;5;52", Marks: unicodeMarks(),
	}
}

// Light is the theme for a light background and 256 colours or more.
func Light() Theme {
	return Theme{
		Prompt: "1;38;5;25", Heading: "1;38;5;232", Strong: "1", Emph: "3", Strike: "9",
		Code: "38;5;94", Block: "38;5;238", Keyword: "38;5;60", Literal: "38;5;28", Comment: "38;5;243",
		Link: "4;38;5;238", Address: "38;5;242", Quote: "38;5;240", Mark: "38;5;246", Dim: "38;5;242",
		Tool: "1", Good: "38;5;28", Bad: "38;5;124", Busy: "38;5;130", Note: "38;5;91", Notice: "38;5;240",
		Added: "38;5;22", Removed: "38;5;88", Hunk: "38;5;242", AddedWord: "38;5;22;48;5;151", RemovedWord: "38;5;88;48;5;217",
		CodeGround: "48;5;255", AddedGround: "48;5;194", RemovedGround: "48;5;224", Marks: unicodeMarks(),
	}
}

// Warm is a dark theme in the colours of paper and lamps.
func Warm() Theme {
	t := Dark()
	t.Prompt, t.Heading, t.Code, t.Block, t.Keyword, t.Literal = "1;38;5;109", "1;38;5;223", "38;5;180", "38;5;223", "38;5;173", "38;5;143"
	t.Comment, t.Address, t.Quote, t.Mark, t.Dim, t.Notice = "38;5;245", "38;5;245", "38;5;187", "38;5;241", "38;5;246", "38;5;250"
	t.Link, t.Good, t.Bad, t.Busy, t.Note, t.CodeGround = "4;38;5;187", "38;5;142", "38;5;167", "38;5;214", "38;5;175", "48;5;236"
	return t
}

// Contrast is a dark theme for eyes and projectors that need much of it.
func Contrast() Theme {
	t := Dark()
	t.Prompt, t.Heading, t.Code, t.Block, t.Keyword, t.Literal = "1;38;5;51", "1;4;38;5;231", "1;38;5;231", "38;5;231", "1;38;5;231", "38;5;228"
	t.Comment, t.Address, t.Quote, t.Mark, t.Dim, t.Notice = "38;5;252", "38;5;252", "38;5;231", "38;5;252", "38;5;252", "38;5;231"
	t.Link, t.Good, t.Bad, t.Busy, t.Note, t.CodeGround = "4;38;5;231", "38;5;46", "1;38;5;203", "38;5;226", "38;5;219", "48;5;233"
	t.Added, t.Removed = "38;5;231", "38;5;231"
	return t
}

// Basic is the theme for 16 colours, on either background.
func Basic() Theme {
	return Theme{
		Prompt: "1;34", Heading: "1", Strong: "1", Emph: "3", Strike: "9",
		Code: "36", Block: "36", Keyword: "34", Literal: "32", Comment: "2",
		Link: "4", Address: "2", Quote: "2", Mark: "2", Dim: "2",
		Tool: "1", Good: "32", Bad: "31", Busy: "33", Note: "35", Notice: "2",
		Added: "32", Removed: "31", Hunk: "2", AddedWord: "7;32", RemovedWord: "7;31", Marks: unicodeMarks(),
	}
}

// Named are the themes that a person may choose, by name.
func Named() map[string]func() Theme {
	return map[string]func() Theme{"dark": Dark, "light": Light, "warm": Warm, "contrast": Contrast, "basic": Basic, "plain": Plain}
}

// Plain is the theme without any style, for NO_COLOR and for screens that are
// kept as text.
func Plain() Theme { return Theme{Marks: unicodeMarks()} }

// ASCII returns the theme with marks that every terminal and font has.
func (t Theme) ASCII() Theme {
	t.Marks = asciiMarks()
	return t
}

func asciiMarks() Marks {
	return Marks{
		Prompt: ">", Thought: "~", Note: "+", Notice: "-", Fault: "!", Call: "*", Running: "o", Failed: "x",
		Done: "[x]", Doing: "[>]", Open: "[ ]", Bullets: [3]string{"-", "*", "+"}, Bar: "|", Rule: "-", Column: "|", Cross: "+",
		Cut: "...", Below: "v",
	}
}

// sound returns the marks with those replaced that would break a line.
func (m Marks) sound() Marks {
	a := asciiMarks()
	fix := func(mark *string, other string, most int) {
		if w := cells(*mark); w < 1 || w > most || termsafe.Line(*mark) != *mark {
			*mark = other
		}
	}
	for mark, other := range map[*string]string{
		&m.Prompt: a.Prompt, &m.Thought: a.Thought, &m.Note: a.Note, &m.Notice: a.Notice, &m.Fault: a.Fault, &m.Call: a.Call,
		&m.Running: a.Running, &m.Failed: a.Failed, &m.Done: a.Done, &m.Doing: a.Doing, &m.Open: a.Open, &m.Cut: a.Cut, &m.Below: a.Below,
	} {
		fix(mark, other, 3)
	}
	for mark, other := range map[*string]string{&m.Bar: a.Bar, &m.Rule: a.Rule, &m.Column: a.Column, &m.Cross: a.Cross} {
		fix(mark, other, 1)
	}
	for i := range m.Bullets {
		fix(&m.Bullets[i], a.Bullets[i], 3)
	}
	return m
}

func unicodeMarks() Marks {
	return Marks{
		Prompt: "❯", Thought: "∴", Note: "◆", Notice: "·", Fault: "!", Call: "●", Running: "○", Failed: "✗",
		Done: "✓", Doing: "▸", Open: "☐", Bullets: [3]string{"•", "◦", "▪"}, Bar: "│", Rule: "─", Column: "│", Cross: "┼",
		Cut: "…", Below: "↓",
	}
}

// ink is a Style by its place in the theme, with emphasis laid over it.
type ink uint16

const (
	inkText ink = iota
	inkPrompt
	inkHeading
	inkBlock
	inkKeyword
	inkLiteral
	inkComment
	inkAddress
	inkQuote
	inkMark
	inkDim
	inkTool
	inkGood
	inkBad
	inkBusy
	inkNote
	inkNotice
	inkAdded
	inkRemoved
	inkHunk
	inkAddedWord
	inkRemovedWord
	inkCount

	inkBase ink = 0xff
)

// Emphasis, laid over an ink.
const (
	inkStrong ink = 0x100 << iota
	inkEmph
	inkStrike
	inkCode
	inkLink
	inkCodeGround // behind the whole row
	inkAddedGround
	inkRemovedGround
)

// pen knows what each ink looks like.
type pen struct {
	marks Marks
	base  [inkCount]Style
	over  [8]Style // strong, emph, strike, code, link, and the grounds
	known map[ink]string

	line    []byte // scratch
	scratch inline // its slices are used again
}

func newPen(t Theme) *pen {
	p := &pen{marks: t.Marks.sound(), known: map[ink]string{}}
	p.base = [inkCount]Style{
		inkPrompt: t.Prompt, inkHeading: t.Heading, inkBlock: t.Block, inkKeyword: t.Keyword, inkLiteral: t.Literal,
		inkComment: t.Comment, inkAddress: t.Address, inkQuote: t.Quote, inkMark: t.Mark, inkDim: t.Dim, inkTool: t.Tool,
		inkGood: t.Good, inkBad: t.Bad, inkBusy: t.Busy, inkNote: t.Note, inkNotice: t.Notice, inkAdded: t.Added,
		inkRemoved: t.Removed, inkHunk: t.Hunk, inkAddedWord: t.AddedWord, inkRemovedWord: t.RemovedWord,
	}
	p.over = [8]Style{t.Strong, t.Emph, t.Strike, t.Code, t.Link, t.CodeGround, t.AddedGround, t.RemovedGround}
	return p
}

// bare reports that an ink cannot be told from plain text.
func (p *pen) bare(i ink) bool { return p.code(i) == "" }

// code returns the escape sequence that begins an ink, or nothing.
func (p *pen) code(i ink) string {
	if i == inkText {
		return ""
	}
	if s, ok := p.known[i]; ok {
		return s
	}
	parts := []string{}
	add := func(s Style) {
		if s != "" && strings.Trim(string(s), "0123456789;:") == "" {
			parts = append(parts, string(s))
		}
	}
	add(p.base[i&inkBase])
	for n, s := range p.over {
		if i&(inkStrong<<n) != 0 {
			add(s)
		}
	}
	s := ""
	if len(parts) > 0 {
		s = "\x1b[" + strings.Join(parts, ";") + "m"
	}
	p.known[i] = s
	return s
}

// paint returns text in an ink.
func (p *pen) paint(i ink, text string) string {
	c := p.code(i)
	if c == "" || text == "" {
		return text
	}
	return c + text + "\x1b[m"
}
