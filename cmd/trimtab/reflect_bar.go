package main

import (
	"os"
	"strconv"

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
func (a *app) columns() int {
	n, _ := strconv.Atoi(a.getenv("COLUMNS")) // not a number is not known
	if n == 0 {
		n = screenWidth(os.Stdout)
	}
	if n == 0 {
		n = screenWidth(os.Stderr)
	}
	if n == 0 {
		n = 80
	}
	return min(max(n, 30), 120)
}
