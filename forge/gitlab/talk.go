package gitlab

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

// note is a comment in GitLab's words.
type note struct {
	ID      int64     `json:"id"`
	Body    string    `json:"body"`
	Author  account   `json:"author"`
	System  bool      `json:"system"`
	Created time.Time `json:"created_at"`
	At      struct {
		Path string `json:"new_path"`
		Line int    `json:"new_line"`
	} `json:"position"`
}

func (n note) ours() forge.Comment {
	return forge.Comment{ID: strconv.FormatInt(n.ID, 10), Author: n.Author.Name, Body: n.Body, Created: n.Created, Path: n.At.Path, Line: n.At.Line}
}

// place is the path of an issue or merge request.
func (f *Forge) place(on forge.Ref, parts ...string) string {
	list := "issues"
	if on.Kind == forge.PullKind {
		list = "merge_requests"
	}
	return f.path(append([]string{list, itoa(on.Number)}, parts...)...)
}

// Comments yields comments, without what GitLab itself notes down.
func (f *Forge) Comments(ctx context.Context, on forge.Ref) iter.Seq2[forge.Comment, error] {
	return func(yield func(forge.Comment, error) bool) {
		call := rest.Call{
			Doing: fmt.Sprintf("list comments of %s %d", on.Kind, on.Number), Path: f.place(on, "notes"),
			Query: url.Values{"order_by": {"created_at"}, "sort": {"asc"}, "per_page": {"100"}},
		}
		for n, err := range rest.List[note](ctx, f.client, call) {
			if err == nil && n.System {
				continue
			}
			if !yield(n.ours(), err) {
				return
			}
		}
	}
}

// Comment adds one.
func (f *Forge) Comment(ctx context.Context, on forge.Ref, body string) (forge.Comment, error) {
	var n note
	in := map[string]string{"body": inert(body)}
	err := f.client.Do(ctx, rest.Call{Doing: fmt.Sprintf("comment on %s %d", on.Kind, on.Number), Method: "POST", Path: f.place(on, "notes"), In: in, Out: &n})
	return n.ours(), err
}

// Review adds a review as one comment: at GitLab a remark at a line is a request
// of its own, and several could not be made once.
func (f *Forge) Review(ctx context.Context, number int, r forge.Review) (forge.Comment, error) {
	c, err := f.Comment(ctx, forge.Ref{Kind: forge.PullKind, Number: number}, r.Flat())
	c.Review = err == nil
	return c, err
}

// Label adds labels and makes those that are missing. GitLab parts labels by
// commas, so one with a comma in it is left out.
func (f *Forge) Label(ctx context.Context, on forge.Ref, want []string) ([]string, error) {
	type label struct {
		Name string `json:"name"`
	}
	var have []string
	for l, err := range rest.List[label](ctx, f.client, rest.Call{Doing: "list labels", Path: f.path("labels"), Query: url.Values{"per_page": {"100"}}}) {
		if err != nil {
			return nil, err
		}
		have = append(have, l.Name)
	}
	var use []string
	for _, name := range want {
		if strings.Contains(name, ",") {
			continue
		}
		if rest.Holds(have, name) {
			use = append(use, name)
			continue
		}
		in := map[string]string{"name": name, "color": "#" + rest.Colour}
		err := f.client.Do(ctx, rest.Call{Doing: "make label " + name, Method: "POST", Path: f.path("labels"), In: in})
		switch {
		case err == nil, errors.Is(err, forge.ErrExists):
			use = append(use, name)
		case errors.Is(err, forge.ErrRefused), errors.Is(err, forge.ErrNotFound): // left out
		default:
			return nil, err
		}
	}
	var now struct {
		Labels []string `json:"labels"`
	}
	call := rest.Call{Doing: fmt.Sprintf("label %s %d", on.Kind, on.Number), Method: "GET", Path: f.place(on), Out: &now}
	if len(use) > 0 {
		call.Method, call.In = "PUT", map[string]string{"add_labels": strings.Join(use, ",")}
	}
	err := f.client.Do(ctx, call)
	return now.Labels, err
}
