package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/surface/hook/hookcmd"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

func hookCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "hook HOST EVENT", Short: "Answer one hook of an agent (agents call this; see trimtab install)",
		Long: `Reads what the agent writes to its hook from stdin and answers in the agent's own
JSON on stdout. HOST is claude, codex, opencode, gemini, qwen, goose or pi; EVENT is the
agent's name for it, or start, prompt, before-tool, after-tool, stop, before-compact,
after-compact, end, request. It exits 0 whatever happens: to agents another code means that
they must not go on. What went wrong is in hook/log in the data folder.`,
		Example: "  trimtab hook claude Stop < input.json\n  trimtab hook codex after-tool < input.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				_ = cleanf(a.err, "usage: %s\n", c.UseLine())
				return nil
			}
			a.hook(c.Context(), args[0], args[1])
			return nil
		},
		ValidArgs: hookHosts(),
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		_ = cleanf(a.err, "trimtab hook: %v\n", err)
		return exitCode(done)
	})
	c.AddCommand(hookReflectCommand(a))
	return c
}

func hookHosts() []string {
	var names []string
	for _, h := range spool.Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// hook answers one call.
func (a *app) hook(ctx context.Context, host, event string) {
	if spool.Off(a.getenv) {
		return
	}
	hookcmd.Run{
		In: a.in, Out: a.out, Err: a.err, Home: a.home(), Environ: a.environ, Sets: a.flag.sets, Clock: a.clock, Limit: a.hookLimit,
		Server: func(ctx context.Context) (hookcmd.Archive, error) {
			work := *a // what hangs in it holds nobody up at the end
			work.flag.quiet = true
			return work.store(ctx)
		},
	}.Answer(ctx, host, event)
}
