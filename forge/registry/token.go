package registry

import (
	"context"
	"fmt"
	"strings"
)

// source is where a token of a forge may be.
type source struct {
	public string   // the one server that env is for
	env    []string // tokens of the public server
	own    []string // tokens of another server, as forge.url names it
	tool   []string // a command that prints one; the host is put behind it
	help   string
}

var sources = map[string]source{
	"github": {
		public: "github.com", env: []string{"GH_TOKEN", "GITHUB_TOKEN"}, own: []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"},
		tool: []string{"gh", "auth", "token", "--hostname"}, help: "set GH_TOKEN, or log in with gh auth login",
	},
	"gitlab": {
		public: "gitlab.com", env: []string{"GITLAB_TOKEN"}, own: []string{"GITLAB_TOKEN"},
		tool: []string{"glab", "config", "get", "token", "--host"}, help: "set GITLAB_TOKEN, or log in with glab auth login",
	},
	"gitea": {
		public: "gitea.com", env: []string{"GITEA_TOKEN"}, own: []string{"GITEA_TOKEN", "FORGEJO_TOKEN"},
		help: "set GITEA_TOKEN to a token with the scopes write:issue, write:repository and read:user",
	},
}

// token finds the token for a request.
func (f Found) token(ctx context.Context) (string, error) {
	from, host := sources[f.Kind], hostOf(f.URL)
	names := from.own
	if host == from.public {
		names = from.env
	}
	for _, name := range names {
		if v := lookup(f.opt.Environ, name); v != "" {
			return v, nil
		}
	}
	if len(from.tool) > 0 && f.opt.Tool != nil {
		if text, err := f.opt.Tool(ctx, from.tool[0], append(from.tool[1:len(from.tool):len(from.tool)], host)...); err == nil {
			if text = strings.TrimSpace(text); text != "" && !strings.ContainsAny(text, "\n\r\t ") {
				return text, nil
			}
		}
	}
	return "", fmt.Errorf("no token for %s: %s", host, from.help)
}

// HasToken reports whether a token would be found, without showing it.
func (f Found) HasToken(ctx context.Context) error {
	if f.Kind == "local" {
		return nil
	}
	_, err := f.token(ctx)
	return err
}

func lookup(environ []string, name string) string {
	value := ""
	for _, e := range environ {
		if k, v, ok := strings.Cut(e, "="); ok && k == name {
			value = v
		}
	}
	return value
}
