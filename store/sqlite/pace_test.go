//go:build !race

package sqlite

// fewer divides counts that would take minutes under the race detector. Without
// it they are what is promised.
const fewer = 1
