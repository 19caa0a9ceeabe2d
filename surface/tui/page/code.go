package page

import "strings"

// lang is what is worth colouring in a language: a few words, strings and
// comments. It is a help for the eye, not a parser.
type lang struct {
	words  map[string]bool
	line   string    // begins a comment to the end of the line
	block  [2]string // around a comment
	quotes string    // around a string
	long   []string  // around a string of several lines
	diff   bool
}

// lexState says what a line begins inside of: 0 is nothing, 1 a comment, 2 and on
// one of the long strings.
type lexState int8

// langOf returns the language that a fence names.
func langOf(info string) *lang {
	name, _, _ := strings.Cut(info, " ")
	name = strings.ToLower(strings.Trim(name, "{}."))
	clike := lang{line: "//", block: [2]string{"/*", "*/"}, quotes: `"'`}
	hash := lang{line: "#", quotes: `"'`}
	with := func(l lang, words string) *lang {
		l.words = wordSet(words)
		return &l
	}
	switch name {
	case "diff", "patch":
		return &lang{diff: true}
	case "go", "golang":
		clike.long = []string{"`"}
		return with(clike, "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false")
	case "js", "jsx", "ts", "tsx", "javascript", "typescript":
		clike.long = []string{"`"}
		return with(clike, "async await break case catch class const continue default delete do else export extends finally for from function if import in instanceof interface let new null of return static super switch this throw true false try type typeof undefined var void while yield")
	case "c", "h", "cpp", "c++", "cc", "hpp", "java", "kotlin", "kt", "swift", "cs", "csharp", "scala", "dart", "php", "zig":
		return with(clike, "abstract auto bool boolean break byte case catch char class const continue default do double else enum extends final finally float fn for fun func if implements import int interface let long namespace new null nullptr override package private protected public return short static struct super switch template this throw true false try typedef using val var virtual void while")
	case "rust", "rs":
		clike.quotes = `"` // a ' may be a lifetime
		return with(clike, "as async await break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while Self")
	case "py", "python", "python3":
		hash.long = []string{`"""`, "'''"}
		return with(hash, "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield self")
	case "rb", "ruby":
		return with(hash, "alias and begin break case class def do else elsif end ensure false for if in module next nil not or raise require rescue return self super then true unless until when while yield")
	case "sh", "bash", "zsh", "shell", "console", "fish":
		return with(hash, "case do done elif else esac export fi for function if in local return set then until while")
	case "yaml", "yml", "toml", "ini", "dockerfile", "makefile", "make", "hcl", "terraform":
		return with(hash, "true false null yes no FROM RUN COPY CMD ENV WORKDIR")
	case "json", "jsonc", "json5":
		return with(lang{line: "//", quotes: `"`}, "true false null")
	case "sql":
		return with(lang{line: "--", block: [2]string{"/*", "*/"}, quotes: "'"}, "select from where and or not null insert into values update set delete create table index view drop alter join left right inner outer on group by order limit as distinct union primary key SELECT FROM WHERE AND OR NOT NULL INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE INDEX VIEW DROP ALTER JOIN LEFT RIGHT INNER OUTER ON GROUP BY ORDER LIMIT AS DISTINCT UNION PRIMARY KEY")
	case "lua", "haskell", "hs", "elm":
		return with(lang{line: "--", quotes: `"`}, "and break do else elseif end false for function if in let local module nil not or repeat return then true type until where while")
	}
	return &lang{}
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// after returns the state behind a text.
func (l *lang) after(text string, s lexState) lexState {
	if l.block[0] == "" && len(l.long) == 0 {
		return 0
	}
	return l.lex(text, s, func(string, ink) {})
}

// spans returns code in inks.
func (l *lang) spans(text string, s lexState) []span {
	if l.diff {
		return diffSpans(text)
	}
	var out []span
	l.lex(text, s, func(part string, i ink) {
		if n := len(out); n > 0 && out[n-1].ink == i { // parts are next to each other in text
			out[n-1].text += part
			return
		}
		out = append(out, span{part, i})
	})
	if len(out) == 0 {
		out = append(out, span{"", inkBlock})
	}
	return out
}

// lex splits text into parts of one ink.
func (l *lang) lex(text string, s lexState, put func(string, ink)) lexState {
	if l.words == nil && l.line == "" {
		put(text, inkBlock)
		return 0
	}
	i, from := 0, 0
	part := func(n int, k ink) {
		if from < i {
			put(text[from:i], inkBlock)
		}
		put(text[i:i+n], k)
		i += n
		from = i
	}
	for i < len(text) || s != 0 {
		rest := text[i:]
		if s != 0 {
			n, ended := l.inside(rest, s)
			if n > 0 {
				part(n, l.stateInk(s))
			}
			if !ended {
				return s
			}
			s = 0
			continue
		}
		if next := l.begins(rest); next != 0 {
			part(len(l.fence(next, 0)), l.stateInk(next))
			s = next
			continue
		}
		n, k := l.token(text, i)
		if k == inkBlock {
			i += n
		} else {
			part(n, k)
		}
	}
	if from < len(text) {
		put(text[from:], inkBlock)
	}
	return s
}

func (l *lang) stateInk(s lexState) ink {
	if s == 1 {
		return inkComment
	}
	return inkLiteral
}

// fence returns what opens (0) or closes (1) a state.
func (l *lang) fence(s lexState, side int) string {
	if s == 1 {
		return l.block[side]
	}
	return l.long[s-2]
}

func (l *lang) begins(rest string) lexState {
	if l.block[0] != "" && strings.HasPrefix(rest, l.block[0]) {
		return 1
	}
	for n, q := range l.long {
		if strings.HasPrefix(rest, q) {
			return lexState(n + 2)
		}
	}
	return 0
}

// inside returns the bytes up to and with what closes a state.
func (l *lang) inside(rest string, s lexState) (int, bool) {
	end := l.fence(s, 1)
	if n := strings.Index(rest, end); n >= 0 {
		return n + len(end), true
	}
	return len(rest), false
}

// token returns the size and ink of what begins at i.
func (l *lang) token(text string, i int) (int, ink) {
	rest, c := text[i:], text[i]
	switch {
	case l.line != "" && strings.HasPrefix(rest, l.line) && (l.line != "#" || i == 0 || text[i-1] == ' ' || text[i-1] == '\n'):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return n, inkComment
		}
		return len(rest), inkComment
	case strings.IndexByte(l.quotes, c) >= 0:
		for n := 1; n < len(rest) && rest[n] != '\n'; n++ {
			switch rest[n] {
			case '\\':
				n++
			case c:
				return n + 1, inkLiteral
			}
		}
		return 1, inkBlock
	case c >= '0' && c <= '9' || letter(c) || c == '_' || c >= 0x80:
		n := 1
		for n < len(rest) && (letter(rest[n]) || rest[n] >= '0' && rest[n] <= '9' || rest[n] == '_' || rest[n] >= 0x80) {
			n++
		}
		switch {
		case c >= '0' && c <= '9':
			return n, inkLiteral
		case l.words[rest[:n]]:
			return n, inkKeyword
		}
		return n, inkBlock
	}
	return 1, inkBlock
}

// diffSpans colours the lines of a unified diff.
func diffSpans(text string) []span {
	var out []span
	for line := range strings.Lines(text) {
		k := inkBlock
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
			k = inkDim
		case strings.HasPrefix(line, "@@"):
			k = inkHunk
		case line[0] == '+':
			k = inkAdded
		case line[0] == '-':
			k = inkRemoved
		}
		out = append(out, span{line, k})
	}
	if len(out) == 0 {
		out = append(out, span{"", inkBlock})
	}
	return out
}

// isDiff reports whether a text looks like a unified diff.
func isDiff(text string) bool {
	head := text[:min(len(text), 4096)]
	if strings.HasPrefix(head, "diff --git ") || strings.HasPrefix(head, "@@ -") {
		return true
	}
	files := strings.HasPrefix(head, "--- ") || strings.Contains(head, "\n--- ")
	return files && strings.Contains(head, "\n+++ ") && strings.Contains(head, "\n@@ -")
}
