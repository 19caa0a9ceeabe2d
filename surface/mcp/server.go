package mcp

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
)

// Service is the part of session.Service that tools go through.
type Service interface {
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
	Session(ctx context.Context, id string) (trimtab.Session, error)
	Engine() *trimtab.Engine
}

// Options are what a Server is made of.
type Options struct {
	Service Service
	Archive trimtab.Archive
	Folder  string           // whose newest session is meant where nothing else tells; "" is none
	Session string           // the one that is meant unless a call names another
	Hints   []string         // ids that the surroundings tell, which need not exist
	Prompts []Prompt         // the modes
	Version string           // of the program
	Clock   func() time.Time // nil is time.Now

	// Patience is how long a session may take to arrive in the store, once a host
	// told of it: 0 is a second.
	Patience time.Duration
	Log      *slog.Logger // nil is none
}

// maxFrame is the largest request, in bytes.
const maxFrame = 1 << 20

// Server answers MCP clients. It is safe for use by several at once.
type Server struct {
	opt Options
	mcp *sdk.Server

	// events keeps what a stream said, for clients that come back for it. Our own
	// answers are short: a client that lost one asks again, and this is nil.
	events sdk.EventStore

	gaveUp sync.Map // what was waited for in vain; it is not waited for again
}

//go:embed instructions.md
var instructions string

// New returns a server.
func New(opt Options) (*Server, error) {
	if opt.Service == nil || opt.Archive == nil {
		return nil, errors.New("mcp: a service and an archive are needed")
	}
	if opt.Session != "" {
		if err := trimtab.CheckID(opt.Session); err != nil {
			return nil, err
		}
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Patience == 0 {
		opt.Patience = time.Second
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opt: opt}
	s.mcp = sdk.NewServer(about(opt.Version), &sdk.ServerOptions{
		Instructions: strings.TrimSpace(instructions),
		SetCacheable: cacheable,
		Logger:       opt.Log,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	for _, t := range tools(opt.Service.Engine().Commands()) {
		s.mcp.AddTool(t.declared(), s.handler(t))
	}
	for _, p := range opt.Prompts {
		s.mcp.AddPrompt(p.declared(), p.get)
	}
	s.addResources()
	return s, nil
}

func about(version string) *sdk.Implementation {
	if version == "" {
		version = "devel"
	}
	return &sdk.Implementation{Name: "trimtab", Title: "Trimtab", Version: version}
}

// cacheable tells clients how long they may keep an answer: lists do not change
// while a server runs, what they read does.
func cacheable(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	c.CacheScope = "private"
	if _, reads := req.(*sdk.ReadResourceRequest); !reads {
		c.TTLMs = int(time.Hour / time.Millisecond)
	}
}
