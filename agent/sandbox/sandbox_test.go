package sandbox

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/settingtag"
)

// The test program is started again as the confined one, as trimtab is.
func TestMain(m *testing.M) {
	if code, ours := Main(os.Args, os.Stderr); ours {
		os.Exit(code)
	}
	if len(os.Args) > 2 && os.Args[1] == "__probe" {
		os.Exit(probe(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// fake is a system with what a test gives it.
type fake struct {
	abi       int
	noLock    string
	wrapper   string
	noWrapper string
}

func (f fake) landlock() (int, string)      { return f.abi, f.noLock }
func (f fake) bubblewrap() (string, string) { return f.wrapper, f.noWrapper }

var (
	full    = fake{abi: 10, wrapper: "/usr/bin/bwrap"}
	lock    = fake{abi: 7, noWrapper: "bubblewrap is not installed"}
	wrapper = fake{noLock: "no Landlock", wrapper: "/usr/bin/bwrap"}
	old     = fake{abi: 2, noWrapper: "bubblewrap is not installed"}
	nothing = fake{noLock: "no Landlock", noWrapper: "bubblewrap is not installed"}
)

func TestTheBestThatThereIsIsChosenAndSaid(t *testing.T) {
	for _, tt := range []struct {
		name    string
		sys     fake
		mode    string
		network bool
		want    string
		fails   bool
	}{
		{"all", full, "auto", true, "sandbox: landlock", false},
		{"all, no network", full, "auto", false, "sandbox: landlock", false},
		{"landlock", lock, "auto", true, "sandbox: landlock", false},
		{"landlock, no network", lock, "auto", false, "sandbox: landlock (of the network, only TCP is kept out)", false},
		{"landlock, no network, required", lock, "require", false, "", true},
		{"old landlock with no network but bubblewrap", fake{abi: 7, wrapper: "/b"}, "require", false, "sandbox: bubblewrap", false},
		{"bubblewrap", wrapper, "auto", true, "sandbox: bubblewrap", false},
		{"bubblewrap asked for", full, "bubblewrap", true, "sandbox: bubblewrap", false},
		{"bubblewrap not there", lock, "bubblewrap", true, "", true},
		{"landlock not there", wrapper, "landlock", true, "", true},
		{"too old", old, "auto", true, "sandbox: none (this kernel's Landlock (version 2) is too old: Linux 6.2 has what is needed; bubblewrap is not installed)", false},
		{"nothing", nothing, "auto", true, "sandbox: none (no Landlock; bubblewrap is not installed)", false},
		{"nothing, required", nothing, "require", true, "", true},
		{"too old, required", old, "require", true, "", true},
		{"switched off", full, "none", true, "sandbox: none (switched off)", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := open(Config{Mode: tt.mode, Network: &tt.network}, Options{Dir: t.TempDir()}, tt.sys)
			if tt.fails {
				if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "tools.sandbox.mode") {
					t.Errorf("err = %v, want one that says what to do", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if got := b.Status().String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	// A guarded box without a word about the network: what Landlock leaves of it is said,
	// and is no reason to run nothing.
	b, err := open(Config{Mode: "require"}, Options{Dir: t.TempDir(), Guard: true}, lock)
	if err != nil || !strings.Contains(b.Status().String(), "only TCP") || b.Status().Short() != "sandbox: in part" {
		t.Errorf("%v, %v", b, err)
	}
	on := true
	if b, err := open(Config{Mode: "require", Network: &on}, Options{Dir: t.TempDir(), Guard: true}, lock); err != nil || b.Status().Kind != Landlock {
		t.Errorf("with the network, which was asked for: %v, %v", b, err)
	}
	if _, err := open(Config{Mode: "perhaps"}, Options{Dir: t.TempDir()}, full); err == nil {
		t.Error("a mode that does not exist was taken")
	}
	t.Logf("this machine: %+v", choose(system{}, "auto", true, false, false))
}

func TestWhatMayBeWrittenToIsNamedInFull(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := open(Config{Write: []string{"~/cache"}}, Options{Dir: home, Home: home}, full)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if len(b.write) != 2 || filepath.Base(b.write[1]) != "cache" {
		t.Errorf("write = %v", b.write)
	}
	for _, bad := range []string{"cache", "~other/x", "/", filepath.Join(home, "none"), ""} {
		if runtime.GOOS == "windows" && bad == "/" {
			continue
		}
		if _, err := open(Config{Write: []string{bad}}, Options{Dir: home, Home: home}, full); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestTheTemporaryFolderGoesWithTheBox(t *testing.T) {
	b, err := open(Config{}, Options{Dir: t.TempDir()}, full)
	if err != nil {
		t.Fatal(err)
	}
	if b.temp != "" {
		t.Errorf("%s was made before a command needs it", b.temp)
	}
	cmd := exec.Command(os.Args[0])
	if err := b.Confine(cmd); err != nil {
		t.Fatal(err)
	}
	temp := b.temp
	if _, err := os.Stat(temp); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(temp); err == nil {
		t.Errorf("%s is left", temp)
	}
}

func TestTheCacheStays(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "a", "b")
	b, err := open(Config{}, Options{Dir: t.TempDir(), Cache: cache}, full)
	if err != nil {
		t.Fatal(err)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	cmd := exec.Command(sh)
	if err := b.Confine(cmd); err != nil {
		t.Fatal(err)
	}
	if env := strings.Join(cmd.Env, "\n"); !strings.Contains(env, "GOCACHE="+b.cache) || !slices.Contains(b.write, b.cache) {
		t.Errorf("the cache %s is not used, or not writable: %v", b.cache, b.write)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(cache); err != nil {
		t.Error(err)
	}
	if _, err := open(Config{}, Options{Dir: t.TempDir(), Cache: os.Args[0]}, full); err == nil {
		t.Error("a file was taken for the cache")
	}
}

func TestBubblewrapIsToldWhatToBind(t *testing.T) {
	dir := t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	off := false
	b, err := open(Config{Mode: "bubblewrap", Network: &off}, Options{Dir: dir}, full)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	cmd := exec.Command(sh, "-c", "x")
	cmd.Dir, cmd.Env = filepath.Join(dir, "sub"), []string{"TMPDIR=/elsewhere"}
	if err := b.Confine(cmd); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"/usr/bin/bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-net",
		"--bind", dir, dir, "--bind", b.temp, b.temp, "--chdir", filepath.Join(dir, "sub"), "--", sh, "-c", "x",
	}
	if diff := cmp.Diff(want, cmd.Args); diff != "" || cmd.Path != "/usr/bin/bwrap" {
		t.Errorf("%s (-want +got):\n%s", cmd.Path, diff)
	}
	if last := cmd.Environ(); !strings.Contains(strings.Join(last, "\n"), "TMPDIR="+b.temp) || strings.Contains(strings.Join(last, "\n"), "elsewhere") {
		t.Errorf("environment %q", last)
	}
	if err := b.Confine(&exec.Cmd{Path: "sh"}); err == nil {
		t.Error("a program without a full path was taken")
	}
}

func TestMainIsForItsOwnWordOnly(t *testing.T) {
	var said bytes.Buffer
	for _, args := range [][]string{nil, {"trimtab"}, {"trimtab", "chat"}, {"trimtab", "-p", word}} {
		if _, ours := Main(args, &said); ours || said.Len() > 0 {
			t.Errorf("%q is taken for ours: %s", args, said.String())
		}
	}
	for _, args := range [][]string{{}, {"{}"}, {"{}", "--"}, {"x", "--", "/bin/true"}, {"{}", "-", "/bin/true"}, {`{"write":["x"]}`, "--", "/bin/true"}, {`{"hide":["x"]}`, "--", "/bin/true"}, {`{"hide":[1]}`, "--", "/bin/true"}, {"{}", "--", "true"}} {
		said.Reset()
		code, ours := Main(append([]string{"trimtab", word}, args...), &said)
		if code != notRun || !ours || !strings.Contains(said.String(), "was not run") {
			t.Errorf("%q: %d, %v, %q", args, code, ours, said.String())
		}
	}
}

func FuzzMain(f *testing.F) {
	f.Add(`{"write":["/tmp"],"network":true}`, "--", "true")
	f.Add(`{"write":["/tmp"],"hide":["/root/.ssh"],"read":["/tmp"]}`, "--", "true")
	f.Add(`{`, "", "")
	f.Fuzz(func(t *testing.T, spec, dash, program string) {
		if filepath.IsAbs(program) {
			return // it might become it
		}
		if code, ours := Main([]string{"trimtab", word, spec, dash, program}, &bytes.Buffer{}); code != notRun || !ours {
			t.Errorf("%d, %v", code, ours)
		}
	})
}

// TestModes_AreThoseOfTheTags: the values and the defaults in the code are those that
// the settings declare.
func TestModes_AreThoseOfTheTags(t *testing.T) {
	cfg, err := settingtag.Fill(Config{})
	if err != nil || cfg.Mode != modes[0] || cfg.Network != nil {
		t.Errorf("the defaults are %q and network %v, %v", cfg.Mode, cfg.Network, err)
	}
	field, _ := reflect.TypeFor[Config]().FieldByName("Mode")
	if f, _ := settingtag.FieldOf(field); !slices.Equal(f.Enum, modes) {
		t.Errorf("the tag has %q, the code %q", f.Enum, modes)
	}
	if _, err := New(Config{Mode: "cage"}, Options{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "cage") {
		t.Errorf("a mode that there is not: %v", err)
	}
}
