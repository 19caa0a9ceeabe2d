//go:build unix

package subprocess_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve/agents/subprocess"
)

// leaveGroup makes a process the head of another session.
func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// alive reports whether a process is there and not only waiting to be buried.
func alive(t *testing.T, text string) bool {
	t.Helper()
	pid, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + text + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// TestR27_ChildrenDieWithTheirParent: a worker that is killed, so that it can end nothing
// itself, leaves neither its agent behind nor what the agent started.
func TestR27_ChildrenDieWithTheirParent(t *testing.T) {
	modes := []string{"none"}
	place, err := subprocess.Open(subprocess.Setting{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if place.Boxed() == "landlock" { // bubblewrap gives processes other numbers
		modes = append(modes, "landlock")
	}
	if err := place.Close(); err != nil {
		t.Fatal(err)
	}
	for _, mode := range modes {
		t.Run("sandbox "+mode, func(t *testing.T) {
			dir := t.TempDir()
			told := filepath.Join(dir, "pids")
			worker := exec.Command(os.Args[0], "-play", "worker", dir, told, mode)
			worker.Stdout, worker.Stderr = os.Stderr, os.Stderr
			if err := worker.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { defer close(ended); _ = worker.Wait() }()
			t.Cleanup(func() { _ = worker.Process.Kill(); <-ended })
			var pids []string
			for len(pids) == 0 {
				select {
				case <-ended:
					t.Fatal("the worker ended by itself")
				case <-time.After(10 * time.Millisecond):
				}
				raw, _ := os.ReadFile(told)
				pids = strings.Fields(string(raw))
			}
			if err := worker.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-ended
			for _, pid := range pids {
				for alive(t, pid) { // the test's own limit ends this
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
}
