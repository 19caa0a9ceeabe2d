package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"time"

	"github.com/trimtab/trimtab/forge"
)

// Account is a user as GitHub's API names one; Gitea took its form over, as it did
// for labels and issues.
type Account struct {
	Login string `json:"login"`
	Type  string `json:"type"` // of GitHub: "User", "Bot"
}

// Permitted reports whether an account may write to a repository. GitHub's form of asking,
// which Gitea took over.
func (c *Client) Permitted(ctx context.Context, path string) (bool, error) {
	var p struct {
		Permission string `json:"permission"`
	}
	err := c.Do(ctx, Call{Doing: "ask who may write", Method: "GET", Path: path, Out: &p})
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrRefused) {
		return false, nil
	}
	return p.Permission == "owner" || p.Permission == "admin" || p.Permission == "write" || p.Permission == "maintain", err
}

// Label is a label.
type Label struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// LabelNames returns the names of labels.
func LabelNames(labels []Label) []string {
	var out []string
	for _, l := range labels {
		out = append(out, l.Name)
	}
	return out
}

// issue is an issue. A pull request is one too; in a plain issue that member is
// missing (GitHub) or null (Gitea).
type issue struct {
	Number  int             `json:"number"`
	Title   string          `json:"title"`
	Body    string          `json:"body"`
	User    Account         `json:"user"`
	URL     string          `json:"html_url"`
	State   string          `json:"state"`
	Labels  []Label         `json:"labels"`
	Created time.Time       `json:"created_at"`
	Pull    json.RawMessage `json:"pull_request"`
}

func (i issue) isPull() bool { return len(i.Pull) > 0 && string(i.Pull) != "null" }

func (i issue) ours() forge.Issue {
	out := forge.Issue{Number: i.Number, Title: i.Title, Body: i.Body, Author: i.User.Login, URL: i.URL, Labels: LabelNames(i.Labels), State: forge.Open, Created: i.Created}
	if i.State == "closed" {
		out.State = forge.Closed
	}
	return out
}

// Issue asks for the issue with this number.
func (c *Client) Issue(ctx context.Context, path string, number int) (forge.Issue, error) {
	var i issue
	doing := fmt.Sprintf("look at issue %d", number)
	if err := c.Do(ctx, Call{Doing: doing, Method: "GET", Path: path, Out: &i}); err != nil {
		return forge.Issue{}, err
	}
	if i.isPull() {
		return forge.Issue{}, &forge.Error{Forge: c.opt.Name, Doing: doing, Err: forge.ErrNotFound, Said: "it is a pull request"}
	}
	return i.ours(), nil
}

// Issues yields the issues of a query, without pull requests.
func (c *Client) Issues(ctx context.Context, path string, query url.Values) iter.Seq2[forge.Issue, error] {
	return func(yield func(forge.Issue, error) bool) {
		for i, err := range List[issue](ctx, c, Call{Doing: "list issues", Path: path, Query: query}) {
			if err == nil && i.isPull() {
				continue
			}
			if !yield(i.ours(), err) {
				return
			}
		}
	}
}

// OpenIssue makes an issue.
func (c *Client) OpenIssue(ctx context.Context, path string, t forge.Text) (forge.Issue, error) {
	var i issue
	in := map[string]string{"title": t.Title, "body": t.Body}
	err := c.Do(ctx, Call{Doing: "open issue", Method: "POST", Path: path, In: in, Out: &i})
	if err == nil && i.Number == 0 {
		err = &forge.Error{Forge: c.opt.Name, Doing: "open issue", Err: forge.ErrUnclear, Said: "the answer has no number"}
	}
	return i.ours(), err
}
