package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a command that is looked into.
const (
	maxLength = 32 << 10
	maxParts  = 200
	maxDepth  = 8
)

// Line is a command and the simple commands it is made of.
type Line struct {
	Parts []Part
	Odd   string // why it cannot be told what it does; "" if it can
}

// Part is one simple command: a program and its arguments.
type Part struct {
	Words []Word
}

// Word is a word of a command, without its quotes.
type Word struct {
	Text string
	Open bool // the shell makes something else of it: a variable, a pattern, a command's output
}

// Parse splits a command where the shell does: at ; & && || | and line breaks,
// and into what stands in $( ) and backticks.
func Parse(command string) Line {
	r := &reader{text: command}
	switch {
	case len(command) > maxLength:
		r.odd = "it is very long"
	case !utf8.ValidString(command):
		r.odd = "it is not UTF-8"
	default:
		r.list("", 0)
	}
	if r.odd == "" && len(r.parts) == 0 {
		r.odd = "it is empty"
	}
	if r.odd != "" {
		return Line{Odd: r.odd}
	}
	return Line{Parts: r.parts}
}

// reader goes through a command.
type reader struct {
	text  string
	at    int
	parts []Part
	odd   string
}

// draft is a simple command as it is read.
type draft struct {
	words  []Word
	word   strings.Builder
	in     bool // a word has begun
	open   bool
	quoted bool
}

func (d *draft) add(s string) {
	d.word.WriteString(s)
	d.in = true
}

func (d *draft) endWord() {
	if d.in {
		d.words = append(d.words, Word{d.word.String(), d.open})
	}
	d.word.Reset()
	d.in, d.open, d.quoted = false, false, false
}

func (r *reader) strange(why string) {
	if r.odd == "" {
		r.odd = why
	}
}

func (r *reader) peek(n int) byte {
	if r.at+n < len(r.text) {
		return r.text[r.at+n]
	}
	return 0
}

// list reads simple commands up to a closing character, or to the end.
func (r *reader) list(until string, depth int) {
	if depth > maxDepth {
		r.strange("it is nested deeply")
	}
	var d draft
	for r.odd == "" {
		if r.at >= len(r.text) {
			if until != "" {
				r.strange("a " + until + " is missing")
			}
			r.endPart(&d)
			return
		}
		if until != "" && r.text[r.at] == until[0] {
			r.endPart(&d)
			r.at++
			return
		}
		r.next(&d, depth)
	}
}

// next reads a character and what belongs to it.
func (r *reader) next(d *draft, depth int) {
	c := r.text[r.at]
	switch c {
	case ' ', '\t':
		d.endWord()
		r.at++
	case '\n', ';', '&', '|':
		r.operator(d, c)
	case '\'':
		end := strings.IndexByte(r.text[r.at+1:], '\'')
		if end < 0 {
			r.strange("a quote is open")
			return
		}
		d.add(r.text[r.at+1 : r.at+1+end])
		d.quoted = true
		r.at += end + 2
	case '"':
		r.at++
		r.quoted(d, depth)
	case '\\':
		r.escaped(d)
	case '$', '`':
		r.expansion(d, depth)
	case '<', '>':
		r.redirect(d)
	case '(', ')':
		r.strange("it has a subshell or a function")
	case '#':
		if !d.in {
			r.strange("it has a comment")
			return
		}
		r.plain(d, false)
	case '*', '?', '[', ']', '{', '}':
		r.plain(d, true)
	case '~':
		r.plain(d, !d.in)
	default:
		r.plain(d, false)
	}
}

// plain takes a character for itself.
func (r *reader) plain(d *draft, open bool) {
	c, n := utf8.DecodeRuneInString(r.text[r.at:])
	if unicode.IsControl(c) || unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) {
		r.strange("it has a character that cannot be seen")
		return
	}
	d.add(r.text[r.at : r.at+n])
	d.open = d.open || open
	r.at += n
}

// operator ends a simple command.
func (r *reader) operator(d *draft, c byte) {
	n := 1
	switch two := r.peek(1); {
	case c == ';' && two == ';', c == ';' && two == '&', c == '|' && two == '&', c == '&' && two == '>':
		r.strange("it has " + string([]byte{c, two}))
		return
	case c != '\n' && c != ';' && two == c:
		n = 2
	}
	r.endPart(d)
	r.at += n
}

func (r *reader) endPart(d *draft) {
	d.endWord()
	words := d.words
	*d = draft{}
	if len(words) == 0 {
		return
	}
	program := words[0]
	switch {
	case program.Open:
		r.strange("the program's name is made by the shell")
	case strings.Contains(program.Text, "="):
		r.strange("it sets a variable")
	case keywords[program.Text]:
		r.strange("it has the word " + program.Text + " of the shell's own language")
	case len(r.parts) == maxParts:
		r.strange("it has very many parts")
	}
	r.parts = append(r.parts, Part{words})
}

// keywords begin something other than a simple command.
var keywords = map[string]bool{
	"if": true, "then": true, "else": true, "elif": true, "fi": true, "for": true, "while": true, "until": true, "do": true, "done": true, "case": true, "esac": true,
	"in": true, "select": true, "function": true, "time": true, "coproc": true, "{": true, "}": true, "!": true, "[[": true, "]]": true,
}
