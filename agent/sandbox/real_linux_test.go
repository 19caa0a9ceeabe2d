package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// confined runs a command of the shell in a box around dir.
func confined(t *testing.T, mode string, network bool, dir, command string) (string, error) {
	t.Helper()
	sys := system{}
	if c := choose(sys, mode, network, false, false); c.kind != Kind(mode) {
		t.Skipf("this system cannot: %s", c.why)
	}
	b, err := New(Config{Mode: mode, Network: &network}, Options{Dir: dir, Self: os.Args[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Dir = dir
	if err := b.Confine(cmd); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func each(t *testing.T, test func(t *testing.T, mode string)) {
	for _, mode := range []string{"landlock", "bubblewrap"} {
		t.Run(mode, func(t *testing.T) { test(t, mode) })
	}
}

func folders(t *testing.T) (dir, out string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, out = filepath.Join(top, "project"), filepath.Join(top, "out")
	for _, d := range []string{filepath.Join(dir, "sub"), out} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(out, "kept"), []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(out, "kept"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir, out
}

func TestACommandWorksInTheProject(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		dir, out := folders(t)
		got, err := confined(t, mode, true, dir, `set -e
			echo hello > a; mkdir -p x/y; mv a x/y/b; ln x/y/b x/c; ln -s x/c d; cat d; rm d
			cat "`+out+`/kept"; echo >/dev/null; ls / >/dev/null
			echo t > "$TMPDIR/t"; cat "$TMPDIR/t"; mkdir -p "$GOCACHE"; mktemp >/dev/null; pwd`)
		if want := "hello\nkeptt\n" + dir + "\n"; got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
}

func TestACommandChangesNothingOutsideTheProject(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		dir, out := folders(t)
		for _, command := range []string{
			`echo x > "$OUT/new"`, `echo x >> "$OUT/kept"`, `: > "$OUT/kept"`, `truncate -s 0 "$OUT/kept"`, `rm "$OUT/kept"`, `mv "$OUT/kept" .`, `echo x > a; mv a "$OUT/a"`, `mkdir "$OUT/d"`,
			`ln -s x "$OUT/l"`, `ln "$OUT/kept" hard && echo x > hard`, `echo x > link`, `echo x > ../out/kept`, `echo x > sub/../../out/kept`, `mkfifo "$OUT/p"`, `rmdir "$OUT"`, `mv "$OUT" moved`, `mv . ../elsewhere`,
			`cd "$OUT" && echo x > kept`, `sh -c 'echo x > "$0"' "$OUT/kept"`, `echo x > /tmp/trimtab-sandbox-test`, `(exec 9>"$OUT/kept")`,
		} {
			got, err := confined(t, mode, true, dir, `OUT="`+out+`"; `+command)
			if err == nil {
				t.Errorf("%s worked: %s", command, got)
			}
		}
		if raw, err := os.ReadFile(filepath.Join(out, "kept")); string(raw) != "kept" {
			t.Errorf("the file outside holds %q, %v", raw, err)
		}
		if names, err := os.ReadDir(out); len(names) != 1 || err != nil {
			t.Errorf("outside is %v, %v", names, err)
		}
	})
}

func TestACommandWithoutTheNetworkReachesNobody(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to open a connection")
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	command := fmt.Sprintf("%s -c 'exec 3<>/dev/tcp/127.0.0.1/%s'", bash, port)
	each(t, func(t *testing.T, mode string) {
		if abi, why := (system{}).landlock(); mode == "landlock" && (why != "" || abi < tcpABI) {
			t.Skip("Landlock keeps no network out here")
		}
		dir, _ := folders(t)
		if out, err := confined(t, mode, true, dir, command); err != nil {
			t.Errorf("with the network: %v: %s", err, out)
		}
		if out, err := confined(t, mode, false, dir, command); err == nil {
			t.Errorf("without the network it got through: %s", out)
		}
	})
}

func TestACommandSignalsNobodyOutside(t *testing.T) {
	each(t, func(t *testing.T, mode string) {
		if abi, _ := (system{}).landlock(); mode == "landlock" && abi < 6 {
			t.Skip("Landlock keeps no signal back here")
		}
		dir, _ := folders(t)
		if out, err := confined(t, mode, true, dir, fmt.Sprintf("kill -0 %d", os.Getpid())); err == nil {
			t.Errorf("it may signal us: %s", out)
		}
	})
}

// What cannot be confined does not run: never as if nothing had been asked.
func TestACommandThatCannotBeConfinedDoesNotRun(t *testing.T) {
	if _, why := (system{}).landlock(); why != "" {
		t.Skip(why)
	}
	made := filepath.Join(t.TempDir(), "made")
	cmd := exec.Command(os.Args[0], word, `{"write":["/no/such/folder"]}`, "--", "/bin/sh", "-c", "echo x > "+made)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != notRun || !strings.Contains(string(out), "was not run") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("it ran")
	}
}
