package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/trimtab/trimtab/internal/procgroup"
)

const (
	endGrace = 2 * time.Second        // between being told to end and being ended
	linger   = 500 * time.Millisecond // how long output is read on after all programs should be gone
)

// runGroup runs a command with nothing to read, and with all that it starts in
// one group, which is ended when ctx is done or the command is.
func runGroup(ctx context.Context, cmd *exec.Cmd, out io.Writer, grace time.Duration) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, w, w
	procgroup.Set(cmd)
	if err := ctx.Err(); err != nil {
		return errors.Join(err, r.Close(), w.Close())
	}
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return fmt.Errorf("start: %w", err)
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(out, r) // it ends with the last program that writes, or when r is closed
	}()
	err = procgroup.Wait(ctx, cmd, grace)
	procgroup.KillRest(cmd)
	timer := time.NewTimer(linger)
	defer timer.Stop()
	select {
	case <-copied:
	case <-timer.C: // somebody left the group and holds on to the pipe
	}
	_ = r.Close()
	<-copied
	return err
}
