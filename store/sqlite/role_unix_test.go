//go:build unix

package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/trimtab/trimtab/store/storetest"
)

func TestP6_WritesThatFailAreNoSuccess(t *testing.T) {
	another(t, "limit", fresh(t)).Finish(t)
}

// playLimit forbids files to grow, in a process of its own, so that writes fail
// in the middle of a commit.
func playLimit(ctx context.Context, path string, _ []string) error {
	signal.Ignore(syscall.SIGXFSZ)
	store, err := Open(ctx, path, Config{})
	if err != nil {
		return err
	}
	if err := storetest.Say(ctx, store, "ship", "before"); err != nil {
		return err
	}
	wal, err := os.Stat(path + "-wal")
	if err != nil {
		return err
	}
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		return err
	}
	tight := free
	tight.Cur = uint64(wal.Size()) + pageSize + 100
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &tight); err != nil {
		return err
	}
	for range 3 {
		if err := storetest.Say(ctx, store, "ship", strings.Repeat("x", 4*pageSize)); !errors.Is(err, ErrIO) && !errors.Is(err, ErrFull) {
			return fmt.Errorf("a commit that could not be written: %w", err)
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		return err
	}
	if err := storetest.Say(ctx, store, "ship", "after"); err != nil {
		return err
	}
	var texts []string
	for m, err := range store.Messages(ctx, "ship", 0) {
		if err != nil {
			return err
		}
		texts = append(texts, m.Text())
	}
	if !slices.Equal(texts, []string{"before", "after"}) {
		return fmt.Errorf("said %d things", len(texts))
	}
	return errors.Join(store.Check(ctx), store.Close())
}

// playCommit tries to say something and tells what came of it.
func playCommit(ctx context.Context, path string, _ []string) error {
	store, err := Open(ctx, path, Config{})
	if err != nil {
		fmt.Println("open", errors.Is(err, ErrReadOnly), errors.Is(err, ErrIO), err)
		return nil
	}
	defer store.Close()
	if _, err := store.Load(ctx, "ship"); err != nil {
		return err
	}
	err = storetest.Say(ctx, store, "ship", "lost?")
	fmt.Println("commit", errors.Is(err, ErrReadOnly), errors.Is(err, ErrIO), err)
	return nil
}

// TestP6_ReadOnlyFile runs as someone who may read the file and not write it.
func TestP6_ReadOnlyFile(t *testing.T) {
	for _, test := range []struct {
		name   string
		folder os.FileMode
		want   string
	}{
		{"file", 0o777, "commit true"},
		{"file and folder", 0o555, "open true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := fresh(t)
			store := opened(t, path)
			storetest.MustSay(t, store, "ship", "before")
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			before := bytesOf(t, path)
			for name, mode := range map[string]os.FileMode{path: 0o444, filepath.Dir(path): test.folder} {
				if err := os.Chmod(name, mode); err != nil {
					t.Fatal(err)
				}
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) })
			p := stranger(t, path)
			line, _ := p.Line()
			p.Finish(t)
			if !strings.HasPrefix(line, test.want) || !strings.Contains(line, path) {
				t.Errorf("%q, want %q", line, test.want)
			}
			if !bytes.Equal(bytesOf(t, path), before) {
				t.Error("the file was changed")
			}
		})
	}
}

// stranger plays "commit" as a user who owns nothing, where the test runs as
// one who may write anything.
func stranger(t *testing.T, path string) *storetest.Player {
	t.Helper()
	if os.Geteuid() != 0 {
		return another(t, "commit", path)
	}
	dir := t.TempDir() // where a stranger can reach it
	for _, open := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(open, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for d := filepath.Dir(filepath.Dir(path)); len(d) > len(os.TempDir()); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "binary")
	if err := copyFile(os.Args[0], binary); err != nil {
		t.Fatal(err)
	}
	return cast(t, binary, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}, "commit", path)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
