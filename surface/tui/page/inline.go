package page

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// prose reads the emphasis, code and links of a paragraph and returns it in inks.
func (p *pen) prose(text string, base ink) []span {
	if !strings.ContainsAny(text, "\\`*_~[<&:") {
		return []span{{text, base}}
	}
	old := p.scratch
	in := inline{pen: p, src: text, base: base, nodes: old.nodes[:0], runs: old.runs[:0], stack: old.stack[:0], brackets: old.brackets[:0]}
	in.scan()
	in.pair(0)
	spans := in.spans()
	p.scratch = in
	return spans
}

// node is a stretch of the paragraph: text, or a run of one delimiter.
type node struct {
	text  string
	at    int    // where it begins in the source; -1 if it is not from there
	ink   ink    // besides what lies over it
	on    layers // emphasis that begins behind this node
	off   layers // emphasis that ends before it
	run   byte
	count int16 // delimiters that are not used up
	size  int16
	kept  int16 // used, but shown because the theme has no style for them
	open  bool
	close bool
}

// layers counts strong, emphasis, strike, code and link.
type layers [5]int16

const strongLayer, emphLayer, strikeLayer, linkLayer = 0, 1, 2, 4

// bracket is a [ that may begin a link.
type bracket struct {
	node  int
	run   int // delimiters before it
	image bool
	dead  bool // inside a link there is no link
}

type inline struct {
	pen      *pen
	src      string
	base     ink
	at       int // bytes of src read
	text     int // where the text that is not yet a node begins
	nodes    []node
	runs     []int // nodes that are delimiter runs still in play
	stack    []int // those that may open emphasis
	brackets []bracket
	looked   int          // bytes that were looked at for addresses
	missing  map[int]bool // lengths of backtick runs that close nothing further on
}

func (in *inline) scan() {
	for in.at < len(in.src) {
		c := in.src[in.at]
		switch {
		case c == '\\' && in.at+1 < len(in.src) && punct(in.src[in.at+1]):
			in.flush()
			in.text = in.at + 1
			in.at += 2
		case c == '\\' && strings.HasPrefix(in.src[in.at:], "\\\n"):
			in.flush()
			in.at++
			in.text = in.at
		case c == '`':
			in.code()
		case c == '*' || c == '_' || c == '~':
			in.delimiters(c)
		case c == '[' || c == '!' && strings.HasPrefix(in.src[in.at:], "!["):
			in.bracket(c == '!')
		case c == ']':
			in.link()
		case c == '<':
			in.angle()
		case c == '&':
			in.entity()
		case c == ':' && strings.HasPrefix(in.src[in.at:], "://"):
			in.address()
		default:
			in.at++
		}
	}
	in.flush()
}

func punct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// flush makes a node of the text that was passed over.
func (in *inline) flush() {
	if in.text < in.at {
		in.nodes = append(in.nodes, node{text: in.src[in.text:in.at], at: in.text})
	}
	in.text = in.at
}

// take makes a node and goes on n bytes further.
func (in *inline) take(text string, i ink, n int) {
	in.flush()
	in.nodes = append(in.nodes, node{text: text, at: -1, ink: i})
	in.at += n
	in.text = in.at
}

func (in *inline) code() {
	n := runLength(in.src[in.at:], '`')
	rest := in.src[in.at+n:]
	if in.missing[n] {
		in.at += n
		return
	}
	for i := 0; i < len(rest); {
		if rest[i] != '`' {
			i++
			continue
		}
		m := runLength(rest[i:], '`')
		if m != n {
			i += m
			continue
		}
		text := strings.ReplaceAll(rest[:i], "\n", " ")
		if len(text) > 2 && text[0] == ' ' && text[len(text)-1] == ' ' && strings.Trim(text, " ") != "" {
			text = text[1 : len(text)-1]
		}
		if in.pen.bare(inkCode) {
			text = in.src[in.at:in.at+n] + text + in.src[in.at:in.at+n]
		}
		in.take(text, inkCode, n+i+n)
		return
	}
	if in.missing == nil {
		in.missing = map[int]bool{}
	}
	in.missing[n] = true
	in.at += n
}

