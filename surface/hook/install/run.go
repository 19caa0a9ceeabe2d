package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"

	"github.com/trimtab/trimtab/host"
)

// Run is what a host is given for one run in place of settings. Nothing of it is
// written to the person's own files.
type Run struct {
	Settings map[string]any    // for a flag that takes settings as JSON
	Args     []string          // before the person's own
	Env      map[string]string // {file} is the path of the file below
	File     []byte            // for a folder of the run; nil is none
	Left     []string          // what this host does not take for one run, and why
}

// defaultsFile is where the lowest layer of settings is on this system that hosts of
// one family read: beside the highest, where a variable names that.
func defaultsFile(r host.OneRun, getenv func(string) string) string {
	if path := getenv(r.System); path != "" {
		return filepath.Join(filepath.Dir(path), filepath.Base(r.Linux))
	}
	switch runtime.GOOS {
	case "windows":
		return r.Windows
	case "darwin":
		return r.Mac
	}
	return r.Linux
}

// ForRun says how a host is given hooks and an MCP server for one run. Any host
// may be named: what there is no way for is in Left.
func ForRun(name string, w Want, getenv func(string) string) (r Run, err error) {
	r.Env = map[string]string{}
	h, _ := host.Find(name) // the zero host has no way
	if w.Few && !h.Hooks.Keeps && (h.Hooks.Typed == "" || h.OneRun.NoHooks != "") {
		w.Hooks = ""
	}
	if w.Hooks != "" && h.OneRun.NoHooks != "" {
		r.Left = append(r.Left, h.OneRun.NoHooks)
	}
	switch h.OneRun.Form {
	case host.RunSettings:
		if w.Hooks != "" {
			r.Settings = map[string]any{"hooks": hooksFor(h, w)}
		}
		if len(w.MCP) > 0 {
			text, err := compact(servers(w))
			if err != nil {
				return r, err
			}
			r.Args = append(r.Args, "--mcp-config="+text) // in two words it would take the prompt for another server
		}
	case host.RunOverrides:
		if len(w.MCP) > 0 {
			r.Args = append(r.Args, "-c", "mcp_servers.trimtab.command="+tomlText(w.MCP[0]), "-c", "mcp_servers.trimtab.args="+tomlList(w.MCP[1:]))
		}
	case host.RunDefaults:
		return r, r.defaults(h, w, getenv)
	case host.RunContent:
		variable := h.OneRun.Variable
		switch {
		case len(w.MCP) == 0:
		case getenv(variable) != "":
			r.Left = append(r.Left, variable+" is set already; it stays as it is, without an MCP server of ours")
		default:
			entry := map[string]any{"type": "local", "command": w.MCP, "enabled": true}
			r.Env[variable], err = compact(map[string]any{"mcp": map[string]any{serverName: entry}})
		}
	case host.RunNone:
		r.leave(name, h.Install, w)
	}
	return r, err
}

// leave says what a host does not take for one run, and what to do instead.
func (r *Run) leave(name string, how host.Install, w Want) {
	if w.Hooks != "" {
		instead := ""
		if how.File != "" {
			instead = ": trimtab install " + name
		}
		r.Left = append(r.Left, name+" takes no hooks for one run"+instead)
	}
	switch {
	case len(w.MCP) == 0:
	case how.Servers != "":
		r.Left = append(r.Left, name+" takes no MCP server for one run: trimtab install "+name+" --mcp")
	default:
		r.Left = append(r.Left, name+" takes no MCP server for one run that we know of; trimtab mcp is the command for its settings")
	}
}

// defaults puts both into the lowest layer of settings. One that somebody made
// already is not hidden.
func (r *Run) defaults(h host.Host, w Want, getenv func(string) string) error {
	if w.Hooks == "" && len(w.MCP) == 0 {
		return nil
	}
	file, variable := defaultsFile(h.OneRun, getenv), h.OneRun.Variable
	if _, err := os.Stat(file); err == nil || getenv(variable) != "" {
		if w.Few && len(w.MCP) == 0 { // nobody asked for them
			return nil
		}
		r.Left = append(r.Left, h.Name+" has default settings of its own in "+file+" or "+variable+"; they stay as they are, without hooks and MCP server of ours: trimtab install "+h.Name)
		return nil
	}
	all := map[string]any{}
	if w.Hooks != "" {
		all["hooks"] = hooksFor(h, w)
	}
	if len(w.MCP) > 0 {
		all[serversKey] = servers(w)[serversKey]
	}
	text, err := json.MarshalIndent(all, "", "  ")
	text = append(text, '\n')
	r.File, r.Env[variable] = text, "{file}"
	return err
}

func hooksFor(h host.Host, w Want) map[string][]matched {
	all := map[string][]matched{}
	for _, e := range h.Hooks.Events {
		if few := e.Kind.Relayed() || e.Kind == host.HookStop; w.Few && (!few || !h.Hooks.Keeps && e.Kind != host.HookPrompt) { // whether it may stop is asked in every run of a host that adds notes; of others, what was typed
			continue
		}
		all[e.Name] = []matched{group(h.Install, e, w.Hooks+" "+h.Name+" "+e.Name)}
	}
	return all
}

func servers(w Want) map[string]any {
	return map[string]any{serversKey: map[string]server{serverName: {w.MCP[0], w.MCP[1:]}}}
}

func compact(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}
