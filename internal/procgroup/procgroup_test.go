//go:build unix

package procgroup

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start runs a script in a group of its own and waits until it says ready.
func start(t *testing.T, script string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	Set(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { KillRest(cmd) })
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("it said %q, %v", line, err)
	}
	return cmd, r
}

func TestTheProgramLeadsItsGroup(t *testing.T) {
	cmd, _ := start(t, "echo ready; sleep 300")
	if group, err := syscall.Getpgid(cmd.Process.Pid); err != nil || group != cmd.Process.Pid {
		t.Errorf("its group is %d, %v", group, err)
	}
}

// The pipe ends when the last program that has it does.
func TestKillReachesWhatWasStarted(t *testing.T) {
	cmd, out := start(t, "sleep 300 & echo ready; wait")
	Kill(cmd)
	if _, err := io.ReadAll(out); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("err = %v, want killed", err)
	}
}

func TestKillRestReachesWhatWasLeft(t *testing.T) {
	cmd, out := start(t, "sleep 300 & echo ready")
	if _, err := cmd.Process.Wait(); err != nil { // not cmd.Wait, which closes the pipe
		t.Fatal(err)
	}
	KillRest(cmd)
	if _, err := io.ReadAll(out); err != nil {
		t.Error(err)
	}
	KillRest(exec.Command("sh")) // one that was never started
}

func TestWaitAsksBeforeItKills(t *testing.T) {
	for _, c := range []struct {
		name, script, want string
		grace              time.Duration
	}{
		{"one that hears it", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done", "exit status 5", time.Hour},
		{"one that does not", "trap '' TERM; echo ready; while :; do sleep 300; done", "killed", time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, _ := start(t, c.script)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := Wait(ctx, cmd, c.grace); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("err = %v, want %s", err, c.want)
			}
		})
	}
}

func TestWaitReturnsHowItEnded(t *testing.T) {
	cmd, _ := start(t, "echo ready; exit 3")
	if err := Wait(t.Context(), cmd, time.Hour); err == nil || err.Error() != "exit status 3" {
		t.Errorf("err = %v", err)
	}
}

func TestKillWithParentKeepsTheRest(t *testing.T) {
	cmd := exec.Command("sh")
	Set(cmd)
	KillWithParent(cmd)
	if !cmd.SysProcAttr.Setsid {
		t.Error("the group was lost")
	}
}
