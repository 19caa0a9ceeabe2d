package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

// recording is a request of a real client. Where it was recorded, long texts were
// replaced by their length, and all but the first tools by a count.
type recording struct {
	Method  string
	URL     string
	Headers [][2]string
	Body    json.RawMessage
}

func readRecording(t *testing.T, name string) recording {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "requests", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	decode(t, raw, &r)
	return r
}

func (r recording) header() http.Header {
	h := http.Header{}
	for _, pair := range r.Headers {
		switch http.CanonicalHeaderKey(pair[0]) {
		case "Host", "Content-Length", "Connection":
		default:
			h.Add(pair[0], pair[1])
		}
	}
	return h
}

// without is the recording with some headers left out.
func (r recording) without(names ...string) recording {
	r.Headers = slices.DeleteFunc(slices.Clone(r.Headers), func(pair [2]string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, pair[0]) })
	})
	return r
}

// with is the recording with another header.
func (r recording) with(name, value string) recording {
	r = r.without(name)
	r.Headers = append(r.Headers, [2]string{name, value})
	return r
}

// spelled puts a text back of which the recording has only the length: the last
// text of the body that is one, or the first.
func (r recording) spelled(t *testing.T, last bool, words string) recording {
	t.Helper()
	raw := string(r.Body)
	find := strings.Index
	if last {
		find = strings.LastIndex
	}
	if i := strings.Index(raw, `"system":`); i >= 0 && last {
		raw = raw[:i]
	}
	at := find(raw, `"(text of `)
	if at < 0 {
		t.Fatalf("no text was left out of %s", r.Body)
	}
	end := at + strings.Index(raw[at:], `)"`) + 2
	quoted, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	r.Body = slices.Concat(r.Body[:at], quoted, r.Body[end:])
	return r
}

const (
	compaction = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n<analysis> and <summary> blocks. <system-reminder>It may quote one.</system-reminder> Go."
	titles     = "You are a title generator. You output ONLY a thread title."
	memories   = "You are now acting as the managed memory extraction subagent for an AI assistant."
)

// told is what hosts/README says of each request: whose it is, the session that
// it names, and whether it is a main turn.
var told = []struct {
	file, session, side string
	spell               string // a text that was left out of the recording, and tells a side call
	last                bool   // it is the last one, not the first
}{
	{file: "claude-main-1-opus", session: "claude:eac2f056-132a-4ed1-b0a0-f51509662c82"},
	{file: "claude-main-2-toolresult-opus", session: "claude:eac2f056-132a-4ed1-b0a0-f51509662c82"},
	{file: "claude-hooks-stop-block-opus", session: "claude:99d52093-eada-4103-a7db-7bbe6b76676d"},
	{file: "claude-hooks-stop-ctx-opus", session: "claude:8810a580-e69a-4633-9cbc-e758b6d3348c"},
	{file: "claude-hooks-stop-ctx-sonnet45", session: "claude:9970f0d0-6a7d-4047-a154-c4a6b9aba066"},
	{file: "claude-tui-main-automode-safeguards", session: "claude:b1c503af-a903-4575-a09e-c56a16b48fc6"},
	{file: "claude-gw-hints-main-after-agent", session: "claude:6fb209cc-5c30-48b3-89cc-e477a95b7631"},
	{file: "claude-gw-hints-subagent", side: "sub-agent"},
	{file: "claude-tui-title-sidecall", side: "title"},
	{file: "claude-tui-compaction", side: "compaction", spell: compaction, last: true},

	{file: "codex-responses-1", session: "codex:01a1dd02-1983-7362-80d8-9dd7a870a66e"},
	{file: "codex-responses-2-toolresult", session: "codex:01a1dd02-1983-7362-80d8-9dd7a870a66e"},
	{file: "codex-hooks-stop-block", session: "codex:01a1dd02-aa1a-7f12-b894-4ade284a0f19"},
	{file: "codex-responses-lite-default-model", session: "codex:01a1dd03-f172-74b0-b312-3b2de6f6f078"},

	{file: "opencode-main-anthropic-toolresult", session: "opencode:ses_e22fac6f1ffe2Y5FNnBrsjZxwo"},
	{file: "opencode-main-chat-toolresult", session: "opencode:ses_e22fb4e5affet6pyBHc6VzPZg3"},
	{file: "opencode-main-responses-toolresult", session: "opencode:ses_e22fa64c3ffe5gvE3zkLpHhEs0"},
	{file: "opencode-plugin-injected-anthropic", session: "opencode:ses_e22f92752ffeUB0UIDwp4xg2tc"},
	{file: "opencode-serve-idle-continue", session: "opencode:ses_e22ebe96cffeYckVPFBvLBIYDV"},
	{file: "opencode-title-anthropic", side: "title", spell: titles},
	{file: "opencode-title-chat", side: "title", spell: titles},

	{file: "gemini-main-1"},
	{file: "gemini-main-2-toolresult"},
	{file: "gemini-hooks-afteragent-deny"},
	{file: "gemini-router-sidecall", side: "router"},

	{file: "qwen-main-1"},
	{file: "qwen-main-2-toolresult"},
	{file: "qwen-hooks-stop-block"},
	{file: "qwen-memory-subagent-sidecall", side: "memory", spell: memories},

	{file: "goose-main-chat-1", session: "goose:20261115_1"},
	{file: "goose-main-chat-toolresult", session: "goose:20261115_1"},
	{file: "goose-main-anthropic-toolresult", session: "goose:20261115_2"},
	{file: "goose-hooks-stop-block", session: "goose:20261115_3"},
	{file: "goose-title-sidecall", side: "title"},

	{file: "pi-anthropic-toolresult"},
	{file: "pi-chat-toolresult"},
	{file: "pi-extension-injected"},
	{file: "pi-responses-toolresult", session: "pi:01a1dd09-8e8a-729c-86ef-29e72ab40650"},
}

