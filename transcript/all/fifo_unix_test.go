//go:build unix

package all_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript/all"
)

func TestAPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := all.Open(t.Context(), path, "claude")
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, trimtab.ErrDamaged) {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for somebody who writes")
	}
}
