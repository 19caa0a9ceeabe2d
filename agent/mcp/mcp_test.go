package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab/agent/mcp"
	"github.com/trimtab/trimtab/agent/tool"
)

// program is the test program as a server.
func program(kind string, trust bool) mcp.Server {
	return mcp.Server{Command: os.Args[0], Env: map[string]string{asServer: kind, "GORACE": "atexit_sleep_ms=0"}, Trust: trust}
}

func client(t *testing.T, opt mcp.Options, cfg mcp.Config) *mcp.Client {
	t.Helper()
	if opt.Environ == nil {
		opt.Environ = os.Environ()
	}
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	c, err := mcp.New(cfg, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func one(t *testing.T, s mcp.Server) *mcp.Client {
	t.Helper()
	return client(t, mcp.Options{}, mcp.Config{Servers: map[string]mcp.Server{"fix": s}, Call: 30})
}

func tools(t *testing.T, c *mcp.Client) map[string]tool.Tool {
	t.Helper()
	list, faults := c.Tools(t.Context())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	byName := map[string]tool.Tool{}
	for _, tl := range list {
		byName[tl.Name] = tl
	}
	return byName
}

func call(t *testing.T, tl tool.Tool, input string) (string, error) {
	t.Helper()
	if tl.Run == nil {
		t.Fatal("there is no such tool")
	}
	return tl.Call(t.Context(), json.RawMessage(input))
}

func TestAServersToolsBecomeOurs(t *testing.T) {
	all := tools(t, one(t, program("good", false)))
	got, err := call(t, all["mcp__fix__echo"], `{"n": 12345678901234567890, "s": "ä"}`)
	if err != nil || got != `{"n":12345678901234567890,"s":"ä"}` && got != `{"n": 12345678901234567890, "s": "ä"}` {
		t.Errorf("got %q, %v", got, err)
	}
	if tl := all["mcp__fix__echo"]; tl.Description != "the tool echo" || !strings.Contains(string(tl.Schema), `"object"`) {
		t.Errorf("%+v", tl.Tool)
	}
	odd := 0
	for name := range all {
		if len(name) > 64 || strings.ContainsAny(name, "./ ") {
			t.Errorf("%q is no name that providers take", name)
		}
		if strings.HasPrefix(name, "mcp__fix__odd_name_with") {
			odd++
			if got, err := call(t, all[name], ""); got != "odd" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
	}
	if odd != 1 {
		t.Errorf("%d tools with an odd name", odd)
	}
}

func TestEveryCallIsAskedForUnlessATrustedServerOnlyReads(t *testing.T) {
	for _, trust := range []bool{false, true} {
		all := tools(t, one(t, program("good", trust)))
		for _, tt := range []struct {
			name  string
			asks  bool
			reads bool
		}{{"mcp__fix__echo", !trust, trust}, {"mcp__fix__change", true, false}} {
			_, need, err := all[tt.name].Question(t.Context(), json.RawMessage(`{}`))
			if need != tt.asks || err != nil || all[tt.name].ReadOnly != tt.reads {
				t.Errorf("trust %v: %s asks %v, reads only %v, %v", trust, tt.name, need, all[tt.name].ReadOnly, err)
			}
		}
	}
	change := tools(t, one(t, program("good", true)))["mcp__fix__change"]
	first, second := tool.WithSession(t.Context(), "1"), tool.WithSession(t.Context(), "2")
	ask, _ := change.Ask(first, json.RawMessage(`{"a":1}`))
	want := tool.Ask{Tool: "mcp__fix__change", Title: "fix: change", Detail: "{\n  \"a\": 1\n}", Rule: "mcp: fix/change"}
	if diff := cmp.Diff(want, ask); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_ = change.Always(first, ask, tool.ForSession)
	if _, need := change.Ask(first, nil); need {
		t.Error("always is not kept")
	}
	if _, need := change.Ask(second, nil); !need {
		t.Error("always counts for another session")
	}
}

func TestNothingIsStartedBeforeItIsNeeded(t *testing.T) {
	c := client(t, mcp.Options{}, mcp.Config{Servers: map[string]mcp.Server{"none": {Command: "/no/such/program"}}})
	c.Close()
}

// A server that does not work is told of, and the others work.
func TestADeadServerIsAFault(t *testing.T) {
	c := client(t, mcp.Options{}, mcp.Config{Servers: map[string]mcp.Server{
		"crash": program("crash", false), "none": {Command: "/no/such/program"}, "unset": {Command: os.Args[0], Env: map[string]string{"X": "$NOT_SET_AT_ALL"}},
		"url": {URL: "http://127.0.0.1:1/mcp"}, "fix": program("good", false),
	}})
	list, faults := c.Tools(t.Context())
	if len(list) == 0 || !strings.HasPrefix(list[0].Name, "mcp__fix__") {
		t.Errorf("%d tools of the one that works", len(list))
	}
	want := map[string]string{"mcp crash": "no licence for this server", "mcp none": "no such file", "mcp unset": "NOT_SET_AT_ALL is not set", "mcp url": "refused"}
	for _, f := range faults {
		if part, ok := want[f.By]; !ok || !strings.Contains(f.Text, part) {
			t.Errorf("fault %v, want %q in it", f, part)
		}
		delete(want, f.By)
	}
	if len(want) > 0 {
		t.Errorf("no fault of %v", want)
	}
}

func TestAServerThatSaysNothingIsAFault(t *testing.T) {
	c := client(t, mcp.Options{}, mcp.Config{Start: 1, Servers: map[string]mcp.Server{"silent": program("silent", false)}})
	if _, faults := c.Tools(t.Context()); len(faults) != 1 || !strings.Contains(faults[0].Text, "deadline") {
		t.Errorf("faults %v", faults)
	}
}

func TestAServerThatKeepsDyingIsGivenUp(t *testing.T) {
	c := one(t, program("crash", false))
	told := 0
	for range 10 {
		_, faults := c.Tools(t.Context())
		told += len(faults)
	}
	if told != 4 {
		t.Errorf("told %d times, want 4", told)
	}
}

func TestAServerThatDiesIsStartedAgainAndNoCallIsMadeTwice(t *testing.T) {
	all := tools(t, one(t, program("good", true)))
	_, err := call(t, all["mcp__fix__die"], "{}")
	if err == nil || !strings.Contains(err.Error(), "not known") {
		t.Fatalf("err = %v, want one that says that nobody knows", err)
	}
	if got, err := call(t, all["mcp__fix__echo"], `{}`); got != "{}" || err != nil {
		t.Errorf("after its death: %q, %v", got, err)
	}
	for range 5 {
		_, err = call(t, all["mcp__fix__die"], "{}")
	}
	if err == nil || !strings.Contains(err.Error(), "not started again") {
		t.Errorf("err = %v", err)
	}
}

func TestAResultIsLimitedText(t *testing.T) {
	all := tools(t, one(t, program("good", true)))
	got, err := call(t, all["mcp__fix__huge"], "{}")
	if err != nil || len(got) > 70<<10 || !utf8.ValidString(got) || strings.Contains(got, "\x00") || !strings.Contains(got, "[cut: ") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	got, err = call(t, all["mcp__fix__mixed"], "{}")
	want := "text\n[an image that cannot be shown: image/png, 4 bytes]\n[see file:///x: x]\nfile:///y:\nwhy\n[file:///z: a/b, 2 bytes that cannot be shown]"
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err = call(t, all["mcp__fix__fails"], "{}"); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("err = %v", err)
	}
}

func TestACallHasATimeLimitAndCanBeCancelled(t *testing.T) {
	all := tools(t, client(t, mcp.Options{}, mcp.Config{Call: 1, Servers: map[string]mcp.Server{"fix": program("good", true)}}))
	if _, err := call(t, all["mcp__fix__hang"], "{}"); err == nil || !strings.Contains(err.Error(), "no answer after 1s") {
		t.Errorf("err = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := all["mcp__fix__hang"].Call(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v, want cancelled", err)
		}
	})
	cancel()
	wg.Wait()
	if got, err := call(t, all["mcp__fix__echo"], `{}`); got != "{}" || err != nil {
		t.Errorf("after that: %q, %v", got, err)
	}
}

