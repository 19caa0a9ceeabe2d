//go:build unix && !linux

package subprocess

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a program and all that it starts into one group, which has no
// terminal. When we are killed its input ends, and so does the program.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
