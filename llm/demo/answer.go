package demo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
)

// answer tells what was found, and only that.
func answer(t turn) string {
	f := survey(t)
	if f.listed && len(f.files)+len(f.folders) == 0 {
		return "The folder is empty, so there is nothing to work on. I changed nothing."
	}
	lines := append(f.inventory(), f.contents()...)
	if len(lines) == 0 {
		return "I found nothing out: no tool gave me a result. I changed nothing."
	}
	return "Here is what I found.\n\n" + strings.Join(lines, "\n") + "\n\nI only looked; I changed nothing."
}

// inventory tells of the folder.
func (f found) inventory() []string {
	if !f.listed {
		return nil
	}
	atLeast := ""
	if f.partial {
		atLeast = "at least "
	}
	line := fmt.Sprintf("- The folder holds %s%s", atLeast, plural.Count(len(f.files), "file"))
	if len(f.folders) > 0 {
		line += fmt.Sprintf(" and %s, as far down as I listed it", plural.Count(len(f.folders), "folder"))
	}
	line += fmt.Sprintf(": %d bytes.", f.bytes)
	var names []string
	for _, f := range f.files[:min(len(f.files), 8)] {
		names = append(names, show(f.path))
	}
	if rest := len(f.files) - len(names); rest > 0 {
		names = append(names, fmt.Sprintf("and %d more", rest))
	}
	lines := []string{line}
	if len(names) > 0 {
		lines = append(lines, "- Files: "+strings.Join(names, ", ")+".")
	}
	return lines
}

// contents tells of what was read and searched.
func (f found) contents() []string {
	var lines []string
	for _, r := range f.reads {
		lines = append(lines, r.String())
	}
	for _, h := range f.hits {
		lines = append(lines, h.String())
	}
	for _, text := range f.refused {
		lines = append(lines, "- Did not work: "+text)
	}
	return lines
}

func (r reading) String() string {
	size := plural.Count(r.lines, "line")
	if r.more {
		size = "more than " + size
	}
	switch {
	case r.title != "":
		return fmt.Sprintf("- %s: %s, titled %q.", show(r.path), size, r.title)
	case r.head != "":
		return fmt.Sprintf("- %s: %s, beginning with %q.", show(r.path), size, r.head)
	}
	return fmt.Sprintf("- %s: %s.", show(r.path), size)
}

func (h finding) String() string {
	what := strings.ToUpper(h.what[:1]) + h.what[1:]
	switch {
	case !h.clear:
		return fmt.Sprintf("- %s: I could not tell from what the search gave back.", what)
	case h.matches == 0:
		return fmt.Sprintf("- %s: none.", what)
	}
	atLeast := ""
	if h.more {
		atLeast = "at least "
	}
	where := strings.Join(h.at, ", ")
	if h.matches > len(h.at) {
		where += " and so on"
	}
	return fmt.Sprintf("- %s: %s%d in %s (%s).", what, atLeast, h.matches, plural.Count(h.files, "file"), where)
}

// show writes a file's name on one line, whatever characters it has.
func show(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
