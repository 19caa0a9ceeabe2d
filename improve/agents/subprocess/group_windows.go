package subprocess

import (
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup keeps the console's Ctrl+C, which is meant for us, from the program.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// tellGroup ends the group: only programs with a window would hear anything else.
func tellGroup(cmd *exec.Cmd) { endGroup(cmd) }

// endGroup ends the program and what it started.
func endGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(cmd.Process.Pid)).Run() // #nosec G204 -- a number
	_ = cmd.Process.Kill()
}

// endRest does nothing: what a program left running cannot be told from others.
func endRest(*exec.Cmd) {}
