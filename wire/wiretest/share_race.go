//go:build race

package wiretest

// share is how much less is tried under the race detector, which makes it many
// times slower and has nothing to find where nothing runs beside anything.
const share = 20
