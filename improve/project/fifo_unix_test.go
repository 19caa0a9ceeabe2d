//go:build unix

package project_test

import (
	"syscall"
	"testing"
)

// fifo makes a pipe that nobody writes to.
func fifo(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}
