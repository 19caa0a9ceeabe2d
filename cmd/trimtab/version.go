package main

import (
	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/version"
)

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which trimtab this is", Args: none, Example: "  trimtab version --json",
		RunE: func(*cobra.Command, []string) error {
			v := version.Read()
			if a.flag.json {
				return a.printJSON(v)
			}
			a.printf("trimtab %s (%s, %s)\n", v.Version, v.Go, v.System)
			return nil
		},
	}
}
