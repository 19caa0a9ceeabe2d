package archtest

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestDocumentsNameOnlyFilesThatExist(t *testing.T) {
	noProblems(t, papers(repository(t), unkept))
}

// unkept are paths that documents may name though the repository does not hold
// them.
var unkept = []excuse{
	{"bin", "bin/", "what make build makes"},
	{"bin/trimtab", "bin/", "what make build makes"},
}

// papers checks the paths in the documents but for CHANGELOG.md: in backticks, in
// commands (./x) and in links.
func papers(tr *tree, unkept []excuse) []string {
	held, err := heldBy(tr.root)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, doc := range held.all {
		if !written(doc) || doc == "CHANGELOG.md" { // the changes of a time name what it had
			continue
		}
		text, err := os.ReadFile(filepath.Join(tr.root, filepath.FromSlash(doc)))
		if err != nil {
			return append(out, err.Error())
		}
		for _, m := range mentions(string(text)) {
			excused := slices.ContainsFunc(unkept, func(e excuse) bool { return e.where == strings.TrimSuffix(m.name, "/") })
			if !excused && !held.has(path.Dir(doc), m) {
				out = append(out, fmt.Sprintf("%s:%d: names %s, which does not exist", doc, m.line, m.name))
			}
		}
	}
	return out
}

// mention is a word of a document that may be a path.
type mention struct {
	line int
	name string
	sure bool // written as a path: it needs no look that it is one
	link bool // from the folder of the document
}

var (
	inCode   = regexp.MustCompile("`([^`]+)`")
	inLink   = regexp.MustCompile(`\]\(([^()\s#]+)(?:#[^()\s]*)?\)`)
	place    = regexp.MustCompile(`(:\d+(-\d+)?|#L\d+)$`)
	pathForm = regexp.MustCompile(`^[\w.*-]+(/[\w.*-]+)*/?$`)
)

// mentions returns what a document may mean as paths, with the "./" and the line
// number taken off. In a fenced block only ./x counts.
func mentions(text string) []mention {
	var out []mention
	fenced, n := false, 0
	for line := range strings.Lines(text) {
		n++
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~") {
			fenced = !fenced
			continue
		}
		spans := []string{bare + " "} // a command is never one word
		if !fenced {
			spans = nil
			for _, m := range inCode.FindAllStringSubmatch(line, -1) {
				spans = append(spans, m[1])
			}
			for _, m := range inLink.FindAllStringSubmatch(line, -1) {
				if !strings.Contains(m[1], ":") {
					out = append(out, mention{n, strings.TrimPrefix(m[1], "./"), true, true})
				}
			}
		}
		for _, span := range spans {
			fields := strings.Fields(span)
			for _, word := range fields {
				word = place.ReplaceAllString(word, "")
				name, dotted := strings.CutPrefix(word, "./")
				name = strings.TrimSuffix(name, "...")
				if name != "" && pathForm.MatchString(name) && (dotted || !fenced && len(fields) == 1) {
					out = append(out, mention{n, name, dotted, false})
				}
			}
		}
	}
	return out
}

// holding is what the repository holds, files and folders.
type holding struct {
	all []string
	is  map[string]bool
	top map[string]bool // folders of the root, and those the table has packages in
}

func heldBy(root string) (holding, error) {
	h := holding{is: map[string]bool{".": true}, top: map[string]bool{}}
	for _, r := range table {
		if first, _, below := strings.Cut(r.pkg, "/"); below {
			h.top[first] = true
		}
	}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == ".git" || rel == "bin" || d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if !strings.Contains(rel, "/") {
				h.top[rel] = true
			}
		}
		h.all, h.is[rel] = append(h.all, rel), true
		return nil
	})
	return h, err
}

