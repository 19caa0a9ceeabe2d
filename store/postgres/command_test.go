//go:build e2e && unix

package postgres

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheCommandUsesTheServer runs the program itself with store.url set in the
// ways that are allowed, and in the one that is not.
func TestTheCommandUsesTheServer(t *testing.T) {
	at := fresh(t)
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	dir := t.TempDir()
	binary := filepath.Join(dir, "trimtab")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "../../cmd/trimtab").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	project := filepath.Join(dir, "project")
	if err := os.MkdirAll(filepath.Join(project, ".trimtab"), 0o755); err != nil {
		t.Fatal(err)
	}
	trimtab := func(env string, args ...string) string {
		t.Helper()
		cmd := exec.Command(binary, args...)
		cmd.Dir = project
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), env}
		out, _ := cmd.CombinedOutput()
		if strings.Contains(string(out), password) {
			t.Errorf("%v: the password is in the output", args)
		}
		return string(out)
	}
	says := func(out, want string) {
		t.Helper()
		if !strings.Contains(out, want) {
			t.Errorf("%q does not say %q", out, want)
		}
	}
	env := "TRIMTAB_STORE_URL=" + at
	says(trimtab(env, "doctor"), "the tables are made")
	trimtab(env, "-p", "hello there")
	says(trimtab(env, "doctor"), "has the tables")
	says(trimtab(env, "session", "list"), "hello there")
	says(trimtab(env, "config", "show"), "store.url")
	if _, err := os.Stat(filepath.Join(dir, ".local", "share", "trimtab", "trimtab.db")); err == nil {
		t.Error("a file was made, too")
	}

	says(trimtab("TRIMTAB_STORE_URL=postgres://ada:"+password+"@127.0.0.1:1/db", "session", "list"), "does not answer")
	says(trimtab("TRIMTAB_STORE_URL=mysql://ada:"+password+"@127.0.0.1:1/db", "session", "list"), "write it as postgres://")

	own := filepath.Join(dir, "own.json")
	if err := os.WriteFile(own, []byte(`{"store": {"url": "`+at+`"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	says(trimtab("TRIMTAB_CONFIG="+own, "session", "list"), "hello there")

	// A project may not name a server, trusted or not.
	theirs := filepath.Join(project, ".trimtab", "trimtab.json")
	if err := os.WriteFile(theirs, []byte(`{"store": {"url": "`+strings.Replace(at, password, "x", 1)+`"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	trimtab("A=b", "trust", "--yes")
	out := trimtab("A=b", "session", "list")
	says(out, "a project may not set this")
	if strings.Contains(out, "hello there") {
		t.Error("the project's server was used")
	}
}
