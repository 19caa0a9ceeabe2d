package shell

import (
	"strings"
	"unicode/utf8"
)

// escaped reads a backslash outside of quotes.
func (r *reader) escaped(d *draft) {
	r.at++
	if r.at >= len(r.text) || r.text[r.at] == '\n' {
		r.strange("a line goes on after a backslash")
		return
	}
	_, n := utf8.DecodeRuneInString(r.text[r.at:])
	d.add(r.text[r.at : r.at+n])
	d.quoted = true
	r.at += n
}

// quoted reads up to the closing double quote.
func (r *reader) quoted(d *draft, depth int) {
	d.in, d.quoted = true, true
	for r.odd == "" {
		if r.at >= len(r.text) {
			r.strange("a quote is open")
			return
		}
		switch c := r.text[r.at]; c {
		case '"':
			r.at++
			return
		case '$', '`':
			r.expansion(d, depth)
		case '\\':
			next := r.peek(1)
			switch {
			case next == '\n' || next == 0:
				r.strange("a line goes on after a backslash")
				return
			case strings.IndexByte("$`\"\\", next) >= 0:
				d.add(string(next))
			default:
				d.add(string([]byte{c, next})) // more bytes of a rune follow as they are
			}
			r.at += 2
		default:
			d.add(string(c))
			r.at++
		}
	}
}

// expansion reads what begins with a dollar sign or a backtick. The commands in
// it are parts like any other.
func (r *reader) expansion(d *draft, depth int) {
	if r.text[r.at] == '`' {
		end := strings.IndexByte(r.text[r.at+1:], '`')
		if end < 0 || strings.Contains(r.text[r.at+1:r.at+1+end], "\\") {
			r.strange("its backticks are nested or open")
			return
		}
		d.in, d.open = true, true
		r.at++
		r.list("`", depth+1)
		return
	}
	next := r.peek(1)
	switch {
	case next == '(' && r.peek(2) != '(':
		d.in, d.open = true, true
		r.at += 2
		r.list(")", depth+1)
	case strings.IndexByte("({[\"'", next) >= 0 && next != 0:
		r.strange("it has $" + string(next))
	case nameByte(next) || next != 0 && strings.IndexByte("@*#?-$!", next) >= 0:
		d.in, d.open = true, true
		r.at += 2
		for nameByte(r.peek(0)) {
			r.at++
		}
	default:
		d.add("$")
		r.at++
	}
}

func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// redirect reads a redirect. Only what goes to another stream or to nowhere has
// no effect of its own; a file, a here-document, a network path does.
func (r *reader) redirect(d *draft) {
	if text := d.word.String(); d.in && !d.quoted && !d.open && strings.Trim(text, "0123456789") == "" {
		*d = draft{words: d.words} // the number of a stream
	} else {
		d.endWord()
	}
	rest := r.text[r.at:]
	for _, op := range []string{">&", "<&"} {
		if to, ok := strings.CutPrefix(rest, op); ok {
			n := 0
			for n < len(to) && to[n] >= '0' && to[n] <= '9' {
				n++
			}
			if n == 1 && ends(to[n:]) {
				r.at += len(op) + n
				return
			}
			r.strange("it redirects to a file")
			return
		}
	}
	for _, op := range []string{">>", ">", "<"} {
		if to, ok := strings.CutPrefix(rest, op); ok {
			name := strings.TrimLeft(to, " \t")
			if after, ok := strings.CutPrefix(name, "/dev/null"); ok && ends(after) {
				r.at += len(rest) - len(after)
				return
			}
			break
		}
	}
	r.strange("it redirects to or from a file")
}

// ends reports whether a word is over here.
func ends(rest string) bool { return rest == "" || strings.IndexByte(" \t\n;&|)`", rest[0]) >= 0 }
