package main

import (
	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/surface/hook/install"
)

// withExtras gives the host hooks and an MCP server for this run, where that was
// asked for, the host takes them so, and its own settings do not have them. What
// is left out is told.
func (a *app) withExtras(l launch.Launch, opt runOptions) (launch.Launch, error) {
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
		var there []string
		if want, there, err = place.Lacks(want); err != nil {
			return l, err
		}
		for _, text := range there {
			a.progress("%s\n", text)
		}
	}
	run, err := install.ForRun(l.Host, want, a.getenv)
	if err != nil {
		return l, err
	}
	for _, left := range run.Left {
		a.progress("%s\n", left)
	}
	return l.With(launch.Extras{Settings: run.Settings, Args: run.Args, Env: run.Env, File: run.File})
}
