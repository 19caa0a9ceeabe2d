package gitea

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/internal/rest"
)

// comment is a comment or review in Gitea's words.
type comment struct {
	ID        int64        `json:"id"`
	Body      string       `json:"body"`
	User      rest.Account `json:"user"`
	URL       string       `json:"html_url"`
	Created   time.Time    `json:"created_at"`
	Submitted time.Time    `json:"submitted_at"`
	Remarks   int          `json:"comments_count"` // of a review: comments at lines
	Path      string       `json:"path"`
	Line      int          `json:"position"`
}

func (c comment) ours(review bool) forge.Comment {
	out := forge.Comment{ID: strconv.FormatInt(c.ID, 10), Author: c.User.Login, Body: c.Body, URL: c.URL, Review: review, Created: c.Created, Path: c.Path, Line: c.Line}
	if review {
		out.Created = c.Submitted
	}
	return out
}

// Comments yields comments, which Gitea lists whole, then reviews, each with its
// comments at lines, which are listed by review.
func (f *Forge) Comments(ctx context.Context, on forge.Ref) iter.Seq2[forge.Comment, error] {
	return func(yield func(forge.Comment, error) bool) {
		doing := fmt.Sprintf("list comments of %s %d", on.Kind, on.Number)
		calls := []rest.Call{{Doing: doing, Path: f.path("issues", itoa(on.Number), "comments"), Query: url.Values{}}}
		if on.Kind == forge.PullKind {
			calls = append(calls, rest.Call{Doing: doing, Path: f.path("pulls", itoa(on.Number), "reviews"), Query: url.Values{"limit": {"50"}}})
		}
		for i, call := range calls {
			for c, err := range rest.List[comment](ctx, f.client, call) {
				if !yield(c.ours(i == 1), f.missing(ctx, on, err)) {
					return
				}
				if err != nil || c.Remarks == 0 {
					continue
				}
				at := rest.Call{Doing: doing, Path: f.path("pulls", itoa(on.Number), "reviews", strconv.FormatInt(c.ID, 10), "comments"), Query: url.Values{}}
				for r, err := range rest.List[comment](ctx, f.client, at) {
					line := r.ours(false)
					line.ID = "line-" + line.ID
					if !yield(line, err) {
						return
					}
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
	return c.ours(false), f.missing(ctx, on, err)
}

// missing tells a comment on nothing from a server in trouble: Gitea answers
// both with 500.
func (f *Forge) missing(ctx context.Context, on forge.Ref, err error) error {
	e, ok := errors.AsType[*forge.Error](err)
	if !ok || e.Status != http.StatusInternalServerError {
		return err
	}
	if gone := f.client.Do(ctx, rest.Call{Doing: e.Doing, Method: "GET", Path: f.path("issues", itoa(on.Number))}); errors.Is(gone, forge.ErrNotFound) {
		return gone
	}
	return err
}

// Review adds a review with its remarks in the body: at a line that is no part of
// the change Gitea breaks off with half a review made.
func (f *Forge) Review(ctx context.Context, number int, r forge.Review) (forge.Comment, error) {
	var c comment
	in := map[string]string{"body": r.Flat(), "event": "COMMENT"}
	err := f.client.Do(ctx, rest.Call{Doing: fmt.Sprintf("review pull request %d", number), Method: "POST", Path: f.path("pulls", itoa(number), "reviews"), In: in, Out: &c})
	return c.ours(true), err
}

// Label adds labels and makes those that are missing. Gitea sets them by id.
func (f *Forge) Label(ctx context.Context, on forge.Ref, want []string) ([]string, error) {
	var have []rest.Label
	for l, err := range rest.List[rest.Label](ctx, f.client, rest.Call{Doing: "list labels", Path: f.path("labels"), Query: url.Values{"limit": {"50"}}}) {
		if err != nil {
			return nil, err
		}
		have = append(have, l)
	}
	var use []int64
	for _, name := range want {
		id, err := f.labelID(ctx, have, name)
		switch {
		case err == nil:
			use = append(use, id)
		case errors.Is(err, forge.ErrRefused), errors.Is(err, forge.ErrNotFound): // left out
		default:
			return nil, err
		}
	}
	var now []rest.Label
	call := rest.Call{Doing: fmt.Sprintf("label %s %d", on.Kind, on.Number), Method: "GET", Path: f.path("issues", itoa(on.Number), "labels"), Out: &now}
	if len(use) > 0 {
		call.Method, call.In = "POST", map[string][]int64{"labels": use}
	}
	err := f.client.Do(ctx, call)
	return rest.LabelNames(now), err
}

// labelID finds a label or makes it.
func (f *Forge) labelID(ctx context.Context, have []rest.Label, name string) (int64, error) {
	for _, l := range have {
		if rest.Holds([]string{l.Name}, name) {
			return l.ID, nil
		}
	}
	var made rest.Label
	in := map[string]string{"name": name, "color": "#" + rest.Colour}
	err := f.client.Do(ctx, rest.Call{Doing: "make label " + name, Method: "POST", Path: f.path("labels"), In: in, Out: &made})
	return made.ID, err
}
