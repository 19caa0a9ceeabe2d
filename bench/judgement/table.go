package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// write prints the tables for people.
func write(out io.Writer, res result, list bool) error {
	for _, c := range res.Corpora {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "%s: %s, %s\n", c.Name, plural.Count(c.Sessions, "session"), plural.Count(c.Steps, "step"))
		writeSaid(w, c.Said, c.Steps, false)
		if c.Labelled != nil {
			writeLabelled(w, *c.Labelled)
		}
		if c.Runs != nil {
			writeRuns(w, *c.Runs)
		}
		fmt.Fprintln(w)
		if err := w.Flush(); err != nil {
			return err
		}
		if list && c.Labelled != nil {
			if err := writeList(out, *c.Labelled); err != nil {
				return err
			}
		}
		if list {
			if err := writeOthers(out, c.Others); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeSaid(w io.Writer, rows []saidRow, steps int, judged bool) {
	head := "  said\tcount\tper 100 steps\ton last request\tbehind a prompt"
	if judged {
		head += "\tuseful\tharmless\tannoying\tunlabelled\tprecision"
	}
	fmt.Fprintln(w, head)
	all := saidRow{Kind: "all", Verdicts: map[verdict]int{}}
	for _, r := range rows {
		all.Count, all.Last, all.Behind = all.Count+r.Count, all.Last+r.Last, all.Behind+r.Behind
		for v, n := range r.Verdicts {
			all.Verdicts[v] += n
		}
	}
	for _, r := range append(rows[:len(rows):len(rows)], all) {
		fmt.Fprintf(w, "  %s\t%d\t%.1f\t%s\t%s", r.Kind, r.Count, 100*share(r.Count, steps), percent(r.Last, r.Count), percent(r.Behind, r.Count))
		if judged {
			fmt.Fprintf(w, "\t%d\t%d\t%d\t%d\t%s", r.Verdicts[useful], r.Verdicts[harmless], r.Verdicts[annoying], r.Verdicts[unknown], decimal(r.Verdicts[useful], r.Count))
		}
		fmt.Fprintln(w)
	}
}

func writeLabelled(w io.Writer, l labelledResult) {
	fmt.Fprintf(w, "\n  with labels: %s, %s; of %s that a person found useful %d are still given\n", plural.Count(l.Sessions, "session"), plural.Count(l.Steps, "step"), plural.Count(l.Useful, "note"), l.Kept)
	writeSaid(w, l.Said, l.Steps, true)
	fmt.Fprintln(w, "\n  moment\tclear\tfound\trecall\tsaid to it\tprecision\tweak found\tbest length rule\tits precision\tits recall")
	for _, m := range l.Moments {
		fmt.Fprintf(w, "  %s\t%d\t%d\t%s\t%d\t%s\t%d of %d\tat step %d\t%s\t%s\n", m.Kind, m.Clear, m.Found, decimal(m.Found, m.Clear), m.Said, decimal(m.Right, m.Said),
			m.Spoken, m.Weak, m.Length.Steps, decimal(m.Length.Right, m.Length.Said), decimal(m.Length.Found, m.Clear))
	}
}

func writeRuns(w io.Writer, r runResult) {
	fmt.Fprintf(w, "\n  runs: %d failed, %d solved\n", r.Failed, r.Solved)
	fmt.Fprintln(w, "  alarm\tfailed\tsolved\tlength rule with as many\tits failed\tits solved")
	for _, a := range r.Alarms {
		fmt.Fprintf(w, "  %s\t%d\t%d\tmore than %d steps\t%d\t%d\n", a.Rule, a.Failed, a.Solved, a.Longer, a.LongerFailed, a.LongerSolved)
	}
	if r.Submitted > 0 {
		fmt.Fprintf(w, "  unproved finish: of %d runs that were handed in, %d of them wrong, %d are held back, %d of these wrong: precision %s, recall %s\n",
			r.Submitted, r.Wrong, r.Held, r.HeldWrong, decimal(r.HeldWrong, r.Held), decimal(r.HeldWrong, r.Wrong))
	}
}

// writeList prints every note and every moment that was missed.
func writeList(out io.Writer, l labelledResult) error {
	p := termsafe.NewPrinter(out)
	for _, n := range l.Notes {
		p.Printf("  %.8s step %-4d %-11s %s (%s/%s): %s\n", n.Session, n.Step, n.Verdict, n.Kind, n.By, n.Slot, n.Why)
	}
	for _, m := range l.Missed {
		p.Printf("  %.8s step %-4d missed      %s: %s\n", m.Session, m.Step, m.Kind, m.Why)
	}
	return p.Err()
}

// writeOthers prints what was said in sessions without labels, and how those ended.
func writeOthers(out io.Writer, notes []said) error {
	p := termsafe.NewPrinter(out)
	for _, n := range notes {
		p.Printf("  %.12s step %-4d %-11s %s (%s/%s): %s\n", n.Session, n.Step, n.End, n.Kind, n.By, n.Slot, n.Why)
	}
	return p.Err()
}

func percent(part, all int) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*share(part, all))
}

func decimal(part, all int) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", share(part, all))
}