// TestSection42_MainTurnsAndSideCalls: of the recorded requests of the real
// clients, main turns get the note that is due, under the session that the client
// names, and side calls pass untouched and begin no session.
func TestSection42_MainTurnsAndSideCalls(t *testing.T) {
	files, err := filepath.Glob("testdata/requests/*.json")
	if err != nil || len(files) != len(told)+1 { // and the upgrade to a WebSocket
		t.Fatalf("%d recordings, %d are in the table: %v", len(files), len(told), err)
	}
	for _, c := range told {
		t.Run(c.file, func(t *testing.T) {
			rec := readRecording(t, c.file)
			if c.spell != "" {
				rec = rec.spelled(t, c.last, c.spell)
			}
			up := newProvider(t, nil)
			r := newRig(t, parts{up: up.URL, opening: planning()})
			host, _, _ := strings.Cut(c.file, "-")
			r.check(t, up, rec, c.side != "", host, c.session)
		})
	}
}

// check sends a recording and looks at what became of it.
func (r *rig) check(t *testing.T, up *provider, rec recording, side bool, host, session string) {
	t.Helper()
	main, aside := r.gate.Stats.Main.Load(), r.gate.Stats.Side.Load()
	a := r.do(rec.Method, rec.URL, rec.header(), rec.Body)
	got := up.last(t)
	r.settle()
	main, aside = r.gate.Stats.Main.Load()-main, r.gate.Stats.Side.Load()-aside
	if n := r.gate.Stats.Faults.Load(); n != 0 || a.status != http.StatusOK {
		t.Fatalf("status %d, %d faults:\n%s", a.status, n, r.log)
	}
	if side {
		if main != 0 || aside != 1 || !bytes.Equal(got.body, rec.Body) || len(r.ids()) != 0 {
			t.Errorf("a side call: counted as main %d times, sessions %v, arrived as\n%s", main, r.ids(), got.body)
		}
		return
	}
	if main != 1 || aside != 0 || strings.Count(string(got.body), planned) != 1 {
		t.Fatalf("a main turn: counted as main %d times, arrived as\n%s", main, got.body)
	}
	ids := r.ids()
	if len(ids) != 1 || session != "" && ids[0] != session || !strings.HasPrefix(ids[0], host+":") {
		t.Errorf("the session is called %v, want %s", ids, session)
	}
	if s := r.session(ids[0]); s.Host != host {
		t.Errorf("the host is %q", s.Host)
	}
}

