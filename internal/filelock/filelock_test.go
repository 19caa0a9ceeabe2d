package filelock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain is also the process of TestADeadProcessHoldsNothing: it locks a file,
// says so, and waits to be killed.
func TestMain(m *testing.M) {
	if name := os.Getenv("FILELOCK_TEST_HOLD"); name != "" {
		if _, err := Try(name); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		_, _ = io.ReadAll(os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestALockIsHeldByOne(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := Try(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Try(name); !errors.Is(err, ErrLocked) {
		t.Errorf("a second one got %v", err)
	}
	if _, err := Lock(name, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("one that does not wait got %v", err)
	}
	unlock()
	if unlock, err = Try(name); err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := os.Stat(name); err != nil {
		t.Error("the lock file is gone:", err)
	}
}

func TestLockWaitsForItsTurn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	var all sync.WaitGroup
	var holders, done atomic.Int32
	for range 8 {
		all.Go(func() {
			unlock, err := Lock(name, time.Hour)
			if err != nil {
				t.Error(err)
				return
			}
			if n := holders.Add(1); n != 1 {
				t.Errorf("%d hold the lock", n)
			}
			done.Add(1)
			holders.Add(-1)
			unlock()
		})
	}
	all.Wait()
	if n := done.Load(); n != 8 {
		t.Errorf("%d of 8 had the lock", n)
	}
}

func TestADeadProcessHoldsNothing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FILELOCK_TEST_HOLD="+name)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said string
	if _, err := fmt.Fscanln(out, &said); err != nil || said != "held" {
		t.Fatalf("the other process said %q, %v", said, err)
	}
	if _, err := Try(name); !errors.Is(err, ErrLocked) {
		t.Errorf("beside another process: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	unlock, err := Lock(name, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestWhatCannotBeOpenedIsNotLocked(t *testing.T) {
	if _, err := Try(filepath.Join(t.TempDir(), "missing", "lock")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("got %v", err)
	}
}
