package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/mcp"
)

const (
	token   = "0123456789abcdef0123456789abcdef"
	present = "claude:abc"
)

// ship is a store with sessions in it, its service, and what servers are made of.
type ship struct {
	t       *testing.T
	file    string
	store   *sqlite.Store
	service *session.Service
	opt     mcp.Options
}

// folder is where the sessions of a ship work.
const folder = "/src/app"

// launch opens a store as the gateway would: with the session of an agent at
// work.
func launch(t *testing.T) *ship {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "trimtab.db"))
	s.t = t
	t.Cleanup(func() { s.store.Close() })
	s.begin(trimtab.Info{ID: present, Host: "claude", Project: folder})
	s.say(present, trimtab.Prompt("Build the reader"), trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "I begin."))
	return s
}

// open is also what the child process does.
func open(t testing.TB, file string) *ship {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	st, err := sqlite.Open(context.Background(), file, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	service := session.New(engine, st, session.Options{})
	opt := mcp.Options{Service: service, Archive: st, Folder: folder, Version: "test"}
	for _, m := range mode.BuiltIn()[1:] {
		opt.Prompts = append(opt.Prompts, mcp.Prompt{Name: m.ID, Title: m.Name, Short: m.Description, Text: m.Entry})
	}
	return &ship{file: file, store: st, service: service, opt: opt}
}

func (s *ship) begin(info trimtab.Info) {
	s.t.Helper()
	if _, err := s.service.Begin(s.t.Context(), info); err != nil {
		s.t.Fatal(err)
	}
}

func (s *ship) say(id string, all ...trimtab.Message) {
	s.t.Helper()
	for _, m := range all {
		if _, _, err := s.service.Handle(s.t.Context(), id, trimtab.Said{Message: m}); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *ship) session(id string) trimtab.Session {
	s.t.Helper()
	ses, err := s.service.Session(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return ses
}

func (s *ship) history(id string) []trimtab.Message {
	s.t.Helper()
	var all []trimtab.Message
	for m, err := range s.store.Messages(s.t.Context(), id, 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

func (s *ship) server() *mcp.Server {
	s.t.Helper()
	server, err := mcp.New(s.opt)
	if err != nil {
		s.t.Fatal(err)
	}
	return server
}

// TestMain is the program that a client starts: a server on stdio over the store
// of the test.
func TestMain(m *testing.M) {
	file := os.Getenv("TRIMTAB_MCP_TEST_STORE")
	if file == "" {
		os.Exit(m.Run())
	}
	s := open(childTB{}, file)
	server, err := mcp.New(s.opt)
	if err == nil {
		err = server.Run(context.Background(), os.Stdin, os.Stdout)
	}
	if err := s.store.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// childTB is a testing.TB for the child, which has none.
type childTB struct{ testing.TB }

func (childTB) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(1)
}

// ways are the transports that a client may come by.
var ways = []string{"stdio", "http"}

// board connects a client that calls itself by a name.
func (s *ship) board(way, version, name string, header http.Header) *client {
	s.t.Helper()
	var transport sdk.Transport
	if way == "stdio" {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TRIMTAB_MCP_TEST_STORE="+s.file)
		cmd.Stderr = os.Stderr
		transport = &sdk.CommandTransport{Command: cmd}
	} else {
		web := s.web(s.server(), nil)
		h := http.Header{"Authorization": {"Bearer " + token}}
		for k, v := range header {
			h[k] = v
		}
		transport = &sdk.StreamableClientTransport{Endpoint: web + "/mcp", HTTPClient: &http.Client{Transport: stamped{h}}}
	}
	c := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, nil)
	ses, err := c.Connect(s.t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		s.t.Fatalf("%s, %s: %v", way, version, err)
	}
	s.t.Cleanup(func() { ses.Close() })
	return &client{s.t, ses}
}

// web serves over HTTP on loopback and returns the address.
func (s *ship) web(server *mcp.Server, done <-chan struct{}) string {
	s.t.Helper()
	web := httptest.NewUnstartedServer(nil)
	h, err := server.Handler(mcp.HTTPOptions{Token: token, Hosts: []string{web.Listener.Addr().String()}, Done: done})
	if err != nil {
		s.t.Fatal(err)
	}
	web.Config.Handler = h
	web.Start()
	s.t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web.URL
}

// stamped sends headers with every request.
type stamped struct{ header http.Header }

func (s stamped) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range s.header {
		r.Header[k] = v
	}
	return http.DefaultTransport.RoundTrip(r)
}

type client struct {
	t *testing.T
	*sdk.ClientSession
}

// reply is what came of a call.
type reply struct {
	text    string
	failed  bool
	session string
	found   string
	raw     any // the structured content
}

func (c *client) call(name string, args map[string]any) reply {
	c.t.Helper()
	return c.callWith(name, args, nil)
}

func (c *client) callWith(name string, args any, meta sdk.Meta) reply {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Meta: meta, Name: name, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s %v: %v", name, args, err)
	}
	var texts []string
	for _, part := range res.Content {
		texts = append(texts, part.(*sdk.TextContent).Text)
	}
	out := reply{text: strings.Join(texts, "\n"), failed: res.IsError, raw: res.StructuredContent}
	if res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		if err != nil {
			c.t.Fatal(err)
		}
		var a struct{ Session, Found string }
		if err := json.Unmarshal(raw, &a); err != nil {
			c.t.Fatal(err)
		}
		out.session, out.found = a.Session, a.Found
	}
	return out
}

// must calls a tool that has to succeed.
func (c *client) must(name string, args map[string]any) reply {
	c.t.Helper()
	r := c.call(name, args)
	if r.failed {
		c.t.Fatalf("%s %v: %s", name, args, r.text)
	}
	return r
}

func (c *client) tools() map[string]*sdk.Tool {
	c.t.Helper()
	res, err := c.ListTools(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	all := map[string]*sdk.Tool{}
	for _, t := range res.Tools {
		all[t.Name] = t
	}
	return all
}

func (c *client) resource(uri string) (string, error) {
	c.t.Helper()
	res, err := c.ReadResource(c.t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	return res.Contents[0].Text, nil
}
