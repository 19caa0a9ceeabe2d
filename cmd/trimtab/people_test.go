package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/store/storetest"
)

// person is somebody with a home of their own, and the program.
type person struct {
	t   *testing.T
	env []string
}

// run runs the program in a folder and returns what it wrote, and whether it succeeded.
func (p person) run(dir string, args ...string) (string, bool) {
	p.t.Helper()
	cmd := exec.Command("trimtab", args...) // testscript has put it on the path
	cmd.Dir, cmd.Env = dir, p.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err == nil
}

// must is run for what has to succeed.
func (p person) must(dir string, args ...string) string {
	p.t.Helper()
	out, ok := p.run(dir, args...)
	if !ok {
		p.t.Fatalf("trimtab %s: %s", strings.Join(args, " "), out)
	}
	return out
}

// persons makes people who share a store.
func persons(t *testing.T, shared ...string) func(name string, more ...string) person {
	t.Helper()
	return func(name string, more ...string) person {
		home := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(home, ".config", "trimtab"), 0o700); err != nil {
			t.Fatal(err)
		}
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "GORACE=atexit_sleep_ms=0", "TRIMTAB_MODELS_DEFAULT=demo"}
		return person{t, append(append(env, shared...), more...)}
	}
}

// sharedPlaces are what people share: a file, and a server where the tests have one.
func sharedPlaces(t *testing.T, test func(t *testing.T, env ...string)) {
	t.Run("file", func(t *testing.T) { test(t, "TRIMTAB_DATA="+t.TempDir()) })
	t.Run("server", func(t *testing.T) {
		test(t, "TRIMTAB_STORE_URL="+storetest.EmptySchema(t))
	})
}

// TestX2_PeopleInOneFolderSeeTheirOwn: two people with one store and the same path, as in
// every dev container.
func TestX2_PeopleInOneFolderSeeTheirOwn(t *testing.T) {
	sharedPlaces(t, func(t *testing.T, env ...string) {
		make, dir := persons(t, env...), t.TempDir()
		ann, bob := make("ann", "TRIMTAB_USER=ann"), make("bob", "TRIMTAB_USER=bob")
		ann.must(dir, "-p", "ann looks at the rudder")
		if out, ok := bob.run(dir, "status"); ok || strings.Contains(out, "rudder") || !strings.Contains(out, "not found") {
			t.Errorf("bob's status: %v %s", ok, out)
		}
		if out, ok := bob.run(dir, "mode", "planning"); ok {
			t.Errorf("bob switched somebody's mode: %s", out)
		}
		if out := ann.must(dir, "status"); strings.Contains(strings.ToLower(out), "planning") {
			t.Errorf("ann is switched: %s", out)
		}
		bob.must(dir, "-p", "bob looks at the keel")
		bob.must(dir, "mode", "planning")
		if out := ann.must(dir, "status"); strings.Contains(strings.ToLower(out), "planning") {
			t.Errorf("ann is switched: %s", out)
		}
		if out := strings.ToLower(bob.must(dir, "status")); !strings.Contains(out, "planning") {
			t.Errorf("bob is not: %s", out)
		}
		for _, who := range []struct {
			person
			has, not string
		}{{ann, "rudder", "keel"}, {bob, "keel", "rudder"}} {
			for _, verb := range [][]string{{"session", "list"}, {"session", "list", "--all", "--json"}, {"session", "show"}, {"session", "prune", "--older-than", "0s", "--dry-run"}} {
				if out, _ := who.run(dir, verb...); !strings.Contains(out, who.has) || strings.Contains(out, who.not) {
					t.Errorf("%v of the one with the %s: %s", verb, who.has, out)
				}
			}
		}
		id := strings.Fields(ann.must(dir, "session", "list"))[0]
		for _, verb := range [][]string{{"session", "show", id}, {"session", "export", id}, {"mode", "planning", "--session", id}, {"session", "rm", id}, {"todo", "--session", id}, {"status", "--user", "ann"}, {"session", "list", "--user", "all"}} {
			if out, ok := bob.run(dir, verb...); ok || !strings.Contains(out, "another user") || strings.Contains(out, "rudder") {
				t.Errorf("bob: %v: %v %s", verb, ok, out)
			}
		}
		lead := make("lee", "TRIMTAB_USER=lee", "TRIMTAB_USER_ROLE=view")
		if out := lead.must(dir, "session", "list", "--user", "all"); !strings.Contains(out, "rudder") || !strings.Contains(out, "keel") {
			t.Errorf("the lead sees %s", out)
		}
		if out := lead.must(dir, "session", "show", "--user", "ann"); !strings.Contains(out, "rudder") {
			t.Errorf("the lead sees %s", out)
		}
		if out, ok := lead.run(dir, "mode", "planning", "--user", "ann"); ok || !strings.Contains(out, "steer") {
			t.Errorf("the lead switched: %s", out)
		}
		steerer := make("sam", "TRIMTAB_USER=sam", "TRIMTAB_USER_ROLE=steer")
		steerer.must(dir, "mode", "planning", "--user", "ann")
		if out := ann.must(dir, "status"); !strings.Contains(strings.ToLower(out), "planning") {
			t.Errorf("a steerer switched nothing: %s", out)
		}
	})
}

