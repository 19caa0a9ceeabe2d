package main

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/mcp"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/surface/tui"
)

// tools are what our own agent may use.
func (t *talk) tools() ([]tool.Tool, error) {
	t.packing.Lock()
	defer t.packing.Unlock()
	if t.kit != nil {
		return t.kit, nil
	}
	cfg, err := t.config()
	if err != nil {
		return nil, err
	}
	t.box, err = sandbox.New(cfg.Tools.Sandbox, sandbox.Options{Dir: t.dir, Home: cmp.Or(t.getenv("HOME"), t.getenv("USERPROFILE"))})
	if err != nil {
		return nil, err
	}
	bash, err := t.folder.Bash(tool.BashOptions{Config: cfg.Tools.Config, Environ: t.environ, Confine: t.box.Confine})
	if err != nil {
		return nil, err
	}
	if len(cfg.MCP.Servers) > 0 {
		t.servers, err = mcp.New(cfg.MCP, mcp.Options{Environ: t.environ, Dir: t.dir, Version: versionOf().Version})
		if err != nil {
			return nil, err
		}
	}
	t.kit = append(t.folder.Tools(), t.folder.Write(), t.folder.Edit(), bash, tool.TodoWrite(), tool.TodoRead(agent.Todos))
	t.kit = append(t.kit, t.steering()...)
	return t.kit, nil
}

// more are the tools of the MCP servers, which start when a run first needs them,
// and what went wrong with those that did not.
func (t *talk) more(ctx context.Context) ([]tool.Tool, []trimtab.Fault) {
	if t.servers == nil {
		return nil, nil
	}
	return t.servers.Tools(ctx)
}

// offered decides what the model is offered: what is in place in the session's mode,
// and what only looks where nothing else was permitted.
func (t *talk) offered(s trimtab.Session, each llm.Tool) bool {
	return t.outOfPlace(s, each) == "" && (each.ReadOnly || t.flag.permit != "look")
}

// outOfPlace is the name of the session's mode, where a tool has no place in it: one
// that changes things in a mode that only looks, one that the mode does not name
// where it names some, and criteria where there are none.
func (t *talk) outOfPlace(s trimtab.Session, each llm.Tool) string {
	def := t.modeNow(s)
	switch {
	case each.Name == criterionMet && !hasGoal(s):
		return cmp.Or(def.Name, "NORMAL")
	case def.ReadOnly && !each.ReadOnly, len(def.Tools) > 0 && !slices.Contains(def.Tools, each.Name) && !steers(each.Name):
		return def.Name
	}
	return ""
}

// modeNow is the session's mode; the zero one where it is not known.
func (t *talk) modeNow(s trimtab.Session) mode.Definition {
	raw, err := s.Memory("mode")
	var memory mode.Memory
	if err != nil || json.Unmarshal(raw, &memory) != nil {
		return mode.Definition{} // no mode yet
	}
	all, err := t.allModes()
	if err != nil {
		return mode.Definition{} // it was told when the chat began
	}
	for _, m := range all {
		if m.ID == memory.Mode {
			return m.Definition
		}
	}
	return mode.Definition{}
}

// toolList is what the model may use now, for a person to read.
func (t *talk) toolList(s trimtab.Session) []tui.Item {
	tools, err := t.tools()
	if err != nil {
		return []tui.Item{{Name: "none", Text: err.Error()}}
	}
	out := t.items(s, tools)
	if t.servers == nil {
		return out
	}
	for _, st := range t.servers.Status() {
		switch {
		case st.Fault != "":
			out = append(out, tui.Item{Name: "mcp " + st.Server, Text: firstLine(st.Fault, 200), Off: "did not start"})
		case !st.Asked:
			out = append(out, tui.Item{Name: "mcp " + st.Server, Text: "starts with the next prompt"})
		case len(st.Tools) == 0:
			out = append(out, tui.Item{Name: "mcp " + st.Server, Text: "has no tools"})
		}
		out = append(out, t.items(s, st.Tools)...)
	}
	return out
}

func (t *talk) items(s trimtab.Session, tools []tool.Tool) []tui.Item {
	var out []tui.Item
	for _, each := range tools {
		line, _, _ := strings.Cut(each.Description, ". ")
		it := tui.Item{Name: each.Name, Text: firstLine(line, 200)}
		if name := t.outOfPlace(s, each.Tool); name != "" {
			it.Off = "not in " + name
		}
		out = append(out, it)
	}
	return out
}
