package server_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/surface/server"
)

func TestTokenIsMadeOnceAndKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "token")
	first, err := server.Token(file)
	if err != nil || len(first) != 64 {
		t.Fatalf("%q, %v", first, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("others may read it: %v", mode)
	}
	if again, err := server.Token(file); err != nil || again != first {
		t.Errorf("%q, %v; want %q again", again, err, first)
	}
	if other, err := server.Token(filepath.Join(t.TempDir(), "token")); err != nil || other == first {
		t.Errorf("%q, %v; want another", other, err)
	}
}

// TestAShortTokenIsNotReplaced: somebody may have written it on purpose.
func TestAShortTokenIsNotReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := server.Token(file); err == nil || !strings.Contains(err.Error(), "holds no token; remove it, and a new one is made") {
		t.Errorf("%q, %v", token, err)
	}
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "short\n" {
		t.Errorf("%q, %v", raw, err)
	}
}

func TestATokenThatCannotBeRead(t *testing.T) {
	if token, err := server.Token(t.TempDir()); err == nil { // a folder
		t.Errorf("%q", token)
	}
}
