package tool

import (
	"os/exec"
	"strings"
	"syscall"
)

// shellCommand is a command for the shell to run. It takes the command line as a
// whole, since its quoting is not that of other programs.
func shellCommand(shell []string, command string) *exec.Cmd {
	cmd := exec.Command(shell[0])
	line := syscall.EscapeArg(shell[0]) + " " + strings.Join(shell[1:], " ") + ` "` + command + `"`
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	return cmd
}
