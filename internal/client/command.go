package client

import (
	"fmt"
	"slices"
	"strings"
)

// Cmd is one headless run of a client.
type Cmd struct {
	Name  string            // of the client
	API   string            // which of the provider formats it will speak
	Args  []string          // after the program
	Env   []string          // beside what every run gets
	Files map[string]string // settings, by path from the home folder
	Home  string            // the home folder of the run; Run makes what it needs in it
	Dir   string            // the working folder; "" is work in the home folder
}

// APIs returns the formats with which a client can be run, the usual one first.
func APIs(name string) []string {
	var all []string
	for _, r := range recipes() {
		if r.client == name {
			all = append(all, r.api)
		}
	}
	return all
}

// settings are those of Trimtab in a client's home: notes at known steps, though the models
// of these tests repeat themselves.
const settings = `{"todoReminder":{"timing":"fixed"},"guard":{"enabled":false}}`

// Command returns a headless run of a client: "claude", or with another API
// than the usual one, "goose:anthropic". Without a URL nothing in it points at a
// model.
func Command(name, baseURL, prompt string) (Cmd, error) {
	name, api, _ := strings.Cut(name, ":")
	all := recipes()
	i := slices.IndexFunc(all, func(r recipe) bool { return r.client == name && (api == "" || r.api == api) })
	if i < 0 {
		return Cmd{}, fmt.Errorf("no way to run %s with the API %q; there is %v", name, api, APIs(name))
	}
	r := all[i]
	fill := strings.NewReplacer("{url}", strings.TrimSuffix(baseURL, "/"), "{prompt}", prompt)
	cmd := Cmd{Name: name, API: r.api, Files: map[string]string{".config/trimtab/trimtab.json": settings}}
	point := baseURL != ""
	for _, a := range r.args {
		switch {
		case a != "{point}":
			cmd.Args = append(cmd.Args, fill.Replace(a))
		case point:
			for _, p := range r.pointArgs {
				cmd.Args = append(cmd.Args, fill.Replace(p))
			}
		}
	}
	cmd.Env = slices.Clone(r.env)
	addFiles := func(files map[string]string) {
		for k, v := range files {
			cmd.Files[k] = fill.Replace(v)
		}
	}
	addFiles(r.files)
	if point {
		for _, e := range r.pointEnv {
			cmd.Env = append(cmd.Env, fill.Replace(e))
		}
		addFiles(r.pointFiles)
	}
	return cmd, nil
}
