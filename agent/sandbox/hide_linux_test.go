package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const canary = "canary-of-a-person"

// den is a person's home with secrets, and a project in it.
type den struct {
	home, dir string
	hide      []string
}

func newDen(t *testing.T) den {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".ssh/id": canary, ".ssh/more/id": canary, ".netrc": canary, ".config/gh/hosts": canary, "dots/netrc": canary, "data/db": canary,
		".config/app/set": "open\n", "notes": "open\n", "code/a/b": "open\n", "data/item/tree/a": "open\n",
	} {
		put(t, filepath.Join(home, name), text)
	}
	for link, to := range map[string]string{"keys": ".ssh", "id": ".ssh/id", "code/id": "../.ssh/id", ".pgpass": "dots/netrc", "later": "dots/later"} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	d := den{home: home, dir: filepath.Join(home, "data", "item", "tree")}
	for _, name := range []string{".ssh", ".netrc", ".config/gh", ".config/none/deep", ".pgpass", "later", "data/db", ".aws"} {
		d.hide = append(d.hide, filepath.Join(home, name))
	}
	return d
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// box is one of a mode around the project.
func (d den) box(t *testing.T, mode string, opt Options) *Box {
	t.Helper()
	if c := choose(system{}, mode, true, false, false); c.kind != Kind(mode) {
		t.Skipf("this system cannot: %s", c.why)
	}
	opt.Self = os.Args[0]
	if opt.Dir == "" {
		opt.Dir = d.dir
	}
	b, err := New(Config{Mode: mode}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func (d den) sh(t *testing.T, b *Box, command string) (string, error) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir = d.dir
	cmd.Env = append(os.Environ(), "H="+d.home, "GOFLAGS=-buildvcs=false")
	if err := b.Confine(cmd); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestP15_WhatIsHiddenCannotBeRead(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		d := newDen(t)
		b := d.box(t, mode, Options{Hide: d.hide})
		for _, command := range []string{
			`cat "$H/.ssh/id"`, `cat "$H/.ssh/more/id"`, `cat "$H/.netrc"`, `cat "$H/.config/gh/hosts"`, `cat "$H/data/db"`,
			`cat "$H/keys/id"`, `cat "$H/id"`, `cat "$H/code/id"`, `cat "$H/.pgpass"`, `cat "$H/dots/netrc"`, // by links, and what a hidden link leads to
			`cat /proc/self/root"$H/.ssh/id"`, `cat /proc/self/cwd/../../../.ssh/id`, `cat ../../../.ssh/id`, `cd "$H/.ssh" && cat id`,
			`ln -s "$H/.ssh/id" own; cat own`, `ln "$H/.ssh/id" hard && cat hard`, `mv "$H/.ssh/id" moved; cat moved`, `cp -r "$H/.ssh" . && cat .ssh/id`,
			`mv "$H/.ssh" "$H/open" && cat "$H/open/id"`, `tar -c -C "$H" .ssh .netrc 2>/dev/null`, `grep -r . "$H" 2>/dev/null`,
		} {
			if got, _ := d.sh(t, b, command); strings.Contains(got, canary) {
				t.Errorf("%s: %s", command, got)
			}
		}
	})
}

// A process outside holds secrets, too, and is a way around the rules of paths.
func TestP15_AProcessOutsideCannotBeRead(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		d := newDen(t)
		other := exec.Command("/bin/sh", "-c", `exec 9<"$H/.ssh/id"; echo ready; read end`)
		other.Dir, other.Env = filepath.Join(d.home, ".ssh"), []string{"H=" + d.home, "KEY=" + canary}
		in, err := other.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := other.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close(); _ = other.Wait() }()
		if _, err := out.Read(make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		look := fmt.Sprintf(`cd /proc/%d && cat environ cwd/id fd/9 "root$H/.ssh/id"`, other.Process.Pid)
		if got, _ := d.sh(t, d.box(t, mode, Options{Hide: d.hide}), look); strings.Contains(got, canary) {
			t.Errorf("%q", got)
		}
		plain := exec.Command("/bin/sh", "-c", look) // the test finds what there is to find
		plain.Env = []string{"PATH=" + os.Getenv("PATH"), "H=" + d.home}
		if got, err := plain.CombinedOutput(); strings.Count(string(got), canary) != 4 {
			t.Errorf("outside of the box: %v\n%q", err, got)
		}
	})
}

func TestP15_WhatLiesBesideIsReadAsBefore(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		d := newDen(t)
		b := d.box(t, mode, Options{Hide: d.hide})
		got, err := d.sh(t, b, `set -e
			cat "$H/notes" "$H/code/a/b" "$H/.config/app/set" a ../tree/a; ls "$H" "$H/code" / /etc >/dev/null
			cat /proc/self/status /etc/passwd >/dev/null; ls /sys >/dev/null; echo x >/dev/null
			echo new > new; cat new; mkdir -p x/y; mv new x/y/z; ln x/y/z x/h; cat x/h; echo t > "$TMPDIR/t"; cat "$TMPDIR/t"`)
		if want := strings.Repeat("open\n", 5) + "new\nnew\nt\n"; got != want || err != nil {
			t.Errorf("%v\n%s", err, got)
		}
		for _, tool := range []string{"git --version", "git init -q . && git status --short >/dev/null", "go version", "go env GOROOT", "sh -c 'exit 0'"} {
			if name, _, _ := strings.Cut(tool, " "); name != "sh" {
				if _, err := exec.LookPath(name); err != nil {
					continue
				}
			}
			if out, err := d.sh(t, b, tool); err != nil {
				t.Errorf("%s: %v\n%s", tool, err, out)
			}
		}
		if out, err := d.sh(t, b, `echo x > "$H/notes"`); err == nil {
			t.Errorf("what lies beside may be written to: %s", out)
		}
	})
}

