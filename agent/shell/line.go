package shell

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
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

	// any is an open word that may become several words, or begin in any way, and so
	// may be an option.
	any bool
}

// Parse splits a command where the shell does: at ; & && || | and line breaks,
// and into what stands in $( ) and backticks.
func Parse(command string) Line {
	r := &reader{text: command}
	r.read()
	if r.odd == "" && len(r.parts) == 0 {
		r.odd = "it is empty"
	}
	if r.odd != "" {
		return Line{Odd: r.odd}
	}
	return Line{Parts: r.parts}
}

// reader walks through a command's syntax tree. It knows few kinds of node, and one
// that it does not know makes the command odd.
type reader struct {
	text  string
	parts []Part
	depth int
	odd   string
}

func (r *reader) strange(why string) {
	if r.odd == "" {
		r.odd = why
	}
}

// read parses the command and walks through it.
func (r *reader) read() {
	switch {
	case len(r.text) > maxLength:
		r.strange("it is very long")
		return
	case !utf8.ValidString(r.text):
		r.strange("it is not UTF-8")
		return
	case strings.ContainsFunc(r.text, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }):
		r.strange("it has a character that cannot be seen")
		return
	case strings.Contains(r.text, "\\\n"): // the parser leaves these out, also where a shell would not
		r.strange("a line goes on after a backslash")
		return
	}
	defer func() {
		if p := recover(); p != nil { // the parser's fault must not end the session
			r.strange("it cannot be read")
		}
	}()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(r.text), "")
	if err != nil {
		r.strange("it is no complete command")
		return
	}
	if len(file.Last) > 0 {
		r.strange("it has a comment")
	}
	r.statements(file.Stmts)
}

func (r *reader) statements(list []*syntax.Stmt) {
	if r.depth > maxDepth {
		r.strange("it is nested deeply")
	}
	for _, s := range list {
		if r.odd != "" {
			return
		}
		r.statement(s)
	}
}

func (r *reader) statement(s *syntax.Stmt) {
	switch {
	case len(s.Comments) > 0:
		r.strange("it has a comment")
	case s.Negated, s.Coprocess, s.Disown:
		r.strange("it has a word of the shell's own language")
	}
	for _, to := range s.Redirs {
		r.redirect(to)
	}
	if r.odd != "" {
		return
	}
	switch cmd := s.Cmd.(type) {
	case nil: // a redirect alone
	case *syntax.CallExpr:
		r.call(cmd)
	case *syntax.BinaryCmd:
		if !slices.Contains([]syntax.BinCmdOperator{syntax.AndStmt, syntax.OrStmt, syntax.Pipe}, cmd.Op) {
			r.strange("it has " + cmd.Op.String())
		}
		r.statements([]*syntax.Stmt{cmd.X, cmd.Y})
	case *syntax.Subshell, *syntax.FuncDecl:
		r.strange("it has a subshell or a function")
	default:
		r.strange("it has a word of the shell's own language")
	}
}

