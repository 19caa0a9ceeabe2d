package gitlab

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/internal/rest"
)

type account struct {
	Name string `json:"username"`
}

// issue is an issue in GitLab's words; its number is the one within the project.
type issue struct {
	Number  int       `json:"iid"`
	Title   string    `json:"title"`
	Body    string    `json:"description"`
	Author  account   `json:"author"`
	URL     string    `json:"web_url"`
	State   string    `json:"state"`
	Labels  []string  `json:"labels"`
	Created time.Time `json:"created_at"`
}

func (i issue) ours() forge.Issue {
	out := forge.Issue{Number: i.Number, Title: i.Title, Body: i.Body, Author: i.Author.Name, URL: i.URL, Labels: i.Labels, State: forge.Open, Created: i.Created}
	if i.State == "closed" {
		out.State = forge.Closed
	}
	return out
}

// Issue returns one.
func (f *Forge) Issue(ctx context.Context, number int) (forge.Issue, error) {
	var i issue
	err := f.client.Do(ctx, rest.Call{Doing: fmt.Sprintf("look at issue %d", number), Method: "GET", Path: f.path("issues", itoa(number)), Out: &i})
	if err != nil {
		return forge.Issue{}, err
	}
	return i.ours(), nil
}

// IssuesBy yields the issues of an author.
func (f *Forge) IssuesBy(ctx context.Context, author string) iter.Seq2[forge.Issue, error] {
	return func(yield func(forge.Issue, error) bool) {
		query := url.Values{"scope": {"all"}, "author_username": {author}, "order_by": {"created_at"}, "sort": {"desc"}, "per_page": {"100"}}
		for i, err := range rest.List[issue](ctx, f.client, rest.Call{Doing: "list issues", Path: f.path("issues"), Query: query}) {
			if !yield(i.ours(), err) {
				return
			}
		}
	}
}

// OpenIssue makes one.
func (f *Forge) OpenIssue(ctx context.Context, t forge.Text) (forge.Issue, error) {
	var i issue
	in := map[string]string{"title": t.Title, "description": inert(t.Body)}
	err := f.client.Do(ctx, rest.Call{Doing: "open issue", Method: "POST", Path: f.path("issues"), In: in, Out: &i})
	if err == nil && i.Number == 0 {
		err = &forge.Error{Forge: "gitlab", Doing: "open issue", Err: forge.ErrUnclear, Said: "the answer has no number"}
	}
	return i.ours(), err
}
