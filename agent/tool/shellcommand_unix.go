//go:build unix

package tool

import "os/exec"

// shellCommand is a command for the shell to run.
func shellCommand(shell []string, command string) *exec.Cmd {
	return exec.Command(shell[0], append(shell[1:len(shell):len(shell)], command)...)
}
