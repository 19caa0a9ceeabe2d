//go:build unix

package main

import (
	"syscall"
	"time"
)

// spent returns the time that this process has been at work. A busy machine
// makes the clock on the wall say little.
func spent() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
