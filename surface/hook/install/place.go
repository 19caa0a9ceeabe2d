package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	Note  string   // what the person must know or do after installing

	env     Env
	how     manner
	servers string // the file that holds the MCP servers; "" is none
}

// manner is how a host wants a hook to be written.
type manner struct {
	file    string // below the home folder
	folder  string // the variable that names another folder in place of its first part
	seconds bool   // timeouts are in seconds; else in milliseconds
	named   bool   // a hook has a name
	matcher bool   // tool events need a matcher
	servers string // the file with the MCP servers, below the home folder
	gateway bool   // a base URL can be set
	also    map[string]string
	note    string
}

// patience is the timeout that hosts are told, in seconds. We are done long before.
const patience = 5

// manners is the one table of where and how hosts keep their hooks.
var manners = map[string]manner{
	"claude": {file: ".claude/settings.json", folder: "CLAUDE_CONFIG_DIR", seconds: true, servers: ".claude.json", gateway: true},
	"codex": {
		file: ".codex/hooks.json", folder: "CODEX_HOME", seconds: true, servers: ".codex/config.toml", gateway: true,
		note: "Codex skips hooks without a word until you trust them: start codex, open /hooks, look at the hooks of trimtab and trust them. Every change of the command needs that again.",
	},
	"gemini": {file: ".gemini/settings.json", named: true, matcher: true, servers: ".gemini/settings.json"},
	"qwen":   {file: ".qwen/settings.json", named: true, matcher: true, servers: ".qwen/settings.json"},
	"goose": {
		file: ".agents/plugins/trimtab/hooks/hooks.json", seconds: true,
		also: map[string]string{"plugin.json": "{\n  \"name\": \"trimtab\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Keeps a session from stopping with open work, and tells trimtab what happens in it\"\n}\n"},
		note: "goose lets hooks keep a session from stopping; it shows the model nothing else that a hook says. For reminders, start it with trimtab run goose.",
	},
}

// Find returns where a host's hooks are set, whether or not they are.
func Find(host string, env Env) (Place, error) {
	how, ok := manners[host]
	if !ok {
		return Place{}, spool.UnknownHost(host)
	}
	if env.Home == "" {
		return Place{}, errors.New("no home folder is known: set HOME")
	}
	file := env.path(how, how.file)
	p := Place{Host: host, Files: []string{file}, Note: how.note, env: env, how: how}
	for name := range how.also {
		p.Files = append(p.Files, filepath.Join(filepath.Dir(filepath.Dir(file)), name))
	}
	if how.servers != "" {
		if p.servers = env.path(how, how.servers); p.servers != file {
			p.Files = append(p.Files, p.servers)
		}
	}
	return p, nil
}

// path is where a file is that is named from the home folder, unless a variable
// names another folder for it.
func (env Env) path(how manner, name string) string {
	if how.folder != "" && env.Getenv != nil {
		if dir := env.Getenv(how.folder); dir != "" {
			return filepath.Join(dir, filepath.FromSlash(name[strings.IndexByte(name, '/')+1:]))
		}
	}
	return filepath.Join(env.Home, filepath.FromSlash(name))
}

// tomlGateway reports whether the base URL stands beside the MCP servers, in TOML.
func (p Place) tomlGateway() bool { return filepath.Ext(p.servers) == ".toml" }

// maxFile is the largest settings file that is edited, in bytes.
const maxFile = 8 << 20

// read returns a file's bytes; nil and no error where there is none.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s: %d bytes are over the limit of %d", path, info.Size(), maxFile)
	}
	data, err := os.ReadFile(path)
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// State says how the hooks of a place stand.
type State struct {
	Found    bool     // there is a settings file
	Commands []string // ours, as the host would run them
	Missing  []string // events that have none of ours
	MCP      []string // our MCP server's command line
	Gateway  string   // the base URL that we put in
}

// State looks at the settings.
func (p Place) State() (State, error) {
	have, err := p.had(Want{})
	if err != nil {
		return State{}, err
	}
	st := State{MCP: have.MCP, Gateway: have.Gateway}
	data, err := read(p.Files[0])
	if err != nil || data == nil {
		return st, err
	}
	ours, err := commands(data, p.Host)
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", p.Files[0], err)
	}
	st.Found = true
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
	return h.Events
}
