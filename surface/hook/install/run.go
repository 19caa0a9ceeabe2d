package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"

	"github.com/trimtab/trimtab/surface/hook/spool"
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

// layer is the lowest layer of settings that hosts of one family read: the
// variable that names another file for it, and the one that names the file of the
// highest layer, beside which it lies. Gemini CLI has the same, but reads there only
// what belongs to root.
type layer struct{ variable, system, linux, mac, windows string }

var layers = map[string]layer{
	"qwen": {"QWEN_CODE_SYSTEM_DEFAULTS_PATH", "QWEN_CODE_SYSTEM_SETTINGS_PATH", "/etc/qwen-code/system-defaults.json", "/Library/Application Support/QwenCode/system-defaults.json", `C:\ProgramData\qwen-code\system-defaults.json`},
}

// file is where the layer is on this system.
func (l layer) file(getenv func(string) string) string {
	if path := getenv(l.system); path != "" {
		return filepath.Join(filepath.Dir(path), filepath.Base(l.linux))
	}
	switch runtime.GOOS {
	case "windows":
		return l.windows
	case "darwin":
		return l.mac
	}
	return l.linux
}

// ForRun says how a host is given hooks and an MCP server for one run. Any host
// may be named: what there is no way for is in Left.
func ForRun(host string, w Want, getenv func(string) string) (r Run, err error) {
	r.Env = map[string]string{}
	switch host {
	case "claude":
		if w.Hooks != "" {
			r.Settings = map[string]any{"hooks": hooksFor(host, w)}
		}
		if len(w.MCP) > 0 {
			text, err := compact(servers(w))
			if err != nil {
				return r, err
			}
			r.Args = append(r.Args, "--mcp-config="+text) // in two words it would take the prompt for another server
		}
	case "codex":
		if w.Hooks != "" {
			r.Left = append(r.Left, "codex runs only hooks that you have trusted in its /hooks: trimtab install codex")
		}
		if len(w.MCP) > 0 {
			r.Args = append(r.Args, "-c", "mcp_servers.trimtab.command="+tomlText(w.MCP[0]), "-c", "mcp_servers.trimtab.args="+tomlList(w.MCP[1:]))
		}
	case "qwen":
		return r, r.defaults(host, w, getenv)
	case "opencode":
		if w.Hooks != "" {
			r.Left = append(r.Left, "opencode has no hooks that call programs")
		}
		const variable = "OPENCODE_CONFIG_CONTENT"
		switch {
		case len(w.MCP) == 0:
		case getenv(variable) != "":
			r.Left = append(r.Left, variable+" is set already; it stays as it is, without an MCP server of ours")
		default:
			entry := map[string]any{"type": "local", "command": w.MCP, "enabled": true}
			r.Env[variable], err = compact(map[string]any{"mcp": map[string]any{serverName: entry}})
		}
	default:
		if w.Hooks != "" {
			r.Left = append(r.Left, host+" takes no hooks for one run"+instead(host))
		}
		switch {
		case len(w.MCP) == 0:
		case manners[host].servers != "":
			r.Left = append(r.Left, host+" takes no MCP server for one run: trimtab install "+host+" --mcp")
		default:
			r.Left = append(r.Left, host+" takes no MCP server for one run that we know of; trimtab mcp is the command for its settings")
		}
	}
	return r, err
}

func instead(host string) string {
	if _, ok := manners[host]; ok {
		return ": trimtab install " + host
	}
	return ""
}

// defaults puts both into the lowest layer of settings. One that somebody made
// already is not hidden.
func (r *Run) defaults(host string, w Want, getenv func(string) string) error {
	l := layers[host]
	if w.Hooks == "" && len(w.MCP) == 0 {
		return nil
	}
	if _, err := os.Stat(l.file(getenv)); err == nil || getenv(l.variable) != "" {
		r.Left = append(r.Left, host+" has default settings of its own in "+l.file(getenv)+" or "+l.variable+"; they stay as they are, without hooks and MCP server of ours: trimtab install "+host)
		return nil
	}
	all := map[string]any{}
	if w.Hooks != "" {
		all["hooks"] = hooksFor(host, w)
	}
	if len(w.MCP) > 0 {
		all[serversKey] = servers(w)[serversKey]
	}
	text, err := json.MarshalIndent(all, "", "  ")
	text = append(text, '\n')
	r.File, r.Env[l.variable] = text, "{file}"
	return err
}

func hooksFor(host string, w Want) map[string][]matched {
	h, _, _ := spool.Find(host, "")
	all := map[string][]matched{}
	for _, e := range h.Events {
		all[e.Name] = []matched{group(manners[host], e, w.Hooks+" "+host+" "+e.Name)}
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
