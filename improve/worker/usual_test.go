//go:build !chaos

package worker_test

// How much is tried where nobody asks for more with TRIMTAB_KILLS and
// TRIMTAB_ENTRIES. The build tag chaos asks for what a release needs.
const (
	usualKills   = 5 // at each moment of each step; one with -short
	usualEntries = 8
)
