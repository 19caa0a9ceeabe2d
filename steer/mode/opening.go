package mode

import (
	"fmt"
	"strings"
	"sync"
	"text/template"
)

var opening = sync.OnceValues(func() (*template.Template, error) {
	words := template.FuncMap{"ids": ids, "inc": func(i int) int { return i + 1 }}
	return template.New("opening").Funcs(words).Parse(prompt("opening"))
})

// Opening is what the agent is told when the mode begins: the entry prompt as it
// was written and, in a mode with a goal, the goal, the way there, and how to show
// that a criterion is met.
func (d Definition) Opening() string {
	if !d.HasGoal() && d.Instructions == "" {
		return d.Entry
	}
	words, err := opening()
	if err != nil {
		return d.Entry
	}
	var out strings.Builder
	if err := words.Execute(&out, d); err != nil {
		return d.Entry
	}
	return tidy(out.String())
}

// tidy leaves at most one empty line between two others.
func tidy(text string) string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = strings.TrimRight(line, " ")
		if line == "" && len(out) > 0 && out[len(out)-1] == "" {
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// ResearchLimits says the limits of research in words, or nothing.
func (d Definition) ResearchLimits() string {
	var parts []string
	if d.Needed > 0 {
		parts = append(parts, fmt.Sprintf("%d at least before you sum up", d.Needed))
	}
	if d.Research > 0 {
		parts = append(parts, fmt.Sprintf("%d at most", d.Research))
	}
	if d.PerTopic > 0 {
		parts = append(parts, fmt.Sprintf("%d on one topic", d.PerTopic))
	}
	return strings.Join(parts, ", ")
}

func ids(list []Criterion) string {
	var all []string
	for _, c := range list {
		all = append(all, c.ID)
	}
	return strings.Join(all, ", ")
}
