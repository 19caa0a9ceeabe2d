package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve/project"
)

// lent opens a project whose working trees use what the person's folder has installed.
func lent(t *testing.T, root string) *project.Project {
	t.Helper()
	p, err := project.New(project.Config{}, project.Options{Lookup: os.LookupEnv, Redact: func(s string) string { return s }, Root: root})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func said(t *testing.T, p *project.Project, kind project.Kind, dir string) project.Result {
	t.Helper()
	r, has, err := p.Run(t.Context(), kind, dir, filepath.Join(t.TempDir(), "log"))
	if err != nil || !has {
		t.Fatalf("%s: %v %v", kind, has, err)
	}
	return r
}

// TestR23_TheVirtualEnvironmentOfTheProjectIsUsed in a working tree that has none; modules of
// the project itself come from the working tree, and nothing is installed again.
func TestR23_TheVirtualEnvironmentOfTheProjectIsUsed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script stands for the interpreter")
	}
	for name, files := range map[string]map[string]string{
		"plain":  {"pyproject.toml": "[tool.pytest.ini_options]\n", "src/ship/__init__.py": ""},
		"uv":     {"pyproject.toml": "", "uv.lock": "name = \"pytest\"\n", "src/ship/__init__.py": ""},
		"poetry": {"pyproject.toml": "", "poetry.lock": "name = \"pytest\"\n", "src/ship/__init__.py": ""},
		"bare":   {"tests/test_ship.py": "", "src/ship/__init__.py": ""},
	} {
		t.Run(name, func(t *testing.T) {
			root, dir := plant(t, files), plant(t, files)
			for _, program := range []string{"python3", "pytest"} {
				full := filepath.Join(root, ".venv", "bin", program)
				if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(full, []byte("#!/bin/sh\necho \"ran $0 in $PWD with $PYTHONPATH\"\n"), 0o700); err != nil { // #nosec G306 -- a program
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(root, ".venv", "pyvenv.cfg"), []byte("home = /usr/bin\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := lent(t, root)
			if has, err := p.Has(project.Setup, dir); has || err != nil {
				t.Errorf("setup: %v %v", has, err)
			}
			r := said(t, p, project.Test, dir)
			if r.Exit != 0 || !strings.Contains(r.Said, "ran "+root) || !strings.Contains(r.Said, "with "+filepath.Join(dir, "src")+":"+dir) {
				t.Errorf("%s: %d %s", r.Command, r.Exit, r.Said)
			}
		})
	}
}

// TestR23_InstalledPackagesAreUsed in a working tree that has none; a package of the project
// itself is the one of the working tree, though a link of the person's leads to theirs.
func TestR23_InstalledPackagesAreUsed(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil || runtime.GOOS == "windows" {
		t.Skip("npm and links are needed")
	}
	files := map[string]string{
		"package.json": `{"workspaces":["packages/*"],"scripts":{"test":"node test.js"}}`, "package-lock.json": "{}",
		"test.js":                      "console.log(require('dep') + ' ' + require('@ship/rudder') + ' ' + require('other'))\n",
		"packages/rudder/package.json": `{"name":"@ship/rudder","main":"index.js"}`,
		"packages/rudder/index.js":     "module.exports = 'straight'\n",
	}
	root, dir := plant(t, files), plant(t, files)
	for name, text := range map[string]string{"node_modules/dep/index.js": "module.exports = 'installed'\n", "node_modules/.store/other/index.js": "module.exports = 'linked'\n", "node_modules/@ship/keep/index.js": ""} {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"node_modules/@ship/rudder": "../../packages/rudder", "node_modules/other": ".store/other"} {
		if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "packages/rudder/index.js"), []byte("module.exports = 'left'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := lent(t, root)
	if has, err := p.Has(project.Setup, dir); has || err != nil {
		t.Errorf("setup: %v %v", has, err)
	}
	for range 2 { // the second time they are there
		if r := said(t, p, project.Test, dir); r.Exit != 0 || !strings.Contains(r.Said, "installed left linked") {
			t.Errorf("%d %s", r.Exit, r.Said)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "node_modules/dep/index.js")); err != nil {
		t.Errorf("what was lent is gone: %v", err)
	}
}

// TestR22_OnlyCommandsOfTheProjectAreRunAgain: a command line of a transcript is nobody's
// word.
func TestR22_OnlyCommandsOfTheProjectAreRunAgain(t *testing.T) {
	for line, want := range map[string]string{
		"go run ./cmd/soundings monday.txt":    "go run ./cmd/soundings monday.txt",
		"go test ./... 2>&1 | tail -20":        "go test ./...",
		"python3 -m parcel eta 1h30m":          "python3 -m parcel eta 1h30m",
		"npm run build && npm test":            "npm run build && npm test",
		"cd sub && make test":                  "cd sub && make test",
		"./run-tests.sh fast":                  "./run-tests.sh fast",
		"curl http://localhost:8080/x":         "",
		"python3 -c 'import os; os.remove(1)'": "",
		"node -e process.exit(1)":              "",
		"python3 -c pass":                      "",
		"node --eval 1":                        "",
		"bash -c ls":                           "",
		"bash -c 'rm -rf x'":                   "",
		"rm -rf build && make test":            "",
		"make test > out.txt":                  "",
		"make test; rm x":                      "",
		"make test $(curl evil.example)":       "",
		"make test `id`":                       "",
		"sudo make test":                       "",
		"docker run x":                         "",
		"git push origin main":                 "",
		"npm install left-pad":                 "",
		"make test &":                          "",
		"cat monday.txt":                       "",
		"echo hello":                           "",
		"ssh host make test":                   "",
		"":                                     "",
	} {
		got, why := project.Reproducible(line)
		if got != want || (why == "") != (want != "") {
			t.Errorf("%q: %q, %q", line, got, why)
		}
	}
}

// TestR22_ACommandOfASessionIsRunConfined, or not at all.
func TestR22_ACommandOfASessionIsRunConfined(t *testing.T) {
	dir := plant(t, map[string]string{"Makefile": "test:\n\t@echo rudder: cannot turn; exit 3\n"})
	r, why, err := lent(t, "").Reproduce(t.Context(), "make test", dir, filepath.Join(t.TempDir(), "log"))
	switch {
	case err != nil:
		t.Fatal(err)
	case why != "":
		t.Skipf("not run here: %s", why)
	case r.Exit == 0 || r.Boxed == "" || !strings.Contains(r.Said, "cannot turn"):
		t.Errorf("%+v", r)
	}
}
