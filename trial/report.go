package trial

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// Markdown is the report as text that can be read as it is, and pasted.
func (r Report) Markdown() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# Trial: %s\n\n", strings.Join(r.Plan.Arms, " against "))
	for _, line := range r.Facts() {
		p("- %s\n", line)
	}
	p("\n")
	for _, c := range r.Comparisons {
		p("**%s**\n\n", cell(c.Verdict))
	}
	for _, t := range r.tables() {
		p("## %s\n\n", t.Title)
		row(&b, t.Head)
		p("|%s\n", strings.Repeat("---|", len(t.Head)))
		for _, cells := range t.Rows {
			row(&b, cells)
		}
		if t.Below != "" {
			p("\n%s\n", t.Below)
		}
		p("\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func row(b *strings.Builder, cells []string) {
	for _, c := range cells {
		fmt.Fprintf(b, "| %s ", cell(c))
	}
	b.WriteString("|\n")
}

// cell is text that breaks no table and runs nothing: names of tasks and words of tests are
// anybody's.
func cell(s string) string {
	return strings.NewReplacer("|", "¦", "\n", " ", "\r", " ", "<", "&lt;", "`", "'").Replace(s)
}

// Facts are the circumstances, a line each.
func (r Report) Facts() []string {
	lines := []string{fmt.Sprintf("agent %s, model %s", strings.TrimSpace(r.Agent+" "+r.Version), r.Model)}
	runs := fmt.Sprintf("%d tasks, %d repeats, seed %d: %d runs", len(r.Plan.Tasks), r.Plan.Repeat, r.Plan.Seed, len(r.Results))
	if r.Missing > 0 {
		runs += fmt.Sprintf("; %d were not made", r.Missing)
	}
	lines = append(lines, runs)
	if !r.Began.IsZero() {
		lines = append(lines, fmt.Sprintf("from %s to %s", r.Began.UTC().Format("2006-01-02 15:04"), r.Ended.UTC().Format("2006-01-02 15:04 UTC")))
	}
	lines = append(lines, r.Notes...)
	return append(lines, "made with: "+r.Command)
}

// table is a part of the report.
type table struct {
	Title string
	Head  []string
	Rows  [][]string
	Below string
}

func (r Report) tables() []table {
	all := []table{r.armTable(), r.pairTable(), r.taskTable(), r.brokenTable(), r.runTable()}
	out := all[:0]
	for _, t := range all {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (r Report) armTable() table {
	t := table{
		Title: "Arms", Head: []string{"arm", "solved", "95 % interval", "steps", "tokens", "cost", "seconds", "notes", "heeded", "runs with a loop", "unproved ends"},
		Below: "Steps, tokens, cost, seconds and notes are means of a run. Loops and unproved ends are judged by the same rules in every arm.",
	}
	for _, a := range r.Arms {
		cost := "unknown"
		if a.Cost != nil {
			cost = fmt.Sprintf("$%.4f", *a.Cost)
		}
		t.Rows = append(t.Rows, []string{
			a.Name, fmt.Sprintf("%d of %d", a.Solved, a.Runs), fmt.Sprintf("%.0f to %.0f %%", 100*a.Low, 100*a.High), fmt.Sprintf("%.1f", a.Steps),
			fmt.Sprintf("%.0f", a.Tokens), cost, fmt.Sprintf("%.1f", a.Seconds), fmt.Sprintf("%.1f", a.Notes), fmt.Sprintf("%.1f", a.Heeded), fmt.Sprint(a.Loops), fmt.Sprint(a.Unproved),
		})
	}
	return t
}

func (r Report) pairTable() table {
	t := table{Title: "Pairs", Head: []string{"", "pairs", "only this", "only the other", "both", "neither", "solved, points", "chance", "tokens", "cost", "seconds"}}
	for _, c := range r.Comparisons {
		cost := "unknown"
		if c.Priced && c.Pairs > 0 {
			cost = c.Cost.text("%+.4f")
		}
		points := Estimate{100 * c.Solved.Mean, 100 * c.Solved.Low, 100 * c.Solved.High}
		t.Rows = append(t.Rows, []string{
			c.Arm + " against " + c.Against, fmt.Sprint(c.Pairs), fmt.Sprint(c.Won), fmt.Sprint(c.Lost), fmt.Sprint(c.Both), fmt.Sprint(c.Neither),
			points.text("%+.0f"), chance(c.Chance), c.Tokens.text("%+.0f"), cost, c.Seconds.text("%+.1f"),
		})
		t.Below = "Differences are means of pairs with a 95 % bootstrap interval; chance is that of a sign-flip test, two-sided. "
		if c.Unit == "task" {
			t.Below += "A task counts as one observation, whatever its repeats."
		} else {
			t.Below += "With so few tasks each pair counts as one observation: this is about these tasks, not about others."
		}
	}
	return t
}

func chance(p float64) string {
	if p < 0.001 {
		return "below 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

func (e Estimate) text(form string) string {
	return fmt.Sprintf(form+" ("+form+" to "+form+")", e.Mean, e.Low, e.High)
}

func (r Report) taskTable() table {
	t := table{Title: "Tasks", Head: append([]string{"task"}, r.Plan.Arms...)}
	for _, s := range r.Tasks {
		cells := []string{s.Name}
		for i := range r.Plan.Arms {
			cells = append(cells, fmt.Sprintf("%d of %d", s.Solved[i], s.Runs[i]))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func (r Report) brokenTable() table {
	t := table{Title: "Not counted", Head: []string{"run", "why"}}
	for _, x := range r.Results {
		if !x.Counts() {
			t.Rows = append(t.Rows, []string{x.Run.String(), x.Why})
		}
	}
	return t
}

func (r Report) runTable() table {
	t := table{
		Title: "Runs", Head: []string{"task", "arm", "repeat", "outcome", "steps", "tokens", "seconds", "notes", "loops", "unproved", "session", "folder"},
		Below: "To read a run: trimtab --data FOLDER/data session show SESSION",
	}
	for _, x := range r.Results {
		unproved := ""
		if x.Unproved {
			unproved = "yes"
		}
		t.Rows = append(t.Rows, []string{
			x.Task, x.Arm, fmt.Sprint(x.Repeat), string(x.Outcome), fmt.Sprint(x.Steps), fmt.Sprint(x.Tokens()),
			fmt.Sprintf("%.1f", x.Seconds), fmt.Sprint(x.Notes), fmt.Sprint(x.Loops), unproved, x.Session, x.Folder,
		})
	}
	return t
}

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Parse(page))

// HTML writes the report as one page that asks for nothing else.
func (r Report) HTML(w io.Writer) error {
	var verdicts []string
	for _, c := range r.Comparisons {
		verdicts = append(verdicts, c.Verdict)
	}
	return pageTemplate.Execute(w, map[string]any{"Title": "Trial: " + strings.Join(r.Plan.Arms, " against "), "Facts": r.Facts(), "Verdicts": verdicts, "Tables": r.tables()})
}
