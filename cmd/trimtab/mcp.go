package main

import (
	"context"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/version"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/surface/mcp"
)

func mcpCommand(a *app) *cobra.Command {
	var session string
	c := &cobra.Command{
		Use: "mcp", Short: "Let an agent steer its session: an MCP server on stdin and stdout", Args: none,
		Long: `Speaks the Model Context Protocol on stdin and stdout: the flame_ tools, the
session, its journal and its frames as resources, the modes as prompts. Name it in
an agent's MCP settings; trimtab serve offers the same at /mcp.

A call is about the session that it names, else the one that --session names, else
the one that the agent tells of, else the newest session of this folder. Every
answer says which.`,
		Example: "  claude mcp add trimtab -- trimtab mcp\n  trimtab mcp --session 20261115-101500-k3x9",
		RunE: func(c *cobra.Command, _ []string) error {
			return a.mcp(c.Context(), session)
		},
	}
	c.Flags().StringVar(&session, "session", "", "`id` of the session that calls are about, unless they name another")
	_ = c.RegisterFlagCompletionFunc("session", a.completeSession)
	return c
}

// mcp answers the agent that started this process.
func (a *app) mcp(ctx context.Context, session string) error {
	dir, err := setting.Folder()
	if err != nil {
		return err
	}
	opt := mcp.Options{Folder: dir, Session: session}
	if id := a.getenv("CLAUDE_CODE_SESSION_ID"); id != "" {
		opt.Hints = append(opt.Hints, "claude:"+id)
	}
	if id := a.getenv("TRIMTAB_SESSION"); id != "" {
		opt.Hints = append(opt.Hints, id) // of the run; an agent with ids of its own has none by this name
	}
	s, err := a.mcpServer(ctx, opt)
	if err != nil {
		return err
	}
	if session != "" { // a wrong one is told now, not at the first call
		if _, err := a.current(ctx, session); err != nil {
			return err
		}
	}
	return s.Run(ctx, io.NopCloser(a.in), unclosed{a.out})
}

// unclosed is a stream that is not ours to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// mcpServer wires a server to the store and the session service.
func (a *app) mcpServer(ctx context.Context, opt mcp.Options) (*mcp.Server, error) {
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return nil, err
	}
	opt.Service, opt.Archive, opt.Version, opt.Clock = service, st, version.Read().Version, a.clock
	for _, m := range mode.BuiltIn() {
		if m.Entry != "" {
			opt.Prompts = append(opt.Prompts, mcp.Prompt{Name: m.ID, Title: m.Name, Short: m.Description, Text: m.Entry})
		}
	}
	return mcp.New(opt)
}

// mcpHandler is the same over HTTP. Which session a call is about, the client's
// address or headers tell.
func (a *app) mcpHandler(ctx context.Context, token string, hosts []string) (http.Handler, error) {
	s, err := a.mcpServer(ctx, mcp.Options{})
	if err != nil {
		return nil, err
	}
	return s.Handler(mcp.HTTPOptions{Token: token, Hosts: hosts, Done: ctx.Done()})
}
