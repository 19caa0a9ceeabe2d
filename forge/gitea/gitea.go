// Package gitea is a forge at a Gitea or Forgejo, over its REST API.
//
// It holds the paths and fields of that API and nothing else: how a request is
// sent and what an answer means stands in forge/internal/rest, and what is made
// once in package forge. It reads no file and no variable: the token is handed in
// as a function. It never merges and never searches, for the search lags behind
// the lists.
//
//	tea, err := gitea.New(gitea.Config{URL: "https://codeberg.org", Repo: "ada/ship"}, gitea.Options{Token: token})
//	…
//	once, err := forge.NewIdempotent(tea, options)
package gitea

import (
	"cmp"
	"context"
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
	URL  string `json:"url" default:"https://gitea.com" doc:"address of the Gitea or Forgejo"`
	Repo string `json:"repo" doc:"owner/name"`
	Self string `json:"self" doc:"account that the token belongs to; found out where it is empty, which needs the scope read:user"`
	Life int    `json:"requestLifeSeconds" default:"60" min:"1" max:"3600" doc:"how long the server may be at work on a request whose answer was lost"`
}

// Options are what the forge works with.
type Options struct {
	Token     forge.Token
	Transport http.RoundTripper // the system's where it is nil
	Timeout   time.Duration     // for one request, 30 s where it is 0
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
}

// Forge is a repository at a Gitea.
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

// New returns the forge. It sends nothing yet.
func New(cfg Config, opt Options) (*Forge, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("gitea: %w", err)
	}
	if cfg.URL, err = rest.Base(cfg.URL, ""); err != nil {
		return nil, fmt.Errorf("gitea: %w", err)
	}
	owner, name, ok := strings.Cut(cfg.Repo, "/")
	if !ok || owner == "" || name == "" || strings.ContainsAny(name, "/?#%\\") || name == "." || name == ".." {
		return nil, fmt.Errorf("gitea: invalid repo %q; write it as owner/name", cfg.Repo)
	}
	return &Forge{cfg: cfg, token: opt.Token, owner: owner, name: strings.TrimSuffix(name, ".git"), client: rest.New(rest.Options{
		Name: "gitea", Base: cfg.URL + "/api/v1", Token: opt.Token, Auth: "token",
		Timeout: opt.Timeout, Transport: opt.Transport, Now: opt.Now, Wait: opt.Wait,
	})}, nil
}

// Traits says what Gitea asks for.
func (f *Forge) Traits() forge.Traits {
	return forge.Traits{Name: "gitea", Life: time.Duration(f.cfg.Life)*time.Second + f.client.Lag(), Title: 240, Body: 1 << 20}
}

// Remote is where git pushes to, by the settings.
func (f *Forge) Remote() git.Remote {
	return git.Remote{URL: f.cfg.URL + rest.Path(f.owner, f.name) + ".git", User: "oauth2", Secret: f.token}
}

// Repo asks for the repository and for the token's account, once.
func (f *Forge) Repo(ctx context.Context) (forge.Repo, error) {
	return f.repo.Get(func() (forge.Repo, error) {
		var r struct {
			Name string `json:"full_name"`
			URL  string `json:"html_url"`
			Base string `json:"default_branch"`
		}
		if err := f.client.Do(ctx, rest.Call{Doing: "look at " + f.cfg.Repo, Method: "GET", Path: f.path(), Out: &r}); err != nil {
			return forge.Repo{}, err
		}
		self := rest.Account{Login: f.cfg.Self}
		if self.Login == "" {
			if err := f.client.Do(ctx, rest.Call{Doing: "ask whose token this is", Method: "GET", Path: "/user", Out: &self}); err != nil {
				return forge.Repo{}, err
			}
		}
		return forge.Repo{Name: cmp.Or(r.Name, f.cfg.Repo), URL: r.URL, Base: r.Base, Self: self.Login}, nil
	})
}

// path is the path of something in the repository.
func (f *Forge) path(parts ...string) string {
	return rest.Path(append([]string{"repos", f.owner, f.name}, parts...)...)
}

func itoa(n int) string { return strconv.Itoa(n) }
