package demo

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// move is one step of the work: what the model says and calls.
type move struct {
	say   string
	calls []trimtab.ToolCall
}

type pathInput struct {
	Path string `json:"path"`
}

type searchInput struct {
	Pattern string `json:"pattern"`
	Glob    string `json:"glob,omitempty"`
	Fold    bool   `json:"ignore_case,omitempty"`
}

// check is a search that is worth making in any folder.
type check struct {
	what string // what its matches are called
	in   searchInput
}

var checks = []check{
	{"TODO-like marks", searchInput{Pattern: `\b(TODO|FIXME|HACK|XXX)\b`}},
	{"lines that end in blanks", searchInput{Pattern: `[ \t]+$`}},
	{"lines of more than 120 characters", searchInput{Pattern: `^.{121,}`}},
	{"web links", searchInput{Pattern: `https?://`}},
	{"marks of an unfinished merge", searchInput{Pattern: `^(<<<<<<<|>>>>>>>) `}},
	{"Markdown headings", searchInput{Pattern: `^#{1,6} `, Glob: "*.md"}},
}

func topicCheck(word string) check {
	return check{fmt.Sprintf("lines with %q", word), searchInput{Pattern: regexp.QuoteMeta(word), Fold: true}}
}

// searches returns the searches for a prompt, the most telling first.
func searches(prompt string) []check {
	if word := topic(prompt); word != "" {
		return slices.Concat([]check{topicCheck(word)}, checks)
	}
	return checks
}

// plan returns the moves of this turn, as far as they are known: which files to
// read turns out when the folder was listed. What was already done stays where it
// is, so the first move not yet made is the next one.
func plan(t turn, limit int) []move {
	var moves []move
	top := call("list", pathInput{"."})
	f := survey(t)
	if t.tools["list"] {
		moves = append(moves, move{"First I look at what is in the folder.", []trimtab.ToolCall{top}})
		if !t.did(top) || f.listed && len(f.files) == 0 {
			return moves // nothing more is known, or there is nothing more
		}
	}
	var reads, finds []move
	if t.tools["read"] {
		reads = readings(f.files, t.prompt)
	}
	if t.tools["search"] {
		for _, c := range searches(t.prompt) {
			finds = append(finds, move{fmt.Sprintf("I search for %s.", c.what), []trimtab.ToolCall{call("search", c.in)}})
		}
	}
	if sub := f.folder(); sub != "" && len(reads) > 2 {
		finds = slices.Insert(finds, min(2, len(finds)), move{fmt.Sprintf("I look closer at %s.", show(sub)), []trimtab.ToolCall{call("list", pathInput{sub})}})
	}
	for i := range max(len(reads), len(finds)) {
		if i < len(reads) {
			moves = append(moves, reads[i])
		}
		if i < len(finds) {
			moves = append(moves, finds[i])
		}
	}
	return moves[:min(len(moves), limit)]
}

// readings are the moves that read files: one, then two at once, and so on.
func readings(files []file, prompt string) []move {
	ranked := rank(files, prompt)
	ranked = ranked[:min(len(ranked), 6)]
	var moves []move
	for size := 1; len(ranked) > 0; size = 3 - size {
		n := min(size, len(ranked))
		var names []string
		var calls []trimtab.ToolCall
		for _, f := range ranked[:n] {
			names = append(names, show(f.path))
			calls = append(calls, call("read", pathInput{f.path}))
		}
		moves = append(moves, move{fmt.Sprintf("I read %s.", strings.Join(names, " and ")), calls})
		ranked = ranked[n:]
	}
	return moves
}

// rank orders files by how much they are likely to tell: those that the prompt
// names, then those that say what a project is, then by type and depth.
func rank(files []file, prompt string) []file {
	named := tokenize(prompt)
	worth := func(f file) int {
		base := strings.ToLower(path.Base(f.path))
		depth := strings.Count(f.path, "/")
		stem := strings.TrimSuffix(base, path.Ext(base))
		switch {
		case slices.Contains(named, strings.ToLower(f.path)) || slices.Contains(named, base) && strings.Contains(base, "."):
			return 0
		case stem == "readme":
			return 10 + depth
		case slices.Contains([]string{"go.mod", "package.json", "cargo.toml", "pyproject.toml", "pom.xml", "makefile", "agents.md"}, base):
			return 20 + depth
		case slices.Contains([]string{".md", ".txt", ".go", ".py", ".ts", ".js", ".rs", ".java", ".c", ".rb", ".sh", ".html", ".css"}, path.Ext(base)):
			return 30 + depth
		case strings.HasPrefix(base, "."):
			return 50 + depth
		}
		return 40 + depth
	}
	var out []file
	for _, f := range files {
		if f.size > 0 && !slices.Contains(opaque, strings.ToLower(path.Ext(f.path))) {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b file) int { return worth(a) - worth(b) })
	return out
}

// opaque are the endings of files that nobody reads as text.
var opaque = strings.Fields(".png .jpg .jpeg .gif .webp .ico .pdf .zip .gz .xz .zst .tar .7z .exe .dll .so .dylib .o .a .wasm .class .jar .db .sqlite .woff .woff2 .ttf .mp3 .mp4 .sum .lock")
