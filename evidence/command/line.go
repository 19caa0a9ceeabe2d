package command

import (
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Kind says what a command is good for as evidence.
type Kind string

// The kinds.
const (
	Check Kind = "check" // tests, builds, linters: made to say whether the work is right
	Try   Kind = "try"   // something was run: a program, a script
	Other Kind = ""      // shows, moves or publishes something; proves nothing
)

// Line is what a command line comes to.
type Line struct {
	Dir      string   // where it runs, if it goes somewhere first
	Runs     []Run    // the commands whose success the success of the line shows
	Filtered bool     // the line ends in a filter: only the output tells how the command went
	Files    []string // what it writes
	Writes   bool     // it writes files, those of Files or others
	Removed  []string // tests that it takes away

	more  bool // something that is no run follows the last one
	shown bool // what follows the runs only shows something: their status is lost, and their output may tell
}

// Run is one command.
type Run struct {
	Command string // its words as they were written, without settings and wrappers
	Kind    Kind
}

// parsers are kept: making one costs more than reading a line with it.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// ReadLine takes a command line apart. One that no shell would take is read as nothing.
func ReadLine(command string) Line {
	var l Line
	p := parsers.Get().(*syntax.Parser)
	file, err := p.Parse(strings.NewReader(clip(command, MaxLine)), "")
	parsers.Put(p)
	if err != nil {
		l.broken(command)
		return l
	}
	r := reader{line: &l, sure: true}
	for i, stmt := range file.Stmts {
		if rest := file.Stmts[i+1:]; len(rest) > 0 && !r.strict { // only the status of the last one comes back
			r.sure = !slices.ContainsFunc(rest, func(s *syntax.Stmt) bool { return !shows(s) }) && !shows(stmt)
			l.shown = l.shown || r.sure
			l.Filtered = l.Filtered || r.sure
		} else if l.shown {
			r.sure = false
		}
		r.stmt(stmt)
		r.sure = true
	}
	return l
}

// broken reads what it can of a line that does not parse: a heredoc that was cut, above all.
func (l *Line) broken(command string) {
	if strings.Contains(command, "*** Begin Patch") {
		p := ReadPatch(command)
		l.Files, l.Writes, l.Removed = p.Files, true, p.Skips
		return
	}
	l.Writes = strings.Contains(command, "<<") && strings.Contains(command, ">")
}

// reader walks one line.
type reader struct {
	line   *Line
	sure   bool // that the line succeeded says that this command did
	strict bool // set -e
}

func (r *reader) stmt(s *syntax.Stmt) {
	for _, rd := range s.Redirs {
		r.redirect(rd)
	}
	if s.Background || s.Negated {
		sure := r.sure
		r.sure = false
		defer func() { r.sure = sure }()
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(cmd, s.Redirs)
	case *syntax.BinaryCmd:
		r.binary(cmd)
	case *syntax.Subshell:
		r.list(cmd.Stmts)
	case *syntax.Block:
		r.list(cmd.Stmts)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			r.stmt(cmd.Stmt)
		}
	case nil:
	default: // loops, conditions, functions: what they run may not run at all
		r.unsure(func() { syntax.Walk(s.Cmd, r.inner) })
	}
}

// inner reads the commands inside of a compound one for what they write.
func (r *reader) inner(n syntax.Node) bool {
	if s, ok := n.(*syntax.Stmt); ok {
		if call, ok := s.Cmd.(*syntax.CallExpr); ok {
			for _, rd := range s.Redirs {
				r.redirect(rd)
			}
			r.call(call, s.Redirs)
			return false
		}
	}
	return true
}

func (r *reader) unsure(do func()) {
	sure := r.sure
	r.sure = false
	do()
	r.sure = sure
}

func (r *reader) list(stmts []*syntax.Stmt) {
	sure := r.sure
	for i, s := range stmts {
		r.sure = sure && (i == len(stmts)-1 || r.strict)
		r.stmt(s)
	}
	r.sure = sure
}

func (r *reader) binary(b *syntax.BinaryCmd) {
	switch b.Op {
	case syntax.AndStmt: // both succeeded
		r.stmt(b.X)
		r.stmt(b.Y)
	case syntax.OrStmt: // one of them did
		r.unsure(func() { r.stmt(b.X); r.stmt(b.Y) })
	default: // a pipe: the status is that of its last part
		if r.sure && isFilter(b.Y) {
			r.line.Filtered = true
			r.stmt(b.X)
			r.unsure(func() { r.stmt(b.Y) })
			return
		}
		r.unsure(func() { r.stmt(b.X) })
		r.stmt(b.Y)
	}
}

// filters pass on what they read, or the part of it that tells.
var filters = []string{"tail", "head", "tee", "cat", "grep", "egrep", "rg", "sed", "awk", "less", "sort", "uniq", "cut", "tr", "ts", "column", "tap-spec", "gotestfmt"}

func isFilter(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && slices.Contains(filters, path.Base(literal(call.Args[0])))
}

