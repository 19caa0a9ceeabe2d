package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Calls of Linux by their numbers, on every machine.
const (
	typeInto  = 0x5412 // TIOCSTI
	setUpRing = 425    // io_uring_setup
)

// probe is what the test program does inside of a box: what a shell has no words for.
func probe(args []string) int {
	var err error
	switch args[0] {
	case "dial":
		var c net.Conn
		if c, err = net.Dial("unix", args[1]); err == nil {
			err = c.Close()
		}
	case "type": // types into the terminal that it was given, or into none
		var tty *os.File
		if tty, err = os.OpenFile(args[1], os.O_RDWR|syscall.O_NOCTTY, 0); err == nil {
			letter := byte('x')
			if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), typeInto, uintptr(ptr(&letter))); errno != 0 {
				err = errno
			}
		}
	case "ring":
		if _, _, errno := syscall.Syscall(setUpRing, 1, 0, 0); errno != 0 {
			err = errno
		}
	case "pair":
		_, err = syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// guarded is a box as the chat has it.
func guarded(t *testing.T, mode, dir string, hide ...string) *Box {
	t.Helper()
	if c := choose(system{}, mode, true, true, false); c.kind != Kind(mode) {
		t.Skipf("not run: this system cannot: %s", c.why)
	}
	b, err := New(Config{Mode: mode}, Options{Dir: dir, Self: os.Args[0], Guard: true, Hide: hide})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func inBox(t *testing.T, b *Box, dir string, argv ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // as procgroup.Set
	if err := b.Confine(cmd); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("not run: there is no git")
	}
	dir, _ := folders(t)
	for _, args := range [][]string{{"init", "-q", "."}, {"config", "user.email", "a@b.c"}, {"config", "user.name", "a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// D7: what runs with the person's next git command cannot be written, and a commit
// can be made all the same. Landlock cannot tell .git from what lies beside it, and
// says so.
func TestD7_GitHooksAndSettingsCannotBeWritten(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		dir := repository(t)
		b := guarded(t, mode, dir)
		if mode == "landlock" {
			if s := b.Status().String(); !strings.Contains(s, "git's hooks and settings") {
				t.Errorf("%s does not say that .git is open", s)
			}
			return
		}
		for _, command := range []string{
			`echo x > .git/hooks/pre-commit`, `git config core.fsmonitor x`, `echo x >> .git/config`, `rm -rf .git/hooks`, `mv .git/hooks .git/old`, `mv .git old`, `mv .git/config .git/old`,
			`echo x > .git/info/attributes`, `rm .git/config`, `rm -rf .git; mkdir .git && echo x > .git/config`, `ln -sf x .git/config`, `umount .git/config`, `mount -o remount,rw .git/config`, `chmod 777 .git/config`,
		} {
			if out, err := inBox(t, guarded(t, mode, dir), dir, "/bin/sh", "-c", command); err == nil {
				t.Errorf("%s worked: %s", command, out)
			}
			if _, err := os.Stat(filepath.Join(dir, ".git", "hooks", "pre-commit")); err == nil {
				t.Fatal("there is a hook")
			}
		}
		dir = repository(t) // rm -rf may have taken what may be taken
		if out, err := inBox(t, guarded(t, mode, dir), dir, "/bin/sh", "-c", "echo a > a; git add a && git commit -q -m a && git log --oneline"); err != nil {
			t.Errorf("no commit: %v: %s", err, out)
		}
	})
}

// D7: a terminal of the person's cannot be written to or typed into.
func TestD7_TerminalsOfThePersonAreClosed(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		master, tty, err := pty.Open()
		if err != nil {
			t.Skipf("not run: no terminal can be made: %v", err)
		}
		defer master.Close()
		defer tty.Close()
		dir, _ := folders(t)
		b := guarded(t, mode, dir)
		if out, err := inBox(t, b, dir, "/bin/sh", "-c", "echo drawn > "+tty.Name()); err == nil {
			t.Errorf("it drew on the terminal: %s", out)
		}
		if out, err := inBox(t, b, dir, "/bin/sh", "-c", "echo x > /dev/tty"); err == nil {
			t.Errorf("it has a terminal: %s", out)
		}
		if out, err := inBox(t, b, dir, os.Args[0], "__probe", "type", "/dev/null"); err == nil || !strings.Contains(out, "not permitted") {
			t.Errorf("typing is not refused: %v, %s", err, out)
		}
	})
}

