package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/plainfile"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// Env is where things are on this machine.
type Env struct {
	Home   string
	Data   string // our own folder; backups are below it
	Getenv func(string) string
}

// Place is a host and where its hooks are set.
type Place struct {
	Host  string
	Files []string // the first one holds the hooks
	extra []string // those of a plugin, which only some want; below Files in every plan
	Note  string   // what the person must know or do after installing

	env     Env
	how     host.Install
	servers string // the file that holds the MCP servers; "" is none
}

// patience is the timeout that hosts are told, in seconds. We are done long before.
const patience = 5

// Find returns where a host's hooks are set, whether or not they are.
func Find(name string, env Env) (Place, error) {
	h, _ := host.Find(name)
	how := h.Install
	if how.File == "" {
		return Place{}, spool.UnknownHost(name)
	}
	if env.Home == "" {
		return Place{}, errors.New("no home folder is known: set HOME")
	}
	file := env.path(how, how.File)
	p := Place{Host: name, Files: []string{file}, Note: how.Note, env: env, how: how}
	for _, f := range how.Also {
		p.Files = append(p.Files, filepath.Join(filepath.Dir(filepath.Dir(file)), f.Name))
	}
	if how.Servers != "" {
		if p.servers = env.path(how, how.Servers); p.servers != file {
			p.Files = append(p.Files, p.servers)
		}
	}
	p.extra = p.pluginFiles()
	return p, nil
}

// all are the files of a place, those of a plugin too.
func (p Place) all() []string { return slices.Concat(p.Files, p.extra) }

// also is the text of a file of ours beside the hooks; false where a path is none.
func (p Place) also(path string) (text string, ours bool) {
	if path == p.Files[0] {
		return "", false
	}
	for _, f := range p.how.Also {
		if f.Name == filepath.Base(path) {
			return f.Text, true
		}
	}
	return "", false
}

// path is where a file is that is named from the home folder, unless a variable
// names another folder for it.
func (env Env) path(how host.Install, name string) string {
	if how.Folder != "" && env.Getenv != nil {
		if dir := env.Getenv(how.Folder); dir != "" {
			base := how.Base
			if base == "" {
				base, _, _ = strings.Cut(name, "/")
			}
			return filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, base+"/")))
		}
	}
	return filepath.Join(env.Home, filepath.FromSlash(name))
}

// tomlGateway reports whether the base URL stands beside the MCP servers, in TOML.
func (p Place) tomlGateway() bool { return filepath.Ext(p.servers) == ".toml" }

// switchedOff is the setting by which a person has told the host to run no hooks; "" is
// none. Hosts do not say so themselves.
func switchedOff(text []byte) string {
	doc, err := document(text)
	if err != nil {
		return ""
	}
	if off, _ := doc["disableAllHooks"].(bool); off { // claude, qwen
		return `"disableAllHooks": true`
	}
	hooks, _ := doc["hooksConfig"].(map[string]any) // gemini
	if on, there := hooks["enabled"].(bool); there && !on {
		return `"hooksConfig": {"enabled": false}`
	}
	return ""
}

// isCode reports whether a file is ours as a whole: a program that the host loads, or
// part of a plugin.
func (p Place) isCode(path string) bool {
	return p.how.Code != "" && path == p.Files[0] || slices.Contains(p.extra, path)
}

// maxFile is the largest settings file that is edited, in bytes.
const maxFile = 8 << 20

// State says how the hooks of a place stand.
type State struct {
	Found          bool     // there is a settings file
	Commands       []string // ours, as the host would run them
	Missing        []string // events that have none of ours
	MCP            []string // our MCP server's command line
	Gateway        string   // the base URL that we put in
	Plugin         string   // the folder of our plugin, where it is there
	PluginCommands []string // its commands, as the host would run them
	Off            string   // why the host runs none of it: a setting of its own
	Old            bool     // what was put in is of an earlier version of trimtab
}

// State looks at the settings.
func (p Place) State() (State, error) {
	have, err := p.had(Want{})
	if err != nil {
		return State{}, err
	}
	st := State{MCP: have.MCP, Gateway: have.Gateway}
	st.Plugin, st.PluginCommands, st.Old = p.pluginState()
	data, err := plainfile.Read(p.Files[0], maxFile)
	if err != nil || data == nil {
		return st, err
	}
	if p.isCode(p.Files[0]) {
		return p.codeState(data), nil
	}
	ours, err := commands(data, p.Host)
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", p.Files[0], err)
	}
	st.Found, st.Off = true, switchedOff(data)
	for _, e := range p.events() {
		if c, ok := ours[e.Name]; ok {
			st.Commands = append(st.Commands, c)
		} else {
			st.Missing = append(st.Missing, e.Name)
		}
	}
	return st, nil
}

func (p Place) events() []spool.Event {
	h, _, _ := spool.Find(p.Host, "")
	return h.Hooks.Events
}
