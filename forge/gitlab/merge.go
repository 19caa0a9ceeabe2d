package gitlab

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

// merge is a merge request in GitLab's words.
type merge struct {
	Number    int       `json:"iid"`
	Title     string    `json:"title"`
	Body      string    `json:"description"`
	Author    account   `json:"author"`
	URL       string    `json:"web_url"`
	State     string    `json:"state"`
	Draft     bool      `json:"draft"`
	Labels    []string  `json:"labels"`
	Head      string    `json:"source_branch"`
	Base      string    `json:"target_branch"`
	From      int       `json:"source_project_id"`
	Into      int       `json:"target_project_id"`
	Commit    string    `json:"sha"`
	Status    string    `json:"merge_status"`
	Conflicts bool      `json:"has_conflicts"`
	Created   time.Time `json:"created_at"`
	MergedAt  time.Time `json:"merged_at"` // null where it was not
}

func (m merge) ours() forge.Pull {
	out := forge.Pull{
		Number: m.Number, Title: m.Title, Body: m.Body, Author: m.Author.Name, URL: m.URL, Labels: m.Labels, State: forge.Open,
		Draft: m.Draft, Head: m.Head, Base: m.Base, Commit: m.Commit, Created: m.Created,
	}
	switch {
	case m.State == "merged":
		out.State, out.MergedAt = forge.Merged, m.MergedAt
	case m.State == "closed":
		out.State = forge.Closed
	case m.Conflicts:
		out.Merge = forge.MergeConflict
	case m.Status == "can_be_merged":
		out.Merge = forge.MergeClean
	}
	return out
}

// Pull returns a merge request.
func (f *Forge) Pull(ctx context.Context, number int) (forge.Pull, error) {
	var m merge
	err := f.client.Do(ctx, rest.Call{Doing: fmt.Sprintf("look at merge request %d", number), Method: "GET", Path: f.path("merge_requests", itoa(number)), Out: &m})
	if err != nil {
		return forge.Pull{}, err
	}
	return m.ours(), nil
}

// PullsFrom yields the merge requests from a branch of this project.
func (f *Forge) PullsFrom(ctx context.Context, head string) iter.Seq2[forge.Pull, error] {
	return func(yield func(forge.Pull, error) bool) {
		query := url.Values{"scope": {"all"}, "state": {"all"}, "source_branch": {head}, "order_by": {"created_at"}, "sort": {"desc"}, "per_page": {"100"}}
		for m, err := range rest.List[merge](ctx, f.client, rest.Call{Doing: "list merge requests", Path: f.path("merge_requests"), Query: query}) {
			if err == nil && (m.Head != head || m.From != m.Into) { // of a fork
				continue
			}
			if !yield(m.ours(), err) {
				return
			}
		}
	}
}

// OpenPull makes a merge request. A draft is one by its title.
func (f *Forge) OpenPull(ctx context.Context, p forge.Proposal) (forge.Pull, error) {
	var m merge
	if p.Draft {
		p.Title = "Draft: " + p.Title
	}
	in := map[string]string{"title": p.Title, "description": inert(p.Body), "source_branch": p.Head, "target_branch": p.Base}
	err := f.client.Do(ctx, rest.Call{Doing: "open merge request", Method: "POST", Path: f.path("merge_requests"), In: in, Out: &m})
	if err == nil && m.Number == 0 {
		err = &forge.Error{Forge: "gitlab", Doing: "open merge request", Err: forge.ErrUnclear, Said: "the answer has no number"}
	}
	return m.ours(), err
}

// EditPull gives a merge request another text.
func (f *Forge) EditPull(ctx context.Context, number int, body string) error {
	return f.client.Do(ctx, rest.Call{
		Doing: fmt.Sprintf("edit merge request %d", number), Method: "PUT", Path: f.path("merge_requests", itoa(number)), In: map[string]string{"description": inert(body)},
	})
}

// developer is the least access level that may push.
const developer = 30

// MayWrite asks for the access of a member, also of the groups above.
func (f *Forge) MayWrite(ctx context.Context, login string) (bool, error) {
	type member struct {
		account
		Level int `json:"access_level"`
	}
	call := rest.Call{Doing: "ask who may write", Path: f.path("members", "all"), Query: url.Values{"query": {login}, "per_page": {"100"}}}
	for m, err := range rest.List[member](ctx, f.client, call) {
		switch {
		case errors.Is(err, forge.ErrNotFound), errors.Is(err, forge.ErrRefused):
			return false, nil
		case err != nil:
			return false, err
		case strings.EqualFold(m.Name, login):
			return m.Level >= developer, nil
		}
	}
	return false, nil
}

// ClosePull closes a merge request.
func (f *Forge) ClosePull(ctx context.Context, number int) error {
	return f.client.Do(ctx, rest.Call{
		Doing: fmt.Sprintf("close merge request %d", number), Method: "PUT", Path: f.path("merge_requests", itoa(number)), In: map[string]string{"state_event": "close"},
	})
}

// Checks returns the jobs of a commit's pipelines. One that may fail counts as
// passed.
func (f *Forge) Checks(ctx context.Context, commit string) (forge.Checks, error) {
	type status struct {
		Name    string `json:"name"`
		Status  string `json:"status"`
		URL     string `json:"target_url"`
		MayFail bool   `json:"allow_failure"`
	}
	var out forge.Checks
	call := rest.Call{Doing: "look at checks", Path: f.path("repository", "commits", commit, "statuses"), Query: url.Values{"per_page": {"100"}}}
	for s, err := range rest.List[status](ctx, f.client, call) { // the latest of each name
		if err != nil {
			return nil, err
		}
		verdict := rest.Verdict(s.Status)
		if verdict == forge.Failed && s.MayFail {
			verdict = forge.Passed
		}
		out = append(out, forge.Check{Name: s.Name, Verdict: verdict, URL: s.URL})
	}
	return out, nil
}