// TestSection42_OtherMarks: what hosts/README says and no recording shows.
func TestSection42_OtherMarks(t *testing.T) {
	claude, codex := readRecording(t, "claude-main-1-opus"), readRecording(t, "codex-responses-1")
	opencode, gemini := readRecording(t, "opencode-main-chat-toolresult"), readRecording(t, "gemini-main-1")
	hints := readRecording(t, "claude-gw-hints-main-after-agent")
	talk := func(raw string) json.RawMessage { return json.RawMessage(raw) }
	replaced := func(rec recording, was, is string) recording {
		t.Helper()
		if !strings.Contains(string(rec.Body), was) {
			t.Fatalf("no %s in the recording", was)
		}
		rec.Body = talk(strings.Replace(string(rec.Body), was, is, 1))
		return rec
	}
	to := func(rec recording, url string) recording { rec.URL = url; return rec }
	for name, c := range map[string]struct {
		rec  recording
		side bool
	}{
		"claude, class main":        {hints, false},
		"claude, class auxiliary":   {hints.with("x-claude-code-request-class", "auxiliary"), true},
		"claude, class compaction":  {hints.with("x-claude-code-request-class", "compaction"), true},
		"claude, class workflow":    {hints.with("x-claude-code-request-class", "workflow"), true},
		"claude, class side_reply":  {hints.with("x-claude-code-request-class", "side_reply"), true},
		"claude, class subagent":    {hints.with("x-claude-code-request-class", "subagent"), true},
		"claude, a sub-agent's id":  {claude.with("X-Claude-Code-Agent-Id", "a1"), true},
		"claude, no session header": {claude.without("X-Claude-Code-Session-Id"), false},
		"claude, the words of a compaction in an older turn": {
			replaced(claude, `"messages": [`, `"messages": [{"role":"user","content":"CRITICAL: Respond with TEXT ONLY, they said"},{"role":"assistant","content":"yes"},`), false,
		},
		"claude, the words of a compaction before tool results": {
			replaced(readRecording(t, "claude-main-2-toolresult-opus"), `"hello please run a tool"`, `"they said"}, {"type": "text", "text": "CRITICAL: Respond with TEXT ONLY"`), false,
		},
		"codex, a turn":                              {codex.with("x-codex-turn-metadata", `{"turn_id":"t","request_kind":"turn"}`), false},
		"codex, a prewarming":                        {codex.with("x-codex-turn-metadata", `{"turn_id":"t","request_kind":"prewarm"}`), true},
		"codex, a compaction":                        {codex.with("x-codex-turn-metadata", `{"request_kind":"compact"}`), true},
		"codex, memories":                            {codex.with("x-codex-turn-metadata", `{"request_kind":"memory_summarize"}`), true},
		"codex, a sub-agent":                         {codex.with("x-openai-subagent", "review"), true},
		"codex, the history is kept by the provider": {replaced(codex, `"store": false`, `"previous_response_id":"resp_1","store": false`), true},
		"opencode, a sub-agent":                      {opencode.with("x-parent-session-id", "ses_1"), true},
		"opencode, no tools":                         {replaced(opencode, `"tools"`, `"tool_names"`), true},
		"gemini, no tools":                           {replaced(gemini, `"tools"`, `"tool_names"`), true},
		"gemini, JSON is asked for":                  {replaced(gemini, `"generationConfig": {`, `"generationConfig": {"responseSchema":{"type":"object"},`), true},
		"an unknown client":                          {claude.without("User-Agent", "X-Claude-Code-Session-Id"), false},
		"an unknown client, no tools":                {replaced(claude.without("User-Agent", "X-Claude-Code-Session-Id"), `"tools"`, `"tool_names"`), false},
		"a path of ours before it":                   {to(gemini, "/s/abc"+gemini.URL), false},
	} {
		t.Run(name, func(t *testing.T) {
			up := newProvider(t, nil)
			r := newRig(t, parts{up: up.URL, opening: planning()})
			a := r.do(c.rec.Method, c.rec.URL, c.rec.header(), c.rec.Body)
			got := up.last(t).body
			if a.status != http.StatusOK || r.gate.Stats.Faults.Load() != 0 {
				t.Fatalf("status %d:\n%s", a.status, r.log)
			}
			if side := bytes.Equal(got, c.rec.Body); side != c.side || side == strings.Contains(string(got), planned) {
				t.Errorf("taken for a side call: %v, want %v; arrived as\n%s", side, c.side, got)
			}
		})
	}
}

