package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

const searchSchema = `{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "a regular expression (RE2), matched within each line"},
    "path": {"type": "string", "description": "a folder or file, relative to the project folder; all of it if not given"},
    "glob": {"type": "string", "description": "only files whose path matches, such as *.go, *.{ts,tsx} or docs/**/*.md"},
    "context": {"type": "integer", "minimum": 0, "maximum": 10, "description": "how many lines to show before and after each match"},
    "ignore_case": {"type": "boolean", "description": "take upper and lower case as the same"}
  },
  "required": ["pattern"],
  "additionalProperties": false
}`

// The limits of a search.
const (
	maxPattern   = 1000
	maxPerFile   = 50
	maxMatches   = 500
	maxFiles     = 20000
	maxFileBytes = 4 << 20
	maxSearched  = 128 << 20
	maxLineShown = 240
	maxContext   = 10
	maxGlobs     = 64
)

type searchInput struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	Context    int    `json:"context"`
	IgnoreCase bool   `json:"ignore_case"`
}

// Search returns the tool that finds lines by a regular expression.
func (f *Folder) Search() Tool { return define("search", searchSchema, f.search) }

func (f *Folder) search(ctx context.Context, in searchInput) (string, error) {
	s, err := newSearch(f, in)
	if err != nil {
		return "", err
	}
	if in.Path == "" {
		in.Path = "."
	}
	rel, info, err := f.find(in.Path)
	if err != nil {
		return "", err
	}
	if info.Mode().IsRegular() {
		if err := s.file(ctx, rel); err != nil && !errors.Is(err, errEnough) {
			return "", err
		}
		return s.close(nil), nil
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%q is %s, not a file or folder", rel, special(info.Mode()))
	}
	w := &walk{Folder: f, depth: maxDepth, visit: func(e entry) error {
		if e.hidden || !e.kind.IsRegular() || !s.wanted(e.path) {
			return nil
		}
		return s.file(ctx, e.path)
	}}
	if err := w.from(ctx, rel); err != nil {
		return "", err
	}
	return s.close(w.unread), nil
}

// search is a search under way.
type search struct {
	*Folder
	sheet
	re     *regexp.Regexp
	globs  []rule // of which one must match, if there are any
	around int    // lines shown before and after a match

	files, hits, matches int // files looked at, files with a match, lines with one
	bytes                int
	large, clipped       []string
	enough               string // why it ended early
}

