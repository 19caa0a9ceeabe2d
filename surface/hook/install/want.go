package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/trimtab/trimtab/internal/plainfile"
)

// Want is what shall be in a host's settings. What is left empty stays as it is:
// an MCP server or a gateway that was put in before is kept.
type Want struct {
	Hooks   string   // the command line of a hook up to the host's name, as the host's shell reads it
	Args    []string // the same, word by word, for programs of ours that a host loads
	Plugin  bool     // a plugin in place of hooks in the settings
	Few     bool     // only the hooks that a gateway needs to hear of, and the stop, and only where the host adds notes by them
	Server  []string // the program that speaks MCP, for a plugin that names one anyway
	MCP     []string // the program that speaks MCP, and its arguments
	Gateway string   // the base URL of a gateway
}

// Parts are what may be put in beside the hooks.
type Parts struct {
	MCP     bool
	Plugin  bool
	Gateway string // an address as a person gave it
}

// NewWant is what shall be in a host's settings for self, which is trimtab. data is the
// data folder, "" where it is the usual one. An error is about the program's name, by which
// our hooks are known among others, or about the gateway's address.
func NewWant(self, data string, with Parts) (w Want, err error) {
	if name := filepath.Base(self); !strings.Contains(name, programName) {
		return w, fmt.Errorf("this program is called %s, and hooks of trimtab are known by its name: call it trimtab and try again", name)
	}
	w = Want{Hooks: hookCommand(self, data), Args: hookArgs(self, data), Plugin: with.Plugin, Server: mcpCommand(self, data)}
	if with.MCP {
		w.MCP = mcpCommand(self, data)
	}
	if with.Gateway != "" {
		w.Gateway, err = gatewayURL(with.Gateway)
	}
	return w, err
}

// What there is no way for, and what to do instead.
var (
	ErrNoPlugin  = errors.New("it has no plugins, or is given one anyway; leave --plugin out")
	ErrNoMCP     = errors.New("its settings have no place for an MCP server that we can write and take out again")
	ErrNoGateway = errors.New("its settings have no place for a base URL that we can write and take out again; trimtab run points it there for one run")
)

// Can reports the first part of w that the host has no settings for.
func (p Place) Can(w Want) error {
	switch {
	case len(w.MCP) > 0 && p.servers == "":
		return fmt.Errorf("%s: %w", p.Host, ErrNoMCP)
	case w.Plugin && len(p.extra) == 0:
		return fmt.Errorf("%s: %w", p.Host, ErrNoPlugin)
	case w.Gateway != "" && !p.how.Gateway:
		return fmt.Errorf("%s: %w", p.Host, ErrNoGateway)
	}
	return nil
}

// had adds what was put in before, and is not asked for anew.
func (p Place) had(w Want) (Want, error) {
	if dir, _, _ := p.pluginState(); dir != "" {
		w.Plugin = true
	}
	for _, path := range p.Files {
		text, err := plainfile.Read(path, maxFile)
		if err != nil {
			return w, err
		}
		if p.isCode(path) {
			continue
		}
		have, err := p.found(path, text)
		if err != nil {
			return w, fmt.Errorf("%s: %w", path, err)
		}
		if len(w.MCP) == 0 {
			w.MCP = have.MCP
		}
		if w.Gateway == "" {
			w.Gateway = have.Gateway
		}
	}
	return w, nil
}

// found is what a file has of ours, but for the hooks.
func (p Place) found(path string, text []byte) (have Want, err error) {
	if filepath.Ext(path) == ".toml" {
		return foundTOML(text)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return have, nil
	}
	root, err := parse(text)
	if err != nil {
		return have, err
	}
	if path == p.servers {
		have.MCP, _ = serverOf(root)
	}
	if path == p.Files[0] {
		have.Gateway = gatewayOf(root)
	}
	return have, nil
}

// The names of ours in hosts' settings.
const (
	serverName  = "trimtab"
	serversKey  = "mcpServers"
	envKey      = "env"
	baseKey     = "ANTHROPIC_BASE_URL"
	hintKey     = "CLAUDE_CODE_GATEWAY_HINT_HEADERS" // tells main turns from others; also marks the entry as ours
	hintValue   = "1"
	lastOfMCP   = "mcp"
	programName = "trimtab"
)

// server is an MCP server as hosts write it.
type server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (s server) ours() bool {
	return strings.Contains(filepath.Base(filepath.FromSlash(s.Command)), programName) && slices.Contains(s.Args, lastOfMCP)
}

