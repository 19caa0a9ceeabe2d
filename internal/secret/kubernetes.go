package secret

import "strings"

// kubernetes finds the data of a Secret, which kubectl writes before the kind and
// people after it. All of it is taken, the names included: each value is one.
func kubernetes(p *pass, start, end int) (int, int, bool) {
	const reach = 8000
	after := p.text[end:min(len(p.text), end+reach)]
	if from, to, ok := dataOf(upTo(after)); ok {
		return end + from, end + to, true
	}
	first := max(0, start-reach)
	before := p.text[first:start]
	for _, stop := range []string{"kind", "\n---"} {
		if n := strings.LastIndex(before, stop); n >= 0 {
			first += n + len(stop)
			before = before[n+len(stop):]
		}
	}
	from, to, ok := dataOf(before)
	return first + from, first + to, ok
}

// upTo cuts a text where the next object begins.
func upTo(text string) string {
	for _, stop := range []string{"kind", "\n---"} {
		if n := strings.Index(text, stop); n >= 0 {
			text = text[:n]
		}
	}
	return text
}

// dataOf returns where the values of an object's data and stringData stand, in
// YAML or JSON.
func dataOf(object string) (from, to int, ok bool) {
	n := strings.Index(object, `"data"`)
	if n < 0 {
		n = strings.Index(object, `"stringData"`)
	}
	if n >= 0 {
		open := strings.IndexByte(object[n:], '{')
		if open < 0 || open > 20 {
			return 0, 0, false
		}
		from = n + open + 1
		shut := strings.IndexByte(object[from:], '}')
		if shut < 0 {
			shut = len(object) - from
		}
		body := strings.TrimSpace(object[from : from+shut])
		return from, from + shut, len(body) > 8
	}
	inside, depth := false, 0
	i := 0
	for line := range strings.Lines(object) {
		bare := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case bare == "data:" || bare == "stringData:":
			if inside = true; from == 0 {
				from, depth = i+len(line), indent
			}
		case bare == "":
		case inside && indent <= depth:
			inside = false
		case inside:
			to = i + len(strings.TrimRight(line, "\r\n"))
		}
		i += len(line)
	}
	return from, to, to > from+8
}
