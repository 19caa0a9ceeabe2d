package tool

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// ownGroup keeps the console's Ctrl+C, which is meant for us, from the command.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// tellGroup ends the group: only programs with a window would hear anything else.
func tellGroup(cmd *exec.Cmd) { endGroup(cmd) }

// endGroup ends the command and what it started.
func endGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(cmd.Process.Pid)).Run()
	_ = cmd.Process.Kill()
}

// endRest does nothing: what the command left running cannot be told from others.
func endRest(*exec.Cmd) {}

// shellCommand is a command for the shell to run. It takes the command line as a
// whole, since its quoting is not that of other programs.
func shellCommand(shell []string, command string) *exec.Cmd {
	cmd := exec.Command(shell[0])
	line := syscall.EscapeArg(shell[0]) + " " + strings.Join(shell[1:], " ") + ` "` + command + `"`
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	return cmd
}
