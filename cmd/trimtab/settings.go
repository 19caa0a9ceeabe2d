package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/trimtab/trimtab/agent/mcp"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/deliberate"
	forges "github.com/trimtab/trimtab/forge/pick"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/trace"
	"github.com/trimtab/trimtab/internal/trust"
	"github.com/trimtab/trimtab/llm/pick"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/surface/gateway"
)

// Settings is all that can be set, a struct per room.
type Settings struct {
	steer.Config
	Gateway   gateway.Config `json:"gateway" doc:"between agents and their models"`
	Store     Storage        `json:"store" doc:"the database"`
	Limits    Limits         `json:"limits" doc:"what is refused for its size"`
	Telemetry trace.Config   `json:"telemetry" doc:"what is told to those who watch the gateway"`
	Models    pick.Config    `json:"models" doc:"the models of our own agent"`
	Tools     Tools          `json:"tools" doc:"what our own agent may do"`
	MCP       mcp.Config     `json:"mcp" doc:"servers whose tools our own agent may use"`

	Deliberate deliberate.Config `json:"deliberate" doc:"the limits of a debate"`
	Automation improve.Config    `json:"automation" doc:"improvements that reflection may ask for"`
	Improve    Improve           `json:"improve" doc:"the work on improvements"`
	Forge      forges.Config     `json:"forge" doc:"where issues and pull requests go"`
}

// Tools are the settings of the tools of our own agent.
type Tools struct {
	tool.Config
	Sandbox sandbox.Config `json:"sandbox" doc:"what confines the commands of the bash tool"`
}

// Limits are the sizes that one message may have.
type Limits struct {
	MaxMessage int `json:"maxMessage" default:"67108864" min:"1024" max:"536870912" doc:"largest message to take, in bytes"`
}

// loaded is what came of reading the settings.
type loaded struct {
	report  config.Report
	user    string // the user's file
	project projectFolder
}

// projectFolder is a project's .trimtab and whether it may take effect.
type projectFolder struct {
	dir   string // "" where there is none
	state trust.State
	why   string
}

// notSettings are names under TRIMTAB_ that mean something else.
var notSettings = []string{"TRIMTAB_DATA", "TRIMTAB_CONFIG", "TRIMTAB_SESSION", "TRIMTAB_E2E_CACHE", "TRIMTAB_HOOKS", "TRIMTAB_IMPROVE", "TRIMTAB_KILLS", "TRIMTAB_TEST_POSTGRES"}

// maxSettings is the largest settings file that is read.
const maxSettings = 1 << 20

// config loads the settings once and tells what was refused.
func (a *app) config() (*Settings, error) {
	if a.settings != nil {
		return a.settings, nil
	}
	if err := a.loadSettings(); err != nil {
		return nil, err
	}
	for i, p := range a.loaded.report.Problems {
		if i == 5 {
			a.progress("… and %d more; trimtab config validate lists them\n", len(a.loaded.report.Problems)-i)
			break
		}
		a.progress("%s (ignored)\n", p)
	}
	if p := a.loaded.project; p.dir != "" && p.state != trust.Trusted && p.state != trust.Absent {
		a.progress("the project's settings have no effect: %s\n", p.why)
	}
	return a.settings, nil
}

// loadSettings reads every layer without a word.
func (a *app) loadSettings() error {
	from := config.Sources{Env: a.environ, Ignore: notSettings, Sets: a.flag.sets}
	file, named, err := a.configFile()
	if err != nil {
		return err
	}
	a.loaded.user = file
	data, err := readSettings(file)
	switch {
	case err == nil:
		from.Layers = append(from.Layers, config.Layer{Name: "user", File: file, Data: data})
	case named || !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("settings: %w", err)
	}
	project, layer, err := a.projectLayer()
	if err != nil {
		return err
	}
	a.loaded.project = project
	if layer != nil {
		from.Layers = append(from.Layers, *layer)
	}
	cfg, report := settle(from)
	a.settings, a.loaded.report = &cfg, report
	return nil
}

// settle makes settings of their sources. MCP servers whose keys are each in
// order, but not together, are left out and reported like any other mistake.
func settle(from config.Sources) (Settings, config.Report) {
	cfg, report := config.Load[Settings](from)
	good, wrong := cfg.MCP.Usable()
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		key := "mcp.servers." + name
		report.Problems = append(report.Problems, config.Problem{Origin: report.Origins[key], Key: key, Text: wrong[name].Error()})
	}
	cfg.MCP = good
	return cfg, report
}

func readSettings(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSettings {
		return nil, fmt.Errorf("%s: %d bytes are over the limit of %d", file, info.Size(), maxSettings)
	}
	return os.ReadFile(file)
}

// projectLayer finds the project's .trimtab, in this folder or above, and reads
// its settings if the person trusts them as they are now.
func (a *app) projectLayer() (projectFolder, *config.Layer, error) {
	dir, err := a.folder()
	if err != nil {
		return projectFolder{}, nil, err
	}
	root := findProject(dir)
	if root == "" {
		return projectFolder{}, nil, nil
	}
	book, err := a.trustBook()
	if err != nil {
		return projectFolder{dir: root, why: err.Error()}, nil, nil // an unreadable book trusts nothing, and says so
	}
	files, verdict, err := book.Files(root)
	p := projectFolder{dir: root, state: verdict.State, why: verdict.String() + "; look at it, then: trimtab trust"}
	if err != nil {
		p.state, p.why = trust.Unknown, err.Error()
	}
	data, ok := files["trimtab.json"]
	if p.state != trust.Trusted || !ok {
		return p, nil, nil
	}
	return p, &config.Layer{Name: "project", File: filepath.Join(root, ".trimtab", "trimtab.json"), Data: data, Guarded: true}, nil
}

// findProject is the nearest folder, from dir upward, that has a .trimtab.
func findProject(dir string) string {
	for {
		if info, err := os.Lstat(filepath.Join(dir, ".trimtab")); err == nil && info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func (a *app) trustBook() (*trust.Book, error) {
	dir, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	return trust.Open(filepath.Join(dir, "trust.json"))
}

// checkSettingsDeclaration finds mistakes in the tags of Settings.
func checkSettingsDeclaration() error { return config.Check[Settings]() }
