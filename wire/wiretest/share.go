//go:build !race

package wiretest

// share is how much less is tried: all of it.
const share = 1
