package secret

import "strings"

// escapes are those of a URL that stand beside a secret. Where one is met, what
// is around it is looked at as it was before it was escaped.
func escapes() []string {
	return []string{"%20", "%22", "%3D", "%3d", "%3A", "%3a", "%2F", "%2f", "%2B", "%2b", "%0A", "%0a"}
}

// unescape looks at the escaped text around a place.
func (p *pass) unescape(start int) {
	if p.depth > 1 || start < p.escaped {
		return
	}
	from, to := start, start
	for from > 0 && start-from < windowBack && from > p.escaped && inURL(p.text[from-1]) {
		from--
	}
	for to < len(p.text) && to-start < windowAhead && inURL(p.text[to]) {
		to++
	}
	p.escaped = to
	text := p.text[from:to]
	form := !strings.Contains(text, "%20") // in which + is a blank
	inside, places := make([]byte, 0, len(text)), make([]int, 0, len(text)+1)
	for i := 0; i < len(text); {
		c, width := text[i], 1
		if c == '+' && form {
			c = ' '
		} else if c == '%' && i+2 < len(text) {
			if v, ok := hexPair(text[i+1], text[i+2]); ok {
				c, width = v, 3
			}
		}
		inside, places = append(inside, c), append(places, from+i)
		i += width
	}
	places = append(places, to)
	p.inside(string(inside), func(start, end int) (int, int) { return places[start], places[end] })
}

// inURL reports a character that a URL, or what was escaped for one, may hold.
func inURL(c byte) bool {
	return c > ' ' && c < 0x7F && c != '"' && c != '<' && c != '>' && c != '`' && c != '\\' && c != '\''
}