// Counting tokens, listing models and the like are no turns, whoever asks.
func TestSection42_OtherCallsPass(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL, opening: planning()})
	for _, c := range []struct{ file, url string }{
		{"claude-main-1-opus", "/v1/messages/count_tokens?beta=true"},
		{"claude-main-1-opus", "/v1/messages/batches"},
		{"codex-responses-1", "/v1/responses/compact"},
		{"codex-responses-1", "/v1/memories/trace_summarize"},
		{"codex-responses-1", "/v1/responses/resp_1/cancel"},
		{"gemini-main-1", "/v1beta/models/g:countTokens"},
		{"gemini-main-1", "/v1beta/models/g:embedContent"},
		{"goose-main-chat-1", "/v1/embeddings"},
	} {
		rec := readRecording(t, c.file)
		r.do(rec.Method, c.url, rec.header(), rec.Body)
		if got := up.last(t); !bytes.Equal(got.body, rec.Body) || got.uri != c.url {
			t.Errorf("%s to %s arrived as %s %s", c.file, c.url, got.uri, got.body)
		}
	}
	if n := r.gate.Stats.Main.Load() + r.gate.Stats.Side.Load(); n != 0 || len(r.ids()) != 0 {
		t.Errorf("%d were read, sessions %v", n, r.ids())
	}
}

// TestSection42_TheWebSocketIsDeclined: Codex falls back to plain requests at once.
func TestSection42_TheWebSocketIsDeclined(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL, opening: planning()})
	rec := readRecording(t, "codex-ws-upgrade-prewarm")
	request := "GET " + rec.URL + " HTTP/1.1\r\n"
	for _, pair := range rec.Headers {
		request += pair[0] + ": " + pair[1] + "\r\n"
	}
	reply, body := r.raw(request + "\r\n")
	if reply.StatusCode != http.StatusUpgradeRequired || len(up.got()) != 0 {
		t.Errorf("%s %s, %d arrived", reply.Status, body, len(up.got()))
	}
}

// TestG2_WhoseSessionItIs: our header before the path, the path before the host's
// own id, that before the body's, and else the first message and the client.
func TestG2_WhoseSessionItIs(t *testing.T) {
	claude := http.Header{"X-Claude-Code-Session-Id": {"c1"}, "User-Agent": {"claude-cli/2"}, "X-Api-Key": {"k"}}
	body := func(more, first string) string {
		return `{` + more + `"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"` + first + `"}]}`
	}
	plain := body("", "hello")
	one := func(t *testing.T, p parts, path string, header http.Header, body string) string {
		t.Helper()
		p.up, p.still = newProvider(t, nil).URL, true
		r := newRig(t, p)
		r.do(http.MethodPost, path, header, []byte(body))
		r.settle()
		ids := r.ids()
		if len(ids) != 1 || trimtab.CheckID(ids[0]) != nil {
			t.Fatalf("sessions %q:\n%s", ids, r.log)
		}
		return ids[0]
	}
	run := parts{}
	run.opt.Session = "run"
	for name, c := range map[string]struct {
		parts  parts
		path   string
		header http.Header
		body   string
		want   string
	}{
		"our header":                {parts{}, "/s/path/v1/messages", with(claude, "X-Trimtab-Session", "mine"), plain, "mine"},
		"the path":                  {parts{}, "/s/path/v1/messages", claude, plain, "path"},
		"the path, escaped":         {parts{}, "/s/a%3Ab%40c/v1/messages", claude, plain, "a:b@c"},
		"the run":                   {run, "/v1/messages", claude, plain, "run"},
		"our header before the run": {run, "/v1/messages", with(claude, "X-Trimtab-Session", "mine"), plain, "mine"},
		"the host's own":            {parts{}, "/v1/messages", claude, plain, "claude:c1"},
		"in the body, as JSON":      {parts{}, "/v1/messages", http.Header{"User-Agent": {"claude-cli/2"}}, body(`"metadata":{"user_id":"{\"device_id\":\"d\",\"session_id\":\"c2\"}"},`, "hello"), "claude:c2"},
		"in the body, of old":       {parts{}, "/v1/messages", http.Header{"User-Agent": {"claude-cli/1"}}, body(`"metadata":{"user_id":"user_a_account__session_c3"},`, "hello"), "claude:c3"},
		"in the body, of nobody":    {parts{}, "/v1/chat/completions", nil, body(`"prompt_cache_key":"k1",`, "hello"), "gateway:k1"},
		"an empty header is none":   {parts{}, "/v1/messages", with(claude, "X-Trimtab-Session", ""), plain, "claude:c1"},
		"an empty path is none":     {parts{}, "/s//v1/messages", claude, plain, "claude:c1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := one(t, c.parts, c.path, c.header, c.body); got != c.want {
				t.Errorf("session %q, want %q", got, c.want)
			}
		})
	}

	t.Run("first message and client", func(t *testing.T) {
		a := http.Header{"User-Agent": {"agent/1"}}
		first := one(t, parts{}, "/v1/messages", a, plain)
		longer := strings.Replace(plain, `]}`, `],"x":1}`, 1)
		grown := `{"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":[{"type":"text","text":"hello","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":"hi"},{"role":"user","content":"and?"}]}`
		for name, id := range map[string]string{"again": one(t, parts{}, "/v1/messages", a, plain), "with more": one(t, parts{}, "/v1/messages", a, longer), "grown": one(t, parts{}, "/v1/messages", a, grown)} {
			if id != first {
				t.Errorf("%s: %s is another session than %s", name, id, first)
			}
		}
		for name, id := range map[string]string{"another prompt": one(t, parts{}, "/v1/messages", a, body("", "bye")), "another client": one(t, parts{}, "/v1/messages", http.Header{"User-Agent": {"agent/2"}}, plain)} {
			if id == first {
				t.Errorf("%s: the same session", name)
			}
		}
	})
}

