//go:build e2e && unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/forgetest"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/gitea"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

// machine is a person's machine with the built program: a home, a data folder and
// a file of settings, and nothing of the one who runs the test.
type machine struct {
	bin, home, data, config string
	env                     []string
}

func newMachine(t *testing.T, bin string, settings map[string]any) *machine {
	t.Helper()
	m := &machine{bin: filepath.Join(bin, "trimtab"), home: t.TempDir(), data: filepath.Join(t.TempDir(), "data")}
	m.config = filepath.Join(m.home, "trimtab.json")
	raw, err := json.Marshal(settings)
	if err == nil {
		err = os.WriteFile(m.config, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.home, "TRIMTAB_DATA=" + m.data, "TRIMTAB_CONFIG=" + m.config, "TRIMTAB_MODELS_DEFAULT=demo"}
	for _, name := range []string{"GOROOT", "GOPROXY", "GOSUMDB", "GOFLAGS", "GOTOOLCHAIN"} {
		if v, ok := os.LookupEnv(name); ok {
			m.env = append(m.env, name+"="+v)
		}
	}
	return m
}

func (m *machine) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, m.bin, args...)
	cmd.Env, cmd.Dir = m.env, dir
	return cmd
}

// run runs the program to its end, and returns all that it wrote.
func (m *machine) run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := m.command(t.Context(), dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("trimtab %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// items are the improvements, as the program lists them.
func (m *machine) items(t *testing.T) []improve.Item {
	t.Helper()
	out, err := m.command(t.Context(), m.home, "improve", "list", "--json").Output()
	var items []improve.Item
	if err == nil {
		err = json.Unmarshal(out, &items)
	}
	if err != nil {
		t.Fatalf("list: %v\n%s", err, out)
	}
	return items
}

// done returns the one improvement, with all its evidence.
func (m *machine) done(t *testing.T) improve.Item {
	t.Helper()
	items := m.items(t)
	if len(items) != 1 || items[0].State != improve.Done || len(items[0].Evidence) != 13 {
		t.Fatalf("the improvements are %+v", items)
	}
	for i, e := range items[0].Evidence {
		if e.Number != i+1 || e.Ended.IsZero() || e.Error != "" || len(e.Facts) == 0 {
			t.Errorf("evidence %d: %+v", i+1, e)
		}
	}
	return items[0]
}

// TestP1_TheProgramKilledAtRandomMoments kills the real program again and again
// while it does its sample. It goes on each time, and in the end there is one of
// each thing. It is killed 20 times, or as many times that as TRIMTAB_KILLS says.
func TestP1_TheProgramKilledAtRandomMoments(t *testing.T) {
	bin := programs(t)
	want := 20
	if s := os.Getenv("TRIMTAB_KILLS"); s != "" {
		times, err := strconv.Atoi(s)
		if err != nil || times < 1 {
			t.Fatalf("TRIMTAB_KILLS is %q; give a number", s)
		}
		want *= times
	}
	chance := rand.New(rand.NewPCG(7, 13))
	for killed, round := 0, 0; killed < want; round++ {
		if round > want {
			t.Fatalf("it was killed %d times only, in %d rounds", killed, round)
		}
		m := newMachine(t, bin, map[string]any{})
		for killed < want && m.kill(t, chance) {
			killed++
		}
		m.run(t, m.home, "improve", "run", "--forge", "local", "--agent", "demo")
		it := m.done(t)
		m.run(t, m.home, "improve", "run", "--forge", "local", "--agent", "demo") // and again: nothing is filed twice
		if d := cmp.Diff(map[string]int{"issues": 1, "pulls": 1, "branches": 1, "branches here": 1}, m.local(t, it)); d != "" {
			t.Errorf("after %d kills (-want +got):\n%s", killed, d)
		}
	}
}

// kill starts the program and kills it: as soon as there is a new issue or pull
// request at the forge, or at a random moment, some time after it has begun or has
// told of a step. It returns false where the program came to its end before.
func (m *machine) kill(t *testing.T, chance *rand.Rand) bool {
	t.Helper()
	cmd := m.command(t.Context(), m.home, "improve", "run", "--forge", "local", "--agent", "demo")
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	defer close(done)
	had := m.filed()
	lines, rest := chance.IntN(3), time.Duration(chance.IntN(400))*time.Millisecond
	if had < 2 && chance.IntN(2) == 0 {
		lines, rest = 0, time.Hour
		go m.whenFiled(had+1, done, cmd.Process)
	}
	read := bufio.NewScanner(out)
	for range lines {
		if !read.Scan() {
			break
		}
	}
	timer := time.AfterFunc(rest, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for read.Scan() { // until it is gone: nothing else holds its output
	}
	err = cmd.Wait()
	if err == nil {
		return false
	}
	if cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("it was not killed: %v", err)
	}
	return true
}

// filed counts the issues and pull requests in the local forge.
func (m *machine) filed() int {
	found, _ := filepath.Glob(filepath.Join(m.data, "forge", "*", "[ip]*s", "[0-9]*")) // the pattern is right
	return len(found)
}

// whenFiled kills a process once there are so many.
func (m *machine) whenFiled(n int, done <-chan struct{}, p *os.Process) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for m.filed() < n {
		select {
		case <-tick.C:
		case <-done:
			return
		}
	}
	_ = p.Kill() // it may have come to its end
}

// local counts what is in the local forge, and the branches in the project.
func (m *machine) local(t *testing.T, it improve.Item) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, kind := range []string{"issues", "pulls"} {
		found, err := filepath.Glob(filepath.Join(m.data, "forge", "*", kind, "[0-9]*"))
		if err != nil {
			t.Fatal(err)
		}
		n[kind] = len(found)
	}
	bare, err := filepath.Glob(filepath.Join(m.data, "forge", "*", "repo.git"))
	if err != nil || len(bare) != 1 {
		t.Fatalf("%v %v", bare, err)
	}
	for name, folder := range map[string]string{"branches": bare[0], "branches here": it.Project} {
		out, err := git.New(m.env).In(folder).Run(t.Context(), "for-each-ref", "--format=%(refname)", "refs/heads/feat")
		if err != nil {
			t.Fatal(err)
		}
		n[name] = len(strings.Fields(out))
	}
	return n
}

