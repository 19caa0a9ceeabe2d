package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/mcp"
)

func TestWhichSessionACallBelongsTo(t *testing.T) {
	s := launch(t)
	for _, info := range []trimtab.Info{
		{ID: "goose:g1", Host: "goose", Project: folder},
		{ID: "codex:t1", Host: "codex", Project: folder},
		{ID: "old", Host: "trimtab", Project: folder},
		{ID: "elsewhere", Host: "claude", Project: "/src/secret"},
		{ID: "unknown-folder", Host: "claude"},
		{ID: "run", Host: "gemini", Project: folder},
		{ID: "newest", Host: "trimtab", Project: folder},
		{ID: "claude:sub", Host: "claude", Project: folder, Parent: present},
	} {
		s.begin(info)
	}
	s.opt.Patience = time.Millisecond
	s.say("run", trimtab.Prompt("still at work"))
	s.say("newest", trimtab.Prompt("at work too"))
	for _, c := range []struct {
		name    string
		client  string
		passed  string
		meta    sdk.Meta
		header  http.Header
		session string // of the server
		hints   []string
		nowhere bool // the server has no folder
		want    string
		how     string
		says    string
	}{
		{name: "the id that is passed comes first", client: "goose", passed: "old", meta: sdk.Meta{"agent-session-id": "g1"}, want: "old", how: "passed"},
		{name: "then the one the person named", client: "goose", session: "elsewhere", meta: sdk.Meta{"agent-session-id": "g1"}, want: "elsewhere", how: "passed"},
		{name: "or the one in the client's address", client: "x", header: http.Header{"X-Trimtab-Session": {"old"}}, want: "old", how: "passed"},
		{name: "then what goose tells", client: "goose", meta: sdk.Meta{"agent-session-id": "g1"}, want: "goose:g1", how: "host"},
		{name: "what codex tells, in a text", client: "codex-mcp-client", meta: sdk.Meta{"x-codex-turn-metadata": `{"session_id":"t1"}`}, want: "codex:t1", how: "host"},
		{name: "what codex tells, in an object", client: "codex-mcp-client", meta: sdk.Meta{"x-codex-turn-metadata": map[string]any{"thread_id": "t1"}}, want: "codex:t1", how: "host"},
		{name: "what claude tells in a header", client: "claude-code", header: http.Header{"X-Claude-Code-Session-Id": {"abc"}}, want: present, how: "host"},
		{name: "what the run tells", client: "gemini-cli-mcp-client", hints: []string{"run"}, want: "run", how: "host"},
		{name: "what is told and not stored does not count", client: "goose", meta: sdk.Meta{"agent-session-id": "gone"}, hints: []string{"none"}, want: "goose:g1", how: "folder"},
		{name: "what is told and no id does not count", client: "x", meta: sdk.Meta{"sessionId": "../../x"}, want: "newest", how: "folder"},
		{name: "then the newest of the folder, of the host that calls, and no sub-agent's", client: "claude-code", want: present, how: "folder"},
		{name: "or of any host", client: "unheard-of", want: "newest", how: "folder"},
		{name: "a host with none there takes the newest", client: "qwen-code", want: "newest", how: "folder"},
		{name: "where goose says that it works", client: "x", nowhere: true, meta: sdk.Meta{"agent-working-dir": "/src/secret"}, want: "elsewhere", how: "folder"},
		{name: "another folder by header", client: "x", header: http.Header{"X-Trimtab-Folder": {"/src/secret"}}, want: "elsewhere", how: "folder"},
		{name: "a model cannot name a session of another folder", client: "x", passed: "elsewhere", says: "belongs to another folder than " + folder},
		{name: "one whose folder is not known may be named", client: "x", passed: "unknown-folder", want: "unknown-folder", how: "passed"},
		{name: "without a folder it must be told", client: "x", nowhere: true, says: "which session? Pass session, or connect with the header X-Trimtab-Session or X-Trimtab-Folder"},
		{name: "a folder without sessions", client: "x", header: http.Header{"X-Trimtab-Folder": {"/src/none"}}, says: "start it with trimtab run, or point it at trimtab serve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t, s.opt.Session, s.opt.Hints, s.opt.Folder = t, c.session, c.hints, folder
			if c.nowhere {
				s.opt.Folder = ""
			}
			cl := s.board("http", "2025-11-25", c.client, c.header)
			args := map[string]any{}
			if c.passed != "" {
				args["session"] = c.passed
			}
			r := cl.callWith("flame_tree", args, c.meta)
			if r.session != c.want || r.found != c.how || !strings.Contains(r.text, c.says) || r.failed != (c.says != "") {
				t.Errorf("%q by %q: %s", r.session, r.found, r.text)
			}
		})
	}
}

