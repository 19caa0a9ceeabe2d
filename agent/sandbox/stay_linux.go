package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

const (
	setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	setParentDeath    = 1  // PR_SET_PDEATHSIG
)

// stay runs the command and stays beside it until it ends, so that nothing it started
// outlives it, or the program that asked for it: what leaves its group or loses its
// parent becomes a child of this process, and the kernel tells this process when its
// own parent dies. It returns only if the command did not start.
func stay(args []string) error {
	runtime.LockOSThread() // for good: see below
	parent := os.Getppid()
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	for _, set := range [][2]uintptr{{setChildSubreaper, 1}, {setParentDeath, uintptr(syscall.SIGTERM)}} {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, set[0], set[1], 0, 0, 0, 0); errno != 0 {
			return fmt.Errorf("stay with the command: %w", errno)
		}
	}
	cmd := exec.Command(args[0], args[1:]...) // #nosec G204 -- what this program was started for
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// This goroutine keeps its thread: Landlock gives each thread a domain of its own, and
	// only the one that started the command may send signals to it.
	var err error
	for waiting := true; waiting; {
		if os.Getppid() != parent {
			endAll()
			os.Exit(notRun)
		}
		select {
		case err = <-ended:
			waiting = false
		case <-told: // one for the group is the command's to obey; ours is the parent's end
		}
	}
	endAll()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			signal.Reset()
			_ = syscall.Kill(os.Getpid(), status.Signal())
		}
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}

// endAll kills all that comes of this process. What is killed leaves its children to
// this process, so it looks again until there are none.
func endAll() {
	for range 1000 {
		all := children()
		if len(all) == 0 {
			return
		}
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, 0, nil) // or Wait did
		}
	}
}

// children are the processes whose parent this one is. Not every kernel lists them in
// one place, so all are looked at.
func children() (out []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	own := strconv.Itoa(os.Getpid())
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		raw, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // gone
		}
		// "pid (name) state parent …", and a name may hold anything
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		if len(fields) > 1 && fields[1] == own {
			out = append(out, pid)
		}
	}
	return out
}
