package launch_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/host/launch"
)

func TestHostsThatCanBeStartedAreFound(t *testing.T) {
	if got, want := launch.Names(), []string{"claude", "codex", "gemini", "goose", "opencode", "pi", "qwen"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, name := range []string{"trimtab", "crush", "nobody"} {
		if _, ok := launch.Find(name); ok {
			t.Errorf("%s was found", name)
		}
	}
}

// A run's address goes into a copy: the next run begins with the table as it is.
func TestFillLeavesTheTableAsItIs(t *testing.T) {
	for _, name := range launch.Names() {
		l, _ := launch.Find(name)
		filled := l.Fill("http://u", "s1", "/f")
		text := strings.Join(filled.Args, " ") + filled.File.Text
		for _, v := range filled.Env {
			text += v
		}
		if strings.Contains(text, "{url}") || strings.Contains(text, "{session}") || strings.Contains(text, "{file}") {
			t.Errorf("%s: something is not filled in: %s", name, text)
		}
		if !strings.Contains(text, "http://u") {
			t.Errorf("%s is not told the address: %s", name, text)
		}
		again, _ := launch.Find(name)
		if diff := cmp.Diff(l, again); diff != "" {
			t.Errorf("%s changed:\n%s", name, diff)
		}
	}
}

func TestAStatusLineOfThePersonStays(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	l, _ := launch.Find("claude")
	if got := l.WithStatus("/bin/trimtab", getenv); !slices.Contains(got.Args, "--settings") {
		t.Errorf("no status line: %q", got.Args)
	}
	if got := l.WithStatus("/a b/trimtab", getenv); len(got.Args) != 0 {
		t.Errorf("a path that the host's shell would take apart: %q", got.Args)
	}
	file := filepath.Join(home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"statusLine":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := l.WithStatus("/bin/trimtab", getenv); len(got.Args) != 0 {
		t.Errorf("the person's own is hidden by %q", got.Args)
	}
}

func TestExtrasJoinTheSettingsThatAreThere(t *testing.T) {
	l, _ := launch.Find("claude")
	l = l.WithStatus("/bin/trimtab", func(string) string { return t.TempDir() })
	l, err := l.With(launch.Extras{Settings: map[string]any{"hooks": 1}, Args: []string{"--x"}, Env: map[string]string{"A": "b"}, File: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(strings.Join(l.Args, " "), "--settings"); n != 1 || !strings.Contains(l.Args[1], `"hooks":1`) || !strings.Contains(l.Args[1], "statusLine") {
		t.Errorf("of two such flags the host would take one: %q", l.Args)
	}
	if l.Env["A"] != "b" || l.Env["ANTHROPIC_BASE_URL"] == "" || l.File != (host.File{Name: "settings.json", Text: "{}"}) {
		t.Errorf("%v %v", l.Env, l.File)
	}
	if _, err := l.With(launch.Extras{File: []byte("{}")}); err == nil {
		t.Error("a second file took the place of the first")
	}
}

func TestUpstreamsKeepWhatThePersonSet(t *testing.T) {
	l, _ := launch.Find("goose")
	getenv := func(name string) string {
		return map[string]string{"OPENAI_HOST": "http://o", "ANTHROPIC_HOST": "http://a"}[name]
	}
	got := l.Upstreams(getenv, map[string]string{"openai": "http://given"})
	if diff := cmp.Diff(map[string]string{"openai": "http://given", "anthropic": "http://a"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRunGivesTheAgentItsEnvironmentAndItsExitCodeBack(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this system")
	}
	l := launch.Launch{
		Host: "x", Env: map[string]string{"BASE": "{url}/s/{session}"}, Args: []string{"-c", `cat "$FILE"; echo "$BASE $TRIMTAB_SESSION $TRIMTAB_DATA $1"; cat; exit 7`, "name"},
		File: host.File{Name: "f.txt", Text: "at {url}\n"},
	}
	l.Env["FILE"] = "{file}"
	var out bytes.Buffer
	code, err := l.Run(launch.Process{Program: sh, Args: []string{"mine"}, URL: "http://u", Session: "s1", Data: "/d", Environ: os.Environ(), In: strings.NewReader("typed"), Out: &out, Err: &out})
	if err != nil || code != 7 {
		t.Errorf("code %d, %v: %s", code, err, out.String())
	}
	if want := "at http://u\nhttp://u/s/s1 s1 /d mine\ntyped"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if _, err := l.Run(launch.Process{Program: filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("a program that is not there has no error")
	}
}
