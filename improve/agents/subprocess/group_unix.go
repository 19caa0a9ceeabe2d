//go:build unix

package subprocess

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the head of a session, and so of a process group: it
// has no terminal that it could read from or write to.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
}

// tellGroup tells all programs of the group to end. One that is gone is no error.
func tellGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// endGroup ends them.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// endRest ends what the program left in its group. The group keeps its number as
// long as somebody is in it.
func endRest(cmd *exec.Cmd) { endGroup(cmd) }
