package sqlite

import (
	"bytes"
	"database/sql"
	sqldriver "database/sql/driver"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/store/storetest"
)

func TestTheFileIsForItsOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes; the user's folder is private there by its access list")
	}
	path := filepath.Join(t.TempDir(), "a", "b", "trimtab.db")
	store := opened(t, path)
	storetest.MustSay(t, store, "ship", "hello")
	for name, want := range map[string]os.FileMode{
		path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600,
		filepath.Dir(path): 0o700, filepath.Dir(filepath.Dir(path)): 0o700,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(name), got, want)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".trimtab-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAFileThatOthersCouldReadIsTakenFromThem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes; the user's folder is private there by its access list")
	}
	path := fresh(t)
	if err := opened(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	opened(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestAPathMayHoldAnyCharacter(t *testing.T) {
	name := "100% ?mode=memory#x&y 船.db"
	if runtime.GOOS == "windows" {
		name = "100% #x&y 船.db" // no ? in names there
	}
	path := filepath.Join(t.TempDir(), "a folder", name)
	store := opened(t, path)
	storetest.MustSay(t, store, "ship", "hello")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if store.Path() != path {
		t.Errorf("path %q, want %q", store.Path(), path)
	}
}

// TestP5_AcknowledgedIsOnTheDisk looks at every connection that can write: the
// first one, and those that take its place.
func TestP5_AcknowledgedIsOnTheDisk(t *testing.T) {
	store := opened(t, fresh(t))
	for range 3 {
		conn, err := store.write.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for pragma, want := range map[string]string{
			"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1", "page_size": "16384", "fullfsync": "1",
		} {
			if got := ask(t, conn, pragma); got != want {
				t.Errorf("%s is %s, want %s", pragma, got, want)
			}
		}
		// A broken connection is thrown away.
		_ = conn.Raw(func(any) error { return sqldriver.ErrBadConn })
		_ = conn.Close()
		storetest.MustSay(t, store, "ship", "on a new connection")
	}
	if n := store.write.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("%d connections write, want 1", n)
	}
	conn, err := store.read.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := ask(t, conn, "query_only"); got != "1" {
		t.Errorf("query_only is %s on a connection that reads", got)
	}
}

func ask(t *testing.T, conn *sql.Conn, pragma string) (value string) {
	t.Helper()
	if err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestWhatIsRemovedIsGoneFromTheFile(t *testing.T) {
	path := fresh(t)
	store := opened(t, path)
	const secret = "the treasure lies under the palm"
	storetest.MustSay(t, store, "ship", secret)
	storetest.MustSay(t, store, "ship", strings.Repeat(secret, 5000))
	storetest.MustSay(t, store, "boat", "hello")
	found := func() bool {
		t.Helper()
		return bytes.Contains(bytesOf(t, path), []byte(secret)) || bytes.Contains(bytesOf(t, path+"-wal"), []byte(secret))
	}
	if !found() {
		t.Fatal("the test does not see what it looks for")
	}
	if err := store.Remove(t.Context(), "ship"); err != nil {
		t.Fatal(err)
	}
	if found() {
		t.Error("it can still be read in the file")
	}
}
