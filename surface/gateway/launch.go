package gateway

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Launch says how to start a host agent so that it talks to a gateway, for one
// run, with flags and environment alone.
type Launch struct {
	Host     string
	Command  string            `json:"command"`
	Package  string            `json:"package"`  // where to get it
	Env      map[string]string `json:"env"`      // {url} and {session} are filled in
	Args     []string          `json:"args"`     // before the person's own; {file} is the file below
	Keys     []string          `json:"keys"`     // environment variables of which one must be set
	Upstream map[string]string `json:"upstream"` // the variable in which the person may have named another provider
	File     *struct {
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"file"` // written to a folder of the run
	Status *struct {
		Args []string `json:"args"` // {self} is the trimtab program
		File string   `json:"file"` // below the home folder: a person who has
		Word string   `json:"word"` // this word in it has a status line already
	} `json:"status"`
}

// Launches returns the hosts that can be started, by name.
func Launches() (map[string]Launch, error) {
	clients, err := readClients()
	if err != nil {
		return nil, err
	}
	all := map[string]Launch{}
	for _, c := range clients {
		l := c.Run
		l.Host = c.Name
		all[c.Name] = l
	}
	return all, nil
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

// Fill puts the run's address, session and file into the launch.
func (l Launch) Fill(url, session, file string) Launch {
	fill := strings.NewReplacer("{url}", url, "{session}", session, "{file}", file).Replace
	l.Env = maps.Clone(l.Env)
	for k, v := range l.Env {
		l.Env[k] = fill(v)
	}
	l.Args = slices.Clone(l.Args)
	for i, a := range l.Args {
		l.Args[i] = fill(a)
	}
	if l.File != nil {
		f := *l.File
		f.Text = fill(f.Text)
		l.File = &f
	}
	return l
}

// WithStatus adds a status line of ours, unless the person has one: settings is
// what the host's own file holds.
func (l Launch) WithStatus(self, settings string) Launch {
	if l.Status == nil || strings.Contains(settings, l.Status.Word) || strings.ContainsAny(self, "\"\\ ") {
		return l
	}
	args := slices.Clone(l.Args)
	for _, a := range l.Status.Args {
		args = append(args, strings.ReplaceAll(a, "{self}", self))
	}
	l.Args = args
	return l
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
