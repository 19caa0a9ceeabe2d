package secret

import (
	"bytes"
	"strconv"
	"strings"
)

// Added is a secret in a line that a patch adds.
type Added struct {
	Finding        // within the added lines of its part of the patch; Start and End count from their beginning
	File    string `json:"file"`
	Line    int    `json:"line"` // in the new file, from 1
}

// FindDiff returns the secrets that a patch in the unified format adds. Lines
// that it takes away or only shows do not count.
func (s *Scanner) FindDiff(patch []byte) []Added {
	d := diff{scanner: s}
	for len(patch) > 0 {
		line, rest, _ := bytes.Cut(patch, []byte("\n"))
		patch = rest
		d.line(string(bytes.TrimSuffix(line, []byte("\r"))))
	}
	d.flush()
	return d.out
}

// diff is a patch under way. Added lines that follow each other are looked at as
// one text, so that a key over many lines is one finding.
type diff struct {
	scanner *Scanner
	out     []Added
	file    string
	right   int // lines of the new file that the part still has; those it takes away need no counting
	columns int // of signs before a line: one, and more in a merge
	next    int // the number of the next line of the new file
	first   int // that of the first line of text
	text    strings.Builder
}

func (d *diff) line(s string) {
	if d.right <= 0 {
		d.head(s)
		return
	}
	if strings.HasPrefix(s, `\`) { // "No newline at end of file"
		return
	}
	n := min(d.columns, len(s))
	switch signs := s[:n]; {
	case strings.Contains(signs, "-"):
		d.flush()
	case strings.Contains(signs, "+"):
		d.add(s[n:])
	default:
		d.flush()
		d.right--
		d.next++
	}
}

func (d *diff) add(s string) {
	if d.text.Len() == 0 {
		d.first = d.next
	}
	d.text.WriteString(s)
	d.text.WriteByte('\n')
	d.right--
	d.next++
}

// head reads a line outside the parts of a patch.
func (d *diff) head(s string) {
	if name, ok := strings.CutPrefix(s, "+++ "); ok {
		d.flush()
		d.file = fileName(name)
		return
	}
	if plus, ok := strings.CutPrefix(s, "+"); ok { // a part longer than it says: better looked at than passed over
		d.add(plus)
		return
	}
	d.flush()
	if !strings.HasPrefix(s, "@@") {
		return
	}
	d.columns = max(1, len(s)-len(strings.TrimLeft(s, "@"))-1)
	for _, field := range strings.Fields(strings.Trim(s, "@")) {
		start, count, ok := strings.Cut(field, ",")
		if !strings.HasPrefix(start, "+") {
			continue
		}
		if !ok {
			count = "1"
		}
		first, err1 := strconv.Atoi(start[1:])
		n, err2 := strconv.Atoi(count)
		if err1 == nil && err2 == nil {
			d.next, d.right = first, n
		}
		return
	}
}

// fileName takes the quotes, the b/ and what diff writes after a tab off a name.
func fileName(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	if plain, err := strconv.Unquote(s); err == nil {
		s = plain
	}
	return strings.TrimPrefix(s, "b/")
}

func (d *diff) flush() {
	text := d.text.String()
	d.text.Reset()
	if text == "" {
		return
	}
	for _, f := range d.scanner.Find(text) {
		d.out = append(d.out, Added{Finding: f, File: d.file, Line: d.first + strings.Count(text[:f.Start], "\n")})
	}
}
