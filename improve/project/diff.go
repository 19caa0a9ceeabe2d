package project

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
)

// The limits of a diff.
const (
	maxDiff  = 64 << 20
	maxParts = 20_000
	maxNotes = 200
)

// Size is what a change comes to.
type Size struct {
	Added      int
	Removed    int
	Lines      int      // both
	Files      []string // all that it touches, sorted
	Components []string // their top-level folders, sorted; "." for the top itself
	Tests      []string // files with tests that gain something, sorted
	Stubs      []Note   // what in the added lines is unfinished, or only looks like a test
	Odd        []Note   // what no line shows: binary files, symbolic links, submodules, modes, strange paths, and files that a forge or git acts upon
}

// Note is a place in a change.
type Note struct {
	File string
	Line int // in the new file; 0 for the whole
	What string
}

func (n Note) String() string {
	if n.Line == 0 {
		return fmt.Sprintf("%s %s", n.File, n.What)
	}
	return fmt.Sprintf("%s:%d %s", n.File, n.Line, n.What)
}

// ErrDiff is a text that is no diff of git.
var ErrDiff = errors.New("no diff of git")

// Measure reads a diff as git writes it and says what it comes to. Lines are counted
// as the hunks announce them, so that no content can pass for a header.
func Measure(patch []byte) (Size, error) {
	if len(patch) > maxDiff {
		return Size{}, fmt.Errorf("a diff of %d MB: %w: at most %d are read", len(patch)>>20, trimtab.ErrTooLarge, maxDiff>>20)
	}
	d := diff{rest: patch}
	for d.next() {
		if err := d.part(); err != nil {
			return Size{}, fmt.Errorf("line %d of the diff: %w", d.line, err)
		}
	}
	return d.done(), nil
}

// diff is a diff that is being read.
type diff struct {
	rest []byte
	text string // the line at hand
	line int

	size  Size
	files map[string]bool
	tests map[string]bool
}

// next takes the next line.
func (d *diff) next() bool {
	if len(d.rest) == 0 {
		return false
	}
	line, rest, _ := bytes.Cut(d.rest, []byte("\n"))
	d.text, d.rest = string(line), rest
	d.line++
	return true
}

// peek is the beginning of the next line.
func (d *diff) peek(prefix string) bool { return bytes.HasPrefix(d.rest, []byte(prefix)) }

// part reads the line at hand and what belongs to it.
func (d *diff) part() error {
	switch {
	case strings.HasPrefix(d.text, "diff --git "):
		return d.file()
	case strings.HasPrefix(d.text, "diff --cc "), strings.HasPrefix(d.text, "diff --combined "):
		return fmt.Errorf("%w of two trees: it is one of a merge", ErrDiff)
	case strings.HasPrefix(d.text, "@@ "), strings.HasPrefix(d.text, "--- a/"), strings.HasPrefix(d.text, "+++ b/"):
		return fmt.Errorf("%w: %q belongs to no file", ErrDiff, clip(d.text))
	}
	return nil // the words of a commit, as format-patch writes them
}

// file reads one file of the diff.
func (d *diff) file() error {
	if d.files == nil {
		d.files, d.tests = map[string]bool{}, map[string]bool{}
	}
	if len(d.files) >= maxParts {
		return fmt.Errorf("%w: more than %d files", trimtab.ErrTooLarge, maxParts)
	}
	from, to := sides(strings.TrimPrefix(d.text, "diff --git "))
	f := &part{diff: d, name: to}
	for len(d.rest) > 0 && !d.peek("diff --git ") && !d.peek("@@ ") {
		if d.peek("-- \n") || d.peek("From ") { // the end of a patch in a mail
			break
		}
		d.next()
		f.header(d.text, &from, &to)
	}
	if to == "" {
		to = from
	}
	f.name = d.touch(to)
	if from != "" && from != to {
		d.touch(from)
	}
	for _, what := range f.odd {
		d.note(&d.size.Odd, Note{f.name, 0, what})
	}
	if f.gone && IsTest(to) {
		d.note(&d.size.Stubs, Note{f.name, 0, "a test that is removed"})
	}
	for d.peek("@@ ") {
		d.next()
		if err := f.hunk(); err != nil {
			return err
		}
	}
	return nil
}

// touch takes a path in, and returns it as it can be shown.
func (d *diff) touch(name string) string {
	shown := name
	if !plain(name) {
		shown = strconv.QuoteToASCII(clip(name))
		d.note(&d.size.Odd, Note{shown, 0, "is a strange path"})
	}
	if what := power(name); what != "" {
		d.note(&d.size.Odd, Note{shown, 0, what})
	}
	d.files[shown] = true
	return shown
}

// note adds to a list that does not grow for ever.
func (d *diff) note(list *[]Note, n Note) {
	if len(*list) < maxNotes && !slices.Contains(*list, n) {
		*list = append(*list, n)
	}
}

