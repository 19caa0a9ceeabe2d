package subprocess

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// rounds is how often is looked for processes that were being born at the last look.
const rounds = 4

// sweep ends the processes that left the program's group: they bear its mark in the
// environment they were born with. One that threw its environment away is not found.
func sweep(mark string) {
	self := os.Getpid()
	for range rounds {
		found := false
		names, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, name := range names {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err != nil || pid <= 1 || pid == self {
				continue
			}
			env, err := os.ReadFile(name) // #nosec G304 -- of /proc; those of others cannot be read
			if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
				if syscall.Kill(pid, syscall.SIGKILL) == nil {
					found = true
					bury(pid)
				}
			}
		}
		if !found {
			return
		}
	}
}

// bury waits a little until a process that was killed is gone: the kernel takes its
// time on a busy machine, and Run promises that nothing is left.
func bury(pid int) {
	for range 200 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
