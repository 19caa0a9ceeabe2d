//go:build race

package flow_test

// fewer divides counts that would take minutes under the race detector.
const fewer = 5
