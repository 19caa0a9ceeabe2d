// Package github is a forge at github.com or a GitHub Enterprise server, over
// its REST API.
//
// It holds the paths and fields of that API and nothing else: how a request is
// sent and what an answer means stands in forge/internal/rest, and what is made
// once in package forge. It reads no file and no variable: the token is handed in
// as a function. It never merges and never searches, for GitHub's search lags
// behind its lists.
//
//	hub, err := github.New(github.Config{Repo: "ada/ship"}, github.Options{Token: token})
//	…
//	once, err := forge.NewIdempotent(hub, options)
package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/internal/rest"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config says which repository.
type Config struct {
	URL  string `json:"url" default:"https://github.com" doc:"address of GitHub or of a GitHub Enterprise server"`
	Repo string `json:"repo" doc:"owner/name"`
	Self string `json:"self" doc:"account that the token belongs to; found out where it is empty, which the token of an app does not permit"`
	Life int    `json:"requestLifeSeconds" default:"30" min:"1" max:"3600" doc:"how long GitHub may be at work on a request whose answer was lost; it ends its own after 10 seconds"`
}

// Options are what the forge works with.
type Options struct {
	Token     forge.Token
	Transport http.RoundTripper // the system's where it is nil
	Timeout   time.Duration     // for one request, 30 s where it is 0
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
}

// Forge is a repository at GitHub.
type Forge struct {
	cfg         Config
	token       forge.Token
	owner, name string
	client      *rest.Client
	repo        rest.Known[forge.Repo]
}

// Roles gives it out as the parts that callers ask for.
func (f *Forge) Roles() forge.Forge {
	return forge.Forge{Repository: f, Issues: f, Pulls: f, Talk: f}
}

// pace is the distance between writing requests that GitHub asks for.
const pace = time.Second

// New returns the forge. It sends nothing yet.
func New(cfg Config, opt Options) (*Forge, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("github: %w", err)
	}
	if cfg.URL, err = rest.Base(cfg.URL, ""); err != nil {
		return nil, fmt.Errorf("github: %w", err)
	}
	owner, name, ok := strings.Cut(cfg.Repo, "/")
	if !ok || owner == "" || name == "" || strings.ContainsAny(name, "/?#%\\") || name == "." || name == ".." {
		return nil, fmt.Errorf("github: invalid repo %q; write it as owner/name", cfg.Repo)
	}
	return &Forge{cfg: cfg, token: opt.Token, owner: owner, name: strings.TrimSuffix(name, ".git"), client: rest.New(rest.Options{
		Name: "github", Base: api(cfg.URL), Token: opt.Token, Pace: pace,
		Header:  map[string]string{"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"},
		Timeout: opt.Timeout, Transport: opt.Transport, Now: opt.Now, Wait: opt.Wait,
	})}, nil
}

// api is the address of the API that belongs to the address for people.
func api(base string) string {
	if strings.EqualFold(base, "https://github.com") {
		return "https://api.github.com"
	}
	return base + "/api/v3"
}

// Traits says what GitHub asks for.
func (f *Forge) Traits() forge.Traits {
	return forge.Traits{Name: "github", Life: time.Duration(f.cfg.Life)*time.Second + f.client.Lag(), Title: 256, Body: 60_000}
}

// Remote is where git pushes to. It comes from the settings and not from an
// answer, so that no answer can lead the token elsewhere.
func (f *Forge) Remote() git.Remote {
	return git.Remote{URL: f.cfg.URL + rest.Path(f.owner, f.name) + ".git", User: "x-access-token", Secret: f.token}
}

// Repo asks for the repository and for the token's account, once.
func (f *Forge) Repo(ctx context.Context) (forge.Repo, error) {
	return f.repo.Get(func() (forge.Repo, error) {
		var r struct {
			FullName string `json:"full_name"`
			URL      string `json:"html_url"`
			Base     string `json:"default_branch"`
		}
		if err := f.client.Do(ctx, rest.Call{Doing: "look at " + f.cfg.Repo, Method: "GET", Path: f.path(), Out: &r}); err != nil {
			return forge.Repo{}, err
		}
		self := rest.Account{Login: f.cfg.Self}
		if self.Login == "" {
			err := f.client.Do(ctx, rest.Call{Doing: "ask whose token this is", Method: "GET", Path: "/user", Out: &self})
			if e, ok := errors.AsType[*forge.Error](err); ok && errors.Is(err, forge.ErrRefused) {
				e.Do = "see that the token is valid; for the token of an app, name its account in the setting self"
			}
			if err != nil {
				return forge.Repo{}, err
			}
		}
		return forge.Repo{Name: cmp.Or(r.FullName, f.cfg.Repo), URL: r.URL, Base: r.Base, Self: self.Login}, nil
	})
}

// path is the path of something in the repository.
func (f *Forge) path(parts ...string) string {
	return rest.Path(append([]string{"repos", f.owner, f.name}, parts...)...)
}

func itoa(n int) string { return strconv.Itoa(n) }
