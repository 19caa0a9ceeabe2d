//go:build unix

package procgroup

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Watch has the group of a program that was started killed when this process ends,
// however it does, so that nothing it started goes on unwatched. A shell waits for the end
// of a pipe that only we hold; the system closes it also where we are killed. Unwatch
// is called when the program has ended. Where there is no shell nobody watches.
func Watch(cmd *exec.Cmd) (unwatch func()) {
	nothing := func() {}
	end, hold, err := os.Pipe() // no program that is started inherits either
	if err != nil {
		return nothing
	}
	defer end.Close()
	watcher := exec.Command("/bin/sh", "-c", `read -r over || kill -9 "-$1"`, "sh", strconv.Itoa(cmd.Process.Pid)) // #nosec G204 -- a number
	watcher.Stdin, watcher.Env = end, []string{}
	watcher.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl+C is not for it
	if err := watcher.Start(); err != nil {
		_ = hold.Close()
		return nothing
	}
	return func() {
		_, _ = io.WriteString(hold, "over\n")
		_ = hold.Close()
		_ = watcher.Wait()
	}
}
