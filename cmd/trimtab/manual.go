package main

import (
	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/manual"
	"github.com/trimtab/trimtab/internal/version"
)

// manualCommand is for whoever makes a package.
func manualCommand(a *app) *cobra.Command {
	var man string
	c := &cobra.Command{
		Use: "manual", Short: "Write the reference of all commands as Markdown, or as man pages", Hidden: true, Args: none,
		Example: "  trimtab manual > docs/commands.md\n  trimtab manual --man man/",
		RunE: func(c *cobra.Command, _ []string) error {
			if man != "" {
				return manual.Man(man, c.Root(), version.Read().Version)
			}
			return manual.Markdown(a.out, c.Root())
		},
	}
	c.Flags().StringVar(&man, "man", "", "write man pages into this `folder`")
	return c
}
