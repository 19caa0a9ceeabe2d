package doctor

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/hook/install"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

func check(t *testing.T, f Finding, state State, text string) {
	t.Helper()
	if f.State != state || !strings.Contains(f.Text, text) {
		t.Errorf("%+v, want %s and %q", f, state, text)
	}
}

func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trimtab.json")
	check(t, Settings[error](file, nil)[0], OK, "every setting has its default")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if f := Settings[error](file, nil); len(f) != 1 || f[0].Text != file {
		t.Errorf("%+v", f)
	}
	all := Settings(file, []error{errors.New("one"), errors.New("two")})
	if len(all) != 2 || !AnyWrong(all) {
		t.Errorf("%+v", all)
	}
}

func TestData_IsLookedAtAndNotMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	f, exists := dataFolder(dir)
	check(t, f, OK, "does not exist yet")
	if _, err := os.Stat(dir); err == nil || exists {
		t.Error("it was made")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, exists = dataFolder(dir)
	check(t, f, OK, dir)
	if left, err := os.ReadDir(dir); !exists || err != nil || len(left) > 0 {
		t.Errorf("exists %v, left %v, %v", exists, left, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, _ = dataFolder(dir)
	check(t, f, Wrong, "can be read by others")
	if f.Mend != "chmod 700 "+dir {
		t.Error(f.Mend)
	}
}

func TestData_ThatCannotBeWrittenIsWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, _ := dataFolder(filepath.Join(file, "data"))
	check(t, f, Wrong, "cannot be written")
}

func TestFile_IsReadWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trimtab.db")
	check(t, databaseFile(t.Context(), file, sqlite.Config{})[0], OK, "does not exist yet")
	if _, err := os.Stat(file); err == nil {
		t.Error("it was made")
	}
	st, err := sqlite.Open(t.Context(), file, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, databaseFile(t.Context(), file, sqlite.Config{})[0], OK, "whole")
	if err := os.WriteFile(file, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if all := databaseFile(t.Context(), file, sqlite.Config{}); !AnyWrong(all) {
		t.Errorf("%+v", all)
	}
}

type where struct{ token error }

func (w where) HasToken(context.Context) error { return w.token }
func (where) String() string                   { return "github.com/a/b" }

func TestForge(t *testing.T) {
	check(t, Forge(t.Context(), where{}, "the remote origin", nil), OK, "github.com/a/b (the remote origin)")
	check(t, Forge(t.Context(), where{errors.New("no token")}, "", nil), Note, "no token")
	check(t, Forge(t.Context(), where{}, "", errors.New("no remote")), Note, "no remote")
}

func TestImprover(t *testing.T) {
	check(t, Improver("demo", "always"), OK, "agent demo")
	check(t, Improver("no-such-agent", "always"), Note, "is not installed")
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, []Finding{{"git", OK, "git \x1b[2J2", ""}, {"data", Wrong, "x", "chmod 700 x"}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Contains(got, "\x1b") || !strings.Contains(got, "ok     git") || !strings.Contains(got, "→ chmod 700 x\n") {
		t.Errorf("%q", got)
	}
}

func TestGoneProgram_ReadsQuotedNames(t *testing.T) {
	if got := goneProgram("'/no such/trimtab-hook' claude Stop"); got != "/no such/trimtab-hook" {
		t.Error(got)
	}
	if got := goneProgram("/nowhere/trimtab hook claude Stop"); got != "/nowhere/trimtab" {
		t.Error(got)
	}
	self, err := os.Executable()
	if got := goneProgram(self + " hook claude Stop"); got != "" || err != nil {
		t.Error(got, err)
	}
	for _, h := range spool.Hosts() {
		if len(h.Hooks.Events) == 0 {
			t.Errorf("%s has no events", h.Name)
		}
	}
}

func TestBeside_AsksTheGateway(t *testing.T) {
	status := http.StatusOK
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			t.Error(r.URL.Path)
		}
		w.WriteHeader(status)
	}))
	clients := address.Open(t.TempDir())
	secret, err := clients.Secret("claude")
	if err != nil {
		t.Fatal(err)
	}
	state := install.State{Gateway: hub.URL}
	one := func() Finding {
		return checkBeside(t.Context(), "claude", install.Place{}, state, clients)[0]
	}
	check(t, one(), Wrong, "not to an address that trimtab serve answers")
	state.Gateway = address.URL(hub.URL, secret)
	check(t, one(), OK, "which answers")
	if strings.Contains(one().Text, secret) {
		t.Error("the secret is told")
	}
	status = http.StatusBadGateway
	check(t, one(), Wrong, "502")
	hub.Close()
	check(t, one(), Wrong, "where no gateway answers")
	state = install.State{MCP: []string{"/nowhere/trimtab", "mcp"}}
	check(t, one(), Wrong, "/nowhere/trimtab, which is not there")
}

func TestAgents_TellOfWhatCannotBeFound(t *testing.T) {
	all := Agents(t.Context(), func(string) (install.Place, error) { return install.Place{}, errors.New("no home folder") }, nil)
	if len(all) != len(spool.Hosts()) {
		t.Fatalf("%+v", all)
	}
	check(t, all[0], Wrong, "no home folder")
}

func TestSandbox_SaysWhatIsOpen(t *testing.T) {
	f := Sandbox(sandbox.Config{Mode: "none"})
	check(t, f, Note, "sandbox: none")
	if f.Mend == "" {
		t.Error("it does not say what to do")
	}
	check(t, Sandbox(sandbox.Config{Mode: "cage"}), Wrong, "cage")
}
