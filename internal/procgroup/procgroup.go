// Package procgroup runs a program in a process group of its own, so that it can be
// ended together with all that it started.
//
//	procgroup.Set(cmd)
//	err := cmd.Start()
//	err = procgroup.Wait(ctx, cmd, 2*time.Second)
//	procgroup.KillRest(cmd)
//
// A program that starts a session of its own leaves the group and is not reached.
// On Windows there is no such group: Kill goes by parent processes, which are known
// only while the program runs, and KillRest does nothing.
package procgroup

import (
	"context"
	"os/exec"
	"time"
)

// Wait waits for a program that was started. When ctx is done it asks the group to
// end, and kills it after the grace period.
func Wait(ctx context.Context, cmd *exec.Cmd, grace time.Duration) error {
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		terminate(cmd)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
			Kill(cmd)
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-watched
	return err
}
