//go:build unix

package subprocess

import (
	"os/exec"
	"syscall"
)

// endGroup kills the program and what it started.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
