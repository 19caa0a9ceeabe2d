// Package version says which build of Trimtab a program is, from what the Go linker
// wrote into it: the tag for a release and for go install, a version with the time and
// the commit for a build between releases, "development" for go run.
//
//	fmt.Println(version.Read().Version) // 0.1.0
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// development is the version of a build that has none.
const development = "development"

// Info is a build.
type Info struct {
	Version  string `json:"version"` // without the v of its tag
	Revision string `json:"revision,omitempty"`
	Changed  bool   `json:"changed,omitempty"` // built from files that were not committed
	Go       string `json:"go"`
	System   string `json:"system"`
}

// Read describes the running program.
func Read() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	v := of(info)
	v.Go, v.System = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	return v
}

func of(info *debug.BuildInfo) Info {
	v := Info{Version: development}
	if tag, ok := strings.CutPrefix(info.Main.Version, "v"); ok {
		v.Version, _, _ = strings.Cut(tag, "+")
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Changed = s.Value == "true"
		}
	}
	return v
}
