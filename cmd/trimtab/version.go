package main

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set at release.
var version = ""

type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

func versionOf() versionJSON {
	v := versionJSON{Version: cmp.Or(version, "development"), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return v
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which trimtab this is", Args: none, Example: "  trimtab version --json",
		RunE: func(*cobra.Command, []string) error {
			v := versionOf()
			if a.flag.json {
				return a.printJSON(v)
			}
			a.printf("trimtab %s (%s, %s)\n", v.Version, v.Go, v.System)
			return nil
		},
	}
}
