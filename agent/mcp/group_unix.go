//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the server and all that it starts into one group, which has no
// terminal.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endGroup ends what a server that has ended left running.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