func runLength(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// delimiters notes a run that may begin or end emphasis.
func (in *inline) delimiters(c byte) {
	n := runLength(in.src[in.at:], c)
	if c == '~' && n != 2 {
		in.at += n
		return
	}
	before, _ := utf8.DecodeLastRuneInString(in.src[:in.at])
	after, _ := utf8.DecodeRuneInString(in.src[in.at+n:])
	if in.at == 0 {
		before = ' '
	}
	if in.at+n == len(in.src) {
		after = ' '
	}
	spaceB, spaceA, markB, markA := unicode.IsSpace(before), unicode.IsSpace(after), isMark(before), isMark(after)
	left := !spaceA && (!markA || spaceB || markB)
	right := !spaceB && (!markB || spaceA || markA)
	size := int16(min(n, maxLine))
	nd := node{text: in.src[in.at : in.at+n], at: in.at, run: c, count: size, size: size, open: left, close: right}
	if c == '_' {
		nd.open, nd.close = left && (!right || markB), right && (!left || markA)
	}
	in.flush()
	in.runs = append(in.runs, len(in.nodes))
	in.nodes = append(in.nodes, nd)
	in.at += n
	in.text = in.at
}

func isMark(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// pair matches the delimiter runs from the given one on, by the rules of
// CommonMark, and takes them out of play.
func (in *inline) pair(from int) {
	var floor [3 * 3 * 2]int // by kind of closer: below, no opener is left for it
	live := in.runs[from:]
	stack := in.stack[:0]
	for _, ci := range live {
		closer := &in.nodes[ci]
		for closer.close && closer.count > 0 {
			key := closer.key()
			k := len(stack) - 1
			for k >= floor[key] && !matches(in.nodes[stack[k]], *closer) {
				k--
			}
			if k < floor[key] {
				floor[key] = len(stack)
				break
			}
			in.join(&in.nodes[stack[k]], closer)
			keep := k
			if in.nodes[stack[k]].count > 0 {
				keep++
			}
			stack = stack[:keep]
			for key, n := range floor {
				floor[key] = min(n, keep)
			}
		}
		if closer.open && closer.count > 0 {
			stack = append(stack, ci)
		}
	}
	in.runs, in.stack = in.runs[:from], stack
}

// key numbers the kinds of closer.
func (n *node) key() int {
	k := int(n.size % 3)
	if n.open {
		k += 3
	}
	switch n.run {
	case '_':
		k += 6
	case '~':
		k += 12
	}
	return k
}

func matches(open, close node) bool {
	if open.run != close.run || open.count == 0 {
		return false
	}
	if open.run != '~' && (open.close || close.open) && (open.size+close.size)%3 == 0 && (open.size%3 != 0 || close.size%3 != 0) {
		return false
	}
	return true
}

// join lays emphasis over what stands between two runs.
func (in *inline) join(open, close *node) {
	n, layer := int16(1), emphLayer
	if open.count >= 2 && close.count >= 2 {
		n, layer = 2, strongLayer
	}
	if open.run == '~' {
		layer = strikeLayer
	}
	open.count -= n
	close.count -= n
	if in.pen.bare(inkStrong << layer) {
		open.kept += n
		close.kept += n
		return
	}
	open.on[layer]++
	close.off[layer]++
}

// spans returns the paragraph in inks.
func (in *inline) spans() []span {
	out := make([]span, 0, 16)
	var depth layers
	end := -1 // of the last span in the source
	for _, n := range in.nodes {
		i := in.base | n.ink
		if base := n.ink & inkBase; base != 0 {
			i = i&^inkBase | base
		}
		for l := range depth {
			depth[l] -= n.off[l]
			if depth[l] > 0 {
				i |= inkStrong << l
			}
			depth[l] += n.on[l]
		}
		text := n.text
		if n.run != 0 {
			text = text[:n.count+n.kept]
		}
		if text == "" {
			continue
		}
		if k := len(out) - 1; k >= 0 && out[k].ink == i && n.at >= 0 && n.at == end {
			end += len(text)
			out[k].text = in.src[end-len(out[k].text)-len(text) : end]
			continue
		}
		out = append(out, span{text, i})
		end = -1
		if n.at >= 0 {
			end = n.at + len(text)
		}
	}
	if len(out) == 0 {
		out = append(out, span{"", in.base})
	}
	return out
}

// entity writes out a character reference. What it stands for is made harmless
// like everything else.
func (in *inline) entity() {
	end := strings.IndexByte(in.src[in.at:min(in.at+34, len(in.src))], ';')
	if end < 2 {
		in.at++
		return
	}
	name := in.src[in.at : in.at+end+1]
	text := html.UnescapeString(name)
	if text == name {
		in.at++
		return
	}
	in.take(termsafe.Line(text), 0, len(name))
}
