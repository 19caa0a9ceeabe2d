package fakemodel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// agent is a client that keeps a chat history and answers every call.
type agent struct {
	t        *testing.T
	s        *fakemodel.Server
	tool     string
	messages []string
}

func (a *agent) ask(prompt string) (said string, calls []string) {
	a.messages = append(a.messages, fmt.Sprintf(`{"role":"user","content":%q}`, prompt))
	for range 10 {
		body := fmt.Sprintf(`{"model":"m","tools":[%s],"messages":[%s]}`, a.tool, strings.Join(a.messages, ","))
		h := listenWhole(a.t, fakemodel.Chat, string(post(a.t, a.s, fakemodel.Chat, paths[fakemodel.Chat], body, 200)))
		if len(h.Calls) == 0 {
			a.messages = append(a.messages, fmt.Sprintf(`{"role":"assistant","content":%q}`, h.Text))
			return h.Text, calls
		}
		var made, got []string
		for _, c := range h.Calls {
			calls = append(calls, c.Name+" "+c.Input)
			made = append(made, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, c.ID, c.Name, c.Input))
			got = append(got, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"ok"}`, c.ID))
		}
		a.messages = append(a.messages, fmt.Sprintf(`{"role":"assistant","content":%q,"tool_calls":[%s]}`, h.Text, strings.Join(made, ",")))
		a.messages = append(a.messages, got...)
		// A reminder in the middle of the turn is not a new prompt.
		a.messages = append(a.messages, `{"role":"user","content":"<system-reminder>go on</system-reminder>"}`)
	}
	a.t.Fatal("the model never ends its turn")
	return "", nil
}

const bashTool = `{"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}}`

func TestStepsArePlayedAgainForEachPrompt(t *testing.T) {
	a := &agent{t: t, tool: bashTool, s: fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Steps(
		fakemodel.Reply{Text: "one", Calls: []fakemodel.Call{fakemodel.Run("first")}},
		fakemodel.Reply{Calls: []fakemodel.Call{fakemodel.Run("second"), fakemodel.Run("third")}},
		fakemodel.Reply{Text: "done"},
	)})}
	for turn := range 3 {
		said, calls := a.ask("go")
		if want := `bash {"command":"first"}, bash {"command":"second"}, bash {"command":"third"}`; said != "done" || strings.Join(calls, ", ") != want {
			t.Errorf("turn %d: said %q after %s", turn, said, calls)
		}
	}
	a.s.NoneRefused(t)
}

// Run finds each client's own tool and fills in what its schema asks for.
func TestRunCallsTheClientsOwnTool(t *testing.T) {
	for _, c := range []struct{ tool, want string }{
		{bashTool, `bash {"command":"ls"}`},
		{strings.Replace(bashTool, `"bash"`, `"run_shell_command"`, 1), `run_shell_command {"command":"ls"}`},
		{strings.Replace(bashTool, `"bash"`, `"developer__shell"`, 1), `developer__shell {"command":"ls"}`},
		{`{"type":"function","function":{"name":"shell","parameters":{"properties":{"command":{"type":"array","items":{"type":"string"}}},"required":["command"]}}}`, `shell {"command":["bash","-lc","ls"]}`},
		{`{"type":"function","function":{"name":"exec_command","parameters":{"properties":{"cmd":{"type":"string"}},"required":["cmd"]}}}`, `exec_command {"cmd":"ls"}`},
		{`{"type":"function","function":{"name":"bash","parameters":{"properties":{"command":{"type":"string"},"timeout":{"anyOf":[{"type":"number"},{"type":"null"}]}},"required":["command","timeout"]}}}`, `bash {"command":"ls","timeout":null}`},
	} {
		a := &agent{t: t, tool: c.tool, s: fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("done", fakemodel.Run("ls"))})}
		if _, calls := a.ask("go"); len(calls) != 1 || calls[0] != c.want {
			t.Errorf("called %q, want %s", calls, c.want)
		}
	}
}