// serverOf is the MCP server of our name: its command line, where it is ours.
func serverOf(root hujson.Value) (argv []string, there bool) {
	v := below(root, serversKey, serverName)
	if v == nil {
		return nil, false
	}
	var s server
	if json.Unmarshal(standard(*v), &s) != nil || !s.ours() {
		return nil, true
	}
	return append([]string{s.Command}, s.Args...), true
}

// gatewayOf is the base URL that we put in; one without our other entry is the
// person's own.
func gatewayOf(root hujson.Value) string {
	if word(below(root, envKey, hintKey)) != hintValue {
		return ""
	}
	return word(below(root, envKey, baseKey))
}

// below walks down objects.
func below(v hujson.Value, names ...string) *hujson.Value {
	for _, name := range names {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		next := member(o, name)
		if next == nil {
			return nil
		}
		v = *next
	}
	return &v
}

// standard is a value without comments.
func standard(v hujson.Value) []byte {
	v = v.Clone()
	v.Standardize()
	return v.Pack()
}

func word(v *hujson.Value) string {
	if v == nil {
		return ""
	}
	var s string
	if lit, ok := v.Value.(hujson.Literal); !ok || json.Unmarshal(lit, &s) != nil {
		return ""
	}
	return s
}

// put adds what a file shall have of ours, but for the hooks, to its text.
func (p Place) put(path string, body []byte, w Want) ([]byte, error) {
	if path != p.servers {
		w.MCP = nil
	}
	if filepath.Ext(path) == ".toml" {
		return putTOML(body, w)
	}
	if path != p.Files[0] || !p.how.Gateway || p.tomlGateway() {
		w.Gateway = ""
	}
	if len(w.MCP) == 0 && w.Gateway == "" {
		return body, nil
	}
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}\n")
	}
	root, err := parse(body)
	if err != nil {
		return nil, err
	}
	if len(w.MCP) > 0 {
		if _, there := serverOf(root); there {
			return nil, fmt.Errorf("there is an MCP server called %q that is not ours; rename it first", serverName)
		}
		if body, err = set(body, server{w.MCP[0], w.MCP[1:]}, serversKey, serverName); err != nil {
			return nil, err
		}
	}
	if w.Gateway == "" {
		return body, nil
	}
	if old := word(below(root, envKey, baseKey)); old != "" {
		return nil, fmt.Errorf("%s.%s is %s already; take it out first, and name it with gateway.upstreams in the settings of trimtab", envKey, baseKey, old)
	}
	if body, err = set(body, w.Gateway, envKey, baseKey); err != nil {
		return nil, err
	}
	return set(body, hintValue, envKey, hintKey)
}

// set adds a member below objects, which it makes where they are missing.
func set(body []byte, v any, names ...string) ([]byte, error) {
	root, err := parse(body)
	if err != nil {
		return nil, err
	}
	unit, to := indent(body, root), root
	for i, name := range names {
		o, ok := to.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%q is not an object; fix the file first", strings.Join(names[:i], "."))
		}
		next := member(o, name)
		if next == nil {
			for j := len(names) - 1; j > i; j-- {
				v = map[string]any{names[j]: v}
			}
			return apply(body, append1(body, to, unit, i+1, name, v)), nil
		}
		to = *next
	}
	return nil, fmt.Errorf("%q is there already", strings.Join(names, "."))
}

// takeOut takes our MCP server and our base URL out of settings.
func (p Place) takeOut(path string, body []byte) ([]byte, error) {
	if filepath.Ext(path) == ".toml" {
		return cutTOML(body)
	}
	have, err := p.found(path, body)
	if err != nil {
		return body, err
	}
	if len(have.MCP) > 0 {
		body = cut(body, serversKey, serverName)
	}
	if have.Gateway != "" {
		body = cut(cut(body, envKey, baseKey), envKey, hintKey)
	}
	return body, nil
}

// cut takes a member of an object out, and the object where it was the only one.
func cut(body []byte, outer, inner string) []byte {
	root, err := parse(body)
	if err != nil {
		return body
	}
	top := root.Value.(*hujson.Object)
	v := member(top, outer)
	if v == nil {
		return body
	}
	from, name := top, outer
	if o, ok := v.Value.(*hujson.Object); ok && (len(o.Members) > 1 || twice(top, outer)) {
		from, name = o, inner
	}
	for i := len(from.Members) - 1; i >= 0; i-- {
		if lit, ok := from.Members[i].Name.Value.(hujson.Literal); ok && lit.String() == name {
			return apply(body, cutAt(body, members(from), i))
		}
	}
	return body
}
