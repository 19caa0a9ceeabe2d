package secret

import "strings"

// userinfo finds the password in the address of anything:
// scheme://user:password@host, and a long user that is a token.
func userinfo(p *pass, start, end int) (int, int, bool) {
	if start == 0 || !alnum(p.text[start-1]) {
		return 0, 0, false
	}
	colon, i := -1, end
	for i < len(p.text) && i-end < 300 {
		c, width := at(p.text, i)
		if p.text[i] == '%' { // escaped: part of the name or the password
			c = '%'
		}
		if c == '@' {
			break
		}
		if c <= ' ' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '/' && width == 1 || c == '\\' || c == '#' && colon < 0 || c == '?' && colon < 0 {
			return 0, 0, false
		}
		if c == ':' && colon < 0 {
			colon = i + width
		}
		i += width
	}
	if i >= len(p.text) || i-end >= 300 {
		return 0, 0, false
	}
	if colon < 0 {
		user := p.text[end:i]
		m := classesOf(user)
		return end, i, len(user) >= 20 && m.digit >= 2 && !m.other && !placeholder(user) && entropy(user) >= 3
	}
	password := p.text[colon:i]
	return colon, i, len(password) >= 3 && !placeholder(password) && !strings.ContainsAny(password, "{}()[]")
}

// awsSecret finds the forty characters that belong to an access key, close to
// it: nothing else tells them.
func awsSecret(p *pass, start, end int) (int, int, bool) {
	const near = 300
	text := p.text
	if !opens(text, start) || end+16 > len(text) || classesOf(text[end:end+16]).lower > 0 || classesOf(text[end:end+16]).sign > 0 {
		return 0, 0, false
	}
	for _, w := range [][2]int{{end + 16, min(len(text), end+16+near)}, {max(0, start-near), start}} {
		for i := w[0]; i < w[1]; {
			from, n := i, 0
			for i < w[1] {
				c, width := at(text, i)
				if !alnum(c) && c != '/' && c != '+' {
					break
				}
				n++
				i += width
			}
			if v := text[from:min(i, len(text))]; n == 40 {
				if m := classesOf(v); m.upper > 0 && m.lower > 0 && m.digit > 0 && entropy(v) >= 4 && !example(v) {
					return from, i, true
				}
			}
			i = max(i, from) + 1
		}
	}
	return 0, 0, false
}

// curlUser finds the user and password that a curl command is given.
func curlUser(p *pass, start, end int) (int, int, bool) {
	if !strings.Contains(p.text[max(0, start-300):start], "curl") { // a command may have several lines
		return 0, 0, false
	}
	i := end
	for i < len(p.text) && i < end+6 && strings.IndexByte(" =\t\n", p.text[i]) >= 0 {
		i++
	}
	from, quote := i, byte(0)
	for i < len(p.text) && i-from < 256 {
		c, width := at(p.text, i)
		if quote == 0 && space(c) {
			break
		}
		if c == '"' || c == '\'' {
			switch quote {
			case 0:
				quote = c
			case c:
				quote = 0
			}
		}
		i += width
	}
	i = min(i, len(p.text))
	user, password, ok := strings.Cut(p.text[from:i], ":")
	password = strings.Trim(password, `'"\`)
	if !ok || placeholder(password) && (password != "" || len(user) < 16) || strings.HasPrefix(password, "//") {
		return 0, 0, false
	}
	return from, i, true
}

// netrc finds the password of a machine in a .netrc file.
func netrc(p *pass, start, end int) (int, int, bool) {
	before := p.text[max(0, start-300):start]
	if !strings.Contains(before, "machine") && !strings.Contains(before, "default") {
		return 0, 0, false
	}
	rest := p.text[end:min(len(p.text), end+400)]
	n := strings.Index(rest, "password")
	if n < 0 {
		return 0, 0, false
	}
	i := lineEnd(p.text, end+n+len("password"))
	if i == end+n+len("password") {
		return 0, 0, false
	}
	from := i
	for i < len(p.text) && i-from < 256 {
		c, width := at(p.text, i)
		if space(c) || c == '"' {
			break
		}
		i += width
	}
	return from, i, i-from >= 3 && !placeholder(p.text[from:min(i, len(p.text))])
}

// putty finds the private lines of a key in PuTTY's own format.
func putty(p *pass, start, end int) (int, int, bool) {
	window := p.text[end:min(len(p.text), end+bodyMax)]
	n := strings.Index(window, "Private-Lines:")
	if n < 0 {
		return 0, 0, false
	}
	to := end + n + len("Private-Lines:")
	if line := strings.IndexByte(p.text[to:min(len(p.text), to+20)], '\n'); line >= 0 {
		to += line + 1
	}
	return start, to + cutBody(p.text[to:min(len(p.text), to+bodyMax)]), true
}