// shows reports whether a statement only shows something: a file into which the output of
// what stands before it may have gone, a word that it is done.
func shows(s *syntax.Stmt) bool {
	if s.Background || s.Negated {
		return false
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 {
			return false
		}
		name := path.Base(literal(cmd.Args[0]))
		if name == "git" && len(cmd.Args) > 1 {
			return slices.Contains([]string{"status", "diff", "log", "show"}, literal(cmd.Args[1]))
		}
		return slices.Contains([]string{"echo", "printf", "tail", "head", "cat", "grep", "egrep", "rg", "wc", "ls", "date"}, name)
	case *syntax.BinaryCmd:
		return shows(cmd.X) && shows(cmd.Y)
	}
	return false
}

func (r *reader) redirect(rd *syntax.Redirect) {
	switch rd.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob:
		if rd.Word != nil {
			r.wrote(literal(rd.Word))
		}
	}
}

func (r *reader) wrote(file string) {
	file = CleanPath(file)
	if strings.HasPrefix(file, "/dev/") {
		return
	}
	r.line.Writes = true
	if file != "" && file != "." && !slices.Contains(r.line.Files, file) && len(r.line.Files) < maxFiles {
		r.line.Files = append(r.line.Files, file)
	}
}

// literal is a word as it was written, without its quotes. What only the shell knows stays
// as it is written.
func literal(w *syntax.Word) string {
	if s := w.Lit(); s != "" {
		return s
	}
	var out strings.Builder
	var parts func(list []syntax.WordPart)
	parts = func(list []syntax.WordPart) {
		for _, p := range list {
			switch p := p.(type) {
			case *syntax.Lit:
				out.WriteString(p.Value)
			case *syntax.SglQuoted:
				out.WriteString(p.Value)
			case *syntax.DblQuoted:
				parts(p.Parts)
			case *syntax.ParamExp:
				if p.Param != nil {
					out.WriteString("$" + p.Param.Value)
				}
			default:
				out.WriteString("…")
			}
		}
	}
	parts(w.Parts)
	return out.String()
}

// call reads a simple command.
func (r *reader) call(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	var words []string
	for _, w := range c.Args {
		words = append(words, literal(w))
	}
	words = unwrap(words)
	if len(words) == 0 {
		return
	}
	name := path.Base(words[0])
	switch name {
	case "set":
		r.strict = r.strict || len(words) > 1 && strings.HasPrefix(words[1], "-") && strings.Contains(words[1], "e")
		return
	case "cd", "pushd":
		if len(words) > 1 {
			r.line.Dir = CleanPath(words[1])
		}
		return
	case "bash", "sh", "zsh":
		if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") }); i > 0 && i+1 < len(words) {
			r.within(words[i+1])
			return
		}
	}
	if files, removed, writes := effect(name, words[1:], heredoc(redirs)); writes {
		r.line.Writes = true
		for _, f := range files {
			r.wrote(f)
		}
		r.line.Removed = append(r.line.Removed, removed...)
		r.line.more = true
		return // what writes does not show that it is right
	}
	if !r.sure {
		return
	}
	run := Run{Command: clip(strings.Join(words, " "), 300), Kind: kindOf(name, words[1:])}
	if !r.line.shown || run.Kind == Check && tests().MatchString(run.Command) { // the output of others does not tell
		r.line.more = false
		r.line.Runs = append(r.line.Runs, run)
	}
}

// within reads the script of bash -c.
func (r *reader) within(script string) {
	in := ReadLine(script)
	r.line.Files, r.line.Removed = append(r.line.Files, in.Files...), append(r.line.Removed, in.Removed...)
	r.line.Writes = r.line.Writes || in.Writes
	if in.Dir != "" {
		r.line.Dir = in.Dir
	}
	if r.sure {
		r.line.Runs = append(r.line.Runs, in.Runs...)
		r.line.Filtered = r.line.Filtered || in.Filtered
	}
}

// heredoc is the text that a command is given to read.
func heredoc(redirs []*syntax.Redirect) string {
	for _, rd := range redirs {
		if rd.Hdoc != nil {
			return literal(rd.Hdoc)
		}
	}
	return ""
}

// unwrap takes off what stands before a command without changing what it means.
func unwrap(words []string) []string {
	for len(words) > 0 {
		switch name := path.Base(words[0]); name {
		case "time", "sudo", "nice", "nohup", "command", "exec", "stdbuf", "xvfb-run", "caffeinate", "unbuffer":
			words = words[1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
		case "timeout", "gtimeout":
			words = words[1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
			words = words[min(1, len(words)):]
		case "env":
			words = words[1:]
			for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
				words = words[1:]
			}
		case "mise", "direnv", "poetry", "uv", "pipenv", "pdm", "rye", "hatch", "bundle", "dotenv", "doppler", "nix-shell", "devbox":
			i := slices.IndexFunc(words, func(w string) bool { return w == "exec" || w == "run" || w == "--" })
			if i < 0 || i+1 >= len(words) || name == "mise" && words[i] == "run" {
				return words
			}
			words = words[i+1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "-") {
				words = words[1:]
			}
		default:
			return words
		}
	}
	return words
}
