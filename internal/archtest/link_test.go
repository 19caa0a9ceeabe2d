package archtest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLinksInTheDocumentsLeadSomewhere: every link of a document to a file of the
// repository leads to one, and to a heading that is in it; the index lists every document; every fenced block says what it
// is; every example in Go is compiled somewhere.
func TestLinksInTheDocumentsLeadSomewhere(t *testing.T) {
	noProblems(t, links(repository(t)))
}

// written are the documents: Markdown at the top, and all of docs.
func written(doc string) bool {
	return path.Ext(doc) == ".md" && (!strings.Contains(doc, "/") || strings.HasPrefix(doc, "docs/"))
}

// block is a fenced block of a document.
type block struct {
	line int
	kind string // what stands behind the fence
	text string
}

var (
	headingLine = regexp.MustCompile(`^#{1,6} +(.*?) *#*$`)
	linkInText  = regexp.MustCompile(`\]\(([^()\s#]*)(#[^()\s]*)?\)`)
	linkName    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	languages   = []string{"sh", "console", "text", "go", "json", "jsonc", "python", "ini", "yaml", "toml", "markdown"}
)

// page is a document: its lines outside of blocks, its headings as GitHub names them, and
// its blocks.
type page struct {
	prose    map[int]string
	headings map[string]bool
	blocks   []block
}

func readPage(text string) page {
	p := page{prose: map[int]string{}, headings: map[string]bool{}}
	var open *block
	seen, n := map[string]int{}, 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		fence, fenced := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fenced && open == nil:
			open = &block{line: n, kind: fence}
		case fenced:
			p.blocks, open = append(p.blocks, *open), nil
		case open != nil:
			open.text += line + "\n"
		default:
			p.prose[n] = line
			if m := headingLine.FindStringSubmatch(line); m != nil {
				name := anchor(m[1])
				if seen[name]++; seen[name] > 1 {
					name = fmt.Sprintf("%s-%d", name, seen[name]-1)
				}
				p.headings[name] = true
			}
		}
	}
	if open != nil {
		p.blocks = append(p.blocks, *open)
	}
	return p
}

// anchor is the name that a heading has in an address.
func anchor(heading string) string {
	heading = linkName.ReplaceAllString(heading, "$1")
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127 && r != '…' && r != '’' && r != '–' && r != '→' && r != '×':
			b.WriteRune(r)
		}
	}
	return b.String()
}

// links checks the documents of a tree.
func links(tr *tree) []string {
	held, err := heldBy(tr.root)
	if err != nil {
		return []string{err.Error()}
	}
	pages, names, sources := map[string]page{}, []string{}, []string{}
	for _, f := range tr.files {
		sources = append(sources, bare(string(f.text)))
	}
	for _, doc := range held.all {
		if !written(doc) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(tr.root, filepath.FromSlash(doc)))
		if err != nil {
			return []string{err.Error()}
		}
		pages[doc], names = readPage(string(text)), append(names, doc)
	}
	var out []string
	listed := map[string]bool{index: true}
	for _, doc := range names {
		p := pages[doc]
		for n, line := range p.prose {
			for _, m := range linkInText.FindAllStringSubmatch(inCode.ReplaceAllString(line, ""), -1) {
				target, part := m[1], strings.TrimPrefix(m[2], "#")
				if strings.Contains(target, ":") {
					continue
				}
				to := doc
				if target != "" {
					to = path.Join(path.Dir(doc), target)
				}
				listed[to] = listed[to] || doc == index
				if target != "" && !held.is[to] {
					out = append(out, fmt.Sprintf("%s:%d: leads to %s, which does not exist", doc, n, target))
				} else if part != "" && !pages[to].headings[part] {
					out = append(out, fmt.Sprintf("%s:%d: leads to #%s, which is no heading of %s", doc, n, part, to))
				}
			}
		}
		for _, b := range p.blocks {
			if !slices.Contains(languages, b.kind) {
				out = append(out, fmt.Sprintf("%s:%d: a block of %q; say what it is: %s", doc, b.line, b.kind, strings.Join(languages, ", ")))
			}
			if b.kind == "go" && !compiled(sources, b.text) {
				out = append(out, fmt.Sprintf("%s:%d: these lines of Go stand in no Go file, so nothing compiles them", doc, b.line))
			}
		}
	}
	for _, doc := range names {
		if held.is[index] && strings.HasPrefix(doc, "docs/") && !listed[doc] {
			out = append(out, fmt.Sprintf("%s: %s does not list it, so nobody finds it", doc, index))
		}
	}
	slices.Sort(out)
	return out
}

