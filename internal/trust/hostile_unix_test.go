//go:build unix

package trust_test

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/trimtab/trimtab/internal/trust"
)

func TestP16_APipeIsRefusedWithoutWaitingForIt(t *testing.T) {
	dir := project(t, map[string]string{"trimtab.json": "{}"})
	if err := syscall.Mkfifo(filepath.Join(dir, trust.Folder, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "a pipe")

	dir = t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, trust.Folder), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "a pipe, not a folder")
}

// While the folder is read, someone puts links and pipes in the place of a file.
// Reading never hangs, never leads outside, and what counts as trusted is what a
// person trusted.
func TestP16_FilesSwappedWhileReadingLeadNowhere(t *testing.T) {
	b, _ := book(t)
	dir := project(t, map[string]string{"trimtab.json": "{}", "sub/x": "x"})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	accept(t, b, dir)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- swap(dir, secret, stop) }()
	for range 500 {
		files, v, err := b.Files(dir)
		if (v.State == trust.Trusted) != (string(files["trimtab.json"]) == "{}") {
			t.Fatalf("state %q with %q, %v", v.State, files["trimtab.json"], err)
		}
		files, _, _ = trust.Read(dir)
		if text, ok := files["trimtab.json"]; ok && string(text) != "{}" && string(text) != "evil" {
			t.Fatalf("read %q", text)
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// swap puts one thing after the other in the place of trimtab.json, at once each
// time, until told to stop.
func swap(dir, secret string, stop chan struct{}) error {
	name, next := filepath.Join(dir, trust.Folder, "trimtab.json"), filepath.Join(dir, "next")
	makes := []func() error{
		func() error { return os.Symlink(secret, next) },
		func() error { return os.WriteFile(next, []byte("{}"), 0o644) },
		func() error { return os.Symlink("sub/x", next) },
		func() error { return os.WriteFile(next, []byte("evil"), 0o644) },
		func() error { return syscall.Mkfifo(next, 0o644) },
	}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		default:
		}
		if err := makes[i%len(makes)](); err != nil {
			return err
		}
		if err := os.Rename(next, name); err != nil {
			return err
		}
	}
}

func TestP16_ASocketIsRefused(t *testing.T) {
	dir := project(t, map[string]string{"a": ""})
	t.Chdir(filepath.Join(dir, trust.Folder)) // names of sockets are short
	l, err := net.Listen("unix", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	refused(t, dir, "a socket")
}

// Where case counts, two names that are one elsewhere could be trusted here and
// mean something else there.
func TestP16_NamesThatOtherSystemsOrEyesConfuseAreRefused(t *testing.T) {
	names := map[string]string{
		"back\\slash":       "a backslash",
		"new\nline":         "cannot be seen",
		"esc\x1b[2J":        "cannot be seen",
		"bidi\u202etxt.exe": "cannot be seen",
		"wide\u200bspace":   "cannot be seen",
	}
	if runtime.GOOS == "linux" { // other systems do not even have such names
		names["bad\xff"] = "cannot be seen"
		names["TRIMTAB.json"] = "upper and lower case only"
		names["trimtab.j\u017fon"] = "upper and lower case only" // ſ is an s
	}
	for name, why := range names {
		dir := project(t, map[string]string{"trimtab.json": "{}", name: "{}"})
		refused(t, dir, why)
	}
	if runtime.GOOS == "linux" {
		dir := project(t, map[string]string{"modes/a": "", "Modes/b": ""})
		refused(t, dir, "upper and lower case only")
	}
}

func TestABookThatOthersMayWriteTrustsNothing(t *testing.T) {
	b, path := book(t)
	dir := project(t, map[string]string{"a": "1"})
	accept(t, b, dir)
	if err := os.Chmod(path, 0o620); err != nil {
		t.Fatal(err)
	}
	untrusting(t, b, dir, trust.ErrOpen)
	if _, err := b.Trust(dir, trust.Digest{}, noon); err == nil {
		t.Error("Trust wrote to it")
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	stands(t, b, dir, trust.Trusted)
}

func TestTheBookIsPrivate(t *testing.T) {
	b, path := book(t)
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	accept(t, b, project(t, map[string]string{"a": "1"}))
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir, path + ".lock": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s is %v, want %v", filepath.Base(name), info.Mode(), want)
		}
	}
}
