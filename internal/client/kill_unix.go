//go:build unix

package client

import (
	"os/exec"
	"syscall"
)

// killTogether makes the end of the context reach what the client started too:
// several of them are a script that starts the real program.
func killTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
