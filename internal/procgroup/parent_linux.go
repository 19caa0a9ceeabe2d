package procgroup

import (
	"os/exec"
	"syscall"
)

// KillWithParent has the program killed when this process ends, however it does. The
// system takes the thread for the parent, so the goroutine that starts the program
// is locked to its thread (runtime.LockOSThread) for as long as the program runs.
func KillWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
