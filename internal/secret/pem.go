package secret

import "strings"

// The longest label of a key block, and the longest body that is looked through
// for its end: an RSA key of 16,384 bits, escaped twice, has its place in it.
const (
	labelMax = 110
	bodyMax  = 20_000
)

// pem finds private keys between their BEGIN and END lines, over the ends of
// lines, in JSON strings and in URLs. One that was cut off is taken as far as it
// goes.
func pem(p *pass, start, end int) (int, int, bool) {
	body, ok := label(p.text, end)
	if !ok {
		return 0, 0, false
	}
	window := p.text[body:min(len(p.text), body+bodyMax)]
	if n := strings.Index(window, "-----BEGIN"); n >= 0 {
		window = window[:n]
	}
	n := strings.Index(window, "-----END")
	if n < 0 {
		n = cutBody(window)
		return start, body + n, n >= 24
	}
	if !keyText(window[:n]) {
		return 0, 0, false
	}
	to := body + n + len("-----END")
	if m := strings.Index(p.text[to:min(len(p.text), to+2*labelMax)], "-----"); m >= 0 {
		to += m + len("-----")
	}
	return start, to, true
}

// label reads the rest of a BEGIN line and reports whether it is that of a
// private key.
func label(text string, i int) (end int, ok bool) {
	var b strings.Builder
	for i < len(text) && b.Len() < labelMax {
		c, width := at(text, i)
		if c == '+' { // a blank in a form
			c = ' '
		}
		if !alnum(c) && c != ' ' && c != '-' && c != '_' {
			return 0, false
		}
		b.WriteByte(c)
		i += width
		if strings.HasSuffix(b.String(), "-----") {
			return i, strings.Contains(strings.ToUpper(b.String()), "PRIVATE KEY")
		}
	}
	return 0, false
}

// keyText reports whether what stands between the lines is a key, and not three
// dots or the source of a program that writes keys.
func keyText(body string) bool {
	letters, run, longest := 0, 0, 0
	for i := 0; i < len(body); {
		c, width := at(body, i)
		i += width
		if sextet(c) < 0 {
			run = 0
			continue
		}
		letters, run = letters+1, run+1
		longest = max(longest, run)
	}
	return longest >= 16 && letters >= 40 && letters*2 > len(body)
}

// cutBody returns how far a body without an end goes: over words of at least 16
// characters of base64.
func cutBody(body string) int {
	end := 0
	for i := 0; i < len(body); {
		from := i
		for i < len(body) {
			c, width := at(body, i)
			if sextet(c) < 0 && c != '=' {
				break
			}
			i += width
		}
		if i-from >= 16 {
			end = i
		} else if i > from {
			return end
		}
		next := lineEnd(body, i)
		if next == i {
			return end
		}
		i = next
	}
	return end
}
