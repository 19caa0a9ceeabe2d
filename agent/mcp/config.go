package mcp

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config is what a person may set. A project may set none of it: it would run
// programs.
type Config struct {
	Servers map[string]Server `json:"servers" guard:"user" doc:"MCP servers by name"`
	Start   int               `json:"startSeconds" guard:"user" default:"20" min:"1" max:"300" doc:"how long a server may take to start"`
	Call    int               `json:"callSeconds" guard:"user" default:"120" min:"1" max:"3600" doc:"how long a call may take"`
}

// Server is a program to start, or an address to connect to.
type Server struct {
	Command string            `json:"command,omitempty" doc:"the program to start"`
	Args    []string          `json:"args,omitempty" doc:"its arguments"`
	Env     map[string]string `json:"env,omitempty" hide:"true" doc:"variables it gets; $NAME stands for one of ours"`
	URL     string            `json:"url,omitempty" doc:"the address to connect to, in the place of command"`
	Headers map[string]string `json:"headers,omitempty" doc:"what it is sent: the name of a header and the name of the variable that holds its value"`
	Trust   bool              `json:"trust,omitempty" doc:"believe the server which of its tools only read, and do not ask for those"`
}

// The limits of what a config and a server may hold.
const (
	maxServers = 32
	maxTools   = 256 // of one server
	maxSchema  = 64 << 10
	maxWords   = 4 << 10 // of a description
	maxName    = 64      // of a tool, as the providers take it
	maxText    = 64 << 10
	maxBody    = 32 << 20
)

var serverName = lazyregexp.Pattern(`^[A-Za-z0-9][A-Za-z0-9-]{0,31}$`)

// Validate names what is wrong.
func (c Config) Validate() error {
	var errs []error
	_, wrong := c.Usable()
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		errs = append(errs, fmt.Errorf("mcp.servers.%s: %w", name, wrong[name]))
	}
	_, err := settingtag.Fill(c)
	return errors.Join(append(errs, err)...)
}

// Usable returns the config with the servers that can be used, and what is wrong
// with each of the others: one that is wrong takes nothing from the rest.
func (c Config) Usable() (Config, map[string]error) {
	wrong := map[string]error{}
	good := map[string]Server{}
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		s := c.Servers[name]
		switch err := s.validate(); {
		case !serverName().MatchString(name):
			wrong[name] = fmt.Errorf("invalid server name %q; give up to 32 letters, digits and -", name)
		case err != nil:
			wrong[name] = err
		case len(good) == maxServers:
			wrong[name] = fmt.Errorf("there are more than %d servers, and no more are taken", maxServers)
		default:
			good[name] = s
		}
	}
	c.Servers = good
	return c, wrong
}

func (s Server) validate() error {
	switch {
	case s.Command == "" && s.URL == "":
		return errors.New("neither a command nor a url; give one of them")
	case s.Command != "" && s.URL != "":
		return errors.New("both a command and a url; give one of them")
	case s.Command != "" && len(s.Headers) > 0:
		return errors.New("headers are for a url; a command gets env")
	case s.URL != "" && (len(s.Args) > 0 || len(s.Env) > 0):
		return errors.New("args and env are for a command; a url gets headers")
	case s.Command != "":
		return nil
	}
	u, err := url.Parse(s.URL) // what is wrong is told without it: there may be a password in it
	switch {
	case err != nil || u.Host == "" || u.User != nil:
		return errors.New("url: give one such as https://host/mcp, without a password")
	case u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	}
	return errors.New("url: only https is taken, and http on this machine")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// variable looks up a name in an environment, the last one of that name.
func variable(environ []string, name string) (string, bool) {
	for _, pair := range slices.Backward(environ) {
		if n, v, ok := strings.Cut(pair, "="); ok && n == name {
			return v, true
		}
	}
	return "", false
}

// environ is what the server's program gets: ours without secrets, and what the
// config gives it.
func (s Server) environ(ours, clean []string) ([]string, error) {
	out := clean[:len(clean):len(clean)]
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		value := s.Env[name]
		if from, ok := strings.CutPrefix(value, "$"); ok {
			v, found := variable(ours, from)
			if !found {
				return nil, fmt.Errorf("env: the variable %s is not set", from)
			}
			value = v
		}
		out = append(out, name+"="+value)
	}
	return out, nil
}

// headers are what the server is sent.
func (s Server) headers(ours []string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		value, ok := variable(ours, s.Headers[name])
		if !ok {
			return nil, fmt.Errorf("headers: the variable %s, which holds %s, is not set", s.Headers[name], name)
		}
		out[name] = value
	}
	return out, nil
}