// has reports whether a mention exists, or is no path of ours: a media type, a
// module, a folder of the user.
func (h holding) has(folder string, m mention) bool {
	name := strings.TrimSuffix(m.name, "/")
	if m.link {
		return h.is[path.Join(folder, name)]
	}
	first, _, below := strings.Cut(name, "/")
	ext := path.Ext(name)
	ours := m.sure || h.top[first] && (below || m.name != name)
	switch {
	case ours:
	case strings.Contains(strings.TrimLeft(first, "."), ".") && below: // a host name
		return true
	case strings.HasPrefix(first, "."): // a folder of the user
		return true
	case ext == ".go":
	case below && ext == ".md", m.name != name: // a/b.md, folder/
	default:
		return true
	}
	if h.is[name] || h.is[path.Join(folder, name)] {
		return true
	}
	return slices.ContainsFunc(h.all, func(p string) bool {
		if ok, err := path.Match(name, p); ok && err == nil {
			return true
		}
		return !ours && strings.HasSuffix(p, "/"+name) // named from inside its package
	})
}

func TestPapersFailOnTheBug(t *testing.T) {
	base := func(more files) files {
		all := files{
			"ship.go": "", "steer/mode/mode.go": "", "steer/mode/testdata/a.session": "", "docs/map.md": "", "cmd/sail/main.go": "package main\n",
			".ci/run": "", "internal/deck/d.go": "",
		}
		for name, text := range more {
			all[name] = text
		}
		return all
	}
	made := []excuse{{"bin", "bin/", "made"}}
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"in order", files{
			"README.md": "See `ship.go`, `steer/`, `steer/*`, `mode.go:12`, `steer/mode/mode.go`, `mode/mode.go`, `.ci/run`, `bin/`, [map](docs/map.md#top).\n```\ngo run ./cmd/sail -p \"x\"\ngo test ./...\n```\n",
			"docs/a.md": "`map.md` and [map](map.md), [up](../README.md), [web](https://example.org/x.md)\n",
		}, nil},
		{"what is no path of ours", files{"README.md": "`application/json` `github.com/a/b` `charm.land/fang/v2` `/mode ask` `~/.config/x.json` `.trimtab/` `.trimtab/modes/x.md` `y/n` `config.json` `CLAUDE.md` `--out DIR` `go vet x/y.go` `steer` `a/b/…/c.go`\n"}, nil},
		{"a file that is gone", files{"README.md": "x\n`steer/mode/old.go`\n"}, []string{"README.md:2: names steer/mode/old.go, which does not exist"}},
		{"a file without its folder", files{"AGENTS.md": "`gone.go`\n"}, []string{"AGENTS.md:1: names gone.go"}},
		{"a folder", files{"docs/a.md": "`attic/`\n"}, []string{"docs/a.md:1: names attic/"}},
		{"a package", files{"docs/a.md": "`steer/focus` and `internal/attic`\n"}, []string{"names steer/focus", "names internal/attic"}},
		{"a package of the table that is not built", files{"docs/a.md": "`surface/web`\n"}, []string{"names surface/web"}},
		{"a file of another folder of that name", files{"docs/a.md": "`docs/old.md`\n", "steer/docs/old.md": ""}, []string{"names docs/old.md"}},
		{"a pattern that matches nothing", files{"docs/a.md": "`docs/*.txt`\n"}, []string{"names docs/*.txt"}},
		{"a command in a block", files{"README.md": "```\ngo run ./cmd/row\n```\n"}, []string{"README.md:2: names cmd/row"}},
		{"a command in a line", files{"README.md": "run `go run ./cmd/row -x`\n"}, []string{"names cmd/row"}},
		{"a link", files{"docs/a.md": "[x](docs/map.md)\n"}, []string{"names docs/map.md"}},
		{"a line number does not help", files{"docs/a.md": "`gone.go:7`\n"}, []string{"names gone.go"}},
		{"what was built here and is not in the repository", files{"docs/a.md": "`./bin/sail`\n", "bin/sail": ""}, []string{"names bin/sail"}},
	} {
		t.Run(c.name, func(t *testing.T) { wantProblems(t, papers(plant(t, base(c.in)), made), c.want...) })
	}
}
