package git

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Remote is a repository that is pushed to: an address of HTTP with a secret, or
// a path of this machine.
type Remote struct {
	URL    string
	User   string
	Secret func(ctx context.Context) (string, error) // nil for none
}

// Update moves a branch of a remote. From is the commit that it must be at, ""
// for a branch that must not exist; To is the commit to move it to, "" to remove
// it.
type Update struct {
	Branch string
	From   string
	To     string
}

// ErrMoved is a branch that is not where it was expected.
var ErrMoved = errors.New("the branch was moved by someone else")

// Branch returns the commit of a branch at the remote, "" where there is none.
func (t Tree) Branch(ctx context.Context, at Remote, branch string) (string, error) {
	if err := at.check(); err != nil {
		return "", err
	}
	ref, err := t.ref(ctx, branch)
	if err != nil {
		return "", err
	}
	out, err := t.run(ctx, &at, "ls-remote", "--refs", "--end-of-options", at.URL, ref)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && name == ref {
			return commit, nil
		}
	}
	return "", nil
}

// Fetch brings the commits of a branch of the remote here, under no name.
func (t Tree) Fetch(ctx context.Context, from Remote, branch string) error {
	if err := from.check(); err != nil {
		return err
	}
	ref, err := t.ref(ctx, branch)
	if err != nil {
		return err
	}
	_, err = t.run(ctx, &from, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--end-of-options", from.URL, ref)
	return err
}

// Push moves a branch of the remote. It never takes commits away from one: To
// must follow From.
func (t Tree) Push(ctx context.Context, to Remote, u Update) error {
	if err := to.check(); err != nil {
		return err
	}
	ref, err := t.ref(ctx, u.Branch)
	if err != nil {
		return err
	}
	for _, commit := range []string{u.From, u.To} {
		if commit != "" && !IsCommit(commit) {
			return fmt.Errorf("push %s: %q is not a commit id", u.Branch, commit)
		}
	}
	if u.From != "" && u.To != "" {
		ahead, err := t.Ancestor(ctx, u.From, u.To)
		if err != nil {
			return err
		}
		if !ahead {
			return fmt.Errorf("push %s: %w: %s does not follow %s", u.Branch, ErrMoved, u.To, u.From)
		}
	}
	_, err = t.run(ctx, &to, "push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed",
		"--force-with-lease="+ref+":"+u.From, "--end-of-options", to.URL, u.To+":"+ref)
	if e, ok := errors.AsType[*Error](err); ok && strings.Contains(e.Said, "(stale info)") {
		return fmt.Errorf("push %s: %w: %w", u.Branch, ErrMoved, err)
	}
	return err
}

// ref returns the full name of a branch, and refuses what is none.
func (t Tree) ref(ctx context.Context, branch string) (string, error) {
	if _, err := t.Run(ctx, "check-ref-format", "--branch", branch); err != nil || strings.HasPrefix(branch, "-") || strings.HasPrefix(branch, "@") {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("invalid branch name %q", branch)
	}
	return "refs/heads/" + branch, nil
}

// check refuses an address that is neither HTTP without a password in it nor a
// path.
func (r Remote) check() error {
	if filepath.IsAbs(r.URL) {
		return nil
	}
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return errors.New("the remote is neither an http(s) address without a password in it nor a full path")
	}
	return nil
}

// secret is what git tells a remote.
type secret struct {
	url    string
	token  string
	header string
}

func (r Remote) secret(ctx context.Context) (secret, error) {
	if r.Secret == nil || filepath.IsAbs(r.URL) {
		return secret{}, nil
	}
	token, err := r.Secret(ctx)
	if err != nil {
		return secret{}, fmt.Errorf("the token for git: %w", err)
	}
	if token == "" {
		return secret{}, nil
	}
	code := base64.StdEncoding.EncodeToString([]byte(r.User + ":" + token))
	return secret{url: r.URL, token: token, header: code}, nil
}

// env tells git the secret in its environment, which only the same user can
// read, for this one address. Helpers that would store or ask for one are off.
func (s secret) env() []string {
	if s.token == "" {
		return nil
	}
	return []string{
		"GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=http." + s.url + ".extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic " + s.header,
		"GIT_CONFIG_KEY_1=credential.helper", "GIT_CONFIG_VALUE_1=",
	}
}

// hide takes the secret out of a text.
func (s secret) hide(text string) string {
	if s.token == "" {
		return text
	}
	return strings.NewReplacer(s.token, "[token]", s.header, "[token]").Replace(text)
}
