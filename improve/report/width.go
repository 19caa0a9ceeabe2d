package report

import (
	"cmp"
	"os"
	"strconv"
)

// Columns is the width of the terminal that a report is for, within what can be read:
// as COLUMNS says, or else the terminal itself.
func Columns(getenv func(string) string) int {
	n, _ := strconv.Atoi(getenv("COLUMNS")) // not a number is not known
	if n == 0 {
		n = cmp.Or(terminalWidth(os.Stdout), terminalWidth(os.Stderr), 80)
	}
	return min(max(n, 30), 120)
}
