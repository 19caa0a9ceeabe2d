// Package setup reads what a person has set up for an agent (base URLs, providers,
// logins, switches, in the environment, in the agent's own files and on its command
// line) and says what that means for one run through a gateway: where the requests are
// to go from there, what the agent has to be told so that they come by at all, or why
// that cannot be done. It writes nothing, starts nothing and hands no key on: keys stay
// where the agent finds them.
//
//	found, err := setup.Read("codex", setup.Env{Getenv: os.Getenv, Home: home, Dir: dir, Args: args})
//	// found.Named["mine"] is the person's own provider, found.Args lead the agent to it
package setup

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/plainfile"
)

// Env is where an agent will look.
type Env struct {
	Getenv func(string) string
	Home   string
	Dir    string              // the folder that the agent is started in
	Args   []string            // the person's own, for the agent
	System string              // the system: "linux", "darwin" or "windows"
	Root   string              // where the folders of the machine's owner are; "" is the root
	Ours   func(u string) bool // a base URL is a gateway of ours, as an installation writes it; may be nil
}

// Setup is what an agent's set-up means for a run. In its texts, {url}, {origin}, {key},
// {session} and {dir} are filled in as in package launch.
type Setup struct {
	Upstreams map[string]string // of the gateway's own providers, where the person has another one; "" is the usual one, whatever a variable says
	Named     map[string]string // upstreams that only this set-up has, by the name in their path
	Env       map[string]string // for the agent
	Args      []string          // for the agent, in place of the usual ones where it is not nil
	Settings  map[string]any    // for an agent that takes settings for a run
	Files     []host.File       // for the folder of the run
	Main      string            // in place of the text of the file that every run has, where it is not ""
	HasKey    bool              // the agent has its credentials from somewhere else than the usual variables
	Notes     []string          // what the person should know before the agent starts
}

// Read finds out what the set-up of a host means. An error is a reason not to start it:
// it would not be steered, or not reach the provider that the person means.
func Read(name string, env Env) (Setup, error) {
	s := Setup{Upstreams: map[string]string{}, Named: map[string]string{}, Env: map[string]string{}}
	reader := map[string]func(*Setup, Env) error{
		"claude": claude, "codex": codex, "opencode": opencode, "gemini": gemini, "qwen": qwen, "goose": goose, "pi": pi,
	}[name]
	if reader == nil {
		return s, nil
	}
	err := reader(&s, env)
	return s, err
}

// name adds an upstream and returns the address of it at the gateway, from {url} on.
func (s *Setup) name(name, base string) (path string) {
	s.Named[name] = strings.TrimSuffix(base, "/")
	return "/u/" + url.PathEscape(name)
}

func (s *Setup) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

func (e Env) ours(u string) bool { return e.Ours != nil && u != "" && e.Ours(u) }

// machine is a folder of the machine's owner.
func (e Env) machine(linux, mac, windows string) string {
	path := map[string]string{"darwin": mac, "windows": windows}[e.System]
	if path == "" {
		path = linux
	}
	if e.Root != "" {
		path = filepath.Join(e.Root, path)
	}
	return path
}

// maxFile is more than any settings file of a person has.
const maxFile = 8 << 20

// read returns a file of settings, or nil where there is none. What is no plain file is
// not opened: a pipe would let the run wait for ever.
func read(path string) ([]byte, error) {
	text, err := plainfile.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("the agent's settings cannot be read, so where its requests go is not known: %w", err)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil
}

// readJSON reads a file of JSON, which may have comments, as agents that take them do.
func readJSON(path string) (map[string]any, error) {
	text, err := read(path)
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return nil, err
	}
	return parseJSON(path, text)
}

func parseJSON(path string, text []byte) (map[string]any, error) {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is no JSON, so where the agent's requests go is not known: %w", path, err)
	}
	v.Standardize()
	doc, err := object(v.Pack())
	if err != nil {
		return nil, fmt.Errorf("%s is no JSON object: %w", path, err)
	}
	return doc, nil
}

// at is the value below names, or nil.
func at(v any, names ...string) any {
	for _, name := range names {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// textAt is the string below names, or "".
func textAt(v any, names ...string) string {
	text, _ := at(v, names...).(string)
	return text
}

// tableAt is the object below names; it may be nil.
func tableAt(v any, names ...string) map[string]any {
	m, _ := at(v, names...).(map[string]any)
	return m
}

// flag is the value of a flag among arguments, in one word or in two.
func flag(args []string, names ...string) (value string) {
	for i, a := range args {
		if a == "--" {
			break
		}
		if slices.Contains(names, a) && i+1 < len(args) {
			value = args[i+1]
		}
		for _, name := range names {
			if v, ok := strings.CutPrefix(a, name+"="); ok {
				value = v
			}
		}
	}
	return value
}

// on reports whether a switch of the environment is on.
func on(value string) bool {
	switch strings.ToLower(value) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// upwards are the folders from one up to the root, the nearest first.
func upwards(dir string) []string {
	var all []string
	for range 256 {
		all = append(all, dir)
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return all
}

// shown is an address as it may be told: without what may be a secret in it.
func shown(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "one that is no URL"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// plainURL reports whether a text is the address of a server. Some agents take ones
// with placeholders that only they can fill in.
func plainURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}
