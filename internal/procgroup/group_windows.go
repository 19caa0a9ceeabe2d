package procgroup

import (
	"os/exec"
	"strconv"
	"syscall"
)

// Set keeps the console's Ctrl+C, which is meant for us, from the program.
func Set(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// terminate kills: only programs with a window would hear anything else.
func terminate(cmd *exec.Cmd) { Kill(cmd) }

// Kill kills the program and what it started.
func Kill(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(cmd.Process.Pid)).Run() // #nosec G204 -- a number
	_ = cmd.Process.Kill()
}

// KillRest does nothing: what a program left running cannot be told from others.
func KillRest(*exec.Cmd) {}
