package mode

import (
	"fmt"
	"slices"
	"strings"
)

// find takes a mode's id or name in any case, a unique beginning of either, or
// + and - for its neighbours. From a mode that is not among those to cycle
// through, these lead to Normal. A problem is said in words and names the nearest, if
// one is near.
func (d Modes) find(m Memory, name string) (i int, problem string) {
	here, n := d.index(m.Mode), d.cycle
	switch {
	case (name == "+" || name == "-") && here >= n:
		return 0, ""
	case name == "+":
		return (here + 1) % n, ""
	case name == "-":
		return (here + n - 1) % n, ""
	}
	want := plain(name)
	var begins []int
	for i, def := range d.list {
		id, shown := plain(def.ID), plain(def.Name)
		if id == want || shown == want {
			return i, ""
		}
		if strings.HasPrefix(id, want) || strings.HasPrefix(shown, want) {
			begins = append(begins, i)
		}
	}
	switch len(begins) {
	case 1:
		return begins[0], ""
	case 0:
		if near := d.nearest(want); near != "" {
			return 0, fmt.Sprintf("no mode is called %q; did you mean %s?", name, near)
		}
		return 0, fmt.Sprintf("no mode is called %q", name)
	}
	var ids []string
	for _, i := range begins {
		ids = append(ids, d.list[i].ID)
	}
	return 0, fmt.Sprintf("%q could be %s", name, strings.Join(ids, " or "))
}

// plain folds case and the ways to write "code review".
func plain(s string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(s))
}

// nearest is the mode that is most like a name, or "" where none has half of its
// letters.
func (d Modes) nearest(want string) string {
	best, least := "", 1<<30
	for _, def := range d.list {
		id := plain(def.ID)
		if n := distance(want, id); n < least && 2*n <= max(len(want), len(id)) {
			best, least = def.ID, n
		}
	}
	return best
}

// distance counts the letters to change, add or drop.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	x = x[:min(len(x), 64)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		last := slices.Clone(row)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
		}
	}
	return row[len(y)]
}
