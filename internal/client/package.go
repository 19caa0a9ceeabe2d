package client

import (
	"fmt"
	"runtime"
	"slices"
)

// pkg is a client as npm has it.
type pkg struct {
	name    string // ours
	npm     string
	version string
	bin     string // the program, in the folder that it is installed into
	node    bool   // it needs a Node of its own, newer than many systems have
}

// packages are the clients, with the versions that were tried.
func packages() []pkg {
	goose := "@aaif/goose-binary-" + npmOS() + "-" + npmArch()
	return []pkg{
		{"claude", "@anthropic-ai/claude-code", "2.1.325", "node_modules/.bin/claude", false},
		{"codex", "@openai/codex", "0.166.0", "node_modules/.bin/codex", true},
		{"opencode", "opencode-ai", "1.18.33", "node_modules/.bin/opencode", true},
		{"gemini", "@google/gemini-cli", "0.61.0", "node_modules/.bin/gemini", true},
		{"qwen", "@qwen-code/qwen-code", "0.24.4", "node_modules/.bin/qwen", true},
		{"goose", goose, "1.52.0", "node_modules/" + goose + "/bin/goose", false},
		{"pi", "@earendil-works/pi-coding-agent", "0.87.1", "node_modules/.bin/pi", true},
	}
}

// node is the Node that some of them run on.
func node() pkg { return pkg{"node", "node", "24.21.0", "node_modules/node/bin/node", false} }

// Names returns the names of all clients.
func Names() []string {
	var all []string
	for _, p := range packages() {
		all = append(all, p.name)
	}
	return all
}

func find(name string) (pkg, error) {
	all := packages()
	i := slices.IndexFunc(all, func(p pkg) bool { return p.name == name })
	if i < 0 {
		return pkg{}, fmt.Errorf("no client %q; there are %v", name, Names())
	}
	return all[i], nil
}

func npmOS() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}

func npmArch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}
