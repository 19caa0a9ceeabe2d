// Package host knows what the host agents write into a person's messages on their
// own: reminders in tags, reasons of hooks, contents of files, summaries. It tells
// a person's words from theirs, for requests and transcripts alike. It reads text
// and nothing else, and what no host claims is the person's.
//
//	var d host.Divider // of one message
//	for _, text := range texts {
//		parts = append(parts, d.Divide(text)...)
//	}
package host

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/trimtab/trimtab"
)

// Hosts write into user messages on their own: reminders in tags, reasons of
// hooks, contents of files, summaries. Their words for it are in host.json, by
// host, and nowhere else; when a version brings new ones, they go there.
//
//	tags         text between <name …> and </name>; a * ends a name that begins so
//	openings     texts that begin so are the host's as a whole
//	rest         from these words on, the rest of the message is the host's
//	interrupted  beside tool results, what stands behind such a text was typed
//
//go:embed host.json
var hostWords []byte

type hostTable struct {
	Tags        map[string][]string `json:"tags"`
	Openings    map[string][]string `json:"openings"`
	Rest        map[string][]string `json:"rest"`
	Interrupted map[string][]string `json:"interrupted"`

	exact  map[string]bool
	prefix []string
}

var hosts = sync.OnceValue(func() *hostTable {
	t := &hostTable{exact: map[string]bool{}}
	if err := json.Unmarshal(hostWords, t); err != nil {
		panic("host.json: " + err.Error())
	}
	for _, names := range t.Tags {
		for _, name := range names {
			if begin, ok := strings.CutSuffix(name, "*"); ok {
				t.prefix = append(t.prefix, begin)
			} else {
				t.exact[name] = true
			}
		}
	}
	return t
})

func (t *hostTable) isTag(name string) bool {
	if t.exact[name] {
		return true
	}
	for _, begin := range t.prefix {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

func begins(text string, with map[string][]string) bool {
	text = strings.TrimSpace(text)
	for _, list := range with {
		for _, w := range list {
			if strings.HasPrefix(text, w) {
				return true
			}
		}
	}
	return false
}

// Divider divides the texts of one user message by author. A person's are only
// words that no host claims: what stands between tags may quote a file, and a
// file may hold closing tags, so all from the first tag of a text to the last is
// the host's.
type Divider struct {
	Results bool // the message holds tool results: text beside them is the host's
	typed   bool // but for what stands behind an interruption
	rest    bool // all that is left is the host's
}

// Divide returns the spans of the next text of the message. They join to it.
func (d *Divider) Divide(text string) []trimtab.Part {
	table := hosts()
	first, last := d.claim(table, text)
	if begins(text, table.Interrupted) {
		d.typed = true
	}
	parts := make([]trimtab.Part, 0, 3)
	add := func(text string, by trimtab.Author) {
		if text != "" {
			parts = append(parts, trimtab.Text{Text: text, By: by})
		}
	}
	add(text[:first], trimtab.Person)
	add(text[first:last], trimtab.Host)
	add(text[last:], trimtab.Person)
	return parts
}

// claim returns the span of a text that is the host's. Blanks around it are, too.
func (d *Divider) claim(table *hostTable, text string) (first, last int) {
	if d.rest || d.Results && !d.typed || begins(text, table.Openings) {
		return 0, len(text)
	}
	first, last = table.tags(text)
	for _, list := range table.Rest {
		for _, words := range list {
			if k := strings.Index(text, words); k >= 0 {
				d.rest = true
				first, last = min(first, k), len(text)
			}
		}
	}
	if last > first && strings.TrimSpace(text[:first]) == "" {
		first = 0
	}
	if last > first && strings.TrimSpace(text[last:]) == "" {
		last = len(text)
	}
	return first, last
}

// tags returns the place of the first host tag and the place behind the last. A
// tag that is never closed reaches to the end, and one that was never opened
// from the beginning. Without tags both are the end.
func (t *hostTable) tags(text string) (first, last int) {
	first, last = -1, len(text)
	var open map[string]int
	for i := 0; ; {
		k := strings.IndexByte(text[i:], '<')
		if k < 0 {
			break
		}
		i += k
		name, closing, end := tag(text[i:])
		if name == "" || !t.isTag(name) {
			i++
			continue
		}
		if first < 0 {
			first, open = i, map[string]int{}
			if closing {
				first = 0
			}
		}
		if closing {
			open[name]--
			last = i + end
		} else {
			open[name]++
			last = len(text)
		}
		i += end
	}
	if first < 0 {
		return len(text), len(text)
	}
	for _, n := range open {
		if n > 0 {
			last = len(text)
		}
	}
	return first, last
}

const maxTagName, maxTag = 64, 1024

// tag reads the tag at the start of s; end is the place behind it. The name is
// "" where there is none.
func tag(s string) (name string, closing bool, end int) {
	i := 1
	if closing = strings.HasPrefix(s, "</"); closing {
		i = 2
	}
	begin := i
	for i < len(s) && i-begin <= maxTagName && isNameByte(s[i]) {
		i++
	}
	if i == begin || i == len(s) || strings.IndexByte("> \t\r\n/", s[i]) < 0 {
		return "", false, i
	}
	name, end = s[begin:i], i
	if k := strings.IndexByte(s[i:min(len(s), maxTag)], '>'); k >= 0 {
		end = i + k + 1
	}
	return name, closing, end
}

func isNameByte(b byte) bool {
	return b == '-' || b == '_' || b == ':' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}
