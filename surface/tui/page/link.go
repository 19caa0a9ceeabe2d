package page

import (
	"html"
	"strings"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// maxAddress is the longest address of a link; a longer one is text.
const maxAddress = 2000

// maxLooked is how much of a paragraph is looked at for addresses that turn out
// to be none.
const maxLooked = 32 << 10

func (in *inline) bracket(image bool) {
	n := 1
	if image {
		n = 2
	}
	in.flush()
	in.brackets = append(in.brackets, bracket{node: len(in.nodes), run: len(in.runs), image: image})
	in.nodes = append(in.nodes, node{text: in.src[in.at : in.at+n], at: in.at})
	in.at += n
	in.text = in.at
}

// link ends a link at its ], if an address follows. The address is shown: what a
// link says and where it leads are two things.
func (in *inline) link() {
	if len(in.brackets) == 0 {
		in.at++
		return
	}
	b := in.brackets[len(in.brackets)-1]
	in.brackets = in.brackets[:len(in.brackets)-1]
	rest := in.src[in.at+1:]
	if b.dead || rest == "" || rest[0] != '(' || in.looked > maxLooked {
		in.at++
		return
	}
	dest, n, ok := destination(rest)
	if !ok {
		in.looked += min(len(rest), maxAddress)
		in.at++
		return
	}
	in.flush()
	in.pair(b.run)
	label := ""
	for _, nd := range in.nodes[b.node+1:] {
		if nd.run != 0 {
			nd.text = nd.text[:nd.count+nd.kept]
		}
		label += nd.text
	}
	in.nodes[b.node].text = ""
	in.nodes[b.node].on[linkLayer]++
	in.nodes = append(in.nodes, node{at: -1, off: layers{linkLayer: 1}})
	dest = termsafe.Line(html.UnescapeString(dest))
	switch {
	case dest == "":
	case label == "":
		in.nodes = append(in.nodes, node{text: dest, at: -1, ink: inkLink})
	case label != dest && label != strings.TrimPrefix(dest, "mailto:"):
		in.nodes = append(in.nodes, node{text: " (" + dest + ")", at: -1, ink: inkAddress})
	}
	if !b.image {
		for i := range in.brackets {
			in.brackets[i].dead = in.brackets[i].dead || !in.brackets[i].image
		}
	}
	in.at += 1 + n
	in.text = in.at
}

// destination reads "(address "title")" and returns the address and its size.
func destination(s string) (dest string, size int, ok bool) {
	s = s[:min(len(s), maxAddress)]
	i := 1 + spaces(s[1:])
	begin, depth := i, 0
	if i < len(s) && s[i] == '<' {
		end := strings.IndexAny(s[i+1:], "<>\n")
		if end < 0 || s[i+1+end] != '>' {
			return "", 0, false
		}
		dest, i = s[i+1:i+1+end], i+end+2
	} else {
	address:
		for ; i < len(s); i++ {
			switch c := s[i]; {
			case c == ' ' || c == '\n':
				break address
			case c == '\\' && i+1 < len(s) && punct(s[i+1]):
				i++
			case c == '(':
				depth++
			case c == ')' && depth == 0:
				break address
			case c == ')':
				depth--
			}
		}
		dest = s[begin:min(i, len(s))]
	}
	gap := spaces(s[min(i, len(s)):])
	i += gap
	if i < len(s) && gap > 0 && strings.IndexByte(`"'`, s[i]) >= 0 {
		end := strings.IndexByte(s[i+1:], s[i])
		if end < 0 {
			return "", 0, false
		}
		i += end + 2
		i += spaces(s[i:])
	}
	if i >= len(s) || s[i] != ')' || depth > 0 {
		return "", 0, false
	}
	return dest, i + 1, true
}

func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \n")) }

// angle reads <https://…>, <name@host> and <br>; other HTML stays as it is.
func (in *inline) angle() {
	rest := in.src[in.at+1:]
	end := strings.IndexAny(rest[:min(len(rest), maxAddress)], "<> \n")
	for _, br := range []string{"br>", "br/>", "br />"} {
		if len(rest) >= len(br) && strings.EqualFold(rest[:len(br)], br) {
			in.take("\n", 0, 1+len(br))
			return
		}
	}
	if end <= 0 || rest[end] != '>' || !strings.Contains(rest[:end], ":") && !strings.Contains(rest[:end], "@") {
		in.at++
		return
	}
	in.take(rest[:end], inkLink, end+2)
}

// address reads an address that stands in the text, so that its underscores and
// stars are no emphasis.
func (in *inline) address() {
	scheme := in.at
	for scheme > in.text && letter(in.src[scheme-1]) {
		scheme--
	}
	switch strings.ToLower(in.src[scheme:in.at]) {
	case "http", "https", "ftp", "file", "ssh", "git":
	default:
		in.at += 3
		return
	}
	rest := in.src[in.at+3:]
	end := strings.IndexAny(rest, " \n<>\"`|")
	if end < 0 {
		end = len(rest)
	}
	for end > 0 && strings.IndexByte(".,:;!?'*_~", rest[end-1]) >= 0 {
		end--
	}
	url := rest[:end]
	for _, pair := range []string{"()", "[]"} {
		if i := unbalanced(url, pair[0], pair[1]); i >= 0 {
			url = url[:i]
		}
	}
	if i := strings.IndexAny(url, "[]*"); i >= 0 {
		url = url[:i]
	}
	after := in.at + 3 + len(url)
	in.at = scheme
	in.take(in.src[scheme:after], inkLink, after-scheme)
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// unbalanced returns the first closing mark that nothing opened, or -1.
func unbalanced(s string, open, close byte) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case open:
			depth++
		case close:
			depth--
			if depth < 0 {
				return i
			}
		}
	}
	return -1
}
