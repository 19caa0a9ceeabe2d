// Package gitlab is a forge at gitlab.com or another GitLab, over its REST API.
// What others call a pull request is a merge request there.
//
// It holds the paths and fields of that API and nothing else: how a request is
// sent and what an answer means stands in forge/internal/rest, and what is made
// once in package forge. It reads no file and no variable. It never merges, and it
// spoils lines that GitLab would take for a command, such as /close, in whatever
// it sends: what was quoted must not act.
//
//	lab, err := gitlab.New(gitlab.Config{Repo: "ada/ship"}, gitlab.Options{Token: token})
//	…
//	once, err := forge.NewIdempotent(lab, options)
package gitlab

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
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config says which repository.
type Config struct {
	URL  string `json:"url" default:"https://gitlab.com" doc:"address of GitLab"`
	Repo string `json:"repo" doc:"group/name, with all groups above it"`
	Self string `json:"self" doc:"account that the token belongs to; found out where it is empty"`
	Life int    `json:"requestLifeSeconds" default:"60" min:"1" max:"3600" doc:"how long GitLab may be at work on a request whose answer was lost; it ends its own after 60 seconds"`
}

// Options are what the forge works with.
type Options struct {
	Token     forge.Token
	Transport http.RoundTripper // the system's where it is nil
	Timeout   time.Duration     // for one request, 30 s where it is 0
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
}

// Forge is a project at a GitLab.
type Forge struct {
	cfg    Config
	token  forge.Token
	client *rest.Client
	repo   rest.Known[forge.Repo]
}

// Roles gives it out as the parts that callers ask for.
func (f *Forge) Roles() forge.Forge {
	return forge.Forge{Repository: f, Issues: f, Pulls: f, Talk: f}
}

var repoForm = lazyregexp.Pattern(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$`)

// New returns the forge. It sends nothing yet.
func New(cfg Config, opt Options) (*Forge, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("gitlab: %w", err)
	}
	if cfg.URL, err = rest.Base(cfg.URL, ""); err != nil {
		return nil, fmt.Errorf("gitlab: %w", err)
	}
	cfg.Repo = strings.TrimSuffix(cfg.Repo, ".git")
	if !repoForm().MatchString(cfg.Repo) {
		return nil, fmt.Errorf("gitlab: invalid repo %q; write it as group/name", cfg.Repo)
	}
	return &Forge{cfg: cfg, token: opt.Token, client: rest.New(rest.Options{
		Name: "gitlab", Base: cfg.URL + "/api/v4", Token: opt.Token,
		Timeout: opt.Timeout, Transport: opt.Transport, Now: opt.Now, Wait: opt.Wait,
	})}, nil
}

// Traits says what GitLab asks for.
func (f *Forge) Traits() forge.Traits {
	return forge.Traits{Name: "gitlab", Life: time.Duration(f.cfg.Life)*time.Second + f.client.Lag(), Title: 240, Body: 900_000}
}

// Remote is where git pushes to, by the settings.
func (f *Forge) Remote() git.Remote {
	return git.Remote{URL: f.cfg.URL + "/" + f.cfg.Repo + ".git", User: "oauth2", Secret: f.token}
}

// Repo asks for the project and for the token's account, once.
func (f *Forge) Repo(ctx context.Context) (forge.Repo, error) {
	return f.repo.Get(func() (forge.Repo, error) {
		var r struct {
			Name string `json:"path_with_namespace"`
			URL  string `json:"web_url"`
			Base string `json:"default_branch"`
		}
		if err := f.client.Do(ctx, rest.Call{Doing: "look at " + f.cfg.Repo, Method: "GET", Path: f.path(), Out: &r}); err != nil {
			return forge.Repo{}, err
		}
		self := account{f.cfg.Self}
		if self.Name == "" {
			if err := f.client.Do(ctx, rest.Call{Doing: "ask whose token this is", Method: "GET", Path: "/user", Out: &self}); err != nil {
				return forge.Repo{}, err
			}
		}
		return forge.Repo{Name: cmp.Or(r.Name, f.cfg.Repo), URL: r.URL, Base: r.Base, Self: self.Name}, nil
	})
}

// path is the path of something in the project.
func (f *Forge) path(parts ...string) string {
	return rest.Path(append([]string{"projects", f.cfg.Repo}, parts...)...)
}

var commandLine = lazyregexp.Pattern(`(?m)^([ \t]*)/([A-Za-z_])`)

// inert returns a text without commands of GitLab: a backslash before the slash
// leaves what a person reads as it was.
func inert(text string) string { return commandLine().ReplaceAllString(text, `$1\/$2`) }

func itoa(n int) string { return strconv.Itoa(n) }