// Codex's lite form offers its tools as an item of the input, and its shell only
// inside a tool that takes a program.
func TestRunReachesTheShellInsideCodexsCodeMode(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("done", fakemodel.Run(`echo "a"`))})
	body := `{"model":"m","input":[{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec"},{"type":"function","name":"wait","parameters":{}}]}]},` + userHi + `]}`
	answer := post(t, s, fakemodel.Responses, paths[fakemodel.Responses], body, 200)
	h := listenWhole(t, fakemodel.Responses, string(answer))
	if want := `text((await tools.exec_command({cmd: "echo \"a\""})).output)`; len(h.Calls) != 1 || h.Calls[0].Name != "exec" || h.Calls[0].Input != want {
		t.Errorf("called %v", h.Calls)
	}
	has(t, answer, `"type":"custom_tool_call"`, `"namespace":"functions"`)
	r := s.Requests()[0]
	if len(r.Tools) != 2 || !r.Tools[0].Custom || r.Tools[0].Namespace != "functions" || len(r.Items) != 1 {
		t.Errorf("read the tools %+v and the items %v", r.Tools, r.Items)
	}
}

func TestAScriptThatCannotBePlayedSaysSo(t *testing.T) {
	for _, c := range []struct {
		script fakemodel.Script
		want   string
	}{
		{fakemodel.Replies(), "the script has 0 replies and this is turn 1"},
		{fakemodel.ToolThenText("", fakemodel.Call{Name: "x", Input: json.RawMessage(`{`)}), "is not JSON"},
		{func(fakemodel.Request) fakemodel.Reply {
			return fakemodel.Reply{Calls: []fakemodel.Call{fakemodel.Run("ls")}}
		}, "no tool for commands is offered, only look"},
	} {
		s := fakemodel.Start(t, fakemodel.Options{Script: c.script})
		body := `{"model":"m","tools":[{"type":"function","function":{"name":"look"}}],"messages":[` + userHi + `]}`
		has(t, post(t, s, fakemodel.Chat, paths[fakemodel.Chat], body, 500), c.want)
	}
}

func TestEchoSaysTheLastWords(t *testing.T) {
	s := fakemodel.Start(t, fakemodel.Options{})
	for _, f := range fakemodel.Formats() {
		if h := listenWhole(t, f, string(post(t, s, f, paths[f], conversation[f], 200))); h.Text != "thanks" {
			t.Errorf("%s said %q", f, h.Text)
		}
	}
}

