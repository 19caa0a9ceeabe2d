//go:build race

package sqlite

// fewer divides counts that would take minutes under the race detector.
const fewer = 10
