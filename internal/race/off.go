//go:build !race

package race

// Enabled is true with go test -race.
const Enabled = false
