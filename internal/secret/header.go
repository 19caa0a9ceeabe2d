package secret

import (
	"encoding/base64"
	"strings"
)

// authorization finds what follows the name of the header: a scheme and its
// credentials, or a key alone.
func authorization(p *pass, start, end int) (int, int, bool) {
	i, ok := afterName(p.text, end)
	if !ok || p.nested(start) {
		return 0, 0, false
	}
	from, to, value := credentials(p.text, i)
	p.nestTo = max(p.nestTo, to)
	scheme := strings.ToLower(value)
	switch scheme {
	case "bearer", "basic", "token", "bot", "apikey", "api-key", "api-token", "api_key", "digest", "negotiate", "ntlm", "key", "hmac", "aws4-hmac-sha256", "aws", "signature", "dpop":
		next := to
		for next < len(p.text) && next < to+4 && (p.text[next] == ' ' || p.text[next] == '\t' || p.text[next] == '+') {
			next++
		}
		if strings.HasPrefix(p.text[next:], "%20") {
			next += 3
		}
		from, to, value = credentials(p.text, next)
		if scheme == "basic" && len(value) >= 6 && basic(value) {
			return from, to, true
		}
		if scheme == "digest" || strings.HasPrefix(scheme, "aws4") || scheme == "signature" {
			to = lineOrQuote(p.text, from)
			return from, to, to-from >= 20
		}
		return from, p.whole(from, to), likely(value)
	}
	return from, p.whole(from, to), len(value) >= 10 && likely(value)
}

// bearer finds a bearer token wherever the word stands.
func bearer(p *pass, start, end int) (int, int, bool) {
	if p.nested(start) {
		return 0, 0, false
	}
	from, to, value := credentials(p.text, end)
	p.nestTo = max(p.nestTo, to)
	return from, p.whole(from, to), len(value) >= 16 && likely(value)
}

// likely reports credentials, and not a word, a variable or a template.
func likely(v string) bool {
	m := classesOf(v)
	return len(v) >= 8 && !m.other && !placeholder(v) && m.digit > 0 && m.lower+m.upper > 0 && entropy(v) >= 2.5
}

// basic reports base64 of a user and a password.
func basic(v string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(v), "="))
	if err != nil {
		return false
	}
	_, password, ok := strings.Cut(string(raw), ":")
	return ok && !placeholder(password)
}

// afterName passes over quotes, blanks and the separator after a header's name.
func afterName(text string, i int) (int, bool) {
	seen := false
	for n := 0; n < 8 && i < len(text); n++ {
		c, width := at(text, i)
		switch c {
		case ':', '=', ',', '>':
			seen = true
		case ' ', '\t', '"', '\'', '`', ']', ')', '[', '+':
		default:
			return i, seen
		}
		i += width
	}
	return i, seen
}

// credentials reads a word of what headers may hold.
func credentials(text string, i int) (from, to int, value string) {
	from = i
	for i < len(text) && i-from < valueMax {
		c := text[i]
		if !alnum(c) && strings.IndexByte("-_.~+/=:$%{}<*", c) < 0 {
			break
		}
		i++
	}
	for i > from && (text[i-1] == '.' || text[i-1] == ':') { // the end of a sentence
		i--
	}
	return from, i, text[from:i]
}

// lineOrQuote returns where a line ends, or the string that holds it. The quotes
// of its parameters are part of it, so it ends at the quote that ends the line.
func lineOrQuote(text string, i int) int {
	last := i
	for last < len(text) && last-i < 2000 {
		c, width := at(text, last)
		if text[last] == '\n' || text[last] == '\r' || width > 1 && c == ' ' {
			break
		}
		last += width
	}
	last = min(last, len(text))
	return i + len(strings.TrimRight(text[i:last], `"'\,)} `))
}

// cookie finds the values of Cookie and Set-Cookie headers: the whole of the
// one, the first value of the other.
func cookie(p *pass, start, end int) (int, int, bool) {
	i, ok := afterName(p.text, end)
	if !ok || !strings.ContainsAny(p.text[end:min(len(p.text), end+3)], ":=") || p.nested(start) {
		return 0, 0, false
	}
	setting := start >= 4 && strings.EqualFold(p.text[start-4:start], "set-")
	from, to := i, i
	for to < len(p.text) && to-from < 4096 {
		c, width := at(p.text, to)
		if c == '\n' || c == '\r' || c == '"' || c == '\'' || c == '`' || width > 1 && c == ' ' || setting && c == ';' {
			break
		}
		to += width
	}
	to = min(to, len(p.text))
	p.nestTo = max(p.nestTo, to)
	name, value, ok := strings.Cut(p.text[from:to], "=")
	if !ok || name == "" || strings.ContainsAny(name, " (){}<>,") || !telltale(value) {
		return 0, 0, false
	}
	return from + len(name) + 1, to, true
}

// telltale reports that a cookie holds more than a setting: a long value with
// digits and letters.
func telltale(v string) bool {
	for part := range strings.SplitSeq(v, ";") {
		if _, after, ok := strings.Cut(part, "="); ok {
			part = after
		}
		part = strings.TrimSpace(part)
		if m := classesOf(part); len(part) >= 8 && m.digit > 0 && m.lower+m.upper > 0 && !placeholder(part) && entropy(part) >= 2.7 {
			return true
		}
	}
	return false
}
