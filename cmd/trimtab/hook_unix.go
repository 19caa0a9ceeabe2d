//go:build unix

package main

import "syscall"

// apart makes a process the first of a session of its own: what ends the host's
// processes does not end it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// giveWay lets the host's own processes go first.
func giveWay() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
