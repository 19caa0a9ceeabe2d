//go:build race

package gateway_test

// fewer divides counts that would take minutes under the race detector.
const fewer = 20