// Side calls are told apart by what real clients send with them, and get what
// they ask for whatever the script plays.
func TestSideCallsGetAFittingAnswer(t *testing.T) {
	chat := func(more, system string) string {
		return `{"model":"m",` + more + `"messages":[{"role":"system","content":` + quote(system) + `},` + userHi + `]}`
	}
	schema := `{"type":"object","properties":{"title":{"type":"string"},"score":{"type":"integer","minimum":3},"kind":{"enum":["x","y"]}},"required":["title","score","kind"]}`
	instance := `{"kind":"x","score":3,"title":"Fake title"}`
	for _, c := range []struct {
		name   string
		f      fakemodel.Format
		body   string
		header string
		side   string
		want   string
	}{
		{"opencode's title", fakemodel.Chat, chat("", "You are a title generator. …"), "", "title", "Fake title"},
		{"goose's title", fakemodel.Chat, chat("", "Generate a short title (four words or less) for this conversation."), "", "title", "Fake title"},
		{"qwen's memory", fakemodel.Chat, chat(`"tools":[`+bashTool+`],`, "You are the managed memory extraction subagent."), "", "memory", "Nothing to remember."},
		{"claude's compaction", fakemodel.Anthropic, claude(userHi, said(`{"type":"text","text":"CRITICAL: Respond with TEXT ONLY. Do not call tools."}`)), "", "compaction", "<summary>There was a short conversation.</summary>"},
		{"claude's compaction by its header", fakemodel.Anthropic, claude(userHi), "X-Claude-Code-Request-Class: compaction", "compaction", "<summary>There was a short conversation.</summary>"},
		{"claude's sub-agent", fakemodel.Anthropic, claude(userHi), "X-Claude-Code-Agent-Id: a1", "subagent", "Done."},
		{"claude's auxiliary", fakemodel.Anthropic, claude(userHi), "X-Claude-Code-Request-Class: auxiliary", "auxiliary", "Done."},
		{"claude's main turn by its header", fakemodel.Anthropic, claude(userHi), "X-Claude-Code-Request-Class: main", "", "main"},
		{"JSON from Anthropic", fakemodel.Anthropic, strings.Replace(claude(userHi), "{", `{"output_config":{"format":{"type":"json_schema","schema":`+schema+`}},`, 1), "", "json", instance},
		{"JSON from chat", fakemodel.Chat, chat(`"response_format":{"type":"json_schema","json_schema":{"schema":`+schema+`}},`, "x"), "", "json", instance},
		{"JSON of any kind from chat", fakemodel.Chat, chat(`"response_format":{"type":"json_object"},`, "x"), "", "json", "{}"},
		{"JSON from Responses", fakemodel.Responses, `{"model":"m","text":{"format":{"type":"json_schema","schema":` + schema + `}},"input":"hi"}`, "", "json", instance},
		{"JSON from Gemini", fakemodel.Gemini, `{"generationConfig":{"responseMimeType":"application/json","responseSchema":` + strings.NewReplacer(`"object"`, `"OBJECT"`, `"string"`, `"STRING"`, `"integer"`, `"INTEGER"`).Replace(schema) + `},"contents":[{"parts":[{"text":"hi"}]}]}`, "", "json", instance},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("main", fakemodel.Run("ls"))})
			r := request(t, s.URL+paths[c.f], c.f, strings.NewReader(c.body))
			if name, value, ok := strings.Cut(c.header, ": "); ok {
				r.Header.Set(name, value)
			}
			status, _, answer := do(t, r)
			if status != 200 {
				t.Fatalf("answered %d: %s", status, answer)
			}
			if got := s.Requests()[0].Side; got != c.side {
				t.Errorf("taken for %q", got)
			}
			if h := listenWhole(t, c.f, string(answer)); h.Text != c.want {
				t.Errorf("answered %q, want %q", h.Text, c.want)
			}
		})
	}
}

func TestAForcedToolIsCalled(t *testing.T) {
	tool := `"parameters":{"type":"object","properties":{"n":{"type":"integer","minimum":7}},"required":["n"]}`
	for f, body := range map[fakemodel.Format]string{
		fakemodel.Anthropic: strings.Replace(claude(userHi), "{", `{"tool_choice":{"type":"tool","name":"pick"},"tools":[{"name":"pick","input_schema":`+strings.TrimPrefix(tool, `"parameters":`)+`}],`, 1),
		fakemodel.Chat:      `{"model":"m","tool_choice":{"type":"function","function":{"name":"pick"}},"tools":[{"type":"function","function":{"name":"pick",` + tool + `}}],"messages":[` + userHi + `]}`,
		fakemodel.Responses: `{"model":"m","tool_choice":{"type":"function","name":"pick"},"tools":[{"type":"function","name":"pick",` + tool + `}],"input":"hi"}`,
		fakemodel.Gemini:    `{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["pick"]}},"tools":[{"functionDeclarations":[{"name":"pick",` + tool + `}]}],"contents":[{"parts":[{"text":"hi"}]}]}`,
	} {
		s := fakemodel.Start(t, fakemodel.Options{Script: fakemodel.ToolThenText("main")})
		h := listenWhole(t, f, string(post(t, s, f, paths[f], body, 200)))
		if len(h.Calls) != 1 || h.Calls[0].Name != "pick" || h.Calls[0].Input != `{"n":7}` {
			t.Errorf("%s: called %v", f, h.Calls)
		}
	}
}