func TestP15_AHiddenPathThatAppearsLaterCannotBeRead(t *testing.T) {
	d := newDen(t)
	b := d.box(t, "landlock", Options{Hide: d.hide})
	cmd := exec.Command("/bin/sh", "-c", `echo ready; read go; cat "$H/.aws/key" "$H/.config/none/deep" "$H/dots/later" "$H/later" a`)
	cmd.Dir, cmd.Env = d.dir, append(os.Environ(), "H="+d.home)
	if err := b.Confine(cmd); err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := &strings.Builder{}
	cmd.Stdout = writer(func(p []byte) {
		out.Write(p)
		if strings.TrimSpace(out.String()) != "ready" {
			return
		}
		for _, name := range []string{".aws/key", ".config/none/deep", "dots/later"} { // the box stands already
			put(t, filepath.Join(d.home, name), canary)
		}
		fmt.Fprintln(in, "go")
	})
	_ = cmd.Run() // cat says that it may not
	if got := out.String(); got != "ready\nopen\n" {
		t.Errorf("%q", got)
	}
	if got, _ := d.sh(t, b, `cat "$H/.aws/key" "$H/later"`); strings.Contains(got, canary) {
		t.Errorf("the next command reads %q", got)
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

func TestP15_FoldersBelowAHiddenOneCanBeOpened(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		d := newDen(t)
		hide := []string{filepath.Join(d.home, "data"), filepath.Join(d.home, "code")}
		b := d.box(t, mode, Options{Hide: hide, Read: []string{filepath.Join(d.home, "code", "a")}})
		got, err := d.sh(t, b, `cat a "$H/code/a/b" && echo x > new && cat new; cat "$H/data/db"; echo x > "$H/code/a/c"; echo x > "$H/data/new"`)
		if !strings.HasPrefix(got, "open\nopen\nx\n") || strings.Contains(got, canary) || err == nil {
			t.Errorf("%v\n%s", err, got)
		}
		for _, name := range []string{"code/a/c", "data/new"} {
			if _, err := os.Stat(filepath.Join(d.home, name)); err == nil {
				t.Errorf("%s was written", name)
			}
		}
		program := filepath.Join(d.home, "code", "bin", "run") // one that lives in a hidden folder runs
		put(t, program, "#!/bin/sh\n. \"${0%/*}/part\"; cat \"$H/data/db\"\n")
		put(t, filepath.Join(d.home, "code", "bin", "part"), "echo part\n")
		if err := os.Chmod(program, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program)
		cmd.Dir, cmd.Env = d.dir, append(os.Environ(), "H="+d.home)
		if err := b.Confine(cmd); err != nil {
			t.Fatal(err)
		}
		if out, _ := cmd.CombinedOutput(); !strings.HasPrefix(string(out), "part\n") || strings.Contains(string(out), canary) {
			t.Errorf("%s", out)
		}
	})
}

func TestP15_ManyFilesBesideAHiddenOne(t *testing.T) {
	d := newDen(t)
	b := d.box(t, "landlock", Options{Hide: d.hide})
	for i := range 3000 {
		put(t, filepath.Join(d.home, fmt.Sprint("many", i)), "open\n")
	}
	if got, err := d.sh(t, b, `cat "$H/many0" "$H/many2999"; cat "$H/.ssh/id"`); !strings.HasPrefix(got, "open\nopen\n") || strings.Contains(got, canary) || err == nil {
		t.Errorf("%v\n%s", err, got)
	}
	for i := range mostRules {
		put(t, filepath.Join(d.home, ".config", fmt.Sprint("many", i)), "")
	}
	err := b.Confine(exec.Command("/bin/sh"))
	if !errors.Is(err, ErrHide) || !strings.Contains(err.Error(), ".config") || !strings.Contains(err.Error(), "tools.sandbox.mode") {
		t.Errorf("err = %v, want one that says where, and what to do", err)
	}
	limits, err := spell(spec{Write: []string{d.dir}, Hide: d.hide}) // were it started all the same, it would not run
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], word, limits, "--", "/bin/sh", "-c", "echo ran")
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != notRun || strings.Contains(string(out), "ran\n") {
		t.Errorf("%d: %s", cmd.ProcessState.ExitCode(), out)
	}
}

func TestP15_AFolderToWriteToHoldsNothingHidden(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		d := newDen(t)
		for _, dir := range []string{d.home, filepath.Join(d.home, ".ssh")} {
			b := d.box(t, mode, Options{Dir: dir, Hide: d.hide})
			if err := b.Confine(exec.Command("/bin/sh")); !errors.Is(err, ErrHide) || !strings.Contains(err.Error(), "written to") {
				t.Errorf("%s: %v", dir, err)
			}
		}
		for _, bad := range []string{"/", "x"} {
			b := d.box(t, mode, Options{Hide: []string{bad}})
			if err := b.Confine(exec.Command("/bin/sh")); !errors.Is(err, ErrHide) {
				t.Errorf("%q: %v", bad, err)
			}
		}
	})
}

// With nothing hidden, all may be read, as it always was.
func TestWithoutHideAllMayBeRead(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		d := newDen(t)
		if got, err := d.sh(t, d.box(t, mode, Options{}), `cat "$H/.ssh/id"; echo; cat "$H/keys/id"`); got != canary+"\n"+canary || err != nil {
			t.Errorf("%v\n%s", err, got)
		}
	})
}
