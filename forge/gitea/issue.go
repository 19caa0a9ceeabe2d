package gitea

import (
	"context"
	"iter"
	"net/url"

	"github.com/trimtab/trimtab/forge"
)

// Issue returns one.
func (f *Forge) Issue(ctx context.Context, number int) (forge.Issue, error) {
	return f.client.Issue(ctx, f.path("issues", itoa(number)), number)
}

// IssuesBy yields the issues of an author. Without a keyword Gitea reads its
// database and not its index.
func (f *Forge) IssuesBy(ctx context.Context, author string) iter.Seq2[forge.Issue, error] {
	return f.client.Issues(ctx, f.path("issues"), url.Values{"state": {"all"}, "type": {"issues"}, "created_by": {author}, "limit": {"50"}})
}

// OpenIssue makes one.
func (f *Forge) OpenIssue(ctx context.Context, t forge.Text) (forge.Issue, error) {
	return f.client.OpenIssue(ctx, f.path("issues"), t)
}
