//go:build chaos

package worker_test

const (
	usualKills   = 100
	usualEntries = 2000
)