// hostile are texts that are no session ids.
func hostile() []string {
	return []string{
		"../../etc/passwd", "..", ".", "/", "a/b", `a\b`, "a b", "a\tb", "é", "\xff\xfe", strings.Repeat("x", 10<<10), strings.Repeat("é", 200), "-x", ":x", "a..b",
		"a;rm -rf", "$(x)", "'; DROP TABLE sessions;--", "%00", "{}", "CON", "a\u202eb", "NUL.txt", "con:", strings.Repeat("../", 1000),
	}
}

// TestG2_HostileIDsBecomeUsable: whatever a client calls its session, there is
// one, the same each time, and another for another name.
func TestG2_HostileIDsBecomeUsable(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL, opening: planning()})
	raw := dialects()["anthropic"].ask("hello", false)
	want := map[string]bool{}
	send := func(path string, header http.Header) string {
		t.Helper()
		before := r.ids()
		r.do(http.MethodPost, path, header, raw)
		if got := up.last(t); !bytes.Contains(got.body, []byte(planned)) || got.uri != "/v1/messages" {
			t.Fatalf("not steered: %s %s\n%s", got.uri, got.body, r.log)
		}
		r.settle()
		for _, id := range r.ids() {
			if err := trimtab.CheckID(id); err != nil {
				t.Errorf("%v", err)
			}
			if !slices.Contains(before, id) {
				return id
			}
		}
		return ""
	}
	for _, id := range hostile() {
		byHeader := send("/v1/messages", http.Header{"X-Trimtab-Session": {id}})
		if byHeader == "" && id != "CON" && id != "NUL.txt" && id != "con:" {
			t.Errorf("%.40q shares the session of another", id)
		}
		want[byHeader] = true
		if again := send("/v1/messages", http.Header{"X-Trimtab-Session": {id}}); again != "" {
			t.Errorf("%.40q has two sessions", id)
		}
		if len(id) > 2000 { // a path of that length is a matter for the server
			continue
		}
		if byPath := send("/s/"+url.PathEscape(id)+"/v1/messages", nil); byPath != "" {
			t.Errorf("%.40q has another session by its path: %q", id, byPath)
		}
		send("/v1/messages", http.Header{"X-Claude-Code-Session-Id": {id}, "User-Agent": {"claude-cli/2"}, "X-Claude-Code-Request-Class": {"main"}})
	}
	if len(want) < len(hostile()) {
		t.Errorf("%d sessions for %d names", len(want), len(hostile()))
	}
}

// TestG2_OurHeaderIsNotPassedOn, nor is our part of the path.
func TestG2_OurHeaderIsNotPassedOn(t *testing.T) {
	up := newProvider(t, nil)
	r := newRig(t, parts{up: up.URL})
	for _, path := range []string{"/v1/messages", "/s/secret-id/v1/messages", "/s/secret-id/v1/models", "/v1/models"} {
		r.do(http.MethodPost, path, http.Header{"x-trimtab-session": {"secret-id"}, "X-Trimtab-Session": {"secret-id"}}, dialects()["anthropic"].ask("hello", false))
		if got := fmt.Sprintf("%+v", up.last(t)); strings.Contains(got, "secret-id") || strings.Contains(strings.ToLower(got), "trimtab") {
			t.Errorf("%s arrived as %s", path, got)
		}
	}
}
