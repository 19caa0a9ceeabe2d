package install

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestHookCommand_IsTheSmallProgramWhereItLiesBeside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths are quoted otherwise there")
	}
	dir := filepath.Join(t.TempDir(), "with blank")
	self := filepath.Join(dir, "trimtab")
	if got, want := hookCommand(self, ""), "'"+self+"' hook"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	small := filepath.Join(dir, "trimtab-hook")
	put(t, small, "")
	if got, want := hookCommand(self, "/data/it's"), "'"+small+`' --data '/data/it'\''s'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := os.Remove(small); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, want := hookCommand(self, "/data"), "'"+self+"' --data /data hook"; got != want {
		t.Errorf("a folder of that name: %s, want %s", got, want)
	}
}

func TestMCPCommand(t *testing.T) {
	if got := mcpCommand("/bin/trimtab", ""); !slices.Equal(got, []string{"/bin/trimtab", "mcp"}) {
		t.Errorf("%q", got)
	}
	if got := mcpCommand("/bin/trimtab", "/d"); !slices.Equal(got, []string{"/bin/trimtab", "--data", "/d", "mcp"}) {
		t.Errorf("%q", got)
	}
}

func TestShellQuote(t *testing.T) {
	for in, want := range map[string]string{"plain/path": "plain/path", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "~": "'~'"} {
		if got := ShellQuote(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestGatewayURL_SendsNoKeyOverANetworkInPlainText(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:8787": "http://127.0.0.1:8787", "http://localhost:1/": "http://localhost:1", "http://[::1]:1": "http://[::1]:1",
		"https://gateway.example.org": "https://gateway.example.org",
	} {
		if got, err := gatewayURL(in); got != want || err != nil {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
	for in, want := range map[string]string{
		"http://gateway.example.org": "plain text", "ftp://127.0.0.1": "not a plain", "127.0.0.1:8787": "not a plain", "": "not a plain",
		"https://u:p@h": "not a plain", "https://h?x=1": "not a plain", "https://h#x": "not a plain",
	} {
		if _, err := gatewayURL(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestLacks_IsWhatIsNotInTheSettings(t *testing.T) {
	p := place(t, "claude", env(t))
	want := Want{Hooks: "trimtab-hook", MCP: []string{"trimtab", "mcp"}}
	if w, there, err := p.Lacks(want); err != nil || w.Hooks == "" || len(w.MCP) == 0 || len(there) > 0 {
		t.Errorf("%+v, %q, %v", w, there, err)
	}
	install(t, p, "trimtab-hook")
	if w, there, err := p.Lacks(want); err != nil || w.Hooks != "" || len(w.MCP) == 0 || len(there) != 1 {
		t.Errorf("%+v, %q, %v", w, there, err)
	}
}

func TestHooksAreKnownByTheProgramsName(t *testing.T) {
	if _, err := NewWant("/usr/local/bin/tt", "", Parts{}); err == nil || !strings.Contains(err.Error(), "call it trimtab") {
		t.Errorf("a program of another name: %v", err)
	}
	if _, err := NewWant("/opt/trimtab-0.1.0", "", Parts{}); err != nil {
		t.Error(err)
	}
}
