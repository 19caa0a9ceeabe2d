package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The layers that are not files.
const (
	BuiltIn     = "built in"
	Environment = "environment"
	Flags       = "flags"
)

// Origin says where a value comes from.
type Origin struct {
	Layer string `json:"layer"`          // "built in", a file's layer, "environment" or "flags"
	File  string `json:"file,omitempty"` //
	Line  int    `json:"line,omitempty"` // from 1; 0 is none
	Name  string `json:"name,omitempty"` // the environment variable, or --set
}

// String is the place in short, such as trimtab.json:3.
func (o Origin) String() string {
	switch {
	case o.File != "" && o.Line > 0:
		return fmt.Sprintf("%s:%d", clean(o.File), o.Line)
	case o.File != "":
		return clean(o.File)
	case o.Name != "":
		return clean(o.Name)
	}
	return o.Layer
}

// Problem is something in a layer that did not take effect.
type Problem struct {
	Origin
	Column  int    `json:"column,omitempty"`  // in characters, from 1; 0 is none
	Key     string `json:"key,omitempty"`     // the path, as far as it is known
	Value   string `json:"value,omitempty"`   // as it was written, shortened
	Allowed string `json:"allowed,omitempty"` // what the key takes
	Nearest string `json:"nearest,omitempty"` // what was perhaps meant
	Text    string `json:"text"`              // what is wrong and what to do
}

// Error is the problem in one line: where, which key, what to do.
func (p Problem) Error() string {
	where := p.String()
	if p.Column > 0 {
		where = fmt.Sprintf("%s:%d", where, p.Column)
	}
	if p.Key == "" {
		return where + ": " + p.Text
	}
	return where + ": " + p.Key + ": " + p.Text
}

// Report says where each value of a loaded config comes from, and what was
// refused on the way.
type Report struct {
	Origins  map[string]Origin // by key; entries of a map by key.entry
	Problems []Problem         // in the order of the layers
	locks    *locks
}

// Locked says which line of a managed file keeps a path as it is, if one does.
func (r Report) Locked(path string) (by Origin, is bool) {
	if r.locks == nil {
		return Origin{}, false
	}
	held := r.locks.over(path)
	if held == nil {
		return Origin{}, false
	}
	return held.from, true
}

// maxProblems is how many a layer may list: a person reads no more, and a file
// made to be slow costs no more.
const maxProblems = 100

// shown makes text from a file fit to print: no control characters, no
// password of a URL, not long.
func shown(text string) string {
	text = clean(hidePassword(text))
	const most = 80
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return text
}

// clean writes out what a terminal would obey or hide.
func clean(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == utf8.RuneError || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// hidePassword replaces the password in each scheme://user:password@host.
func hidePassword(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "://")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("://")
		end := strings.IndexAny(rest, "/?# \t\r\n\"")
		if end < 0 {
			end = len(rest)
		}
		at := strings.LastIndexByte(rest[:end], '@')
		if colon := strings.IndexByte(rest[:max(at, 0)], ':'); colon >= 0 {
			b.WriteString(rest[:colon] + ":***")
			rest = rest[at:]
		}
		text = rest
	}
}
