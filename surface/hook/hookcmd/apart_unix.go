//go:build unix

package hookcmd

import "syscall"

// apart makes a process the first of a session of its own: what ends the host's
// processes does not end it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
