package github

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/internal/rest"
)

// comment is a comment or review in GitHub's words.
type comment struct {
	ID        int64        `json:"id"`
	Body      string       `json:"body"`
	User      rest.Account `json:"user"`
	URL       string       `json:"html_url"`
	Created   time.Time    `json:"created_at"`
	Submitted time.Time    `json:"submitted_at"`
	Path      string       `json:"path"`
	Line      int          `json:"line"` // null once the line is gone
}

func (c comment) ours(review bool) forge.Comment {
	out := forge.Comment{
		ID: strconv.FormatInt(c.ID, 10), Author: c.User.Login, Body: c.Body, URL: c.URL, Review: review, Created: c.Created, Path: c.Path, Line: c.Line,
		Bot: c.User.Type == "Bot" || strings.HasSuffix(c.User.Login, "[bot]"),
	}
	if review {
		out.Created = c.Submitted
	}
	if c.Path != "" { // these have numbers of their own
		out.ID = "line-" + out.ID
	}
	return out
}

// Comments yields comments, then reviews, then comments at lines.
func (f *Forge) Comments(ctx context.Context, on forge.Ref) iter.Seq2[forge.Comment, error] {
	return func(yield func(forge.Comment, error) bool) {
		lists := []string{f.path("issues", itoa(on.Number), "comments")}
		if on.Kind == forge.PullKind {
			lists = append(lists, f.path("pulls", itoa(on.Number), "reviews"), f.path("pulls", itoa(on.Number), "comments"))
		}
		for i, path := range lists {
			call := rest.Call{Doing: fmt.Sprintf("list comments of %s %d", on.Kind, on.Number), Path: path, Query: url.Values{"per_page": {"100"}}}
			for c, err := range rest.List[comment](ctx, f.client, call) {
				if !yield(c.ours(i == 1), err) {
					return
				}
			}
		}
	}
}

// Comment adds one.
func (f *Forge) Comment(ctx context.Context, on forge.Ref, body string) (forge.Comment, error) {
	var c comment
	in := map[string]string{"body": body}
	err := f.client.Do(ctx, rest.Call{Doing: fmt.Sprintf("comment on %s %d", on.Kind, on.Number), Method: "POST", Path: f.path("issues", itoa(on.Number), "comments"), In: in, Out: &c})
	return c.ours(false), err
}

// remark is a comment at a line, on the side of the head.
type remark struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Side string `json:"side"`
	Body string `json:"body"`
}

type review struct {
	Body     string   `json:"body"`
	Event    string   `json:"event"`
	Comments []remark `json:"comments,omitempty"`
}

// Review adds a review. GitHub refuses all of it where one line is not part of
// the change; then the remarks go into the body.
func (f *Forge) Review(ctx context.Context, number int, r forge.Review) (forge.Comment, error) {
	in := review{Body: r.Body, Event: "COMMENT"}
	for _, m := range r.Remarks {
		in.Comments = append(in.Comments, remark{m.Path, m.Line, "RIGHT", m.Body})
	}
	c, err := f.review(ctx, number, in)
	if e, ok := errors.AsType[*forge.Error](err); ok && e.Status == 422 && len(in.Comments) > 0 {
		return f.review(ctx, number, review{Body: r.Flat(), Event: "COMMENT"})
	}
	return c, err
}

func (f *Forge) review(ctx context.Context, number int, in review) (forge.Comment, error) {
	var c comment
	err := f.client.Do(ctx, rest.Call{Doing: fmt.Sprintf("review pull request %d", number), Method: "POST", Path: f.path("pulls", itoa(number), "reviews"), In: in, Out: &c})
	return c.ours(true), err
}

// Label adds labels and makes those that are missing.
func (f *Forge) Label(ctx context.Context, on forge.Ref, want []string) ([]string, error) {
	var have []string
	for l, err := range rest.List[rest.Label](ctx, f.client, rest.Call{Doing: "list labels", Path: f.path("labels"), Query: url.Values{"per_page": {"100"}}}) {
		if err != nil {
			return nil, err
		}
		have = append(have, l.Name)
	}
	var use []string
	for _, name := range want {
		if rest.Holds(have, name) {
			use = append(use, name)
			continue
		}
		in := map[string]string{"name": name, "color": rest.Colour}
		err := f.client.Do(ctx, rest.Call{Doing: "make label " + name, Method: "POST", Path: f.path("labels"), In: in})
		e, _ := errors.AsType[*forge.Error](err)
		switch {
		case err == nil, e != nil && e.Status == 422 && errors.Is(err, forge.ErrRefused) && exists(e):
			use = append(use, name)
		case errors.Is(err, forge.ErrRefused), errors.Is(err, forge.ErrNotFound): // left out
		default:
			return nil, err
		}
	}
	return f.setLabels(ctx, on, use)
}

func exists(e *forge.Error) bool { return e.Said != "" && containsFold(e.Said, "already_exists") }

func (f *Forge) setLabels(ctx context.Context, on forge.Ref, use []string) ([]string, error) {
	var now []rest.Label
	call := rest.Call{Doing: fmt.Sprintf("label %s %d", on.Kind, on.Number), Method: "GET", Path: f.path("issues", itoa(on.Number), "labels"), Out: &now}
	if len(use) > 0 {
		call.Method, call.In = "POST", map[string][]string{"labels": use}
	}
	err := f.client.Do(ctx, call)
	return rest.LabelNames(now), err
}

func containsFold(s, part string) bool { return strings.Contains(strings.ToLower(s), part) }
