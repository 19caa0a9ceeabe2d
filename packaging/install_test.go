//go:build e2e && unix

package packaging

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// go install of a version gives a program that tells this version, from a proxy that has it.
func TestGoInstallGivesAProgramThatKnowsItsVersion(t *testing.T) {
	const path, version = "github.com/trimtab/trimtab", "v0.1.0"
	proxy := t.TempDir()
	at := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": version + "\n", version + ".info": fmt.Sprintf(`{"Version":%q,"Time":"2026-11-17T00:00:00Z"}`, version), version + ".mod": string(mod),
	} {
		write(t, filepath.Join(at, name), text)
	}
	var b bytes.Buffer
	if err := zip.CreateFromVCS(&b, module.Version{Path: path, Version: version}, committed(t), "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, version+".zip"), b.String())

	// Dependencies come from what was downloaded for this build; the usual proxy is asked last.
	// Nothing gets into the module cache of whoever runs the test.
	bin := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "install", path+"/cmd/trimtab@"+version)
	cmd.Dir = bin
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+t.TempDir(), "GOFLAGS=-modcacherw -trimpath", "GOWORK=off", "CGO_ENABLED=0", "GONOSUMDB="+path,
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")+","+goEnv(t, "GOPROXY"))
	output(t, cmd)
	said := output(t, exec.CommandContext(t.Context(), filepath.Join(bin, "trimtab"), "version", "--json"))
	var info struct{ Version string }
	if err := json.Unmarshal([]byte(said), &info); err != nil || info.Version != "0.1.0" {
		t.Errorf("it says %s, %v", said, err)
	}
}

// committed is a clone of the last commit: a working tree of git's has no folder .git.
func committed(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	output(t, exec.CommandContext(t.Context(), "git", "clone", "-q", "..", dir))
	return dir
}

// dist is what make snapshot left, or the test is skipped.
func dist(t *testing.T, pattern string) string {
	t.Helper()
	dir := os.Getenv("TRIMTAB_DIST")
	if dir == "" {
		dir = "../dist"
	}
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Skipf("%s has %d of %s: make snapshot makes one; TRIMTAB_DIST names another folder", dir, len(found), pattern)
	}
	full, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// bare is a root folder with a shell and nothing else, in which somebody who is not root has a home.
func bare(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may change the root folder")
	}
	busybox := tool(t, "busybox")
	if said, err := exec.CommandContext(t.Context(), "ldd", busybox).CombinedOutput(); err == nil && !strings.Contains(string(said), "not a dynamic") {
		t.Skip("busybox needs libraries: install busybox-static")
	}
	root := t.TempDir()
	for _, dir := range []string{filepath.Dir(root), root} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"home/ann", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(root, dir), 1000, 1000); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	output(t, exec.CommandContext(t.Context(), "cp", busybox, filepath.Join(root, "bin/busybox")))
	for _, name := range []string{"sh", "grep", "chgrp"} {
		if err := os.Symlink("busybox", filepath.Join(root, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	// What the kernel gives to every system that was started.
	for _, dir := range []string{"proc", "dev"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(root, "dev/null"), "")
	bind(t, "/proc", filepath.Join(root, "proc"))
	bind(t, "/dev/null", filepath.Join(root, "dev/null"))
	return root
}

// bind shows a folder or a file of this machine at another place, for the time of the test.
func bind(t *testing.T, from, to string) {
	t.Helper()
	if said, err := exec.CommandContext(t.Context(), "mount", "--bind", from, to).CombinedOutput(); err != nil {
		t.Skipf("nothing may be mounted here: %s", said)
	}
	t.Cleanup(func() {
		if said, err := exec.Command("umount", to).CombinedOutput(); err != nil { // the context of the test has ended
			t.Errorf("%v: %s", err, said)
		}
	})
}

// inside is a program of a root folder, run there by somebody who is not root.
func inside(t *testing.T, root, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Path, cmd.Err = program, nil // there, not here
	cmd.Env, cmd.Dir = []string{"HOME=/home/ann", "PATH=/usr/bin:/bin"}, "/home/ann"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 1000, Gid: 1000, NoSetGroups: true}}
	return cmd
}

// worksThere uses the program as somebody does who has just installed it.
func worksThere(t *testing.T, root, program string) {
	t.Helper()
	if said := output(t, inside(t, root, program, "version")); !strings.HasPrefix(said, "trimtab ") {
		t.Errorf("version says %q", said)
	}
	if said := output(t, inside(t, root, program, "-m", "demo", "-p", "hello")); strings.TrimSpace(said) == "" {
		t.Error("the demo model says nothing")
	}
	if said := output(t, inside(t, root, program, "session", "list", "--json")); !strings.Contains(said, "sessionId") {
		t.Errorf("sessions %s", said)
	}
	s := serve(t, inside(t, root, program, "serve", "--listen", "127.0.0.1:0"))
	get(t, s.url+"/readyz", "", 200)
	s.end(t)
}