// TestTheCodeNamesOnlyDocumentsThatExist: messages and comments lead readers to documents
// that are there.
func TestTheCodeNamesOnlyDocumentsThatExist(t *testing.T) {
	noProblems(t, namedDocuments(repository(t)))
}

var documentName = regexp.MustCompile(`\bdocs/[\w./-]+\.(?:md|tsv)\b`)

// invented are files that speak of documents of projects that are made up.
var invented = []string{"surface/dashboard/demo/stories.go"}

func namedDocuments(tr *tree) (out []string) {
	for _, f := range tr.files {
		if f.test || slices.Contains(invented, f.path) {
			continue
		}
		for _, name := range documentName.FindAllString(string(f.text), -1) {
			if _, err := os.Stat(filepath.Join(tr.root, filepath.FromSlash(name))); err != nil {
				out = append(out, fmt.Sprintf("%s: names %s, which does not exist", f.path, name))
			}
		}
	}
	return out
}

// index is the page that leads to all documents.
const index = "docs/README.md"

// compiled reports whether all lines of an example stand in one Go file, in their order and
// without others between them. Indentation does not count.
func compiled(sources []string, example string) bool {
	want := bare(example)
	return slices.ContainsFunc(sources, func(text string) bool { return strings.Contains(text, want) })
}

// bare is a text without its blank lines and its indentation.

func bare(text string) string {
	var b strings.Builder
	b.WriteByte('\n')
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func TestNamedDocumentsFailOnTheBug(t *testing.T) {
	tr := plant(t, files{"docs/x/map.md": "", "a.go": "package a\n\n// See docs/x/map.md and docs/old.md.\n", "a_test.go": "package a\n\n// docs/b.md\n"})
	wantProblems(t, namedDocuments(tr), "a.go: names docs/old.md")
}

func TestLinksFailOnTheBug(t *testing.T) {
	const target = "# The Map\n\n## Where `x` is, and why\n\n## Again\n\n## Again\n"
	for _, c := range []struct {
		name string
		in   files
		want []string
	}{
		{"in order", files{"README.md": "[a](docs/x/map.md) [b](docs/x/map.md#where-x-is-and-why) [c](docs/x/map.md#again-1) [d](#top) [e](https://example.org/#z) `[f](gone.md)`\n\n# Top\n```sh\n[g](gone.md)\n```\n"}, nil},
		{"a file that is gone", files{"docs/x/a.md": "\n[a](gone.md)\n"}, []string{"docs/x/a.md:2: leads to gone.md"}},
		{"a heading that is gone", files{"docs/x/a.md": "[a](map.md#wher)\n"}, []string{"#wher, which is no heading of docs/x/map.md"}},
		{"a heading of its own that is gone", files{"SECURITY.md": "[a](#wher)\n"}, []string{"SECURITY.md:1: leads to #wher"}},
		{"a third of two", files{"docs/x/a.md": "[a](map.md#again-2)\n"}, []string{"#again-2"}},
		{"a heading in a block is none", files{"docs/x/a.md": "[a](#b)\n```sh\n# b\n```\n"}, []string{"#b"}},
		{"a block of nothing", files{"README.md": "```\nx\n```\n"}, []string{`README.md:1: a block of ""`}},
		{"a page that nobody finds", files{"docs/README.md": "[a](x/map.md) [b](../README.md)\n", "docs/x/b.md": "x\n", "README.md": "[c](docs/x/b.md)\n"}, []string{"docs/x/b.md: docs/README.md does not list it"}},
		{"Go that is compiled", files{"README.md": "```go\nx := f(1)\n\ny := f(x)\n```\n", "a.go": "package a\n\nfunc g() {\n\tx := f(1)\n\ty := f(x)\n}\n"}, nil},
		{"Go that is not", files{"README.md": "```go\nx := f(2)\n```\n", "a.go": "package a\n\nfunc g() {\n\tx := f(1)\n}\n"}, []string{"README.md:1: these lines of Go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.in["docs/x/map.md"] = target
			wantProblems(t, links(plant(t, c.in)), c.want...)
		})
	}
}
