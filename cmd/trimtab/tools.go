package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/attach"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/toolset"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/surface/tui"
)

// tools are what our own agent may use, put together once.
func (t *talk) tools() (*toolset.Set, error) {
	t.packing.Lock()
	defer t.packing.Unlock()
	if t.set != nil {
		return t.set, nil
	}
	cfg, err := t.config()
	if err != nil {
		return nil, err
	}
	set, err := toolset.New(toolset.Options{
		Folder: t.folder, Dir: t.dir, Home: t.homeDir(), Environ: t.environ, Version: versionOf().Version, Service: t.service,
		Tools: cfg.Tools.Config, Sandbox: cfg.Tools.Sandbox, MCP: cfg.MCP,
	})
	if err != nil {
		return nil, err
	}
	t.set = set
	return set, nil
}

func (t *talk) homeDir() string { return cmp.Or(t.getenv("HOME"), t.getenv("USERPROFILE")) }

// prompt makes a message of what a person wrote, with the pictures that it names.
func (t *talk) prompt(text string) (m trimtab.Message, left []string) {
	return attach.Images{Dir: t.dir, Home: t.homeDir()}.Prompt(text)
}

// byMode runs prompts with the models that the settings name for modes.
func (t *talk) byMode(models map[string]string, chosen tui.Runner, with func(llm.Model) tui.Runner) tui.Runner {
	return agent.ByMode{
		Models: models, Default: chosen, Session: t.service.Session,
		Open: func(ctx context.Context, name string) (llm.Model, error) {
			m, _, err := t.open(ctx, name)
			return m, err
		},
		With: func(m llm.Model) agent.Runner { return with(m) },
	}
}

func (t *talk) policy() toolset.Policy {
	p := toolset.Policy{ReadOnly: t.flag.permit == "look"}
	all, err := t.allModes()
	if err != nil {
		return p // it was told when the chat began
	}
	for _, m := range all {
		p.Modes = append(p.Modes, m.Definition)
	}
	return p
}

// offered decides what the model is offered.
func (t *talk) offered(s trimtab.Session, each llm.Tool) bool { return t.policy().Offer(s, each) }

// toolList is what the model may use now, for a person to read.
func (t *talk) toolList(s trimtab.Session) []tui.Item {
	set, err := t.tools()
	if err != nil {
		return []tui.Item{{Name: "none", Text: err.Error()}}
	}
	out := t.items(s, set.Tools())
	for _, st := range set.Servers() {
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
	policy := t.policy()
	for _, each := range tools {
		line, _, _ := strings.Cut(each.Description, ". ")
		it := tui.Item{Name: each.Name, Text: firstLine(line, 200)}
		if name := policy.ExcludedBy(s, each.Tool); name != "" {
			it.Off = "not in " + name
		}
		out = append(out, it)
	}
	return out
}
