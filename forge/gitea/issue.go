package gitea

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/internal/rest"
)

type account struct {
	Login string `json:"login"`
}

type label struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// issue is an issue in Gitea's words. A pull request is one too; a plain issue
// says null there.
type issue struct {
	Number  int             `json:"number"`
	Title   string          `json:"title"`
	Body    string          `json:"body"`
	User    account         `json:"user"`
	URL     string          `json:"html_url"`
	State   string          `json:"state"`
	Labels  []label         `json:"labels"`
	Created time.Time       `json:"created_at"`
	Pull    json.RawMessage `json:"pull_request"`
}

func (i issue) isPull() bool { return len(i.Pull) > 0 && string(i.Pull) != "null" }

func (i issue) ours() forge.Issue {
	out := forge.Issue{Number: i.Number, Title: i.Title, Body: i.Body, Author: i.User.Login, URL: i.URL, Labels: names(i.Labels), State: forge.Open, Created: i.Created}
	if i.State == "closed" {
		out.State = forge.Closed
	}
	return out
}

func names(labels []label) []string {
	var out []string
	for _, l := range labels {
		out = append(out, l.Name)
	}
	return out
}

// Issue returns one.
func (f *Forge) Issue(ctx context.Context, number int) (forge.Issue, error) {
	var i issue
	doing := fmt.Sprintf("look at issue %d", number)
	if err := f.client.Do(ctx, rest.Call{Doing: doing, Method: "GET", Path: f.path("issues", itoa(number)), Out: &i}); err != nil {
		return forge.Issue{}, err
	}
	if i.isPull() {
		return forge.Issue{}, &forge.Error{Forge: "gitea", Doing: doing, Err: forge.ErrNotFound, Said: "it is a pull request"}
	}
	return i.ours(), nil
}

// IssuesBy yields the issues of an author. Without a keyword Gitea reads its
// database and not its index.
func (f *Forge) IssuesBy(ctx context.Context, author string) iter.Seq2[forge.Issue, error] {
	return func(yield func(forge.Issue, error) bool) {
		query := url.Values{"state": {"all"}, "type": {"issues"}, "created_by": {author}, "limit": {"50"}}
		for i, err := range rest.List[issue](ctx, f.client, rest.Call{Doing: "list issues", Path: f.path("issues"), Query: query}) {
			if err == nil && i.isPull() {
				continue
			}
			if !yield(i.ours(), err) {
				return
			}
		}
	}
}

// OpenIssue makes one.
func (f *Forge) OpenIssue(ctx context.Context, t forge.Text) (forge.Issue, error) {
	var i issue
	in := map[string]string{"title": t.Title, "body": t.Body}
	err := f.client.Do(ctx, rest.Call{Doing: "open issue", Method: "POST", Path: f.path("issues"), In: in, Out: &i})
	if err == nil && i.Number == 0 {
		err = &forge.Error{Forge: "gitea", Doing: "open issue", Err: forge.ErrUnclear, Said: "the answer has no number"}
	}
	return i.ours(), err
}
