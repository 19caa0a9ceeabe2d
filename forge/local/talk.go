package local

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/forge"
)

// file is the page of an issue or pull request.
func file(on forge.Ref) string {
	if on.Kind == forge.PullKind {
		return pullFile(on.Number)
	}
	return issueFile(on.Number)
}

func (f *Forge) comment(name string, p page) forge.Comment {
	id := strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "comment-"), ".md")
	return forge.Comment{ID: id, Author: p.Author, Body: p.Body, Review: p.Review, Created: p.Created, URL: filepath.Join(f.cfg.Folder, filepath.FromSlash(name))}
}

// Comments yields comments and reviews, oldest first.
func (f *Forge) Comments(ctx context.Context, on forge.Ref) iter.Seq2[forge.Comment, error] {
	return func(yield func(forge.Comment, error) bool) {
		doing := fmt.Sprintf("list comments of %s %d", on.Kind, on.Number)
		if _, err := f.read(doing, file(on)); err != nil {
			yield(forge.Comment{}, err)
			return
		}
		entries, err := f.entries(path.Dir(file(on)))
		if err != nil {
			yield(forge.Comment{}, f.fail(doing, forge.ErrUnreachable, err.Error()))
			return
		}
		var names []string
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "comment-") && strings.HasSuffix(e.Name(), ".md") {
				names = append(names, path.Join(path.Dir(file(on)), e.Name()))
			}
		}
		slices.Sort(names) // they begin with the time
		for _, name := range names {
			p, err := f.spoken(doing, name)
			if err == nil {
				err = ctx.Err()
			}
			if !yield(f.comment(name, p), err) || err != nil {
				return
			}
		}
	}
}

// spoken reads a comment. A person may put down a file with words alone.
func (f *Forge) spoken(doing, name string) (page, error) {
	file, err := f.root.Open(name)
	if err != nil {
		return page{}, f.fail(doing, forge.ErrUnreachable, err.Error())
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxPage+1))
	if err != nil {
		return page{}, f.fail(doing, forge.ErrUnreachable, err.Error())
	}
	if !strings.HasPrefix(string(raw), fence) {
		p := page{Author: "person", Body: strings.TrimSpace(string(raw[:min(len(raw), maxPage)]))}
		if info, err := file.Stat(); err == nil {
			p.Created = info.ModTime().UTC()
		}
		return p, nil
	}
	return f.read(doing, name)
}

// Comment adds one.
func (f *Forge) Comment(ctx context.Context, on forge.Ref, body string) (forge.Comment, error) {
	return f.say(ctx, on, page{Body: body})
}

// Review adds a review with its remarks below.
func (f *Forge) Review(ctx context.Context, number int, r forge.Review) (forge.Comment, error) {
	return f.say(ctx, forge.Ref{Kind: forge.PullKind, Number: number}, page{Body: r.Flat(), Review: true})
}

func (f *Forge) say(ctx context.Context, on forge.Ref, p page) (forge.Comment, error) {
	doing := fmt.Sprintf("comment on %s %d", on.Kind, on.Number)
	if err := ctx.Err(); err != nil {
		return forge.Comment{}, err
	}
	if _, err := f.read(doing, file(on)); err != nil {
		return forge.Comment{}, err
	}
	p.Author, p.Created = f.cfg.Self, f.opt.Now().UTC()
	name := path.Join(path.Dir(file(on)), "comment-"+p.Created.Format("20060102T150405.000000000Z")+"-"+f.opt.Name()+".md")
	if err := f.replace(name, p.write()); err != nil {
		return forge.Comment{}, f.fail(doing, forge.ErrUnclear, err.Error())
	}
	return f.comment(name, p), nil
}

// Label adds labels. Every label is permitted here.
func (f *Forge) Label(ctx context.Context, on forge.Ref, want []string) ([]string, error) {
	var now []string
	err := f.change(ctx, fmt.Sprintf("label %s %d", on.Kind, on.Number), file(on), func(p *page) {
		for _, l := range want {
			if !slices.ContainsFunc(p.Labels, func(has string) bool { return strings.EqualFold(has, l) }) {
				p.Labels = append(p.Labels, l)
			}
		}
		now = p.Labels
	})
	return now, err
}
