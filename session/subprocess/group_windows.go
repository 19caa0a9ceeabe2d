package subprocess

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the console's Ctrl+C, which is meant for us, from the program.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup does nothing: what a program left running cannot be told from others.
func endGroup(*exec.Cmd) {}