func TestProgressIsPassedOn(t *testing.T) {
	until := filepath.Join(t.TempDir(), "heard")
	var got atomic.Pointer[mcp.Progress]
	all := tools(t, client(t, mcp.Options{Progress: func(p mcp.Progress) {
		if got.CompareAndSwap(nil, &p) {
			if err := os.WriteFile(until, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}}, mcp.Config{Servers: map[string]mcp.Server{"fix": program("good", true)}}))
	input, err := json.Marshal(map[string]string{"until": until})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := call(t, all["mcp__fix__work"], string(input)); got != "worked" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	want := mcp.Progress{Server: "fix", Tool: "work", Message: "at it", Done: 1, Total: 3}
	if diff := cmp.Diff(&want, got.Load()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// P15: a server gets the keys that the config gives it, and no other.
func TestP15_AServerGetsNoKeys(t *testing.T) {
	dir := t.TempDir()
	s := program("good", true)
	s.Env["GIVEN"] = "$SOME_TOKEN"
	all := tools(t, client(t, mcp.Options{Dir: dir, Environ: []string{"PATH=/bin", "SOME_TOKEN=canary-1", "OTHER_API_KEY=canary-2"}}, mcp.Config{Servers: map[string]mcp.Server{"fix": s}}))
	got, err := call(t, all["mcp__fix__environ"], "{}")
	if err != nil || strings.Contains(got, "canary-2") || !strings.Contains(got, "GIVEN=canary-1") || strings.Contains(got, "SOME_TOKEN") {
		t.Errorf("%v:\n%s", err, got)
	}
	if !strings.Contains(got, "DIR="+dir) {
		t.Errorf("it does not run in the folder:\n%s", got)
	}
}

func TestToolsThatComeLaterAreFound(t *testing.T) {
	c := one(t, program("good", true))
	if _, err := call(t, tools(t, c)["mcp__fix__grow"], "{}"); err != nil {
		t.Fatal(err)
	}
	for range 1000 { // the server's word comes after its result
		if _, ok := tools(t, c)["mcp__fix__grown"]; ok {
			return
		}
		if _, err := call(t, tools(t, c)["mcp__fix__echo"], "{}"); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("the new tool is not there")
}

func TestAServerByAddressIsSentItsHeadersAndNobodyElseIs(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.Add(1)
		http.Error(w, "no", http.StatusTeapot)
	}))
	defer other.Close()
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return fixture() }, nil)
	var bare atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return
		}
		if r.Header.Get("Authorization") != "Bearer canary" {
			bare.Add(1)
		}
		h.ServeHTTP(w, r)
	}))
	defer srv.Close()
	headers := map[string]string{"Authorization": "MY_MCP_AUTH"}
	c := client(t, mcp.Options{Environ: []string{"MY_MCP_AUTH=Bearer canary"}}, mcp.Config{Start: 5, Servers: map[string]mcp.Server{
		"fix": {URL: srv.URL, Headers: headers, Trust: true}, "away": {URL: srv.URL + "/away", Headers: headers},
	}})
	list, faults := c.Tools(t.Context())
	if len(faults) != 1 || faults[0].By != "mcp away" {
		t.Errorf("faults %v, want one of the server that sends us away", faults)
	}
	for _, tl := range list {
		if tl.Name == "mcp__fix__echo" {
			if got, err := call(t, tl, `{}`); got != "{}" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
	}
	if len(list) == 0 || bare.Load() > 0 || elsewhere.Load() > 0 {
		t.Errorf("%d tools, %d requests without the header, %d elsewhere", len(list), bare.Load(), elsewhere.Load())
	}
	c.Close()
}

