package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/hook/install"
)

// withExtras gives the host hooks and an MCP server for this run, where that was
// asked for, the host takes them so, and its own settings do not have them. What
// is left out is told.
func (a *app) withExtras(l gateway.Launch, opt runOptions) (gateway.Launch, error) {
	if !opt.hooks && !opt.mcp {
		return l, nil
	}
	want, err := a.wanted(installed{mcp: opt.mcp})
	if err != nil {
		return l, err
	}
	if !opt.hooks {
		want.Hooks = ""
	}
	if place, err := a.place(l.Host); err == nil { // a host whose settings we know
		state, err := place.State()
		if err != nil {
			return l, err
		}
		if want.Hooks != "" && len(state.Commands) > 0 {
			a.progress("the hooks of %s stand in %s already\n", l.Host, place.Files[0])
			want.Hooks = ""
		}
		if len(want.MCP) > 0 && len(state.MCP) > 0 {
			a.progress("the MCP server of %s stands in its settings already\n", l.Host)
			want.MCP = nil
		}
	}
	run, err := install.ForRun(l.Host, want, a.getenv)
	if err != nil {
		return l, err
	}
	for _, left := range run.Left {
		a.progress("%s\n", left)
	}
	return merge(l, run)
}

// merge adds what a run takes to how the agent is started.
func merge(l gateway.Launch, run install.Run) (gateway.Launch, error) {
	l.Args = slices.Clone(l.Args)
	if len(run.Settings) > 0 {
		if err := mergeSettings(&l.Args, run.Settings); err != nil {
			return l, err
		}
	}
	l.Args = append(l.Args, run.Args...)
	if len(run.Env) > 0 {
		env := maps.Clone(l.Env)
		if env == nil {
			env = map[string]string{}
		}
		maps.Copy(env, run.Env)
		l.Env = env
	}
	if run.File != nil {
		if l.File != nil {
			return l, fmt.Errorf("%s: two files for one run", l.Host)
		}
		l.File = &struct {
			Name string `json:"name"`
			Text string `json:"text"`
		}{"settings.json", string(run.File)}
	}
	return l, nil
}

// mergeSettings adds to the settings that are handed over on the command line:
// of two such flags the host would take one.
func mergeSettings(args *[]string, more map[string]any) error {
	all := map[string]any{}
	i := slices.Index(*args, "--settings")
	if i >= 0 && i+1 < len(*args) {
		if err := json.Unmarshal([]byte((*args)[i+1]), &all); err != nil {
			return fmt.Errorf("settings of the run: %w", err)
		}
	}
	maps.Copy(all, more)
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if i >= 0 && i+1 < len(*args) {
		(*args)[i+1] = string(text)
		return nil
	}
	*args = append(*args, "--settings", string(text))
	return nil
}
