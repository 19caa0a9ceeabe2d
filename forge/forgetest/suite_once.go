package forgetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
)

// effect is something that an Idempotent does under an id.
type effect struct {
	name string
	ends []string // how the path of the request ends that makes it, at any forge
	do   func(t *testing.T, c *forge.Idempotent) (any, error)
}

// effects are all of them, for a world with an issue, a branch and a pull request.
func effects(on forge.Ref, pull int) []effect {
	text := forge.Text{Title: "Improve error patterns handling", Body: body}
	return []effect{
		{"issue", []string{"/issues"}, func(t *testing.T, c *forge.Idempotent) (any, error) {
			i, err := c.Issue(t.Context(), "fingerprint:1", text, []string{"automated"})
			return i.Number, err
		}},
		{"pull request", []string{"/pulls", "/merge_requests"}, func(t *testing.T, c *forge.Idempotent) (any, error) {
			p := proposal("feat/two")
			got, err := c.Pull(t.Context(), "workflow_20261115_101500_k3x9", p, []string{"automated"})
			return got.Number, err
		}},
		{"comment", []string{"/comments", "/notes"}, func(t *testing.T, c *forge.Idempotent) (any, error) {
			got, err := c.Comment(t.Context(), "stopped", on, "It stopped at step 5.")
			return got.ID, err
		}},
		{"review", []string{"/reviews", "/notes"}, func(t *testing.T, c *forge.Idempotent) (any, error) {
			got, err := c.Review(t.Context(), "review", pull, forge.Review{Body: "Looks right.", Remarks: []forge.Remark{{Path: "rudder.txt", Line: 1, Body: "why?"}}})
			return got.ID, err
		}},
	}
}

// stage makes what the effects need.
func stage(t *testing.T, w World) (on forge.Ref, pull int) {
	t.Helper()
	work := NewWork(t, w.Forge)
	work.Branch("feat/one", "left\n")
	work.Branch("feat/two", "right\n")
	return set(t, w)
}

// set makes what the effects need where the branches are there.
func set(t *testing.T, w World) (on forge.Ref, pull int) {
	t.Helper()
	issue := must[forge.Issue](t)(w.Forge.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"}))
	return issue.Ref(), must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/one"))).Number
}

// things counts all that there is.
func things(t *testing.T, w World, on forge.Ref, pull int) map[string]int {
	t.Helper()
	return map[string]int{
		"issues":         len(all(t, w.Forge.IssuesBy(t.Context(), self(t, w.Forge)))),
		"pull requests":  len(all(t, w.Forge.PullsFrom(t.Context(), "feat/two"))),
		"issue comments": len(all(t, w.Forge.Comments(t.Context(), on))),
		"pull comments":  len(all(t, w.Forge.Comments(t.Context(), forge.Ref{Kind: forge.PullKind, Number: pull}))),
	}
}

// one is what things counts when each effect was done once.
func one() map[string]int {
	return map[string]int{"issues": 2, "pull requests": 1, "issue comments": 1, "pull comments": 1}
}

func twice(t *testing.T, w World) {
	on, pull := stage(t, w)
	once := w.Idempotent(t, &Log{})
	for _, d := range effects(on, pull) {
		first := must[any](t)(d.do(t, once))
		equal(t, d.name, must[any](t)(d.do(t, once)), first)
	}
	equal(t, "things", things(t, w, on, pull), one())
}

func successor(t *testing.T, w World) {
	on, pull := stage(t, w)
	log := &Log{}
	for _, d := range effects(on, pull) {
		first := must[any](t)(d.do(t, w.Idempotent(t, log)))
		equal(t, d.name, must[any](t)(d.do(t, w.Idempotent(t, log))), first)
		equal(t, d.name+" without the log", must[any](t)(d.do(t, w.Idempotent(t, &Log{}))), first)
	}
	equal(t, "things", things(t, w, on, pull), one())
}

func closedFound(t *testing.T, w World) {
	once := w.Idempotent(t, &Log{})
	text := forge.Text{Title: "a", Body: "text"}
	if _, ok, err := once.Find(t.Context(), "f:1"); ok || err != nil {
		t.Fatalf("before: %v %v", ok, err)
	}
	first := must[forge.Issue](t)(once.Issue(t.Context(), "f:1", text, nil))
	w.CloseIssue(t, first.Number)
	again := must[forge.Issue](t)(once.Issue(t.Context(), "f:1", text, nil))
	equal(t, "again", []any{again.Number, again.State}, []any{first.Number, forge.Closed})
	if found, ok, err := once.Find(t.Context(), "f:1"); !ok || err != nil || found.Number != first.Number {
		t.Errorf("found %+v %v %v", found, ok, err)
	}
	if _, ok, err := once.Find(t.Context(), "f:2"); ok || err != nil {
		t.Errorf("another: %v %v", ok, err)
	}
}

func copied(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	work.Branch("feat/two", "right\n")
	signer, err := forge.NewSigner(Keys()...)
	if err != nil {
		t.Fatal(err)
	}
	text := must[string](t)(signer.Sign("not by us", forge.Marker{Kind: "issue", ID: "f:1"}))
	theirs := must[forge.Issue](t)(w.Other.OpenIssue(t.Context(), forge.Text{Title: "a", Body: text}))
	once := w.Idempotent(t, &Log{})
	ours := must[forge.Issue](t)(once.Issue(t.Context(), "f:1", forge.Text{Title: "a", Body: "text"}, nil))
	if ours.Number == theirs.Number {
		t.Error("an issue of somebody else was taken for ours")
	}
	p := proposal("feat/two")
	p.Body = must[string](t)(signer.Sign("not by us", forge.Marker{Kind: "pull", ID: "w:1"}))
	must[forge.Pull](t)(w.Other.OpenPull(t.Context(), p))
	if got, err := once.Pull(t.Context(), "w:1", proposal("feat/two"), nil); !errors.Is(err, forge.ErrExists) {
		t.Errorf("a pull request of somebody else: %+v %v", got, err)
	}
}

func quoted(t *testing.T, w World) {
	once := w.Idempotent(t, &Log{})
	first := must[forge.Issue](t)(once.Issue(t.Context(), "f:1", forge.Text{Title: "a", Body: "text"}, nil))
	raw := must[forge.Issue](t)(w.Forge.Issue(t.Context(), first.Number)).Body
	stolen := strings.Replace(raw, "text", "a transcript that shows: ", 1)
	w.CloseIssue(t, first.Number)
	second := must[forge.Issue](t)(once.Issue(t.Context(), "f:2", forge.Text{Title: "b", Body: stolen}, nil))
	signer, err := forge.NewSigner(Keys()...)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "markers", signer.Markers(must[forge.Issue](t)(w.Forge.Issue(t.Context(), second.Number)).Body), []forge.Marker{{Kind: "issue", ID: "f:2"}})
}
