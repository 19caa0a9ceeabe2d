//go:build e2e && unix

package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// setting is what a unit says for a name, the last time.
func setting(t *testing.T, unit, name string) string {
	t.Helper()
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	var value string
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			value = v
		}
	}
	return value
}

var units = []string{"systemd/trimtab.service", "systemd/trimtab-improve.service"}

// The command line of each unit is one that the program takes, with the settings of the package.
func TestX9_TheUnitsStartTheRealProgram(t *testing.T) {
	for _, unit := range units {
		args := strings.Fields(setting(t, unit, "ExecStart"))
		if args[0] != "/usr/bin/trimtab" || setting(t, unit, "User") != "trimtab" || setting(t, unit, "StateDirectory") != "trimtab" {
			t.Errorf("%s starts %q as %q", unit, args, setting(t, unit, "User"))
		}
		args = args[1:]
		put(t, args, "--config", "systemd/serve.json")
		put(t, args, "--data", t.TempDir())
		if !slices.Contains(args, "serve") {
			accepted(t, trimtab(t, args...))
			continue
		}
		cmd := trimtab(t, append(args, "--listen", "127.0.0.1:0")...) // another may have the usual port
		s := serve(t, cmd)
		get(t, s.url+"/readyz", "", 200)
		s.end(t)
	}
	output(t, trimtab(t, "--config", "systemd/serve.json", "config", "validate", "systemd/serve.json"))
}

func TestX9_SystemdTakesTheUnits(t *testing.T) {
	analyze := tool(t, "systemd-analyze")
	for unit, most := range map[string]string{units[0]: "15", units[1]: "55"} { // tenths of ten, by its own count
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		// Where the program is here.
		file := filepath.Join(t.TempDir(), filepath.Base(unit))
		write(t, file, strings.ReplaceAll(string(text), "/usr/bin/", programs+"/"))
		if said, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", file).CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v\n%s", unit, err, said)
		}
		if said, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=yes", "--no-pager", "--threshold="+most, file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", unit, err, said)
		}
	}
}

// The scripts of the packages are shell that dash reads, and run where there is no systemd.
func TestTheScriptsOfThePackagesAreShell(t *testing.T) {
	scripts, err := filepath.Glob("systemd/*.sh")
	if err != nil || len(scripts) != 4 {
		t.Fatalf("%q, %v", scripts, err)
	}
	for _, script := range scripts {
		output(t, exec.CommandContext(t.Context(), "sh", "-n", script))
	}
}
