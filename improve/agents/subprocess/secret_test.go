package subprocess_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
)

func TestP15_SecretsAreKnownByTheirPlace(t *testing.T) {
	home := t.TempDir()
	vars := map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"), "KUBECONFIG": filepath.Join(home, "k1") + string(os.PathListSeparator) + "rel", "CARGO_HOME": filepath.Join(home, "cargo"), "GNUPGHOME": home, "DOCKER_CONFIG": filepath.Dir(home), "NETRC": "/dev/null"}
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	got := subprocess.Secrets(lookup, ".claude", ".claude.json")
	for _, want := range []string{".ssh", ".gnupg", ".netrc", ".git-credentials", ".config/gh", "xdg/gh", "k1", "cargo/credentials.toml", ".cargo/credentials.toml", ".codex", ".config/trimtab", ".bash_history", ".mozilla"} {
		if !slices.Contains(got, filepath.Join(home, filepath.FromSlash(want))) {
			t.Errorf("%s is not among them", want)
		}
	}
	for _, path := range got {
		if !filepath.IsAbs(path) || strings.HasPrefix(path, filepath.Join(home, ".claude")) || path == home || path == filepath.Dir(home) || path == "/dev/null" {
			t.Errorf("%s is among them", path)
		}
	}
	if got := subprocess.Secrets(func(string) (string, bool) { return "", false }); len(got) != 0 {
		t.Errorf("without a home: %q", got)
	}
}

func TestP15_AProgramReadsNoSecretOfThePerson(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".ssh/id", ".netrc", ".claude/login", "data/db", "data/item/tree/inside", "data/item/note", "notes"} {
		full := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	vars := map[string]string{"HOME": home}
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	for _, mode := range []string{"landlock", "bubblewrap"} {
		for _, readOnly := range []bool{false, true} {
			t.Run(mode, func(t *testing.T) {
				setting := subprocess.Setting{
					Dir: at("data/item/tree"), ReadOnly: readOnly, Sandbox: sandbox.Config{Mode: mode},
					Hide: append(subprocess.Secrets(lookup, ".claude"), at("data/db")),
				}
				p, err := subprocess.Open(setting)
				if errors.Is(err, sandbox.ErrNone) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				out, _, err := run(t, p, subprocess.Program{Argv: self(t, "read", at(".ssh/id"), at(".netrc"), at("data/db"), at(".claude/login"), at("data/item/tree/inside"), at("data/item/note"), at("notes"))})
				if want := "id false\n.netrc false\ndb false\nlogin true\ninside true\nnote true\nnotes true\n"; err != nil || out != want {
					t.Errorf("read only %v: %v\n%s", readOnly, err, out)
				}
			})
		}
	}
}