func newSearch(f *Folder, in searchInput) (*search, error) {
	if in.Pattern == "" || len(in.Pattern) > maxPattern {
		return nil, fmt.Errorf(`"pattern" has 1 to %d characters`, maxPattern)
	}
	expr := in.Pattern
	if in.IgnoreCase {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf(`"pattern" is not a regular expression of RE2: %s; put a backslash before ( [ { . * + ? | ^ $ to mean the character itself`,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if in.Context < 0 || in.Context > maxContext {
		return nil, fmt.Errorf(`"context" goes from 0 to %d`, maxContext)
	}
	s := &search{Folder: f, re: re, around: in.Context}
	if in.Glob == "" {
		return s, nil
	}
	for _, glob := range unfold(in.Glob) {
		r, ok := parseRule(glob)
		if !ok || r.back || r.dirOnly {
			return nil, fmt.Errorf(`"glob" %q is not a pattern for files; give one such as *.go, *.{ts,tsx} or docs/**/*.md`, trimtab.Clip(in.Glob, 100))
		}
		s.globs = append(s.globs, r)
	}
	return s, nil
}

// unfold writes out the braces of a pattern: a.{b,c} is a.b and a.c. Past the limit
// what is left in braces means itself.
func unfold(glob string) []string {
	done, open := []string(nil), []string{glob}
	for len(open) > 0 {
		one := open[0]
		open = open[1:]
		before, rest, opens := strings.Cut(one, "{")
		inner, after, closes := strings.Cut(rest, "}")
		choices := strings.Split(inner, ",")
		if !opens || !closes || len(done)+len(open)+len(choices) > maxGlobs {
			done = append(done, one)
			continue
		}
		for _, c := range choices {
			open = append(open, before+c+after)
		}
	}
	return done
}

// wanted reports whether the search is about a file.
func (s *search) wanted(rel string) bool {
	return len(s.globs) == 0 || slices.ContainsFunc(s.globs, func(r rule) bool { return r.match(rel, false) })
}

// file searches one file. Files that are not text, or too large, are passed by.
func (s *search) file(ctx context.Context, rel string) error {
	if s.files == maxFiles || s.bytes > maxSearched {
		s.enough = fmt.Sprintf("stopped after %s; name a smaller part with path or glob", plural.Count(s.files, "file"))
		return errEnough
	}
	text, err := s.slurp(rel, maxFileBytes+1)
	if err != nil {
		return nil // gone, or not ours to read: as if it were not there
	}
	if len(text) > maxFileBytes {
		s.large = append(s.large, rel)
		return nil
	}
	if kindOf(text[:min(len(text), sniffed)]) != "" {
		return nil
	}
	s.files++
	s.bytes += len(text)
	return s.lines(ctx, rel, text)
}

func (s *search) lines(ctx context.Context, rel string, text []byte) error {
	found := 0
	var before [][]byte // the newest lines that are not shown yet
	after := 0          // lines still to show behind a match
	for number := 1; len(text) > 0; number++ {
		if number%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		at := s.re.FindIndex(line)
		switch {
		case at == nil && after > 0:
			after--
			s.line(fmt.Sprintf("%s-%d- %s", display(rel), number, window(line, 0)))
			continue
		case at == nil:
			if before = append(before, line); len(before) > s.around {
				before = before[1:]
			}
			continue
		case found == maxPerFile:
			s.clipped = append(s.clipped, rel)
			return nil
		}
		for i, b := range before {
			s.line(fmt.Sprintf("%s-%d- %s", display(rel), number-len(before)+i, window(b, 0)))
		}
		before, after = nil, s.around
		if s.matches == maxMatches || !s.line(fmt.Sprintf("%s:%d: %s", display(rel), number, window(line, at[0]))) {
			s.enough = fmt.Sprintf("stopped after %d matches; narrow the pattern, or name a part with path or glob", s.matches)
			return errEnough
		}
		if found++; found == 1 {
			s.hits++
		}
		s.matches++
	}
	return nil
}

func (s *search) close(unread []string) string {
	if s.matches == 0 {
		s.sum("no match; %s searched", plural.Count(s.files, "file"))
	} else {
		s.sum("%s in %s; %s searched", plural.Irregular(s.matches, "match", "matches"), plural.Count(s.hits, "file"), plural.Count(s.files, "file"))
	}
	if s.enough != "" {
		s.note("%s", s.enough)
	}
	if len(s.clipped) > 0 {
		s.note("only the first %d matches shown of %s", maxPerFile, few(s.clipped))
	}
	if len(s.large) > 0 {
		s.note("not searched, over %d MiB: %s", maxFileBytes>>20, few(s.large))
	}
	if len(unread) > 0 {
		s.note("not readable, or too large: %s", few(unread))
	}
	return s.text()
}

// window shows the part of a line where the match is.
func window(line []byte, at int) string {
	from := 0
	if len(line) > maxLineShown && at > maxLineShown/2 {
		from = at - maxLineShown/4
		for from < len(line) && !utf8.RuneStart(line[from]) {
			from++
		}
	}
	text := strings.ToValidUTF8(string(line[from:min(len(line), from+4*maxLineShown)]), "\uFFFD")
	short := trimtab.Clip(text, maxLineShown)
	if from > 0 {
		short = "…" + short
	}
	if len(short) < len(text) {
		short += "…"
	}
	return short
}
