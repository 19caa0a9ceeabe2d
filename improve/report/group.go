package report

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/plural"
)

// groupName is a group as a person calls it: a project by its path below the home folder.
// In what is made to be shared a person has a number and no name.
func groupName(g improve.Group, number int, shared bool) string {
	switch {
	case g.Name == "unknown":
		return g.Name
	case g.By == improve.ByPerson && shared:
		return fmt.Sprintf("person %d", number)
	case g.By == improve.ByProject:
		return belowHome(g.Name)
	}
	return g.Name
}

// belowHome writes a path without the home folder that it lies in.
func belowHome(path string) string {
	for _, homes := range []string{"/home/", "/Users/", "/var/home/"} {
		if rest, ok := strings.CutPrefix(path, homes); ok {
			if _, below, ok := strings.Cut(rest, "/"); ok {
				return "~/" + below
			}
			return "~"
		}
	}
	return path
}

// groupTitle names a division.
func groupTitle(groups []improve.Group) string { return "By " + groups[0].By }

// groupFigures are the figures of a group.
func groupFigures(g improve.Group) string {
	return fmt.Sprintf("%s, %s, %s", plural.Count(g.Sessions, "session"), plural.Grouped(g.Metrics.TotalMessages, "message"), plural.Count(len(g.Merged), "pattern"))
}

// groupToDo is what to do first in a group. Where nothing recurs, it is the first pattern.
func groupToDo(g improve.Group, most int) []string {
	if todo := First(g.Merged, most); len(todo) > 0 {
		return todo
	}
	for _, m := range g.Merged {
		if !m.General() {
			return []string{"1. " + toDo(m)}
		}
	}
	return nil
}

// groupText writes the parts of a reflection.
func (l Layout) groupText(b *strings.Builder, groups []improve.Group) {
	if len(groups) == 0 {
		return
	}
	b.WriteString("\n" + l.bold(groupTitle(groups)) + "\n")
	for i, g := range groups {
		if l.Top > 0 && i == l.Top {
			fmt.Fprintf(b, "\n%d more; --top 0 tells all\n", len(groups)-i)
			break
		}
		b.WriteByte('\n')
		l.wrap(b, "", "  ", groupName(g, i+1, false)+": "+groupFigures(g))
		for _, todo := range groupToDo(g, 3) {
			l.wrap(b, "  ", "     ", todo)
		}
	}
}

// groupMarkdown writes the same as a part of a document.
func groupMarkdown(b *strings.Builder, groups []improve.Group) {
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| %s | sessions | messages | patterns | do first |\n|---|--:|--:|--:|---|\n", groupTitle(groups), groups[0].By)
	for i, g := range groups {
		todo := strings.TrimPrefix(strings.Join(groupToDo(g, 1), ""), "1. ")
		fmt.Fprintf(b, "| %s | %d | %d | %d | %s |\n", plainMarkdown(groupName(g, i+1, true)), g.Sessions, g.Metrics.TotalMessages, len(g.Merged), plainMarkdown(todo))
	}
}
