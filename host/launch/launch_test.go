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
		filled := l.Fill("http://u/k/abc", "s1", "/f")
		text := strings.Join(filled.Args, " ") + filled.File.Text
		for _, v := range filled.Env {
			text += v
		}
		if strings.Contains(text, "{url}") || strings.Contains(text, "{session}") || strings.Contains(text, "{file}") || strings.Contains(text, "{origin}") || strings.Contains(text, "{key}") {
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

// TestH7_EveryHostIsToldTheSecretAndNobodyElse: what stands on a command line can be
// read by every user of the machine, so the secret is in the environment or a file.
func TestH7_EveryHostIsToldTheSecretAndNobodyElse(t *testing.T) {
	rows := []launch.Launch{launch.Anything("mine")}
	for _, name := range launch.Names() {
		l, _ := launch.Find(name)
		rows = append(rows, l)
	}
	for _, row := range rows {
		l := row.Fill("http://127.0.0.1:1/k/MNOPQR", "s1", "/f")
		told := []string{l.File.Text}
		for _, v := range l.Env {
			told = append(told, v)
		}
		if !strings.Contains(strings.Join(told, " "), "MNOPQR") {
			t.Errorf("%s is not told the secret: %q", l.Host, told)
		}
		for _, text := range told {
			if strings.Count(text, "http://") != strings.Count(text, "http://127.0.0.1:1/k/MNOPQR") {
				t.Errorf("%s: an address without the secret: %s", l.Host, text)
			}
		}
		if args := strings.Join(l.Args, " "); strings.Contains(args, "MNOPQR") {
			t.Errorf("%s: the secret is on the command line: %s", l.Host, args)
		}
	}
}

// TestSessionsOfHostsWithOwnIDsAreNotNamed: a command in the agent's own shell would
// look for a session that never is.
func TestSessionsOfHostsWithOwnIDsAreNotNamed(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this system")
	}
	for name, want := range map[string]string{"claude": "", "codex": "", "opencode": "", "goose": "", "gemini": "s1", "qwen": "s1", "pi": "s1"} {
		l, _ := launch.Find(name)
		l.Args = append([]string{"-c", `echo "$TRIMTAB_RUN/$TRIMTAB_SESSION"`}, l.Args...)
		var out bytes.Buffer
		environ := append(os.Environ(), "TRIMTAB_SESSION=of-another-run")
		if _, err := l.Run(launch.Process{Program: sh, URL: "http://u/k/abc", Session: "s1", Environ: environ, Out: &out, Err: &out}); err != nil || out.String() != "s1/"+want+"\n" {
			t.Errorf("%s: %q, %v", name, out.String(), err)
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
	if got := l.WithStatus("/a b/trimtab", getenv); slices.Contains(got.Args, "--settings") {
		t.Errorf("a path that the host's shell would take apart: %q", got.Args)
	}
	file := filepath.Join(home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"statusLine":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := l.WithStatus("/bin/trimtab", getenv); slices.Contains(got.Args, "--settings") {
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
	if n := strings.Count(strings.Join(l.Args, " "), "--settings"); n != 1 || !strings.Contains(strings.Join(l.Args, " "), `"hooks":1,"statusLine"`) {
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

// TestH9_OwnSettingsAreJoinedWithOurs: of two flags the host would take one. Theirs count,
// hooks of both are called, and what a file held is not put on the command line.
func TestH9_OwnSettingsAreJoinedWithOurs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.json")
	theirs := `{"env":{"KEY":"secret"},"statusLine":{"command":"mine"},"hooks":{"Stop":[{"n":1}],"Start":[{"n":2}]}}`
	if err := os.WriteFile(file, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	ours, err := launch.Launch{Host: "claude"}.With(launch.Extras{Settings: map[string]any{"statusLine": 1, "hooks": map[string]any{"Stop": []any{3}, "Used": []any{4}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"env":{"KEY":"secret"},"hooks":{"Start":[{"n":2}],"Stop":[{"n":1},3],"Used":[4]},"statusLine":{"command":"mine"}}`
	for _, args := range [][]string{{"-p", "--settings", file, "x"}, {"-p", "--settings=" + file, "x"}, {"-p", "--settings", theirs, "x"}} {
		l, rest, err := ours.WithOwn(args)
		if err != nil || !slices.Equal(rest, []string{"-p", "x"}) || !slices.Equal(l.Args, []string{"--settings", "{file}"}) || l.File.Text != want {
			t.Errorf("%q: %q %q %v\n%s", args, l.Args, rest, err, l.File.Text)
		}
	}
	for _, args := range [][]string{{"-p", "x"}, {"--", "--settings", file}, {"--settings"}} {
		if l, rest, err := ours.WithOwn(args); err != nil || !slices.Equal(rest, args) || l.File.Name != "" {
			t.Errorf("%q: %q %q %v", args, l.Args, rest, err)
		}
	}
	for _, args := range [][]string{{"--settings", "gone.json"}, {"--settings", "{"}} {
		if _, _, err := ours.WithOwn(args); err == nil || !strings.Contains(err.Error(), "your own settings") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestTheModelOfARunIsKnownWhereItIsNamed(t *testing.T) {
	l, _ := launch.Find("claude")
	getenv := func(name string) string { return map[string]string{"ANTHROPIC_MODEL": "opus"}[name] }
	for _, c := range []struct {
		args []string
		want string
	}{{[]string{"--model", "haiku", "-p"}, "haiku"}, {[]string{"-p", "--model=sonnet"}, "sonnet"}, {[]string{"-p"}, "opus"}, {[]string{"--model"}, "opus"}} {
		if got := l.AsksFor(c.args, getenv); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	if got := (launch.Launch{}).AsksFor([]string{"=x", "--model", "y"}, os.Getenv); got != "" {
		t.Errorf("a host of which we do not know how: %q", got)
	}
}

// TestH9_AnAgentBehindAProxyReachesTheGateway: the proxy of an office knows nothing of
// this machine's loopback.
func TestH9_AnAgentBehindAProxyReachesTheGateway(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this system")
	}
	for _, c := range []struct{ environ, want string }{
		{"A=b", "/"},
		{"HTTPS_PROXY=http://p", "127.0.0.1,localhost,::1/127.0.0.1,localhost,::1"},
		{"all_proxy=http://p NO_PROXY=.corp.example,localhost", ".corp.example,localhost,127.0.0.1,::1/.corp.example,localhost,127.0.0.1,::1"},
		{"http_proxy=http://p no_proxy=*", "*/*"},
	} {
		l := launch.Launch{Host: "x", Args: []string{"-c", `echo "$NO_PROXY/$no_proxy"`}}
		var out bytes.Buffer
		if _, err := l.Run(launch.Process{Program: sh, URL: "http://u/k/abc", Environ: strings.Fields(c.environ), Out: &out, Err: &out}); err != nil || out.String() != c.want+"\n" {
			t.Errorf("%s: %q, %v, want %q", c.environ, out.String(), err, c.want)
		}
	}
}

// TestFilesOfASetupLieBesideTheFileOfTheRun, and are gone with it.
func TestFilesOfASetupLieBesideTheFileOfTheRun(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this system")
	}
	l := launch.Launch{Host: "x", Args: []string{"-c", `cat "$MORE"; echo "$MORE"`}, Env: map[string]string{"MORE": "{dir}/more.json"}, Files: []host.File{{Name: "more.json", Text: "at {url} for {session}\n"}}}
	var out bytes.Buffer
	if _, err := l.Run(launch.Process{Program: sh, URL: "http://u", Session: "s1", Environ: os.Environ(), Out: &out, Err: &out}); err != nil {
		t.Fatal(err)
	}
	text, path, _ := strings.Cut(out.String(), "\n")
	if _, err := os.Stat(strings.TrimSpace(path)); text != "at http://u for s1" || err == nil {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestH10_CommandsForARunAreInItsFolder: whole files, in a folder that is gone afterwards,
// and JSON that joins what the person has in the variable.
func TestH10_CommandsForARunAreInItsFolder(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this system")
	}
	l := launch.Launch{
		Host: "x", Self: `/a "b"/trimtab`, Args: []string{"-c", `cat "{dir}/plugin/commands/mode.md"; echo "$INLINE"; echo "{dir}"`},
		Files: []host.File{{Name: "plugin/commands/mode.md", Text: "\"{self}\"\n"}}, Inline: host.Var{Name: "INLINE", Value: `{"a":{"x":1,"y":2},"b":"{self}"}`},
	}
	for given, want := range map[string]string{
		"":                          `{"a":{"x":1,"y":2},"b":"/a \"b\"/trimtab"}`,
		`{"a":{"x":9,"z":3},"c":0}`: `{"a":{"x":9,"y":2,"z":3},"b":"/a \"b\"/trimtab","c":0}`,
		`// not plain JSON`:         `// not plain JSON`,
	} {
		var out bytes.Buffer
		if code, err := l.Run(launch.Process{Program: sh, URL: "http://u/k/abc", Session: "s1", Environ: append(os.Environ(), "INLINE="+given), Out: &out, Err: &out}); err != nil || code != 0 {
			t.Fatalf("%d %v %s", code, err, out.String())
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if lines[0] != `"/a \"b\"/trimtab"` || lines[1] != want {
			t.Errorf("%q: %q", given, lines)
		}
		if _, err := os.Stat(lines[2]); err == nil {
			t.Error("the folder of the run is left behind")
		}
	}
}
