// Package markup tells a person's words from what host agents write into the
// person's messages on their own: reminders in tags, reasons of hooks, contents of
// files, summaries. It does so for requests and transcripts alike, by the Markup in
// the rows of package host. It reads text and nothing else, and what no host claims
// is the person's.
//
//	var d markup.Divider // of one message
//	for _, text := range texts {
//		parts = append(parts, d.Divide(text)...)
//	}
package markup

import (
	"strings"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
)

// table is what all hosts write, together: a message does not say whose it is.
type table struct {
	exact                       map[string]bool // names of tags
	prefix                      []string        // beginnings of names of tags
	openings, rest, interrupted []string
	mid                         []host.Wrapper
	command, done               []string // what begins a command of a host, and the elements that end one
}

var everyHosts = sync.OnceValue(func() *table {
	m := &table{exact: map[string]bool{}}
	m.add(host.AnyMarkup)
	for _, h := range host.All() {
		m.add(h.Markup)
	}
	return m
})

func (m *table) add(h host.Markup) {
	for _, name := range h.Tags {
		if begin, ok := strings.CutSuffix(name, "*"); ok {
			m.prefix = append(m.prefix, begin)
		} else {
			m.exact[name] = true
		}
	}
	m.openings = append(m.openings, h.Openings...)
	m.rest = append(m.rest, h.Rest...)
	m.interrupted = append(m.interrupted, h.Interrupted...)
	m.command = append(m.command, h.Command...)
	if h.MidTurn.Before != "" {
		m.mid = append(m.mid, h.MidTurn)
	}
	if h.CommandDone != "" {
		m.done = append(m.done, h.CommandDone)
	}
}

func (m *table) isTag(name string) bool { return m.exact[name] || beginsWithAny(name, m.prefix) }

func beginsWithAny(text string, beginnings []string) bool {
	for _, b := range beginnings {
		if strings.HasPrefix(text, b) {
			return true
		}
	}
	return false
}

// Interrupted reports whether a text is how a host notes that the person broke off a
// reply: the turn did not end, it was ended.
func Interrupted(text string) bool {
	return beginsWithAny(strings.TrimSpace(text), everyHosts().interrupted)
}

// Divider divides the texts of one user message by author. A person's are only
// words that no host claims: what stands between tags may quote a file, and a
// file may hold closing tags, so all from the first tag of a text to the last is
// the host's.
type Divider struct {
	Results bool // the message holds tool results: text beside them is the host's
	typed   bool // but for what stands behind an interruption
	rest    bool // all that is left is the host's
	command bool // the texts that follow are those of a command, which a file holds
}

// Divide returns the spans of the next text of the message. They join to it.
func (d *Divider) Divide(text string) []trimtab.Part {
	all := everyHosts()
	if first, last := all.midTurn(text); last > first && !d.command && !d.rest {
		return []trimtab.Part{trimtab.Text{Text: text[:first], By: trimtab.Host}, trimtab.Text{Text: text[first:last], By: trimtab.Person}, trimtab.Text{Text: text[last:], By: trimtab.Host}}
	}
	first, last := d.claim(all, text)
	if beginsWithAny(strings.TrimSpace(text), all.interrupted) {
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

// midTurn returns the span of a text that a person typed while the agent worked, where it
// is one that a host wraps such words in, and nothing otherwise. What the host writes
// itself into the words, it writes in tags.
func (m *table) midTurn(text string) (first, last int) {
	for _, w := range m.mid {
		if strings.HasPrefix(text, w.Before) {
			last = strings.LastIndex(text, w.After)
			if first = len(w.Before); last < first || first < len(text) && m.holdsTag(text[first:last]) {
				return 0, 0
			}
			return first, last
		}
	}
	return 0, 0
}

func (m *table) holdsTag(text string) bool { first, _ := m.tags(text); return first < len(text) }

// MidTurn reports whether a text is what a host writes before words that a person typed
// while the agent worked.
func MidTurn(text string) bool {
	for _, w := range everyHosts().mid {
		if text == w.Before {
			return true
		}
	}
	return false
}

// claim returns the span of a text that is the host's. Blanks around it are, too.
func (d *Divider) claim(all *table, text string) (first, last int) {
	switch bare := strings.TrimSpace(text); {
	case all.endsCommand(bare):
		d.command = false
	case beginsWithAny(bare, all.command):
		d.command = true
	case d.command:
		return 0, len(text)
	}
	if d.rest || d.Results && !d.typed || beginsWithAny(strings.TrimSpace(text), all.openings) {
		return 0, len(text)
	}
	first, last = all.tags(text)
	for _, words := range all.rest {
		if k := strings.Index(text, words); k >= 0 {
			d.rest = true
			first, last = min(first, k), len(text)
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

// endsCommand reports whether a text is nothing but what a host's own command printed.
func (m *table) endsCommand(text string) bool {
	for _, name := range m.done {
		inner, opens := strings.CutPrefix(text, "<"+name+">")
		inner, shuts := strings.CutSuffix(inner, "</"+name+">")
		if opens && shuts && !strings.Contains(inner, "</"+name+">") {
			return true
		}
	}
	return false
}

// tags returns the place of the first host tag and the place behind the last. A
// tag that is never closed reaches to the end, and one that was never opened
// from the beginning. Without tags both are the end.
func (m *table) tags(text string) (first, last int) {
	first, last = -1, len(text)
	var open map[string]int
	for i := 0; ; {
		k := strings.IndexByte(text[i:], '<')
		if k < 0 {
			break
		}
		i += k
		name, closing, end := tag(text[i:])
		if name == "" || !m.isTag(name) {
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
