//go:build !linux

package subprocess

// sweep finds processes by their environment, which only Linux shows.
func sweep(string) {}
