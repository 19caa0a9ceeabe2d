//go:build unix

package main

import "syscall"

// giveWay lets the host's own processes go first.
func giveWay() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
