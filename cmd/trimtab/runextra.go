package main

import (
	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/surface/hook/install"
)

// withExtras gives the host hooks and an MCP server for this run, where the host takes
// them so and its own settings do not have them: the hooks by which it adds notes
// itself, and all others where that was asked for. What was asked for and is left out
// is told.
func (a *app) withExtras(l launch.Launch, opt runOptions) (launch.Launch, error) {
	want, err := a.wanted(installed{mcp: opt.mcp})
	if err != nil {
		return l, err
	}
	want.Few = !opt.hooks
	if place, err := a.place(l.Host); err == nil { // a host whose settings we know
		lacks, there, err := place.Lacks(want)
		if err != nil && (opt.hooks || opt.mcp) {
			return l, err
		}
		if want = lacks; err != nil { // settings that we cannot read are no reason not to run it
			want.Hooks = ""
		}
		for _, text := range there {
			if opt.hooks || opt.mcp {
				a.progress("%s\n", text)
			}
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
