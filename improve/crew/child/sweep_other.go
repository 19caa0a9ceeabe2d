//go:build !linux

package child

// sweep finds processes by their environment, which only Linux shows.
func sweep(string) {}
