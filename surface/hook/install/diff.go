package install

import (
	"fmt"
	"strings"
)

// Diff shows what the plan would change, line by line.
func (pl Plan) Diff() string {
	var b strings.Builder
	for _, c := range pl.Changes {
		switch {
		case c.Before == nil:
			fmt.Fprintf(&b, "new file %s\n", c.Path)
		case c.After == nil:
			fmt.Fprintf(&b, "remove %s\n", c.Path)
		default:
			fmt.Fprintf(&b, "change %s\n", c.Path)
		}
		write(&b, diff(lines(c.Before), lines(c.After)))
	}
	return b.String()
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// around is how many lines that stay are shown next to one that does not.
const around = 3

// maxCells bounds the table that finds the lines that stay; beyond it all lines
// between the first and the last change are shown as changed.
const maxCells = 4 << 20

// edit is a line and what becomes of it: ' ', '-' or '+'.
type edit struct {
	what byte
	line string
}

func diff(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []edit
	for _, line := range a[:head] {
		out = append(out, edit{' ', line})
	}
	out = append(out, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, line := range a[len(a)-tail:] {
		out = append(out, edit{' ', line})
	}
	return out
}

// middle keeps the longest common run of lines.
func middle(a, b []string) []edit {
	var out []edit
	if len(a)*len(b) > maxCells {
		for _, line := range a {
			out = append(out, edit{'-', line})
		}
		for _, line := range b {
			out = append(out, edit{'+', line})
		}
		return out
	}
	wide := len(b) + 1
	common := make([]int, (len(a)+1)*wide)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*wide+j] = common[(i+1)*wide+j+1] + 1
			} else {
				common[i*wide+j] = max(common[(i+1)*wide+j], common[i*wide+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, edit{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[(i+1)*wide+j] >= common[i*wide+j+1]:
			out = append(out, edit{'-', a[i]})
			i++
		default:
			out = append(out, edit{'+', b[j]})
			j++
		}
	}
	return out
}

// write shows changed lines and a few around them.
func write(b *strings.Builder, all []edit) {
	near := func(i int) bool {
		for k := max(0, i-around); k <= min(len(all)-1, i+around); k++ {
			if all[k].what != ' ' {
				return true
			}
		}
		return false
	}
	gap := false
	for i, e := range all {
		if !near(i) {
			gap = true
			continue
		}
		if gap {
			b.WriteString("  …\n")
			gap = false
		}
		fmt.Fprintf(b, "%c %s\n", e.what, e.line)
	}
}
