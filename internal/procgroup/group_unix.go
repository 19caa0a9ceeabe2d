//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// Set makes the program the leader of a session, and so of a process group, once it
// is started: it has no terminal that it could read from or write to.
func Set(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
}

// terminate asks all programs of the group to end. One that is gone is no error.
func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// Kill kills the program and all others of its group.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// KillRest kills what a program that has ended left running. The group keeps its
// number as long as somebody is in it.
func KillRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		Kill(cmd)
	}
}
