package github

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/internal/rest"
)

type branch struct {
	Ref  string `json:"ref"`
	SHA  string `json:"sha"`
	Repo *struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

// pull is a pull request in GitHub's words.
type pull struct {
	Number    int          `json:"number"`
	Title     string       `json:"title"`
	Body      string       `json:"body"`
	User      rest.Account `json:"user"`
	URL       string       `json:"html_url"`
	State     string       `json:"state"`
	MergedAt  *time.Time   `json:"merged_at"`
	Draft     bool         `json:"draft"`
	Labels    []rest.Label `json:"labels"`
	Head      branch       `json:"head"`
	Base      branch       `json:"base"`
	Mergeable *bool        `json:"mergeable"`
	Created   time.Time    `json:"created_at"`
}

func (p pull) ours() forge.Pull {
	out := forge.Pull{
		Number: p.Number, Title: p.Title, Body: p.Body, Author: p.User.Login, URL: p.URL, Labels: rest.LabelNames(p.Labels), State: forge.Open,
		Draft: p.Draft, Head: p.Head.Ref, Base: p.Base.Ref, Commit: p.Head.SHA, Created: p.Created,
	}
	switch {
	case p.MergedAt != nil:
		out.State, out.MergedAt = forge.Merged, *p.MergedAt
	case p.State == "closed":
		out.State = forge.Closed
	case p.Mergeable != nil && *p.Mergeable:
		out.Merge = forge.MergeClean
	case p.Mergeable != nil:
		out.Merge = forge.MergeConflict
	}
	return out
}

// Pull returns one.
func (f *Forge) Pull(ctx context.Context, number int) (forge.Pull, error) {
	var p pull
	err := f.client.Do(ctx, rest.Call{Doing: fmt.Sprintf("look at pull request %d", number), Method: "GET", Path: f.path("pulls", itoa(number)), Out: &p})
	if err != nil {
		return forge.Pull{}, err
	}
	return p.ours(), nil
}

// PullsFrom yields the pull requests from a branch of this repository.
func (f *Forge) PullsFrom(ctx context.Context, head string) iter.Seq2[forge.Pull, error] {
	return func(yield func(forge.Pull, error) bool) {
		query := url.Values{"state": {"all"}, "head": {f.owner + ":" + head}, "sort": {"created"}, "direction": {"desc"}, "per_page": {"100"}}
		for p, err := range rest.List[pull](ctx, f.client, rest.Call{Doing: "list pull requests", Path: f.path("pulls"), Query: query}) {
			// An owner may have a fork of his own repository, with the same branch.
			if err == nil && (p.Head.Ref != head || p.Head.Repo != nil && p.Base.Repo != nil && p.Head.Repo.FullName != p.Base.Repo.FullName) {
				continue
			}
			if !yield(p.ours(), err) {
				return
			}
		}
	}
}

// OpenPull makes one. Where a plan has no drafts it makes one that is ready.
func (f *Forge) OpenPull(ctx context.Context, p forge.Proposal) (forge.Pull, error) {
	out, err := f.openPull(ctx, p)
	e, ok := errors.AsType[*forge.Error](err)
	if !ok || e.Status != 422 {
		return out, err
	}
	said := strings.ToLower(e.Said)
	switch {
	case strings.Contains(said, "already exists"):
		e.Err = forge.ErrExists
	case p.Draft && strings.Contains(said, "draft"):
		p.Draft = false
		return f.openPull(ctx, p)
	}
	return out, err
}

func (f *Forge) openPull(ctx context.Context, p forge.Proposal) (forge.Pull, error) {
	var made pull
	in := struct {
		Title string `json:"title"`
		Body  string `json:"body"`
		Head  string `json:"head"`
		Base  string `json:"base"`
		Draft bool   `json:"draft,omitempty"`
	}{p.Title, p.Body, p.Head, p.Base, p.Draft}
	err := f.client.Do(ctx, rest.Call{Doing: "open pull request", Method: "POST", Path: f.path("pulls"), In: in, Out: &made})
	if err == nil && made.Number == 0 {
		err = &forge.Error{Forge: "github", Doing: "open pull request", Err: forge.ErrUnclear, Said: "the answer has no number"}
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

// Checks returns the check runs of a commit and its statuses, the older form of
// the same.
func (f *Forge) Checks(ctx context.Context, commit string) (forge.Checks, error) {
	var out forge.Checks
	for page := 1; ; page++ {
		var runs struct {
			Total int `json:"total_count"`
			Runs  []struct {
				Name       string `json:"name"`
				Status     string `json:"status"`
				Conclusion string `json:"conclusion"`
				URL        string `json:"html_url"`
				Output     struct {
					Title   string `json:"title"`
					Summary string `json:"summary"`
					Text    string `json:"text"`
				} `json:"output"`
			} `json:"check_runs"`
		}
		query := url.Values{"per_page": {"100"}, "page": {itoa(page)}}
		if err := f.client.Do(ctx, rest.Call{Doing: "look at checks", Method: "GET", Path: f.path("commits", commit, "check-runs"), Query: query, Out: &runs}); err != nil {
			return nil, err
		}
		for _, r := range runs.Runs {
			verdict := forge.Pending
			if r.Status == "completed" {
				verdict = rest.Verdict(r.Conclusion)
			}
			out = append(out, forge.Check{Name: r.Name, Verdict: verdict, URL: r.URL}.Saying(r.Output.Title+"\n"+r.Output.Summary+"\n"+r.Output.Text))
		}
		if len(runs.Runs) == 0 || len(out) >= runs.Total {
			break
		}
	}
	seen := map[string]bool{}
	type status struct {
		Context string `json:"context"`
		State   string `json:"state"`
		URL     string `json:"target_url"`
		Said    string `json:"description"`
	}
	call := rest.Call{Doing: "look at statuses", Path: f.path("commits", commit, "statuses"), Query: url.Values{"per_page": {"100"}}}
	for s, err := range rest.List[status](ctx, f.client, call) { // newest first: the first of each name counts
		if err != nil {
			return nil, err
		}
		if !seen[s.Context] {
			seen[s.Context] = true
			out = append(out, forge.Check{Name: s.Context, Verdict: rest.Verdict(s.State), URL: s.URL}.Saying(s.Said))
		}
	}
	return out, nil
}
