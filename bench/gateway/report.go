package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// row is one figure of every target.
type row struct {
	Part   string             `json:"part"`
	What   string             `json:"what"`
	Unit   string             `json:"unit,omitempty"`
	By     map[string]float64 `json:"by"`               // by target
	Count  map[string]int     `json:"count,omitempty"`  // measured
	Bad    map[string]int     `json:"bad,omitempty"`    // failed, and left out of the figure
	Counts map[string]float64 `json:"counts,omitempty"` // beside it; of memory, the most so far
	After  map[string]float64 `json:"after,omitempty"`  // of memory: right after the last request
	Goal   goal               `json:"goal,omitzero"`
}

func (r *row) set(target string, value float64, count, bad int) {
	if r.By == nil {
		r.By, r.Count, r.Bad = map[string]float64{}, map[string]int{}, map[string]int{}
	}
	r.By[target], r.Count[target] = value, count
	if bad > 0 {
		r.Bad[target] = bad
	}
}

// goal is what a figure of ours should be: at most so many times that of
// ReverseProxy, or at most so much.
type goal struct {
	Ratio float64 `json:"ratio,omitempty"`
	Most  float64 `json:"most,omitempty"`
	Set   bool    `json:"set,omitempty"` // Most counts
}

// addedGoal is the goal for a body that is known, by its size.
func addedGoal(z size) goal {
	switch {
	case z.bytes > 1_000_000:
		return goal{Ratio: 1.3}
	case z.bytes > 100_000:
		return goal{Ratio: 1.4}
	}
	return goal{Ratio: 1.2}
}

// text is the goal in words.
func (g goal) text() string {
	switch {
	case g.Ratio > 0:
		return fmt.Sprintf("≤ %.1f×", g.Ratio)
	case g.Set:
		return "≤ " + number(g.Most)
	}
	return ""
}

// ratio is our figure beside that of ReverseProxy; ok is false where there is
// none.
func (r row) ratio() (ratio float64, ok bool) {
	ours, ok1 := r.By["trimtab"]
	theirs, ok2 := r.By["ReverseProxy"]
	return ours / theirs, ok1 && ok2 && theirs > 0 && ours > 0
}

// met says whether the goal is met, and nothing where there is none to meet.
func (r row) met() string {
	ours, ok := r.By["trimtab"]
	ratio, compared := r.ratio()
	switch {
	case !ok:
		return ""
	case r.Goal.Ratio > 0 && compared && ratio <= r.Goal.Ratio, r.Goal.Set && ours <= r.Goal.Most:
		return "met"
	case r.Goal.Ratio > 0 && compared, r.Goal.Set:
		return "missed"
	}
	return ""
}

// report is all figures of a run.
type report struct {
	At      time.Time `json:"at"`
	Machine string    `json:"machine"`
	Targets []string  `json:"targets"`
	Model   string    `json:"model"` // what the fake model speaks
	Left    []string  `json:"left,omitempty"`
	Times   int       `json:"times"`
	Rows    []row     `json:"rows"`
	Memory  []row     `json:"memory"`
	Steered []row     `json:"steered"`
}

func (r *run) report() report {
	rep := report{At: time.Now().UTC(), Machine: machine(), Left: r.left, Times: r.times, Model: "TLS"}
	if r.plain {
		rep.Model = "plain HTTP"
	}
	for _, t := range r.targets {
		rep.Targets = append(rep.Targets, t.name)
	}
	var names []string
	for _, kind := range []string{"growing ", "same "} {
		for _, z := range r.sizes {
			names = append(names, kind+z.name)
		}
	}
	for _, name := range append(names, "sse", "cut", "streams") {
		for _, row := range r.kept[name].rows {
			switch row.Unit {
			case "MB":
				rep.Memory = append(rep.Memory, row)
			case "%":
				rep.Steered = append(rep.Steered, row)
			default:
				rep.Rows = append(rep.Rows, row)
			}
		}
	}
	rep.Rows = append(rep.Rows, highest(r.held)...)
	return rep
}

// highest is the largest memory that was held at rest after any measurement, also
// one whose times were not kept, right after one, and at any time.
func highest(memory []row) []row {
	rest := row{Part: "memory", What: "resident at rest, largest", Unit: "MB", Goal: goal{Most: 100, Set: true}}
	after := row{Part: "memory", What: "resident right after requests, largest", Unit: "MB"}
	peak := row{Part: "memory", What: "resident, peak", Unit: "MB"}
	for _, m := range memory {
		for name, v := range m.By {
			rest.set(name, max(rest.By[name], v), 0, 0)
			after.set(name, max(after.By[name], m.After[name]), 0, 0)
			peak.set(name, max(peak.By[name], m.Counts[name]), 0, 0)
		}
	}
	if rest.By == nil {
		return nil
	}
	return []row{rest, after, peak}
}

func machine() string {
	host := fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	cpu, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return host
	}
	if _, rest, ok := strings.Cut(string(cpu), "model name\t: "); ok {
		model, _, _ := strings.Cut(rest, "\n")
		host += ", " + model
	}
	return host
}

// print writes the figures as Markdown.
func (rep report) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s; the model speaks %s\n\n", rep.At.Format("2006-01-02 15:04"), rep.Machine, rep.Model)
	for _, text := range rep.Left {
		fmt.Fprintf(w, "%s.\n\n", text)
	}
	fmt.Fprintf(w, "| part | figure | %s | ratio | goal | |\n|---|---|%s---|---|---|\n", strings.Join(rep.Targets, " | "), strings.Repeat("---|", len(rep.Targets)))
	last := ""
	for _, r := range rep.Rows {
		part := r.Part
		if part == last {
			part = ""
		}
		last = r.Part
		what := r.What
		if r.Unit != "" {
			what += ", " + r.Unit
		}
		fmt.Fprintf(w, "| %s | %s |", part, what)
		for _, t := range rep.Targets {
			fmt.Fprintf(w, " %s |", r.cell(t))
		}
		ratio := ""
		if v, ok := r.ratio(); ok {
			ratio = fmt.Sprintf("%.2f×", v)
		}
		fmt.Fprintf(w, " %s | %s | %s |\n", ratio, r.Goal.text(), r.met())
	}
	rep.printTrimtab(w)
	for _, r := range rep.Rows {
		for _, t := range slices.Sorted(maps.Keys(r.Bad)) {
			fmt.Fprintf(w, "%s: %d requests to %s failed and are left out of its figures.\n", r.Part, r.Bad[t], t)
		}
	}
}

// printTrimtab writes what our gateway did meanwhile: figures of requests that
// were not steered would say nothing.
func (rep report) printTrimtab(w io.Writer) {
	if !slices.Contains(rep.Targets, "trimtab") {
		return
	}
	fmt.Fprint(w, "\n| trimtab during | requests | left with notes | new notes | faults | resident right after, MB | at rest, MB |\n|---|---|---|---|---|---|---|\n")
	for i, s := range rep.Steered {
		fmt.Fprintf(w, "| %s | %.0f | %.0f %% | %.0f | %.0f | %.0f | %.0f |\n", s.Part, s.Counts["requests"], s.By["trimtab"], s.Counts["notes"], s.Counts["faults"], rep.Memory[i].After["trimtab"], rep.Memory[i].By["trimtab"])
	}
}

func (r row) cell(target string) string {
	v, ok := r.By[target]
	if !ok {
		return ""
	}
	return number(v)
}

func number(v float64) string {
	if v != 0 && v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
