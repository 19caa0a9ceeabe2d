package main

import (
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/improve/scan"
)

// newBar shows how far a scan has come, on a terminal; anywhere else nothing does.
func newBar(a *app) scan.Progress {
	if !a.terminal.err || a.flag.quiet || a.getenv("TERM") == "dumb" {
		return nil
	}
	return report.NewBar(a.err, a.columns(), a.clock)
}

// columns is the width of the terminal, within what can be read.
func (a *app) columns() int { return report.Columns(a.getenv) }