// TestP15_OnARealGiteaNoSecretLeavesOrStays: sixty secrets stand in the transcript,
// in the environment and in the agent's words, and the token of a real Gitea in the
// environment. From the transcript to the pull request, none is found in the data
// folder, in what the program writes, in the project or at the forge, and the agent
// gets none of them.
func TestP15_OnARealGiteaNoSecretLeavesOrStays(t *testing.T) {
	bin := programs(t)
	tea := forgetest.RealGitea(t, filepath.Join("..", "..", "script", "gitea"))
	tea.Found(t, "ada", "soundings")
	canaries := secrettest.Make(11)
	folder := t.TempDir()
	sample, err := agents.Sample(t.Context(), filepath.Join(folder, "sample"), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	plant(t, sample.Transcript, canaries)
	agent := filepath.Join(folder, "agent.sh")
	if err := os.WriteFile(agent, []byte(talkative(canaries)), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, bin, map[string]any{
		"forge":   map[string]any{"kind": "gitea", "url": tea.URL, "repo": "ada/soundings"},
		"improve": map[string]any{"agent": "command", "command": []string{"sh", agent, "{step}"}},
	})
	for i, c := range canaries {
		m.env = append(m.env, fmt.Sprintf("CANARY_%02d_KEY=%s", i, c.Value))
	}
	m.env = append(m.env, "GITEA_TOKEN="+tea.Tokens["ada"])
	hub, err := gitea.New(gitea.Config{URL: tea.URL, Repo: "ada/soundings"}, gitea.Options{Token: func(context.Context) (string, error) { return tea.Tokens["ada"], nil }})
	if err != nil {
		t.Fatal(err)
	}
	tree := git.New(os.Environ()).In(sample.Project)
	head, err := tree.Commit(t.Context(), "HEAD")
	if err == nil {
		err = tree.Push(t.Context(), hub.Remote(), git.Update{Branch: "main", To: head})
	}
	if err != nil {
		t.Fatal(err)
	}

	var wrote bytes.Buffer
	for _, args := range [][]string{
		{"reflect", sample.Transcript, "--since", "3650d"},
		{"improve", "new", sample.Transcript, "--since", "3650d", "--approve"},
		{"improve", "run", "--watch"},
		{"improve", "show", "--json"},
	} {
		if args[1] == "show" {
			args = append(args, m.done(t).ID)
		}
		wrote.WriteString(m.run(t, sample.Project, args...))
	}
	it := m.done(t)
	onForge(t, tea, hub.Roles(), it)

	canaries = append(canaries, secrettest.Canary{Kind: "token of the forge", Value: tea.Tokens["ada"]})
	if found := secrettest.In("what the program wrote", wrote.Bytes(), canaries); len(found) > 0 {
		t.Errorf("%v", found)
	}
	secrettest.Search(t, m.data, canaries)
	secrettest.Search(t, sample.Project, canaries)
	for _, part := range []string{"repos", "gitea.db", "gitea.db-wal", "data", "log"} {
		t.Run("at the forge, "+part, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(tea.Folder, part)); err == nil {
				secrettest.Search(t, filepath.Join(tea.Folder, part), canaries)
			}
		})
	}
	m.agentGotNothing(t, it)
}

