// Package registry finds the forge of a project: the one that the settings name, or
// the one that the project's remote leads to, or a folder of this machine.
//
// It knows all forges and nothing of what they are used for. It reads no
// settings, and a token only when a forge asks for one: from the environment
// that is handed in, or from the forge's own tool. A token is bound to the host
// it was made for: one for github.com is never sent elsewhere.
//
//	which, err := pick.Find(ctx, cfg, pick.Options{Git: program, Project: folder, Local: folder2, Environ: os.Environ()})
//	…
//	hub, err := which.Open(ctx)
//	defer hub.Close()
package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/gitea"
	"github.com/trimtab/trimtab/forge/github"
	"github.com/trimtab/trimtab/forge/gitlab"
	"github.com/trimtab/trimtab/forge/local"
)

// Config says where issues and pull requests go. A project may not set it.
type Config struct {
	Kind    string   `json:"kind" default:"auto" enum:"auto,local,github,gitea,gitlab" guard:"user" doc:"the forge; auto goes by the project's remote origin, and is local where that is no forge"`
	URL     string   `json:"url" guard:"user" doc:"address of the server, where it is not the public one"`
	Repo    string   `json:"repo" guard:"user" doc:"owner/name at the forge; found from the remote where it is empty"`
	Folder  string   `json:"folder" guard:"user" doc:"of the local forge; one for each project in the data folder where it is empty"`
	Self    string   `json:"self" guard:"user" doc:"account that the token belongs to; found out where it is empty"`
	Authors []string `json:"authors" guard:"user" doc:"further accounts of your team whose issues and pull requests count as filed, besides the one of the token"`
	Life    int      `json:"requestLifeSeconds" default:"60" min:"1" max:"3600" guard:"user" doc:"how long a server may be at work on a request whose answer was lost"`
}

// Options are what finding works with.
type Options struct {
	Git     git.Program
	Project string   // the folder whose forge is looked for
	Local   string   // the local forge's folder, where the settings name none
	Environ []string // where tokens are looked for
	// Tool runs a forge's own tool and returns what it wrote; nil asks none.
	Tool func(ctx context.Context, name string, args ...string) (string, error)
}

// Found is a forge that was found and not opened yet.
type Found struct {
	Kind   string // "local", "github", "gitea" or "gitlab"
	URL    string // of the server
	Repo   string // owner/name
	Folder string // of the local one
	Why    string // how it was found, for a person

	cfg Config
	opt Options
}

// Find finds the forge. It sends nothing.
func Find(ctx context.Context, cfg Config, opt Options) (Found, error) {
	f := Found{Kind: cfg.Kind, URL: strings.TrimRight(cfg.URL, "/"), Repo: cfg.Repo, Folder: cmp.Or(cfg.Folder, opt.Local), Why: "the settings name it", cfg: cfg, opt: opt}
	at := address{}
	if f.Kind == "" || f.Kind == "auto" || f.Kind != "local" && f.Repo == "" {
		at = origin(ctx, opt)
	}
	if f.Kind == "" || f.Kind == "auto" {
		switch at.host {
		case "github.com":
			f.Kind, f.Why = "github", "the remote origin is there"
		case "gitlab.com":
			f.Kind, f.Why = "gitlab", "the remote origin is there"
		case "gitea.com", "codeberg.org":
			f.Kind, f.Why, f.URL = "gitea", "the remote origin is there", cmp.Or(f.URL, "https://"+at.host)
		default:
			f.Kind, f.Why = "local", "the remote origin is not a known forge; forge.kind and forge.url name another"
			if at.host == "" {
				f.Why = "the project has no remote origin"
			}
		}
	}
	if f.Kind == "local" {
		f.URL, f.Repo = "", ""
		if f.Folder == "" {
			return Found{}, errors.New("forge: no folder for the local forge: set forge.folder")
		}
		return f, nil
	}
	f.URL = cmp.Or(f.URL, map[string]string{"github": "https://github.com", "gitlab": "https://gitlab.com", "gitea": "https://gitea.com"}[f.Kind])
	if f.Repo == "" {
		if f.Repo = at.repo; f.Repo == "" || at.host != hostOf(f.URL) {
			return Found{}, fmt.Errorf("forge: which repository at %s is not known: the project's remote origin is not there; set forge.repo to owner/name", f.URL)
		}
	}
	return f, nil
}

// Open opens it. The token is looked for when the first request needs it.
func (f Found) Open(ctx context.Context) (forge.Opened, error) {
	still := func() error { return nil }
	switch f.Kind {
	case "local":
		shed, err := local.New(ctx, local.Config{Folder: f.Folder, Self: cmp.Or(f.cfg.Self, "trimtab"), Base: "main"}, local.Options{Git: f.opt.Git})
		if err != nil {
			return forge.Opened{}, err
		}
		return forge.Opened{Forge: shed.Roles(), Close: shed.Close}, nil
	case "github":
		hub, err := github.New(github.Config{URL: f.URL, Repo: f.Repo, Self: f.cfg.Self, Life: f.cfg.Life}, github.Options{Token: f.token})
		return forge.Opened{Forge: hub.Roles(), Close: still}, err
	case "gitea":
		hub, err := gitea.New(gitea.Config{URL: f.URL, Repo: f.Repo, Self: f.cfg.Self, Life: f.cfg.Life}, gitea.Options{Token: f.token})
		return forge.Opened{Forge: hub.Roles(), Close: still}, err
	case "gitlab":
		hub, err := gitlab.New(gitlab.Config{URL: f.URL, Repo: f.Repo, Self: f.cfg.Self, Life: f.cfg.Life}, gitlab.Options{Token: f.token})
		return forge.Opened{Forge: hub.Roles(), Close: still}, err
	}
	return forge.Opened{}, fmt.Errorf("forge: there is no kind %q; it is one of local, github, gitea, gitlab", f.Kind)
}

// String says where things go, for a person.
func (f Found) String() string {
	if f.Kind == "local" {
		return "local, in " + f.Folder
	}
	return f.Kind + ", " + f.URL + "/" + f.Repo
}

// address is a remote taken apart.
type address struct{ host, repo string }

// origin is where the project's remote origin leads, the zero address where that
// is no server.
func origin(ctx context.Context, opt Options) address {
	text, err := opt.Git.In(opt.Project).Run(ctx, "config", "--get", "remote.origin.url")
	if err != nil {
		return address{}
	}
	at, ok := git.ParseAddress(text)
	if !ok || !strings.Contains(at.Path, "/") { // no owner/name
		return address{}
	}
	return address{at.Host, at.Path}
}

// hostOf is the host of a server's address.
func hostOf(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}
