package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// found is what the tools have told since the prompt.
type found struct {
	listed  bool // the folder's own list came back
	partial bool // more than it shows
	files   []file
	folders []string
	bytes   int64
	reads   []reading
	hits    []finding
	refused []string // what did not work, and why
}

type file struct {
	path string
	size int64
}

type reading struct {
	path  string
	lines int
	more  bool   // the tool did not show all of it
	title string // its first heading, if it is Markdown
	head  string // its first words
}

type finding struct {
	what    string
	clear   bool // the numbers could be read
	matches int
	files   int
	at      []string // where the first ones are
	more    bool
}

// survey reads the results of the calls. It takes nothing from anywhere else.
func survey(t turn) found {
	var f found
	if d := t.toolUse(call("list", pathInput{"."})); d != nil && d.result != nil && !d.result.Failed {
		f.list(d.result.Text)
	}
	for _, d := range t.work {
		if d.result == nil || d.call.Name == "todo_write" || d.call.Name == "todo_read" {
			continue
		}
		if d.result.Failed {
			f.refused = append(f.refused, fmt.Sprintf("%s %s: %s", d.call.Name, d.call.Input, firstLine(d.result.Text)))
			continue
		}
		switch d.call.Name {
		case "read":
			f.read(d)
		case "search":
			f.search(d, t.prompt)
		}
	}
	return f
}

// A line of a list: a size or a kind, two blanks, a path.
var listLine = lazyregexp.Pattern(`^ *(\d+|dir|link|special|\?)  (.+)$`)

func (f *found) list(text string) {
	f.listed = true
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "[more follows") {
			f.partial = true
		}
		m := listLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name, dir := strings.CutSuffix(m[2], "/")
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
		if dir {
			f.folders = append(f.folders, name)
			continue
		}
		size, _ := strconv.ParseInt(m[1], 10, 64)
		f.bytes += size
		f.files = append(f.files, file{name, size})
	}
}

// folder is the first folder that people look at, or "".
func (f found) folder() string {
	i := slices.IndexFunc(f.folders, func(name string) bool { return !strings.HasPrefix(name, ".") })
	if i < 0 {
		return ""
	}
	return f.folders[i]
}

func (f *found) read(d toolUse) {
	r := reading{path: inputPath(d.call)}
	for line := range strings.Lines(d.result.Text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && strings.Contains(line, "offset=") {
			r.more = true
			continue
		}
		r.lines++
		if title, ok := strings.CutPrefix(line, "# "); ok && r.title == "" && strings.HasSuffix(strings.ToLower(r.path), ".md") {
			r.title = short(title, 70)
		}
		if r.head == "" {
			r.head = short(line, 70)
		}
	}
	f.reads = append(f.reads, r)
}

// The last line of a search, and a line of it.
var (
	searchSum  = lazyregexp.Pattern(`(?m)^(\d+) match(?:es)? in (\d+) files?;`)
	searchLine = lazyregexp.Pattern(`(?m)^(.+?:\d+): `)
)

func (f *found) search(d toolUse, prompt string) {
	h := finding{what: fmt.Sprintf("matches of %s", d.call.Input)}
	for _, c := range searches(prompt) {
		if string(normal(call("search", c.in).Input)) == string(normal(d.call.Input)) {
			h.what = c.what
		}
	}
	text := d.result.Text
	h.clear = strings.HasPrefix(text, "no match;")
	if sums := searchSum().FindAllStringSubmatch(text, -1); len(sums) > 0 {
		sum := sums[len(sums)-1]
		h.clear = true
		h.matches, _ = strconv.Atoi(sum[1])
		h.files, _ = strconv.Atoi(sum[2])
		for _, m := range searchLine().FindAllStringSubmatch(text, 3) {
			h.at = append(h.at, m[1])
		}
		h.more = strings.Contains(text, "[stopped after") || strings.Contains(text, "[only the first")
	}
	f.hits = append(f.hits, h)
}

func inputPath(c trimtab.ToolCall) string {
	var in pathInput
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return string(c.Input)
	}
	return in.Path
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return short(line, 160)
}

// short cuts a text to n characters.
func short(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n])) + "…"
	}
	return text
}
