// Package launch starts an agent so that it talks to a gateway of ours, for one run,
// with flags, environment and a file in a folder of the run. How each agent wants that
// is in the rows of package host. Nothing is written to the agent's own files.
//
//	l, ok := launch.Find("claude")
//	code, err := l.Run(launch.Process{Program: path, URL: "http://127.0.0.1:8787", Session: id, Environ: os.Environ(), …})
//
// It serves no gateway and finds no program.
package launch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host"
)

// Launch says how to start a host agent so that it talks to a gateway, for one
// run, with flags and environment alone.
type Launch struct {
	Host     string
	Command  string
	Package  string            // of npm, where to get it
	Env      map[string]string // {url}, {origin}, {key} and {session} are filled in
	Args     []string          // before the person's own; {file} is the file below, {dir} its folder
	Keys     []string          // environment variables of which one must be set
	Upstream map[string]string // by provider, the variable in which the person may have named another one
	File     host.File         // written to a folder of the run; without a name there is none
	Files    []host.File       // more of them, by their path in that folder, which is {dir}
	Inline   host.Var          // JSON that joins what the variable holds already
	Self     string            // the trimtab program
	Status   host.StatusLine
	Model    host.ModelChoice
}

// Find returns the launch of a host; false where it is not known or cannot be started.
func Find(name string) (Launch, bool) {
	h, ok := host.Find(name)
	if !ok || h.Launch.Command == "" {
		return Launch{}, false
	}
	row := h.Launch
	l := Launch{
		Host: h.Name, Command: row.Command, Package: row.Package, Args: row.Args, Keys: row.Keys, File: row.File, Files: row.Files, Inline: row.Inline, Status: row.Status, Model: row.Model,
		Env: map[string]string{}, Upstream: map[string]string{},
	}
	for _, v := range row.Env {
		l.Env[v.Name] = v.Value
	}
	for _, u := range row.Upstream {
		l.Upstream[u.Provider] = u.Variable
	}
	return l, true
}

// Names are the hosts that can be started, sorted.
func Names() []string {
	var all []string
	for _, h := range host.All() {
		if h.Launch.Command != "" {
			all = append(all, h.Name)
		}
	}
	slices.Sort(all)
	return all
}

// Anything is the launch of a program that is not known: the variables that most
// programs read.
func Anything(command string) Launch {
	return Launch{
		Host: "gateway", Command: command,
		Env: map[string]string{
			"ANTHROPIC_BASE_URL": "{url}/s/{session}", "OPENAI_BASE_URL": "{url}/s/{session}/v1",
			"OPENAI_API_BASE": "{url}/s/{session}/v1", "GOOGLE_GEMINI_BASE_URL": "{url}/s/{session}",
		},
		Upstream: map[string]string{"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"},
	}
}

// part takes the secret off an address: it is the last part of the path.
func part(address string) (origin, key string) {
	scheme, rest, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(rest, "/")
	return scheme + "://" + host, path[strings.LastIndex(path, "/")+1:]
}

// ownSession reports whether the run's requests name its session. Sessions of other
// hosts have ids of the host's own.
func (l Launch) ownSession() bool {
	all := append(slices.Collect(maps.Values(l.Env)), l.File.Text)
	for _, f := range l.Files {
		all = append(all, f.Text)
	}
	return slices.ContainsFunc(append(all, l.Args...), func(text string) bool { return strings.Contains(text, "{session}") })
}

// Fill puts the run's address, session and file into the launch.
func (l Launch) Fill(address, session, file string) Launch {
	origin, key := part(address)
	dir := filepath.Dir(file)
	if dir == "." { // a word in place of a file
		dir = "FOLDER"
	}
	self, err := json.Marshal(cmp.Or(l.Self, "trimtab"))
	if err != nil {
		self = []byte(`"trimtab"`)
	}
	fill := strings.NewReplacer("{url}", address, "{origin}", origin, "{key}", key, "{session}", session, "{file}", file, "{dir}", dir, "{self}", strings.Trim(string(self), `"`)).Replace
	l.Env = maps.Clone(l.Env)
	for k, v := range l.Env {
		l.Env[k] = fill(v)
	}
	l.Args = slices.Clone(l.Args)
	for i, a := range l.Args {
		l.Args[i] = fill(a)
	}
	l.File.Text, l.Inline.Value = fill(l.File.Text), fill(l.Inline.Value)
	l.Files = slices.Clone(l.Files)
	for i := range l.Files {
		l.Files[i].Text = fill(l.Files[i].Text)
	}
	return l
}

// WithStatus adds a status line of ours, where the host has one and the person has
// not set their own. Self is the trimtab program.
func (l Launch) WithStatus(self string, getenv func(string) string) Launch {
	l.Self = self
	if len(l.Status.Args) == 0 || strings.ContainsAny(self, "\"\\ ") {
		return l
	}
	home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
	settings, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(l.Status.File)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) || strings.Contains(string(settings), l.Status.Word) {
		return l
	}
	l.Args = slices.Clone(l.Args)
	for _, a := range l.Status.Args {
		l.Args = append(l.Args, strings.ReplaceAll(a, "{self}", self))
	}
	return l
}

// Upstreams is where the requests of each provider go. A base URL that the person
// has set already is kept: the gateway goes there. Given ones count for more.
func (l Launch) Upstreams(getenv func(string) string, given map[string]string) map[string]string {
	all := map[string]string{}
	for provider, variable := range l.Upstream {
		all[provider] = getenv(variable)
	}
	maps.Copy(all, given)
	return all
}

// AsksFor is the model that the person has named for this run, or "": on the command
// line, or in a variable.
func (l Launch) AsksFor(args []string, getenv func(string) string) string {
	for i, a := range args {
		if l.Model.Flag != "" && a == l.Model.Flag && i+1 < len(args) {
			return args[i+1]
		}
		if name, ok := strings.CutPrefix(a, l.Model.Flag+"="); ok && l.Model.Flag != "" {
			return name
		}
	}
	return getenv(l.Model.Variable)
}

// Check says which key is missing.
func (l Launch) Check(getenv func(string) string) error {
	if len(l.Keys) == 0 {
		return nil
	}
	for _, k := range l.Keys {
		if getenv(k) != "" {
			return nil
		}
	}
	return fmt.Errorf("%s talks to its model with %s, which is not set", l.Command, strings.Join(l.Keys, " or "))
}

// Extras are what a host is given for one run beside the address of the gateway:
// hooks and an MCP server.
type Extras struct {
	Settings map[string]any    // for a flag that takes settings as JSON
	Args     []string          // before the person's own
	Env      map[string]string // {file} is the path of the file below
	File     []byte            // for a folder of the run; nil is none
}

// With adds extras to how the agent is started.
func (l Launch) With(x Extras) (Launch, error) {
	l.Args = slices.Clone(l.Args)
	if len(x.Settings) > 0 {
		if err := mergeSettings(&l.Args, x.Settings); err != nil {
			return l, err
		}
	}
	l.Args = append(l.Args, x.Args...)
	if len(x.Env) > 0 {
		env := maps.Clone(l.Env)
		if env == nil {
			env = map[string]string{}
		}
		maps.Copy(env, x.Env)
		l.Env = env
	}
	if x.File != nil {
		if l.File.Name != "" {
			return l, fmt.Errorf("%s: two files for one run", l.Host)
		}
		l.File = host.File{Name: "settings.json", Text: string(x.File)}
	}
	return l, nil
}