// done is the sum.
func (d *diff) done() Size {
	s := d.size
	s.Lines = s.Added + s.Removed
	parts := map[string]bool{}
	for name := range d.files {
		s.Files = append(s.Files, name)
		first, _, below := strings.Cut(name, "/")
		if !below {
			first = "."
		}
		parts[first] = true
	}
	for name := range parts {
		s.Components = append(s.Components, name)
	}
	for name := range d.tests {
		s.Tests = append(s.Tests, name)
	}
	slices.Sort(s.Files)
	slices.Sort(s.Components)
	slices.Sort(s.Tests)
	return s
}

// part is one file of a diff.
type part struct {
	*diff
	name string
	odd  []string
	gone bool
	scan scan
}

// header reads a line between a file's first line and its hunks.
func (f *part) header(line string, from, to *string) {
	name := func(s, prefix string) (string, bool) {
		s = strings.TrimSuffix(unquote(strings.TrimSuffix(s, "\t")), "\t")
		return strings.TrimPrefix(s, prefix), s != "/dev/null"
	}
	key, value, _ := strings.Cut(line, " ")
	switch {
	case key == "---":
		if n, ok := name(value, "a/"); ok {
			*from = n
		}
	case key == "+++":
		if n, ok := name(value, "b/"); ok {
			*to = n
		}
	case strings.HasPrefix(line, "rename from "), strings.HasPrefix(line, "copy from "):
		*from = unquote(value[len("from "):])
	case strings.HasPrefix(line, "rename to "), strings.HasPrefix(line, "copy to "):
		*to = unquote(value[len("to "):])
	case strings.HasPrefix(line, "Binary files "), line == "GIT binary patch":
		f.odd = append(f.odd, "is a binary file")
	case strings.HasPrefix(line, "new file mode "), strings.HasPrefix(line, "new mode "):
		f.odd = append(f.odd, modes[line[strings.LastIndexByte(line, ' ')+1:]])
	case strings.HasPrefix(line, "deleted file mode "):
		f.gone = true
	case key == "index":
		if i := strings.LastIndexByte(line, ' '); i > len("index") {
			if mode := line[i+1:]; mode == "120000" || mode == "160000" {
				f.odd = append(f.odd, modes[mode])
			}
		}
	}
	f.odd = slices.DeleteFunc(f.odd, func(s string) bool { return s == "" })
}

// modes are those that are more than a file with text.
var modes = map[string]string{"120000": "is a symbolic link", "160000": "is a submodule", "100755": Executable}

// Executable is what is odd about a file that can be executed.
const Executable = "can be executed"

// hunk reads one hunk by the numbers that it begins with.
func (f *part) hunk() error {
	old, fresh, at, err := numbers(f.text)
	if err != nil {
		return err
	}
	for old > 0 || fresh > 0 {
		if !f.next() {
			return fmt.Errorf("%w: it ends in the middle of a hunk", ErrDiff)
		}
		sign, text := " ", ""
		if f.text != "" {
			sign, text = f.text[:1], f.text[1:]
		}
		switch sign {
		case "+":
			fresh--
			f.size.Added++
			f.added(at, text)
			at++
		case "-":
			old--
			f.size.Removed++
		case " ":
			old--
			fresh--
			at++
			f.scan.pass()
		case `\`: // no newline at the end of the file
		default:
			return fmt.Errorf("%w: %q in a hunk", ErrDiff, clip(f.text))
		}
		if old < 0 || fresh < 0 {
			return fmt.Errorf("%w: a hunk is longer than it says", ErrDiff)
		}
	}
	if f.peek(`\ `) {
		f.next()
	}
	f.scan.pass()
	return nil
}

// added looks at a line that is new.
func (f *part) added(at int, text string) {
	if IsTest(f.name) || strings.HasSuffix(f.name, ".rs") && strings.Contains(text, "#[test]") {
		f.tests[f.name] = true
	}
	for _, found := range f.scan.line(f.name, at, text) {
		f.note(&f.size.Stubs, found)
	}
}

// numbers reads "@@ -1,2 +3,4 @@".
func numbers(line string) (old, fresh, at int, err error) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[3] != "@@" {
		return 0, 0, 0, fmt.Errorf("%w: %q", ErrDiff, clip(line))
	}
	read := func(s, sign string) (first, n int) {
		s, ok := strings.CutPrefix(s, sign)
		a, b, more := strings.Cut(s, ",")
		if !more {
			b = "1"
		}
		first, err1 := strconv.Atoi(a)
		n, err2 := strconv.Atoi(b)
		if !ok || err1 != nil || err2 != nil || first < 0 || n < 0 || n > maxDiff {
			err = fmt.Errorf("%w: %q", ErrDiff, clip(line))
		}
		return first, n
	}
	_, old = read(fields[1], "-")
	at, fresh = read(fields[2], "+")
	return old, fresh, at, err
}
