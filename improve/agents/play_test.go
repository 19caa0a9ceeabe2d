package agents

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
)

// TestMain makes the test binary play the agents, too: under the name of one it
// does what the last line of its prompt says, and writes as that agent writes.
func TestMain(m *testing.M) {
	if code, ours := sandbox.Main(os.Args, os.Stderr); ours {
		os.Exit(code)
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if _, ok := find(name); ok || name == "other" {
		os.Exit(play(name))
	}
	os.Exit(m.Run())
}

// play is one run of an agent.
func play(name string) int {
	raw, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	prompt := strings.TrimSpace(string(raw))
	what, arg, _ := strings.Cut(prompt[strings.LastIndex(prompt, "\n")+1:], " ")
	switch what {
	case "edit":
		if err := os.WriteFile("made.txt", []byte("by "+name), 0o600); err != nil {
			return speak(name, "could not write", 0)
		}
		return speak(name, "All done.", 0.25)
	case "env":
		return speak(name, strings.Join(os.Environ(), "\n"), 0)
	case "argv":
		return speak(name, strings.Join(os.Args[1:], " "), 0)
	case "prompt":
		return speak(name, prompt, 0)
	case "outside":
		err := os.WriteFile(arg, []byte("x"), 0o600)
		return speak(name, fmt.Sprint("outside written: ", err == nil), 0)
	case "read":
		raw, _ := os.ReadFile(arg)
		return speak(name, fmt.Sprintf("read: %q", raw), 0)
	case "secret":
		fmt.Fprintln(os.Stderr, "the key is canary-4711")
		return speak(name, "canary-4711", 0)
	case "leak":
		fmt.Fprintln(os.Stderr, "the key is canary-4711")
		return 1
	case "budget":
		fmt.Println(`{"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":1.5}`)
		return 1
	case "flood":
		for line := strings.Repeat("x", 1<<16) + "\n"; ; {
			if _, err := os.Stdout.WriteString(line); err != nil {
				return 1
			}
		}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		for { // not select {}: without other goroutines that is a deadlock, which the runtime ends
			time.Sleep(time.Hour)
		}
	case "dear":
		return speak(name, "That was dear.", 9)
	case "locked":
		h, _ := find(name)
		fmt.Fprintln(os.Stderr, h.Locked[0])
		return 1
	case "fail":
		fmt.Fprintln(os.Stderr, "first line\nthe disk is on fire")
		return 7
	}
	return 1
}

// speak writes words as the agent of this name writes them.
func speak(name, text string, cost float64) int {
	quoted, _ := json.Marshal(text)
	form := map[string]string{
		"claude": `{"type":"system","subtype":"init","session_id":"s-1"}
{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Let me look."}]},"session_id":"s-1"}
{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":%[1]s}]},"session_id":"s-1"}
{"type":"result","subtype":"success","is_error":false,"result":%[1]s,"session_id":"s-1","total_cost_usd":%[2]v}
`,
		"codex": `{"type":"thread.started","thread_id":"s-1"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Let me look."}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":%[1]s}}
{"type":"turn.completed","usage":{"input_tokens":1}}
`,
		"gemini": `{"type":"init","session_id":"s-1","model":"auto"}
{"type":"message","role":"user","content":"hello"}
{"type":"message","role":"assistant","content":"Let me look.","delta":true}
{"type":"tool_use","tool_name":"run"}
{"type":"message","role":"assistant","content":%[1]s,"delta":true}
{"type":"result","status":"success","stats":{}}
`,
		"opencode": `{"type":"text","sessionID":"s-1","part":{"messageID":"m1","text":"Let me look."}}
{"type":"text","sessionID":"s-1","part":{"messageID":"m2","text":%[1]s}}
{"type":"step_finish","sessionID":"s-1","part":{"cost":%[2]v}}
`,
		"goose": `

    __( O)>  new session
{"type":"message","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Let me look."}]}}
{"type":"message","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":%[1]s}]}}
{"type":"complete","total_tokens":1}
`,
	}
	form["qwen"] = form["claude"]
	if f, ok := form[name]; ok {
		fmt.Printf(f+"%.0[2]v", quoted, cost)
	} else {
		fmt.Println(text)
	}
	return 0
}

// rig is a folder to work in and an agent played by this binary.
type rig struct {
	dir, logs string
	vars      map[string]string
	cfg       Config
	opt       Options
}

func newRig(t *testing.T, agent string) *rig {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	program := agent
	if agent == "command" {
		program = "other"
	}
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	link := filepath.Join(bin, program)
	if err := os.Symlink(exe, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	r := &rig{dir: t.TempDir(), logs: t.TempDir(), vars: map[string]string{
		"PATH": bin, "HOME": t.TempDir(), "SYSTEMROOT": os.Getenv("SYSTEMROOT"),
		"GH_TOKEN": "canary-gh", "GITHUB_TOKEN": "canary-github", "GITEA_TOKEN": "canary-gitea", "GITLAB_TOKEN": "canary-gitlab", "SSH_AUTH_SOCK": "canary-ssh", "AWS_SECRET_ACCESS_KEY": "canary-aws",
	}}
	if h, ok := find(agent); ok {
		r.vars[h.Keys[0]] = "key-of-" + agent
	}
	if agent == "command" {
		r.cfg.Command = []string{link, "--in", "{dir}", "--file={prompt-file}", "{step}"}
	}
	r.cfg.Agent = agent
	r.vars["GORACE"] = "atexit_sleep_ms=0" // a program built with -race waits a second before it ends
	r.cfg.Env = []string{"GORACE"}
	r.opt = Options{
		Lookup: func(name string) (string, bool) { v, ok := r.vars[name]; return v, ok },
		Redact: func(s string) string { return strings.ReplaceAll(s, "canary-4711", "[REDACTED:key]") },
	}
	return r
}

// do has the agent do a job.
func (r *rig) do(t *testing.T, prompt string, change ...func(*Job)) (Report, error) {
	t.Helper()
	agent, err := New(r.cfg, r.opt)
	if err != nil {
		t.Fatal(err)
	}
	job := Job{ID: "workflow_20261115_101500_k3x9", Step: "implement", Prompt: prompt, Dir: r.dir, Folder: r.logs, Time: time.Minute, Output: 1 << 20}
	for _, c := range change {
		c(&job)
	}
	return agent.Do(t.Context(), job)
}

func (r *rig) log(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.logs, "*.log"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	raw, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
