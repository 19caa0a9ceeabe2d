package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/procgroup"
)

// maxStarts is how often a server is started before it is given up.
const maxStarts = 4

// server is one server, running or not.
type server struct {
	name string
	Server
	opt         Options
	start, call time.Duration
	clean       []string // the environment without secrets

	changed atomic.Bool            // the server says that its tools are others now
	stood   atomic.Pointer[Status] // nil until its tools are asked for

	mu      sync.Mutex // held while it starts
	session *sdk.ClientSession
	ended   chan struct{} // closed when the session is over
	said    *lastWords
	cmd     *exec.Cmd // the program, where it is one
	starts  int
	closed  bool
	tools   []tool.Tool // as last listed
	listed  bool
	names   map[string]string // of the tools: the server's by ours

	calls   atomic.Int64
	waiting sync.Map // progress token: the tool's name
	granted sync.Map // session and tool that the person always allows
}

func newServer(name string, cfg Config, opt Options) *server {
	return &server{
		name: name, Server: cfg.Servers[name], opt: opt,
		start: time.Duration(cfg.Start) * time.Second, call: time.Duration(cfg.Call) * time.Second,
		clean: tool.CleanEnv(opt.Environ, nil),
	}
}

func (s *server) fault(err error) trimtab.Fault {
	return trimtab.Fault{By: "mcp " + s.name, Text: trimtab.Clip(err.Error(), 2000)}
}

// stand notes what came of asking for the tools. Silence of a server that was
// given up is no news.
func (s *server) stand(tools []tool.Tool, wrong []trimtab.Fault) {
	now := &Status{Server: s.name, Asked: true, Tools: tools}
	if len(tools) == 0 && len(wrong) > 0 {
		now.Fault = wrong[0].Text
	}
	if last := s.stood.Load(); last != nil && last.Fault != "" && len(tools)+len(wrong) == 0 {
		return
	}
	s.stood.Store(now)
}

// list returns the tools of the server, starting it if need be. Tools that were
// listed once stay: the model knows them, and a call starts the server again.
func (s *server) list(ctx context.Context) ([]tool.Tool, []trimtab.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed && !s.changed.Load() {
		return s.tools, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.start)
	defer cancel()
	session, err := s.connect(ctx)
	if err != nil {
		if errors.Is(err, errGivenUp) {
			return s.tools, nil // that was told before
		}
		return s.tools, []trimtab.Fault{s.fault(err)}
	}
	s.changed.Store(false)
	var faults []trimtab.Fault
	var tools []tool.Tool
	s.names = map[string]string{}
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return s.tools, []trimtab.Fault{s.fault(fmt.Errorf("list tools: %w%s", err, s.said.after()))}
		}
		if len(tools) == maxTools {
			faults = append(faults, s.fault(fmt.Errorf("it has over %d tools; the rest is left out", maxTools)))
			break
		}
		made, err := s.tool(t)
		if err != nil {
			faults = append(faults, s.fault(err))
			continue
		}
		tools = append(tools, made)
	}
	s.tools, s.listed = tools, true
	return s.tools, faults
}

var (
	errGivenUp = errors.New("it ended too often and is not started again in this run of trimtab")
	errClosed  = errors.New("trimtab is ending")
)

// connect returns the session, a new one where there is none. s.mu is held.
func (s *server) connect(ctx context.Context) (*sdk.ClientSession, error) {
	if s.session != nil {
		select {
		case <-s.ended:
			s.end()
		default:
			return s.session, nil
		}
	}
	switch {
	case s.closed:
		return nil, errClosed
	case s.starts >= maxStarts:
		return nil, errGivenUp
	}
	s.starts++
	s.said = &lastWords{}
	transport, err := s.transport()
	if err != nil {
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "trimtab", Version: s.opt.Version}, &sdk.ClientOptions{
		Logger:                      slog.New(slog.DiscardHandler),
		Capabilities:                &sdk.ClientCapabilities{}, // no roots, no sampling: it gets what it is called with
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { s.changed.Store(true) },
		ProgressNotificationHandler: s.progress,
	})
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		s.sweep()
		return nil, fmt.Errorf("start: %w%s", err, s.said.after())
	}
	ended := make(chan struct{})
	go func() { // it ends with the session, which close sees to
		defer close(ended)
		_ = session.Wait()
	}()
	s.session, s.ended = session, ended
	return session, nil
}

// close ends the server for good.
func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.session != nil {
		s.end()
	}
}

// end closes the session and waits for it. s.mu is held.
func (s *server) end() {
	_ = s.session.Close() // how a server ends that is told to end is its own affair
	<-s.ended
	s.session = nil
	s.sweep()
}

// sweep ends what the server's program left running.
func (s *server) sweep() {
	if s.cmd != nil {
		procgroup.KillRest(s.cmd)
		s.cmd = nil
	}
}

// lastWords keeps the end of what a server says on its standard error, for whoever
// has to find out why it ended.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

const maxLastWords = 1000

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p[max(0, len(p)-maxLastWords):]...)
	w.text = w.text[max(0, len(w.text)-maxLastWords):]
	return len(p), nil
}

// after is what to add to an error.
func (w *lastWords) after() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(w.text), "\uFFFD"))
	if text == "" {
		return ""
	}
	return "; it said: " + text
}
