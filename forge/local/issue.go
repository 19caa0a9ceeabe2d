package local

import (
	"context"
	"fmt"
	"iter"
	"path"
	"path/filepath"

	"github.com/trimtab/trimtab/forge"
)

func (f *Forge) issue(number int, p page) forge.Issue {
	i := forge.Issue{
		Number: number, Title: p.Title, Body: p.Body, Author: p.Author, Labels: p.Labels, State: forge.Open, Created: p.Created,
		URL: filepath.Join(f.cfg.Folder, filepath.FromSlash(issueFile(number))),
	}
	if p.State == string(forge.Closed) {
		i.State = forge.Closed
	}
	return i
}

func issueFile(number int) string { return path.Join(place("issues", number), "issue.md") }

// Issue returns one.
func (f *Forge) Issue(ctx context.Context, number int) (forge.Issue, error) {
	if err := ctx.Err(); err != nil {
		return forge.Issue{}, err
	}
	p, err := f.read(fmt.Sprintf("look at issue %d", number), issueFile(number))
	if err != nil {
		return forge.Issue{}, err
	}
	return f.issue(number, p), nil
}

// IssuesBy yields the issues of an author. A file that cannot be read ends it:
// what was not seen must not count as not there.
func (f *Forge) IssuesBy(ctx context.Context, author string) iter.Seq2[forge.Issue, error] {
	return func(yield func(forge.Issue, error) bool) {
		all, err := f.numbers("issues")
		if err != nil {
			yield(forge.Issue{}, f.fail("list issues", forge.ErrUnreachable, err.Error()))
			return
		}
		for _, n := range all {
			i, err := f.Issue(ctx, n)
			if err != nil {
				yield(forge.Issue{}, err)
				return
			}
			if i.Author == author && !yield(i, nil) {
				return
			}
		}
	}
}

// OpenIssue makes one.
func (f *Forge) OpenIssue(ctx context.Context, t forge.Text) (forge.Issue, error) {
	if err := ctx.Err(); err != nil {
		return forge.Issue{}, err
	}
	p := page{Title: t.Title, Author: f.cfg.Self, State: string(forge.Open), Created: f.opt.Now().UTC(), Body: t.Body}
	n, err := f.add("issues", map[string][]byte{"issue.md": p.write()})
	if err != nil {
		return forge.Issue{}, f.fail("open issue", forge.ErrUnclear, err.Error())
	}
	return f.issue(n, p), nil
}

// change reads a file, changes it and writes it again.
func (f *Forge) change(ctx context.Context, doing, name string, how func(*page)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.read(doing, name)
	if err != nil {
		return err
	}
	how(&p)
	if err := f.replace(name, p.write()); err != nil {
		return f.fail(doing, forge.ErrUnclear, err.Error())
	}
	return nil
}
