//go:build e2e && unix

package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab/store/storetest"
)

// withServer starts a server for the tests, unless one was named.
func withServer(m *testing.M) int {
	if os.Getenv(given) != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "trimtab-postgres-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _, _ = script("stop", dir) }()
	url, err := script("start", dir)
	if err == nil {
		err = os.Setenv(given, url)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// script runs script/postgres.sh and returns what it prints.
func script(verb, dir string) (string, error) {
	cmd := exec.Command("sh", filepath.Join("..", "..", "script", "postgres.sh"), verb, dir)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("script/postgres.sh %s: %w: %s", verb, err, complaint.String())
	}
	return strings.TrimSpace(string(out)), err
}

// TestP5_AServerThatIsKilledLosesNothingAcknowledged kills the server with all its
// processes at once while eight write, starts it again, and looks.
func TestP5_AServerThatIsKilledLosesNothingAcknowledged(t *testing.T) {
	dir, err := os.MkdirTemp("", "trimtab-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = script("stop", dir) })
	url, err := script("start", dir)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	acked := map[string][]string{}
	for round := range 3 {
		store, err := Open(t.Context(), url, Config{})
		if err != nil {
			t.Fatal(err)
		}
		written := make(chan struct{}, 1)
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				id := fmt.Sprint("s", w%4)
				for n := 0; ; n++ {
					text := fmt.Sprintf("r%d-w%d-%d", round, w, n)
					if err := storetest.Say(t.Context(), store, id, text); err != nil {
						if !errors.Is(err, ErrAway) {
							t.Errorf("not what a dead server is: %v", err)
						}
						return
					}
					mu.Lock()
					acked[id] = append(acked[id], text)
					enough := len(acked["s0"]) >= 100*(round+1)
					mu.Unlock()
					if enough {
						select {
						case written <- struct{}{}:
						default:
						}
					}
				}
			})
		}
		<-written
		slay(t, dir)
		wg.Wait()
		_ = store.Close()
		if url, err = script("again", dir); err != nil {
			t.Fatal(err)
		}
	}
	store := opened(t, url)
	for _, id := range []string{"s0", "s1", "s2", "s3"} {
		once(t, store, acked[id], id)
	}
	t.Logf("%d acknowledged, 3 kills", len(acked["s0"])+len(acked["s1"])+len(acked["s2"])+len(acked["s3"]))
}

// slay kills the server and waits until its processes are gone.
func slay(t *testing.T, dir string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Skip("did not run: the server's processes cannot be found here: ", err)
	}
	all := append(strings.Fields(string(children)), line)
	for _, p := range all {
		if n, err := strconv.Atoi(p); err == nil {
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
	for end := time.Now().Add(20 * time.Second); ; {
		left := 0
		for _, p := range all {
			if stat, err := os.ReadFile("/proc/" + p + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d processes of the server are still there", left)
		}
	}
}