// D7: Docker, D-Bus, an SSH agent and tmux listen on sockets of the file system.
func TestD7_SocketsOfOtherProgramsAreClosed(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		if !canFilter {
			t.Skip("not run: system calls cannot be filtered here")
		}
		dir, out := folders(t)
		name := filepath.Join(out, "s")
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		abstract, err := net.Listen("unix", fmt.Sprintf("@trimtab-test-%d-%s", os.Getpid(), mode))
		if err != nil {
			t.Fatal(err)
		}
		defer abstract.Close()
		b := guarded(t, mode, dir)
		for _, to := range []string{name, abstract.Addr().String()} {
			if out, err := inBox(t, b, dir, os.Args[0], "__probe", "dial", to); err == nil {
				t.Errorf("%s was reached: %s", to, out)
			}
		}
		if out, err := inBox(t, b, dir, os.Args[0], "__probe", "ring"); err == nil || !strings.Contains(out, "not implemented") {
			t.Errorf("a ring makes sockets past the filter: %v, %s", err, out)
		}
		if out, err := inBox(t, b, dir, os.Args[0], "__probe", "pair"); err != nil {
			t.Errorf("a pair of sockets, for a child: %v, %s", err, out)
		}
		open, err := New(Config{Mode: mode, Sockets: true}, Options{Dir: dir, Self: os.Args[0], Guard: true})
		if err != nil {
			t.Fatal(err)
		}
		defer open.Close()
		if out, err := inBox(t, open, dir, os.Args[0], "__probe", "dial", name); err != nil {
			t.Errorf("sockets were asked for: %v, %s", err, out)
		}
	})
}

// D7: secrets of the home cannot be read, but for what the person opened; where the
// home is the project, what cannot be hidden is said, and commands run.
func TestD7_SecretsOfTheHomeCannotBeRead(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		d := newDen(t)
		b := guarded(t, mode, d.dir, d.hide...)
		if got, _ := d.sh(t, b, `cat "$H/.ssh/id" "$H/.netrc" "$H/keys/id"; grep -r . "$H" 2>/dev/null`); strings.Contains(got, canary) {
			t.Errorf("%q", got)
		}
		opened, err := New(Config{Mode: mode, Read: []string{"~/.ssh"}}, Options{Dir: d.dir, Home: d.home, Self: os.Args[0], Guard: true, Hide: d.hide})
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		if got, err := d.sh(t, opened, `cat "$H/.ssh/id"`); got != canary {
			t.Errorf("what was opened: %v, %q", err, got)
		}
		if got, _ := d.sh(t, opened, `cat "$H/.netrc"`); strings.Contains(got, canary) {
			t.Errorf("what was not: %q", got)
		}
		all := guarded(t, mode, d.home, d.hide...)
		if got, err := d.sh(t, all, `echo ran`); got != "ran\n" || !strings.Contains(all.Status().String(), "secrets in the project folder") {
			t.Errorf("a home as the project: %v, %q, %s", err, got, all.Status())
		}
	})
}

// D7: the network is closed unless it is asked for, for all commands or for one.
func TestD7_TheNetworkIsClosedUnlessAskedFor(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		bash, err := exec.LookPath("bash")
		if err != nil {
			t.Skip("not run: there is no bash to open a connection")
		}
		if abi, why := (system{}).landlock(); mode == "landlock" && (why != "" || abi < tcpABI) {
			t.Skip("not run: Landlock keeps no network out here")
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		dir, _ := folders(t)
		b := guarded(t, mode, dir)
		if b.Network() {
			t.Error("commands have the network")
		}
		_, port, _ := net.SplitHostPort(l.Addr().String())
		for _, network := range []bool{false, true} {
			cmd := exec.Command(bash, "-c", "exec 3<>/dev/tcp/127.0.0.1/"+port)
			cmd.Dir = dir
			if err := b.ConfineAs(cmd, network); err != nil {
				t.Fatal(err)
			}
			if out, err := cmd.CombinedOutput(); (err == nil) != network {
				t.Errorf("asked for %v: %v, %s", network, err, out)
			}
		}
	})
}

// What a command started ends with the program that started the command, also where
// that one is killed and the started one left its group.
func TestChildrenDieWithTheirParent(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		dir, _ := folders(t)
		b := guarded(t, mode, dir)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		left := ""
		if _, err := exec.LookPath("setsid"); err == nil {
			left = "setsid "
		}
		cmd := exec.Command("/bin/sh", "-c", left+"sleep 300 & echo started; wait")
		cmd.Dir = dir
		if err := b.Confine(cmd); err != nil {
			t.Fatal(err)
		}
		// A shell stands between, as trimtab does, and is killed.
		parent := exec.Command("/bin/sh", append([]string{"-c", `"$@" & wait`, "sh"}, cmd.Args...)...)
		parent.Env, parent.Dir, parent.Stdout = cmd.Env, dir, w
		parent.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		lines := bufio.NewReader(r)
		if line, err := lines.ReadString('\n'); line != "started\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if err := parent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = parent.Wait()
		_ = r.SetReadDeadline(time.Now().Add(time.Minute)) // only so that the test ends where it fails
		if _, err := lines.ReadString('\n'); !errors.Is(err, io.EOF) {
			t.Errorf("something still holds the pipe, which ends with the last that does: %v", err)
		}
	})
}