// The pages and completions that every package has.
func extras(t *testing.T, root string, files ...string) {
	t.Helper()
	for _, name := range files {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		} else if info.Size() == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

func TestTheArchiveRunsOnABareRoot(t *testing.T) {
	archive := dist(t, "trimtab_*_linux_amd64.tar.gz")
	root := bare(t)
	output(t, exec.CommandContext(t.Context(), "tar", "-xzf", archive, "-C", filepath.Join(root, "home/ann"), "--no-same-owner"))
	extras(t, filepath.Join(root, "home/ann"), "LICENSE", "README.md", "dist-files/man/trimtab.1", "dist-files/man/trimtab-serve.1",
		"dist-files/completions/trimtab.bash", "dist-files/completions/trimtab.zsh", "dist-files/completions/trimtab.fish", "trimtab-hook")
	worksThere(t, root, "/home/ann/trimtab")
}

// debFiles are what the deb and the rpm put where.
var debFiles = []string{
	"usr/bin/trimtab", "usr/bin/trimtab-hook", "usr/share/man/man1/trimtab.1", "usr/share/man/man1/trimtab-improve-run.1",
	"usr/share/bash-completion/completions/trimtab", "usr/share/zsh/vendor-completions/_trimtab", "usr/share/fish/vendor_completions.d/trimtab.fish",
	"usr/lib/systemd/system/trimtab.service", "usr/lib/systemd/system/trimtab-improve.service", "usr/lib/sysusers.d/trimtab.conf", "etc/trimtab/serve.json",
}

// dpkg installs the package into a root folder that has a shell and nothing else: its scripts
// run there, make the user, and it is used and removed again.
func TestTheDebRunsOnABareRoot(t *testing.T) {
	deb, dpkg := dist(t, "trimtab_*_linux_amd64.deb"), tool(t, "dpkg")
	root := bare(t)
	for _, dir := range []string{"etc", "var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/triggers"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"var/lib/dpkg/status": "", "etc/passwd": "root:x:0:0::/:/bin/sh\n", "etc/group": "root:x:0:\n", "etc/shadow": "root:*:1::::::\n"} {
		write(t, filepath.Join(root, name), text)
		if err := os.Chmod(filepath.Join(root, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	withLibraries(t, root, tool(t, "useradd"))
	run := func(args ...string) string {
		t.Helper()
		return output(t, exec.CommandContext(t.Context(), dpkg, append([]string{"--root=" + root, "--force-not-root", "--force-bad-path"}, args...)...))
	}
	t.Log(run("--install", deb))
	extras(t, root, debFiles...)
	passwd, err := os.ReadFile(filepath.Join(root, "etc/passwd"))
	if err != nil || !strings.Contains(string(passwd), "trimtab:") {
		t.Errorf("no user was made: %q, %v", passwd, err)
	}
	info, err := os.Stat(filepath.Join(root, "etc/trimtab/serve.json"))
	if err != nil {
		t.Fatal(err)
	}
	if group := info.Sys().(*syscall.Stat_t).Gid; info.Mode().Perm() != 0o640 || group == 0 {
		t.Errorf("the settings are %s, of group %d", info.Mode(), group)
	}
	worksThere(t, root, "/usr/bin/trimtab")

	// What an operator wrote stays when it is installed again, and when it is removed.
	write(t, filepath.Join(root, "etc/trimtab/serve.json"), "{}\n")
	run("--force-confold", "--install", deb)
	if text, err := os.ReadFile(filepath.Join(root, "etc/trimtab/serve.json")); err != nil || string(text) != "{}\n" {
		t.Errorf("the settings are now %q, %v", text, err)
	}
	run("--remove", "trimtab")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/trimtab")); err == nil {
		t.Error("the program is still there")
	}
	if _, err := os.Stat(filepath.Join(root, "etc/trimtab/serve.json")); err != nil {
		t.Errorf("the settings went with the program: %v", err)
	}
}

var library = regexp.MustCompile(`(/\S+) \(0x`)

// withLibraries copies a program of this machine to another root folder, with what it needs.
func withLibraries(t *testing.T, root, program string) {
	t.Helper()
	files := []string{program}
	for _, m := range library.FindAllStringSubmatch(output(t, exec.CommandContext(t.Context(), "ldd", program)), -1) {
		files = append(files, m[1])
	}
	for _, file := range files {
		to := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		output(t, exec.CommandContext(t.Context(), "cp", "-L", file, to))
	}
}

// The rpm holds the same; it is unpacked where there is rpm2cpio.
func TestTheRpmHoldsWhatTheDebHolds(t *testing.T) {
	rpm, unpack, cpio := dist(t, "trimtab_*_linux_amd64.rpm"), tool(t, "rpm2cpio"), tool(t, "cpio")
	root := bare(t)
	sh := exec.CommandContext(t.Context(), "sh", "-c", `cd "$1" && "$2" "$3" | "$4" -idm --quiet --no-absolute-filenames`, "sh", root, unpack, rpm, cpio)
	output(t, sh)
	extras(t, root, debFiles...)
	worksThere(t, root, "/usr/bin/trimtab")
}

func TestTheFormulaIsRuby(t *testing.T) {
	formula := dist(t, "brew/trimtab.rb")
	text, err := os.ReadFile(formula)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"class Trimtab < Formula", "on_linux do", "sha256 \"", "man1.install", "bash_completion.install"} {
		if !strings.Contains(string(text), word) {
			t.Errorf("it does not say %q", word)
		}
	}
	if said := output(t, exec.CommandContext(t.Context(), tool(t, "ruby"), "-c", formula)); !strings.Contains(said, "Syntax OK") {
		t.Error(said)
	}
}

// The SBOM names the modules that the program was built from.
func TestTheSBOMNamesTheModules(t *testing.T) {
	text, err := os.ReadFile(dist(t, "trimtab_*_linux_amd64.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		BOMFormat  string `json:"bomFormat"`
		Components []struct {
			Name string `json:"name"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &bom); err != nil || bom.BOMFormat != "CycloneDX" {
		t.Fatalf("%q, %v", bom.BOMFormat, err)
	}
	names := map[string]bool{}
	for _, c := range bom.Components {
		names[c.Name] = true
	}
	if !names["modernc.org/sqlite"] || !names["github.com/spf13/cobra"] {
		t.Errorf("%d components: %v", len(names), names)
	}
}
