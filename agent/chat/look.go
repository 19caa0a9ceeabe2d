package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/toolset"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
)

// tools are what the agent may use, put together once.
func (c *Chat) tools() (*toolset.Set, error) {
	c.packing.Lock()
	defer c.packing.Unlock()
	if c.set != nil {
		return c.set, nil
	}
	var shots tool.Snapshots
	if c.shots != nil { // a nil pointer would not be a nil interface
		shots = c.shots
	}
	set, err := toolset.New(toolset.Options{
		Snapshots: shots,
		Folder:    c.folder, Dir: c.opt.Dir, Home: c.opt.Home, Environ: c.opt.Environ, Version: c.opt.Version, Service: c.opt.Service,
		Tools: c.opt.Tools, Web: c.opt.Web, Sandbox: c.opt.Sandbox, MCP: c.opt.MCP, Hide: c.opt.Hide, Cache: c.built(),
	})
	if err != nil {
		return nil, err
	}
	c.set = set
	return set, nil
}

// built is where commands of this project keep what they built. Each project has its own: what
// one puts there, another does not run. Where it cannot be made, the chat does without.
func (c *Chat) built() string {
	if c.opt.Built == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(c.opt.Dir))
	dir := filepath.Join(c.opt.Built, hex.EncodeToString(sum[:8]))
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	return dir
}

// ownTools are those of the set and those that need the session's history.
func (c *Chat) ownTools(set *toolset.Set) []tool.Tool {
	return append(slices.Clip(set.Tools()), c.frameLog())
}

func (c *Chat) policy() toolset.Policy {
	return toolset.Policy{ReadOnly: c.opt.ReadOnly, Free: c.opt.Unrestricted, Modes: c.opt.Modes()}
}

// offers decides what the model is offered, refuses what of it does not run in a mode.
func (c *Chat) offers(s trimtab.Session, t llm.Tool) bool    { return c.policy().Offer(s, t) }
func (c *Chat) refuses(s trimtab.Session, t llm.Tool) string { return c.policy().Refuse(s, t) }

// ToolStatus is a tool or an MCP server, for a person to read.
type ToolStatus struct {
	Name string
	Text string // one line about it
	Off  string // why the model is not offered it now; "" where it is
}

// Tools are what the model may use now in a session.
func (c *Chat) Tools(s trimtab.Session) []ToolStatus {
	set, err := c.tools()
	if err != nil {
		return []ToolStatus{{Name: "none", Text: err.Error()}}
	}
	out := c.statuses(s, c.ownTools(set))
	for _, st := range set.Servers() {
		name := "mcp " + st.Server
		switch {
		case st.Fault != "":
			out = append(out, ToolStatus{name, termsafe.FirstLine(st.Fault, 200), "did not start"})
		case !st.Asked:
			out = append(out, ToolStatus{name, "starts with the next prompt", ""})
		case len(st.Tools) == 0:
			out = append(out, ToolStatus{name, "has no tools", ""})
		}
		out = append(out, c.statuses(s, st.Tools)...)
	}
	return out
}

// ToolText is what the model may use now, a line each.
func (c *Chat) ToolText(ctx context.Context, id string) (string, error) {
	s, err := c.opt.Service.Session(ctx, id)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range c.Tools(s) {
		fmt.Fprintf(&b, "%-22s %s", t.Name, t.Text)
		if t.Off != "" {
			b.WriteString(" (" + t.Off + ")")
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func (c *Chat) statuses(s trimtab.Session, tools []tool.Tool) []ToolStatus {
	var out []ToolStatus
	policy := c.policy()
	for _, t := range tools {
		line, _, _ := strings.Cut(t.Description, ". ")
		st := ToolStatus{Name: t.Name, Text: termsafe.FirstLine(line, 200)}
		if name := policy.ExcludedBy(s, t.Tool); name != "" {
			st.Off = "not in " + name
		}
		out = append(out, st)
	}
	return out
}

// Sessions lists our own chats, newest first: of this folder, or all.
func (c *Chat) Sessions(ctx context.Context, all bool) ([]trimtab.Info, error) {
	q := trimtab.Query{Project: c.opt.Dir, Host: trimtab.OwnHost, Limit: 500}
	if all {
		q.Project = ""
	}
	var out []trimtab.Info
	for info, err := range c.opt.Archive.List(ctx, q) {
		if err != nil {
			return out, err
		}
		out = append(out, info)
	}
	return out, nil
}

// Newest is the newest chat of the folder; trimtab.ErrNotFound where there is none.
func (c *Chat) Newest(ctx context.Context) (trimtab.Info, error) {
	info, err := session.Newest(ctx, c.opt.Archive, trimtab.Query{Project: c.opt.Dir, Host: trimtab.OwnHost}, nil)
	if errors.Is(err, trimtab.ErrNotFound) {
		err = fmt.Errorf("session of %s: %w; start one with trimtab", c.opt.Dir, err)
	}
	return info, err
}

// Recall is what the person typed in the newest sessions of this folder, oldest
// first.
func (c *Chat) Recall(ctx context.Context) ([]string, error) {
	const sessions, messages = 10, 2000
	infos, err := c.Sessions(ctx, false)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, info := range slices.Backward(infos[:min(len(infos), sessions)]) {
		n := 0
		for m, err := range c.opt.Archive.Messages(ctx, info.ID, 0) {
			if n++; err != nil || n > messages {
				break // what can be read is enough to remember by
			}
			if m.IsPrompt() {
				out = append(out, m.Typed())
			}
		}
	}
	return out, nil
}

// Files are the paths of the folder that a person may name, in order: ignore files are
// honoured, and folders end with a slash.
func (c *Chat) Files(ctx context.Context) ([]string, error) { return c.folder.Paths(ctx) }
