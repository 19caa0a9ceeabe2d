package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/home"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/hook/install"
)

func installCommand(a *app) *cobra.Command {
	var yes, dry bool
	var with install.Parts
	c := &cobra.Command{
		Use: "install HOST", Short: "Put hooks into an agent's own settings, so that it is always steered", Args: oneHost,
		Long: `Adds hooks that call trimtab to the user settings of claude, codex, gemini, qwen or
goose, and to opencode and pi a plugin that does; with --plugin claude and gemini get one,
too, with slash commands. With --mcp also trimtab mcp as an MCP server (claude, codex,
gemini, qwen), with --gateway also an address of its own at a gateway that trimtab serve
runs (claude, codex). Shows what
would change and asks first; keeps a backup in the data folder; leaves everything else in
the files as it is, comments included. trimtab uninstall undoes it all. For one run
without touching any file: trimtab run HOST.`,
		Example: "  trimtab install claude\n  trimtab install codex --dry-run\n  trimtab install claude --mcp --gateway http://" + home.Serve + "\n  trimtab install gemini --plugin --yes\n  trimtab install opencode", ValidArgs: hookHosts(),
		RunE: func(_ *cobra.Command, args []string) error { return a.install(args[0], with, yes, dry) },
	}
	installFlags(c, &yes, &dry)
	c.Flags().BoolVar(&with.MCP, "mcp", false, "also name trimtab mcp as an MCP server")
	c.Flags().BoolVar(&with.Plugin, "plugin", false, "as a plugin with slash commands, and not in the settings")
	c.Flags().StringVar(&with.Gateway, "gateway", "", "also send the agent's requests to the gateway at this `URL`")
	return c
}

func uninstallCommand(a *app) *cobra.Command {
	var yes, dry bool
	c := &cobra.Command{
		Use: "uninstall HOST", Short: "Take what is ours out of an agent's settings again", Args: oneHost,
		Long: `Takes out what trimtab install put in: hooks, plugin, MCP server, gateway. A file that nobody
changed since then comes back byte for byte; from one that was changed only what is
ours is taken.`,
		Example: "  trimtab uninstall claude\n  trimtab uninstall codex --yes", ValidArgs: hookHosts(),
		RunE: func(_ *cobra.Command, args []string) error { return a.uninstall(args[0], yes, dry) },
	}
	installFlags(c, &yes, &dry)
	return c
}

func installFlags(c *cobra.Command, yes, dry *bool) {
	c.Flags().BoolVarP(yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(dry, "dry-run", false, "only show what would change")
}

func oneHost(c *cobra.Command, args []string) error {
	hosts := hookHosts()
	if len(args) != 1 {
		return misused("say which agent: %s %s", c.CommandPath(), strings.Join(hosts, "|"))
	}
	if slices.Contains(hosts, args[0]) {
		return nil
	}
	text := ""
	if near := config.Nearest(args[0], hosts); near != "" {
		text = "; did you mean " + near + "?"
	}
	return misused("no hooks are known for %q%s\nthere are %s; for others: trimtab run -- COMMAND", args[0], text, strings.Join(hosts, ", "))
}

// place is where a host's hooks are set on this machine.
func (a *app) place(host string) (install.Place, error) {
	data, err := a.dataDir()
	if err != nil {
		return install.Place{}, err
	}
	return install.Find(host, install.Env{Home: a.homeDir(), Data: data, Getenv: a.getenv})
}

func (a *app) install(host string, with install.Parts, yes, dry bool) error {
	place, err := a.place(host)
	if err != nil {
		return err
	}
	want, err := a.wanted(with)
	if err != nil {
		return err
	}
	if err := place.Can(want); err != nil {
		return misused("%w", err)
	}
	clients, err := a.clients()
	if err != nil {
		return err
	}
	var keep func() error
	if want.Gateway, keep, err = clients.Plan(host, want.Gateway); err != nil {
		return err
	}
	plan, err := place.Add(want)
	if err != nil {
		return err
	}
	if risk := address.Risk(host, want.Gateway); risk != "" {
		a.printf("%s\n", risk)
	}
	if len(plan.Changes) == 0 {
		a.printf("the hooks are in %s already\n", place.Files[0])
	} else if done, err := a.carryOut(plan, yes, dry); err != nil || !done {
		return err
	}
	if place.Note != "" {
		a.printf("%s\n", place.Note)
	}
	return keep()
}

// wanted is what shall be in an agent's settings. A data folder that was named here is
// named there, too.
func (a *app) wanted(with install.Parts) (w install.Want, err error) {
	self, err := install.Self()
	if err != nil {
		return w, err
	}
	data := ""
	if a.flag.data != "" {
		if data, err = a.dataDir(); err != nil {
			return w, err
		}
	}
	if w, err = install.NewWant(self, data, with); err != nil {
		return w, usageError{err}
	}
	return w, nil
}

func (a *app) uninstall(host string, yes, dry bool) error {
	place, err := a.place(host)
	if err != nil {
		return err
	}
	plan, err := place.Remove()
	if err != nil {
		return err
	}
	if len(plan.Changes) == 0 {
		a.printf("no hooks of trimtab are in %s, and nothing else of ours\n", place.Files[0])
		return nil
	}
	if done, err := a.carryOut(plan, yes, dry); err != nil || !done {
		return err
	}
	clients, err := a.clients()
	if err != nil {
		return err
	}
	_, err = clients.Revoke(host)
	return err
}

// carryOut shows a plan, asks, and does it.
func (a *app) carryOut(plan install.Plan, yes, dry bool) (did bool, err error) {
	a.printf("%s", address.Hide(plan.Diff()))
	switch {
	case dry:
		a.printf("nothing was written\n")
		return false, nil
	case !yes && !a.confirm("Write this?"):
		a.printf("nothing was written\n")
		return false, errShown
	}
	if err := plan.Apply(a.clock()); err != nil {
		return false, err
	}
	for _, c := range plan.Changes {
		a.printf("%s\n", c.Done())
	}
	data, err := a.dataDir()
	if err != nil {
		return true, err
	}
	a.progress("a backup of what was there before is in %s\n", filepath.Join(data, "install"))
	return true, nil
}
