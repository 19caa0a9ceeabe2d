//go:build !linux && !darwin

package report

import "os"

// terminalWidth is not known here.
func terminalWidth(*os.File) int { return 0 }