// onForge checks that a real Gitea has one issue, one branch and one pull request.
func onForge(t *testing.T, tea forgetest.Real, hub forge.Forge, it improve.Item) {
	t.Helper()
	var branches []struct{ Name string }
	tea.Ask(t, "ada", "GET", "/repos/ada/soundings/branches", nil, &branches)
	issues, pulls := 0, 0
	for _, err := range hub.IssuesBy(t.Context(), "ada") {
		if err != nil {
			t.Fatal(err)
		}
		issues++
	}
	for _, b := range branches {
		for p, err := range hub.PullsFrom(t.Context(), b.Name) {
			if err != nil || p.State != forge.Open || !slices.Contains(p.Labels, "ready") {
				t.Errorf("%+v, %v", p, err)
			}
			pulls++
		}
	}
	if issues != 1 || len(branches) != 2 || pulls != 1 {
		t.Errorf("%d issues, %d branches with main, %d pull requests of %s", issues, len(branches), pulls, it.ID)
	}
}

// agentGotNothing reads in the agent's logs which variables it had.
func (m *machine) agentGotNothing(t *testing.T, it improve.Item) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(m.data, "improve", it.ID, "agent", "*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs of the agent: %v", err)
	}
	told := false
	for _, log := range logs {
		raw, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		told = told || strings.Contains(string(raw), "variable PATH\n")
		for _, name := range []string{"variable CANARY", "variable GITEA_TOKEN"} {
			if strings.Contains(string(raw), name) {
				t.Errorf("%s: the agent had %s", filepath.Base(log), name)
			}
		}
	}
	if !told {
		t.Error("the agent did not tell its variables")
	}
}

// plant puts canaries into a transcript, behind what its messages say.
func plant(t *testing.T, file string, canaries []secrettest.Canary) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	more := func(s string) string {
		for range 4 {
			s += "\n" + canaries[next%len(canaries)].Text
			next++
		}
		return s
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(raw)) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if message, ok := v["message"].(map[string]any); ok {
			switch content := message["content"].(type) {
			case string:
				message["content"] = more(content)
			case []any:
				for _, part := range content {
					part, _ := part.(map[string]any)
					for _, field := range []string{"text", "content"} {
						if s, ok := part[field].(string); ok {
							part[field] = more(s)
						}
					}
				}
			}
		}
		fresh, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(fresh, '\n'))
	}
	if next < len(canaries) {
		t.Fatalf("the transcript has lines for %d only", next)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// talkative is an agent that mends the sample, and tells all that it should not:
// the canaries, and the names of the variables that it got.
func talkative(canaries []secrettest.Canary) string {
	var all strings.Builder
	for _, c := range canaries {
		all.WriteString(c.Text + "\n")
	}
	return `cat >/dev/null
cat <<'THE-END'
` + all.String() + `THE-END
env | sed -n 's/^\([A-Za-z_][A-Za-z_0-9]*\)=.*/variable \1/p'
case $1 in
clarify) printf '## Requirements\n- a decimal comma is read\n\n## Acceptance criteria\n- Parse("7,5 m") is 7.5\n' ;;
design) cat >comma_test.go <<'THE-END'
package soundings

import "testing"

func TestParseTakesADecimalComma(t *testing.T) {
	if got, err := Parse("7,5 m"); err != nil || got != 7.5 {
		t.Errorf("Parse = %v, %v", got, err)
	}
}
THE-END
	echo "Parse replaces the comma." ;;
implement)
	sed 's/strconv.ParseFloat(text, 64)/strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)/' depth.go >depth.new
	mv depth.new depth.go
	echo "Parse reads a comma." ;;
review) printf '` + "```json" + `\n{"verdict": "accept", "why": "the comma is read and the test fails without it", "criteria": [{"criterion": 1, "met": true, "proof": "TestParseTakesADecimalComma"}], "findings": [{"file": "depth.go", "line": 1, "severity": "low", "text": "say it in the comment"}]}\n` + "```" + `\n' ;;
"security review") printf '` + "```json" + `\n{"verdict": "accept", "why": "a number is read from a short text, nothing else", "findings": []}\n` + "```" + `\n' ;;
feedback)
	sed 's/"7.5m" or "12 m"/"7.5m", "7,5 m" or "12 m"/' depth.go >depth.new
	mv depth.new depth.go
	printf '` + "```json" + `\n[{"finding": 1, "text": "It does."}]\n` + "```" + `\n' ;;
*) echo "Nothing to do." ;;
esac
`
}