// TestX2_OnAServerNobodyNeedsAName: two homes are two people, and stay who they are.
func TestX2_OnAServerNobodyNeedsAName(t *testing.T) {
	make, dir := persons(t, "TRIMTAB_STORE_URL="+storetest.EmptySchema(t)), t.TempDir()
	ann, bob := make("ann"), make("bob")
	ann.must(dir, "-p", "ann looks at the rudder")
	if out, ok := bob.run(dir, "status"); ok || strings.Contains(out, "rudder") {
		t.Errorf("bob: %s", out)
	}
	if out := ann.must(dir, "session", "list"); !strings.Contains(out, "rudder") {
		t.Errorf("ann: %s", out)
	}
}

// TestX2_AFileIsOnePersons: without a name everything in it is theirs, whatever home the
// program runs in.
func TestX2_AFileIsOnePersons(t *testing.T) {
	make, dir := persons(t, "TRIMTAB_DATA="+t.TempDir()), t.TempDir()
	make("one").must(dir, "-p", "look at the rudder")
	if out := make("two").must(dir, "session", "list"); !strings.Contains(out, "rudder") {
		t.Errorf("%s", out)
	}
	if out := make("named", "TRIMTAB_USER_NAME=ann").must(dir, "session", "list"); !strings.Contains(out, "rudder") {
		t.Errorf("what is nobody's: %s", out)
	}
}

// TestX2_AProjectIsFoundFromAnotherClone, and not another one that lies at the same path.
func TestX2_AProjectIsFoundFromAnotherClone(t *testing.T) {
	sharedPlaces(t, func(t *testing.T, env ...string) {
		ann := persons(t, env...)("ann", "TRIMTAB_USER=ann")
		clone := func(dir, remote string) string {
			t.Helper()
			for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "remote", "add", "origin", remote}} {
				if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v: %s", args, err, out)
				}
			}
			return dir
		}
		workspace := clone(filepath.Join(t.TempDir(), "workspace"), "git@git.example.org:ann/x.git")
		ann.must(workspace, "-p", "look at the rudder")
		if err := os.RemoveAll(workspace); err != nil {
			t.Fatal(err)
		}
		laptop := clone(t.TempDir(), "https://ann:secret@git.example.org/ann/x")
		if out := ann.must(laptop, "session", "list", "--json"); !strings.Contains(out, "rudder") || !strings.Contains(out, `"git.example.org/ann/x"`) || strings.Contains(out, "secret") {
			t.Errorf("%s", out)
		}
		clone(workspace, "https://git.example.org/ann/y")
		if out, ok := ann.run(workspace, "status"); ok {
			t.Errorf("a session of another repository: %s", out)
		}
		below := filepath.Join(laptop, "below")
		if err := os.Mkdir(below, 0o700); err != nil {
			t.Fatal(err)
		}
		if out, ok := ann.run(below, "status"); ok {
			t.Errorf("a session of another folder of the repository: %s", out)
		}
	})
}

// TestX3_TwoClonesFileOneRequest: whoever sees the trouble first, in whichever clone, and
// who approved it can be seen.
func TestX3_TwoClonesFileOneRequest(t *testing.T) {
	sharedPlaces(t, func(t *testing.T, env ...string) {
		forge := t.TempDir()
		make := persons(t, append(env, "TRIMTAB_FORGE_KIND=local", "TRIMTAB_FORGE_FOLDER="+forge, "GIT_CONFIG_NOSYSTEM=1")...)
		ann, bob := make("ann", "TRIMTAB_USER=ann", "TRIMTAB_USER_ROLE=approve"), make("bob", "TRIMTAB_USER=bob", "TRIMTAB_USER_ROLE=approve")
		session, err := filepath.Abs(filepath.Join("..", "..", "improve", "agents", "sample", "session.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		clone := func(remote string) string {
			dir := t.TempDir()
			for _, args := range [][]string{{"init", "-q", dir}, {"-C", dir, "remote", "add", "origin", remote}} {
				if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v: %s", args, err, out)
				}
			}
			return dir
		}
		hers, his := clone("git@git.example.org:team/soundings.git"), clone("https://bob:secret@git.example.org/team/soundings")
		out := ann.must(hers, "improve", "new", session, "--since", "3650d")
		id := strings.Fields(out)[0]
		if out, ok := bob.run(his, "improve", "new", session, "--since", "3650d"); ok || !strings.Contains(out, "filed_here: "+id) {
			t.Errorf("bob filed it again: %v %s", ok, out)
		}
		if out, ok := bob.run(clone("https://git.example.org/bob/other"), "improve", "new", session, "--since", "3650d"); !ok {
			t.Errorf("another repository: %s", out)
		}
		bob.must(his, "improve", "approve", id)
		if out, ok := ann.run(hers, "improve", "approve", id); ok || !strings.Contains(out, "was approved by bob") {
			t.Errorf("ann: %v %s", ok, out)
		}
		if out := ann.must(hers, "improve", "show", id); !strings.Contains(out, "by bob, 20") || !strings.Contains(out, "git.example.org/team/soundings") || strings.Contains(out, "secret") {
			t.Errorf("%s", out)
		}
	})
}
