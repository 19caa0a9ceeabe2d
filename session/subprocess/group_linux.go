package subprocess

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a program and all that it starts into one group, which has no
// terminal, and has it killed when we end, however we do.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
