//go:build chaos

package flow_test

const (
	usualKills   = 100
	usualEntries = 2000
)