// A gateway stores a session a moment after its first request; the first call may
// come before.
func TestASessionThatTheHostTellsOfIsWaitedFor(t *testing.T) {
	s := launch(t)
	s.opt.Patience = time.Minute
	s.opt.Hints = []string{"claude:new"}
	arrives := make(chan struct{})
	s.opt.Service = lookedFor{s.service, "claude:new", sync.OnceFunc(func() { close(arrives) })}
	c := s.board("http", "2026-07-28", "claude-code", nil)
	var group sync.WaitGroup
	group.Go(func() {
		<-arrives
		s.begin(trimtab.Info{ID: "claude:new", Host: "claude", Project: folder})
	})
	if r := c.must("flame_tree", nil); r.session != "claude:new" || r.found != "host" {
		t.Errorf("%q by %q", r.session, r.found)
	}
	group.Wait()
}

// lookedFor is a service that tells when a session is looked for in vain.
type lookedFor struct {
	mcp.Service
	id   string
	tell func()
}

func (l lookedFor) Session(ctx context.Context, id string) (trimtab.Session, error) {
	ses, err := l.Service.Session(ctx, id)
	if id == l.id && err != nil {
		l.tell()
	}
	return ses, err
}

func TestWhatDoesNotArriveIsWaitedForOnce(t *testing.T) {
	s := launch(t)
	s.opt.Patience = time.Millisecond
	s.opt.Hints = []string{"claude:never"}
	c := s.board("http", "2026-07-28", "claude-code", nil)
	for range 2 {
		if r := c.must("flame_tree", nil); r.session != present || r.found != "folder" {
			t.Errorf("%q by %q", r.session, r.found)
		}
	}
}

// An agent that starts over in the same program keeps its MCP servers, with the
// environment that they began with.
func TestAPersonWhoStartedOverIsFollowed(t *testing.T) {
	s := launch(t)
	s.opt.Hints = []string{present}
	s.begin(trimtab.Info{ID: "claude:next", Host: "claude", Project: folder})
	c := s.board("http", "2026-07-28", "claude-code", nil)
	if r := c.must("flame_tree", nil); r.session != "claude:next" || r.found != "folder" {
		t.Errorf("after starting over: %q by %q", r.session, r.found)
	}
	s.say(present, trimtab.Prompt("Go on.")) // so they are two programs
	if r := c.must("flame_tree", nil); r.session != present || r.found != "host" {
		t.Errorf("of two at work: %q by %q", r.session, r.found)
	}
}

// Each request of the newest protocol tells who sends it; nothing is kept.
func TestTheNewestProtocolTellsTheClientWithEachCall(t *testing.T) {
	s := launch(t)
	s.begin(trimtab.Info{ID: "newest", Host: "trimtab", Project: folder})
	if r := s.board("http", "2026-07-28", "claude-code", nil).must("flame_tree", nil); r.session != present {
		t.Errorf("found %s", r.session)
	}
}

func TestTheAddressMayTellSessionAndFolder(t *testing.T) {
	s := launch(t)
	s.opt.Folder = ""
	url := s.web(s.server(), nil)
	for query, how := range map[string]string{"?folder=" + folder: "folder", "?session=" + present: "passed"} {
		c := sdk.NewClient(&sdk.Implementation{Name: "x", Version: "1"}, nil)
		transport := &sdk.StreamableClientTransport{Endpoint: url + "/mcp" + query, HTTPClient: &http.Client{Transport: stamped{http.Header{"Authorization": {"Bearer " + token}}}}}
		ses, err := c.Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ses.Close() })
		if r := (&client{t, ses}).must("flame_tree", nil); r.session != present || r.found != how {
			t.Errorf("%s: %q by %q", query, r.session, r.found)
		}
	}
}