func TestAConfigThatMakesNoSenseIsRefused(t *testing.T) {
	for name, s := range map[string]mcp.Server{
		"empty": {}, "both": {Command: "x", URL: "https://h/"}, "plain": {URL: "http://example.com/mcp"}, "file": {URL: "file:///x"}, "password": {URL: "https://a:b@h/"}, "headers": {Command: "x", Headers: map[string]string{"a": "b"}},
		"env": {URL: "https://h/", Env: map[string]string{"a": "b"}}, "bad name": {Command: "x"}, "__": {Command: "x"}, "a__b": {Command: "x"}, "nohost": {URL: "https:///x"},
	} {
		if _, err := mcp.New(mcp.Config{Servers: map[string]mcp.Server{name: s}}, mcp.Options{}); err == nil || !strings.Contains(err.Error(), "mcp.servers") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, s := range map[string]mcp.Server{"a": {Command: "x", Args: []string{"y"}}, "b": {URL: "https://example.com/mcp"}, "c": {URL: "http://localhost:1/"}, "d": {URL: "http://[::1]:1/"}} {
		if _, err := mcp.New(mcp.Config{Servers: map[string]mcp.Server{name: s}}, mcp.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := mcp.New(mcp.Config{Call: -1}, mcp.Options{}); err == nil {
		t.Error("a time below nothing was taken")
	}
}
