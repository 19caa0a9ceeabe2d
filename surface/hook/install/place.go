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

	env Env
	how manner
}

// manner is how a host wants a hook to be written.
type manner struct {
	file    string // below the home folder
	folder  string // the variable that names another folder in place of its first part
	seconds bool   // timeouts are in seconds; else in milliseconds
	named   bool   // a hook has a name
	matcher bool   // tool events need a matcher
	also    map[string]string
	note    string
}

// patience is the timeout that hosts are told, in seconds. We are done long before.
const patience = 5

// manners is the one table of where and how hosts keep their hooks.
var manners = map[string]manner{
	"claude": {file: ".claude/settings.json", folder: "CLAUDE_CONFIG_DIR", seconds: true},
	"codex": {
		file: ".codex/hooks.json", folder: "CODEX_HOME", seconds: true,
		note: "Codex skips hooks without a word until you trust them: start codex, open /hooks, look at the hooks of trimtab and trust them. Every change of the command needs that again.",
	},
	"gemini": {file: ".gemini/settings.json", named: true, matcher: true},
	"qwen":   {file: ".qwen/settings.json", named: true, matcher: true},
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
	file := filepath.Join(env.Home, filepath.FromSlash(how.file))
	if how.folder != "" && env.Getenv != nil {
		if dir := env.Getenv(how.folder); dir != "" {
			_, rest, _ := strings.Cut(how.file, "/")
			file = filepath.Join(dir, filepath.FromSlash(rest))
		}
	}
	p := Place{Host: host, Files: []string{file}, Note: how.note, env: env, how: how}
	for name := range how.also {
		p.Files = append(p.Files, filepath.Join(filepath.Dir(filepath.Dir(file)), name))
	}
	return p, nil
}

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
}

// State looks at the settings.
func (p Place) State() (State, error) {
	data, err := read(p.Files[0])
	if err != nil || data == nil {
		return State{}, err
	}
	ours, err := commands(data, p.Host)
	if err != nil {
		return State{}, fmt.Errorf("%s: %w", p.Files[0], err)
	}
	st := State{Found: true}
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