func (r *reader) call(cmd *syntax.CallExpr) {
	if len(cmd.Assigns) > 0 {
		r.strange("it sets a variable")
		return
	}
	words := make([]Word, len(cmd.Args))
	for i, w := range cmd.Args {
		words[i] = r.word(w)
	}
	if r.odd != "" || len(words) == 0 {
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

// redirect looks at a redirect. Only what goes to another stream or to nowhere has
// no effect of its own; a file, a here-document, a network path does.
func (r *reader) redirect(to *syntax.Redirect) {
	name := ""
	if to.Word != nil && len(to.Word.Parts) == 1 {
		if lit, ok := to.Word.Parts[0].(*syntax.Lit); ok {
			name = lit.Value
		}
	}
	stream := to.N == nil || strings.Trim(to.N.Value, "0123456789") == ""
	switch to.Op {
	case syntax.DplIn, syntax.DplOut:
		if stream && len(name) == 1 && name[0] >= '0' && name[0] <= '9' {
			return
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn:
		if stream && name == "/dev/null" {
			return
		}
	}
	r.strange("it redirects to or from a file")
}

// word reads a word. Each of its pieces is of a kind that is known.
func (r *reader) word(from *syntax.Word) Word {
	var w Word
	var text strings.Builder
	for _, part := range from.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			r.literal(part.Value, &text, &w)
		case *syntax.SglQuoted:
			if part.Dollar {
				r.strange("it has $'")
			}
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			r.quoted(part, &text, &w)
		default:
			r.expansion(part)
			w.Open, w.any = true, true // outside of quotes it is split into words
		}
	}
	w.Text = text.String()
	return w
}

// patterns are characters that the shell may make something else of, as it does of a
// ~ that begins a word or a value.
const patterns = "*?[]{}"

// literal reads what stands outside of quotes.
func (r *reader) literal(raw string, text *strings.Builder, w *Word) {
	if raw == "{}" && text.Len() == 0 { // as for find -exec; the shell leaves it alone
		text.WriteString(raw)
		return
	}
	for i, c := range raw {
		switch {
		case c == '\\':
			rest := raw[i+1:]
			if rest == "" {
				r.strange("it ends with a backslash")
				return
			}
			_, n := utf8.DecodeRuneInString(rest)
			text.WriteString(rest[:n])
			r.literal(rest[n:], text, w)
			return
		case unicode.IsSpace(c), unicode.IsControl(c), unicode.Is(unicode.Cf, c):
			r.strange("it has a character that cannot be seen")
			return
		case c == '~':
			w.Open = w.Open || text.Len() == 0 || strings.HasSuffix(text.String(), "=") || strings.HasSuffix(text.String(), ":")
		case strings.ContainsRune(patterns, c):
			w.Open = true
			w.any = w.any || text.Len() == 0
		}
		text.WriteRune(c)
	}
}

// quoted reads what stands in double quotes.
func (r *reader) quoted(q *syntax.DblQuoted, text *strings.Builder, w *Word) {
	if q.Dollar {
		r.strange("it has $\"")
	}
	for _, part := range q.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			raw := lit.Value
			for i := 0; i < len(raw); i++ {
				if raw[i] == '\\' && i+1 < len(raw) && strings.IndexByte("$`\"\\", raw[i+1]) >= 0 {
					i++
				}
				text.WriteByte(raw[i])
			}
			continue
		}
		r.expansion(part)
		// "$@" becomes several words, and what begins with an expansion begins in any way.
		exp, isParam := part.(*syntax.ParamExp)
		w.any = w.any || text.Len() == 0 || isParam && exp.Param != nil && exp.Param.Value == "@"
		w.Open = true
	}
}

// expansion looks at a variable, or at a command whose output stands here. The
// commands in it are parts like any other.
func (r *reader) expansion(part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.ParamExp:
		if !part.Short || part.Param == nil || part.Index != nil {
			r.strange("it has ${")
		}
	case *syntax.CmdSubst:
		if part.TempFile || part.ReplyVar || len(part.Last) > 0 {
			r.strange("it has a command substitution of an unusual form")
			return
		}
		if part.Backquotes && !r.plainBackticks(part) {
			r.strange("its backticks are nested, open or quoted")
			return
		}
		r.depth++
		r.statements(part.Stmts)
		r.depth--
	default:
		r.strange("it has an expansion that is not looked into")
	}
}

// plainBackticks reports whether nothing between two backticks can end them
// elsewhere than it seems: a shell ends them at the next backtick, quotes or not, and
// takes backslashes away before it reads what is inside.
func (r *reader) plainBackticks(c *syntax.CmdSubst) bool {
	from, to := int(c.Left.Offset())+1, int(c.Right.Offset())
	return from <= to && to < len(r.text) && r.text[from-1] == '`' && r.text[to] == '`' && !strings.ContainsAny(r.text[from:to], "`'\"\\")
}
