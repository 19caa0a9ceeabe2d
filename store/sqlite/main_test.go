package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

// What a test needs another process for runs as this binary again, with the
// name of the part it plays in the environment.
const role, file, rest = "TRIMTAB_TEST_ROLE", "TRIMTAB_TEST_FILE", "TRIMTAB_TEST_REST"

func TestMain(m *testing.M) {
	play, ok := map[string]func(context.Context, string, []string) error{
		"open":    playOpen,
		"append":  playAppend,
		"migrate": playMigrate,
		"limit":   playLimit,
		"commit":  playCommit,
		"file":    playFile,
		"work":    playWork,
	}[os.Getenv(role)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := play(context.Background(), os.Getenv(file), strings.Fields(os.Getenv(rest))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// another starts this binary in a role.
func another(t *testing.T, part, path string, args ...string) *storetest.Player {
	t.Helper()
	return cast(t, os.Args[0], nil, part, path, args...)
}

func cast(t *testing.T, binary string, as *syscall.SysProcAttr, part, path string, args ...string) *storetest.Player {
	t.Helper()
	cmd := exec.Command(binary)
	cmd.SysProcAttr = as
	cmd.Env = append(os.Environ(), role+"="+part, file+"="+path, rest+"="+strings.Join(args, " "))
	return storetest.Cast(t, cmd)
}

// start is a fixed time.
func start() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }

// said returns the texts of a session.
func said(t *testing.T, store trimtab.Archive, id string) (texts []string) {
	t.Helper()
	for m, err := range store.Messages(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, m.Text())
	}
	return texts
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}
