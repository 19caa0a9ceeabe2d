package toolset

import (
	"context"
	"errors"
	"os/exec"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/mcp"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/web"
)

// Options are what a Set is made of.
type Options struct {
	Folder  *tool.Folder // of the project; it stays the caller's to close
	Dir     string       // its path
	Home    string       // what ~ stands for in the settings of the sandbox
	Environ []string     // of commands and of MCP servers
	Version string       // of this program, for MCP servers
	Service agent.Service

	Tools   tool.Config
	Web     web.Config
	Sandbox sandbox.Config
	MCP     mcp.Config
	Hide    []string // files and folders that commands may not read
	Cache   string   // folder in which commands keep what they built; "" keeps it while the set is open

	Snapshots tool.Snapshots // what commands change; nil does not ask
}

// Set is the tools of one agent and what stands behind them.
type Set struct {
	tools   []tool.Tool
	work    int // of them do the work; those behind steer the session
	box     *sandbox.Box
	servers *mcp.Client // nil where none are set
}

// New puts the tools together. MCP servers start when a run first needs them.
func New(opt Options) (*Set, error) {
	box, err := sandbox.New(opt.Sandbox, sandbox.Options{Dir: opt.Dir, Home: opt.Home, Hide: opt.Hide, Cache: opt.Cache, Guard: true})
	if err != nil {
		return nil, err
	}
	s := &Set{box: box}
	if err := s.fill(opt); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Set) fill(opt Options) error {
	bash, err := opt.Folder.Bash(tool.BashOptions{
		Config: opt.Tools, Environ: opt.Environ, Confine: s.confine, AskNetwork: !s.box.Network() && opt.Sandbox.Network == nil,
		Snapshots: opt.Snapshots, Sandboxed: s.box.Status().Kind != sandbox.None,
	})
	if err != nil {
		return err
	}
	if len(opt.MCP.Servers) > 0 {
		s.servers, err = mcp.New(opt.MCP, mcp.Options{Environ: opt.Environ, Dir: opt.Dir, Version: opt.Version})
		if err != nil {
			return err
		}
	}
	s.tools = append(opt.Folder.Tools(), opt.Folder.Write(), opt.Folder.Edit(), bash, opt.Folder.BashJob())
	if !opt.Web.Off {
		fetch, err := web.Fetch(web.Options{Config: opt.Web, Version: opt.Version})
		if err != nil {
			return err
		}
		s.tools = append(s.tools, fetch)
	}
	s.work = len(s.tools)
	s.tools = append(s.tools, tool.TodoWrite(), tool.TodoRead(agent.Todos))
	s.tools = append(s.tools, Steering(opt.Service)...)
	return nil
}

// confine puts a command into the sandbox. One that the person allowed the network has
// it, where the settings leave that to the person.
func (s *Set) confine(cmd *exec.Cmd, network bool) error {
	return s.box.ConfineAs(cmd, network || s.box.Network())
}

// Confine puts a command that nobody asked the person about into the sandbox.
func (s *Set) Confine(cmd *exec.Cmd) error { return s.box.Confine(cmd) }

// Tools are those that are always there, for agent.Options.Tools.
func (s *Set) Tools() []tool.Tool { return s.tools }

// Work are those of the tools that do the work: files, commands and the web. A branch has
// them, and none that steers.
func (s *Set) Work() []tool.Tool { return s.tools[:s.work:s.work] }

// More starts the MCP servers and returns their tools, and what went wrong with those
// that did not start: for agent.Options.More.
func (s *Set) More(ctx context.Context) ([]tool.Tool, []trimtab.Fault) {
	if s.servers == nil {
		return nil, nil
	}
	return s.servers.Tools(ctx)
}

// Servers says how the MCP servers stand. It starts none.
func (s *Set) Servers() []mcp.Status {
	if s.servers == nil {
		return nil
	}
	return s.servers.Status()
}

// Sandbox says what confines commands.
func (s *Set) Sandbox() sandbox.Status { return s.box.Status() }

// Close ends the MCP servers and takes away the sandbox's temporary folder.
func (s *Set) Close() error {
	if s.servers != nil {
		s.servers.Close()
	}
	return s.box.Close()
}
