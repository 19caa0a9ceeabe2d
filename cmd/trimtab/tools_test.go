package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// serveTide is an MCP server, written from the protocol and not with the library
// that the client uses. It notes in the file of MCP_FIXTURE_LOG what it was asked,
// and that it was told to end.
func serveTide() {
	log := func(words string) {
		f, err := os.OpenFile(os.Getenv("MCP_FIXTURE_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(f, words)
			_ = f.Close()
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "broken" {
		fmt.Fprintln(os.Stderr, "the licence has expired")
		os.Exit(1)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			log("ended")
			return
		}
		var q struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Name            string
				Arguments       json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &q); err != nil || q.ID == nil {
			continue // a notification
		}
		answer := `"error":{"code":-32601,"message":"no such method"}`
		switch q.Method {
		case "initialize":
			answer = fmt.Sprintf(`"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"fixture","version":"1"}}`, q.Params.ProtocolVersion)
		case "tools/list":
			answer = `"result":{"tools":[{"name":"tide","description":"When the tide is high. Ask it.","inputSchema":{"type":"object","properties":{"port":{"type":"string"}}},"annotations":{"readOnlyHint":true}},` +
				`{"name":"dredge","description":"Dig the port deeper.","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			answer = fmt.Sprintf(`"result":{"content":[{"type":"text","text":"high at noon in %s"}]}`, os.Getenv("PORT_NAME"))
		}
		if strings.HasPrefix(answer, `"result"`) { // what newer clients may also ask is their affair
			log(strings.TrimSpace(q.Method + " " + q.Params.Name + " " + string(q.Params.Arguments)))
		}
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", q.ID, answer)
	}
}

// visit is one run of trimtab in a folder of its own, with a model that follows
// the script.
type visit struct {
	home, dir string
	model     *fakemodel.Server
	env       []string
}

func newVisit(t *testing.T, script fakemodel.Script) *visit {
	t.Helper()
	v := &visit{home: t.TempDir(), model: fakemodel.Start(t, fakemodel.Options{Script: script})}
	v.dir = filepath.Join(v.home, "port")
	put(t, filepath.Join(v.dir, "README.md"), "# A port\n")
	v.env = []string{"GORACE=atexit_sleep_ms=0", "HOME=" + v.home, "TRIMTAB_DATA=" + filepath.Join(v.home, "data"), "TRIMTAB_CONFIG=" + filepath.Join(v.home, "trimtab.json"), "ANTHROPIC_API_KEY=sk-test-not-a-key", "ANTHROPIC_BASE_URL=" + v.model.URL, "MCP_FIXTURE_LOG=" + filepath.Join(v.home, "log")}
	for _, name := range []string{"PATH", "SystemRoot", "TMPDIR", "TEMP", "TMP"} {
		if value := os.Getenv(name); value != "" {
			v.env = append(v.env, name+"="+value)
		}
	}
	put(t, filepath.Join(v.home, "trimtab.json"), "{}")
	return v
}

// trimtab runs the program to its end.
func (v *visit) trimtab(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "trimtab", args...)
	cmd.Dir, cmd.Env = v.dir, v.env
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	return out.String(), said.String(), err
}

const tideServer = `"tide": {"command": "mcp-fixture", "env": {"PORT_NAME": "Wismar", "MCP_FIXTURE_LOG": "$MCP_FIXTURE_LOG", "GORACE": "atexit_sleep_ms=0"}, "trust": true}`

func TestTheModelUsesAToolOfAnMCPServer(t *testing.T) {
	v := newVisit(t, fakemodel.ToolThenText("At noon.", fakemodel.Call{Name: "mcp__tide__tide", Input: json.RawMessage(`{"port":"W"}`)}))
	put(t, filepath.Join(v.home, "trimtab.json"), `{"mcp": {"servers": {`+tideServer+`, "broken": {"command": "mcp-fixture", "args": ["broken"]}, "bare": {}}}}`)
	stdout, stderr, err := v.trimtab(t, "-p", "when is the tide high?")
	if err != nil || strings.TrimSpace(stdout) != "At noon." {
		t.Fatalf("%v\n%s\n%s", err, stdout, stderr)
	}
	main := v.model.Main()
	if got := main[len(main)-1].Transcript(); !strings.Contains(got, "high at noon in Wismar") {
		t.Errorf("the model did not read the result:\n%s", got)
	}
	if tools := string(main[0].Raw("tools")); !strings.Contains(tools, "mcp__tide__dredge") || !strings.Contains(tools, `"bash"`) {
		t.Errorf("the model was offered %s", tools)
	}
	for _, want := range []string{"fault: mcp broken: start:", "the licence has expired", "trimtab.json:1: mcp.servers.bare: neither a command nor a url; give one of them (ignored)"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr lacks %q:\n%s", want, stderr)
		}
	}
	log, err := os.ReadFile(filepath.Join(v.home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("initialize\ntools/list\ntools/call tide {\"port\":\"W\"}\nended\n", string(log)); diff != "" {
		t.Errorf("what the server was asked (-want +got):\n%s", diff)
	}
	v.model.NoneRefused(t)
}

func TestAToolOfAnMCPServerIsNotRunWithoutAPersonsWord(t *testing.T) {
	v := newVisit(t, fakemodel.ToolThenText("It may not be.", fakemodel.Call{Name: "mcp__tide__dredge"}))
	put(t, filepath.Join(v.home, "trimtab.json"), `{"mcp": {"servers": {`+tideServer+`}}}`)
	_, stderr, err := v.trimtab(t, "-p", "dig")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if log, err := os.ReadFile(filepath.Join(v.home, "log")); err != nil || strings.Contains(string(log), "tools/call") {
		t.Errorf("%v: the server was asked:\n%s", err, log)
	}
}

func TestP16_AProjectNamesNoMCPServers(t *testing.T) {
	v := newVisit(t, fakemodel.Echo())
	put(t, filepath.Join(v.dir, ".trimtab", "trimtab.json"), `{"mcp": {"servers": {`+tideServer+`}, "callSeconds": 1}}`)
	if stdout, stderr, err := v.trimtab(t, "trust", "--yes"); err != nil {
		t.Fatalf("%v\n%s\n%s", err, stdout, stderr)
	}
	_, stderr, err := v.trimtab(t, "-p", "hello")
	if err != nil || !strings.Contains(stderr, "mcp.servers: a project may not set this") {
		t.Errorf("%v\n%s", err, stderr)
	}
	if _, err := os.Stat(filepath.Join(v.home, "log")); err == nil {
		t.Error("the server was started")
	}
}

func TestSecretsOfServersAreNotShown(t *testing.T) {
	v := newVisit(t, fakemodel.Echo())
	put(t, filepath.Join(v.home, "trimtab.json"), `{"mcp": {"servers": {"a": {"command": "x", "env": {"TOKEN": "canary"}}, "b": {"url": "https://u:canary@h/"}}}}`)
	for _, args := range [][]string{{"config", "show"}, {"config", "show", "--json"}, {"config", "validate"}, {"doctor"}} {
		stdout, stderr, _ := v.trimtab(t, args...) // that b is wrong is said, too
		if all := stdout + stderr; strings.Contains(all, "canary") || !strings.Contains(all, "mcp.servers.") {
			t.Errorf("%v:\n%s", args, all)
		}
	}
}

func TestToolsAreListedWithThoseOfServers(t *testing.T) {
	dir := t.TempDir()
	settings := filepath.Join(dir, "trimtab.json")
	put(t, settings, `{"mcp": {"servers": {`+tideServer+`, "broken": {"command": "mcp-fixture", "args": ["broken"]}}}}`)
	t.Chdir(dir)
	a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, clock: time.Now}
	a.environ = append(os.Environ(), "HOME="+dir, "TRIMTAB_DATA="+filepath.Join(dir, "data"), "TRIMTAB_CONFIG="+settings, "TRIMTAB_MODELS_DEFAULT=demo", "MCP_FIXTURE_LOG="+filepath.Join(dir, "log"))
	defer func() { _ = a.close() }()
	tk, err := a.openTalk(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	servers := func() []string {
		var out []string
		for _, it := range tk.toolList(trimtab.Session{}) {
			if strings.HasPrefix(it.Name, "mcp") {
				out = append(out, strings.TrimSpace(it.Name+": "+it.Text+" "+it.Off))
			}
		}
		return out
	}
	if diff := cmp.Diff([]string{"mcp broken: starts with the next prompt", "mcp tide: starts with the next prompt"}, servers()); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "log")); err == nil {
		t.Error("listing the tools started a server")
	}
	chosen, err := tk.Choose(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tk.Begin(t.Context(), chosen.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agent.Once(t.Context(), chosen, s.ID, trimtab.Prompt("hello"), nil); err != nil {
		t.Fatal(err)
	}
	got := servers()
	if len(got) != 3 || !strings.Contains(got[0], "the licence has expired") || !strings.HasSuffix(got[0], "did not start") {
		t.Fatalf("got %q", got)
	}
	if diff := cmp.Diff([]string{"mcp__tide__tide: When the tide is high", "mcp__tide__dredge: Dig the port deeper."}, got[1:]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tk.close()
	if log, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || !strings.HasSuffix(string(log), "ended\n") {
		t.Errorf("%v: the server still runs after the chat:\n%s", err, log)
	}
}
