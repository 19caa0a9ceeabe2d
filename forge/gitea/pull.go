package gitea

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/internal/rest"
)

type branch struct {
	Ref  string `json:"ref"`
	SHA  string `json:"sha"`
	Repo int64  `json:"repo_id"`
}

// pull is a pull request in Gitea's words.
type pull struct {
	Number    int          `json:"number"`
	Title     string       `json:"title"`
	Body      string       `json:"body"`
	User      rest.Account `json:"user"`
	URL       string       `json:"html_url"`
	State     string       `json:"state"`
	Merged    bool         `json:"merged"`
	MergedAt  time.Time    `json:"merged_at"` // zero where it was not
	Draft     bool         `json:"draft"`
	Labels    []rest.Label `json:"labels"`
	Head      branch       `json:"head"`
	Base      branch       `json:"base"`
	Mergeable bool         `json:"mergeable"`
	Created   time.Time    `json:"created_at"`
}

// ours translates. Gitea calls a draft not mergeable whatever its changes are.
func (p pull) ours() forge.Pull {
	out := forge.Pull{
		Number: p.Number, Title: p.Title, Body: p.Body, Author: p.User.Login, URL: p.URL, Labels: rest.LabelNames(p.Labels), State: forge.Open,
		Draft: p.Draft, Head: p.Head.Ref, Base: p.Base.Ref, Commit: p.Head.SHA, Created: p.Created,
	}
	switch {
	case p.Merged:
		out.State, out.MergedAt = forge.Merged, p.MergedAt
	case p.State == "closed":
		out.State = forge.Closed
	case p.Mergeable:
		out.Merge = forge.MergeClean
	case !p.Draft:
		out.Merge = forge.MergeConflict
	}
	return out
}

// Pull returns one. While Gitea is still at work on it, it says conflict: ask
// again before you believe that.
func (f *Forge) Pull(ctx context.Context, number int) (forge.Pull, error) {
	var p pull
	err := f.client.Do(ctx, rest.Call{Doing: fmt.Sprintf("look at pull request %d", number), Method: "GET", Path: f.path("pulls", itoa(number)), Out: &p})
	if err != nil {
		return forge.Pull{}, err
	}
	return p.ours(), nil
}

// PullsFrom yields the pull requests from a branch of this repository. Gitea
// cannot be asked for one branch, so all of them are read.
func (f *Forge) PullsFrom(ctx context.Context, head string) iter.Seq2[forge.Pull, error] {
	return func(yield func(forge.Pull, error) bool) {
		query := url.Values{"state": {"all"}, "limit": {"50"}}
		for p, err := range rest.List[pull](ctx, f.client, rest.Call{Doing: "list pull requests", Path: f.path("pulls"), Query: query}) {
			if err == nil && (p.Head.Ref != head || p.Head.Repo != p.Base.Repo) {
				continue
			}
			if !yield(p.ours(), err) {
				return
			}
		}
	}
}

// Gitea learns of a push a moment after git has its answer. Until then it says
// that the branch is not there, and has done nothing.
const (
	lagTries = 5
	lag      = time.Second
)

// OpenPull makes one. A draft is one by its title.
func (f *Forge) OpenPull(ctx context.Context, p forge.Proposal) (forge.Pull, error) {
	if p.Draft {
		p.Title = "WIP: " + p.Title
	}
	made, err := f.openPull(ctx, p)
	for range lagTries {
		if !errors.Is(err, forge.ErrNotFound) {
			break
		}
		if failed := f.client.Wait(ctx, lag); failed != nil {
			return forge.Pull{}, errors.Join(failed, err)
		}
		made, err = f.openPull(ctx, p)
	}
	return made, err
}

func (f *Forge) openPull(ctx context.Context, p forge.Proposal) (forge.Pull, error) {
	var made pull
	in := map[string]string{"title": p.Title, "body": p.Body, "head": p.Head, "base": p.Base}
	err := f.client.Do(ctx, rest.Call{Doing: "open pull request", Method: "POST", Path: f.path("pulls"), In: in, Out: &made})
	if err == nil && made.Number == 0 {
		err = &forge.Error{Forge: "gitea", Doing: "open pull request", Err: forge.ErrUnclear, Said: "the answer has no number"}
	}
	return made.ours(), err
}

// EditPull gives one another text.
func (f *Forge) EditPull(ctx context.Context, number int, body string) error {
	return f.client.Do(ctx, rest.Call{
		Doing: fmt.Sprintf("edit pull request %d", number), Method: "PATCH", Path: f.path("pulls", itoa(number)), In: map[string]string{"body": body},
	})
}

// MayWrite asks for the permission of an account.
func (f *Forge) MayWrite(ctx context.Context, login string) (bool, error) {
	return f.client.Permitted(ctx, f.path("collaborators", login, "permission"))
}

// ClosePull closes one.
func (f *Forge) ClosePull(ctx context.Context, number int) error {
	return f.client.Do(ctx, rest.Call{
		Doing: fmt.Sprintf("close pull request %d", number), Method: "PATCH", Path: f.path("pulls", itoa(number)), In: map[string]string{"state": "closed"},
	})
}

// Checks returns the statuses of a commit.
func (f *Forge) Checks(ctx context.Context, commit string) (forge.Checks, error) {
	type status struct {
		ID      int64  `json:"id"`
		Context string `json:"context"`
		State   string `json:"status"`
		URL     string `json:"target_url"`
		Said    string `json:"description"`
	}
	newest := map[string]status{}
	var order []string
	call := rest.Call{Doing: "look at checks", Path: f.path("commits", commit, "statuses"), Query: url.Values{"limit": {"50"}}}
	for s, err := range rest.List[status](ctx, f.client, call) {
		if err != nil {
			return nil, err
		}
		old, seen := newest[s.Context]
		if !seen {
			order = append(order, s.Context)
		}
		if !seen || s.ID > old.ID {
			newest[s.Context] = s
		}
	}
	var out forge.Checks
	for _, name := range order {
		out = append(out, forge.Check{Name: name, Verdict: rest.Verdict(newest[name].State), URL: newest[name].URL}.Saying(newest[name].Said))
	}
	return out, nil
}
