package main

import (
	"maps"
	"slices"

	"github.com/trimtab/trimtab/agent/mcp"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/web"
	"github.com/trimtab/trimtab/deliberate"
	forges "github.com/trimtab/trimtab/forge/registry"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/assembly"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/identity"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trace"
	"github.com/trimtab/trimtab/llm/registry"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/external"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/inside"
	"github.com/trimtab/trimtab/surface/operate"
	"github.com/trimtab/trimtab/surface/server"
	"github.com/trimtab/trimtab/surface/signin"
	"github.com/trimtab/trimtab/surface/tui"
)

// Settings is all that can be set, a struct per package.
type Settings struct {
	steer.Config
	Gateway   gateway.Config  `json:"gateway" doc:"between agents and their models"`
	Serve     server.Config   `json:"serve" doc:"the gateway as a server: where it listens and who can reach it"`
	SignIn    signin.Config   `json:"signIn" doc:"how people sign in to the pages and the API of serve"`
	Run       inside.Config   `json:"run" doc:"an agent that is run"`
	User      identity.Config `json:"user" doc:"who you are, where others use the same database"`
	Store     Storage         `json:"store" doc:"the database"`
	Limits    setting.Limits  `json:"limits" doc:"what is refused for its size"`
	Telemetry trace.Config    `json:"telemetry" doc:"what is told to those who watch the gateway"`
	Models    registry.Config `json:"models" doc:"the models of our own agent"`
	Tools     Tools           `json:"tools" doc:"what our own agent may do"`
	MCP       mcp.Config      `json:"mcp" doc:"servers whose tools our own agent may use"`
	Chat      tui.Config      `json:"chat" doc:"how the chat looks"`

	Deliberate deliberate.Config `json:"deliberate" doc:"the limits of a debate"`
	Automation improve.Config    `json:"automation" doc:"improvements that reflection may ask for"`
	Improve    assembly.Config   `json:"improve" doc:"the work on improvements"`
	Forge      forges.Config     `json:"forge" doc:"where issues and pull requests go"`
}

// Tools are the settings of the tools of our own agent.
type Tools struct {
	tool.Config
	Sandbox sandbox.Config `json:"sandbox" doc:"what confines the commands of the bash tool"`
	Web     web.Config     `json:"web" doc:"the tool that reads pages of the web"`
}

// loaded is what came of reading the settings.
type loaded struct {
	setting.Found
	report config.Report
}

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
	operate.KeepPolicy(a.operation())
	if p := a.loaded.Project; p.Idle() {
		a.progress("the project's settings have no effect: %s\n", p.Why)
	}
	return a.settings, nil
}

// loadSettings reads every layer without a word.
func (a *app) loadSettings() (err error) {
	if a.loaded.Found, err = setting.Find(setting.From{Home: a.home(), Env: a.environ, Sets: a.flag.sets}); err != nil {
		return err
	}
	cfg, report := settle(a.loaded.Sources)
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
	programs, wrong := external.Usable(cfg.Interventions)
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		key := "interventions." + name
		report.Problems = append(report.Problems, config.Problem{Origin: report.Origins[key], Key: key, Text: wrong[name].Error()})
	}
	cfg.Interventions = programs
	return cfg, report
}
