package forgetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
)

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

func proposal(head string) forge.Proposal {
	return forge.Proposal{Text: forge.Text{Title: "Automated improvement: rudder", Body: body}, Head: head, Base: "main"}
}

func pullBack(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	commit := work.Branch("feat/issue-1-rudder", "left\n")
	made := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/issue-1-rudder")))
	if made.Number == 0 || made.URL == "" {
		t.Errorf("%+v", made)
	}
	read := must[forge.Pull](t)(w.Forge.Pull(t.Context(), made.Number))
	equal(t, "read", []any{read.Title, read.Body, read.Author, read.State, read.Head, read.Base, read.Commit, read.Draft},
		[]any{"Automated improvement: rudder", body, self(t, w.Forge), forge.Open, "feat/issue-1-rudder", "main", commit, false})
	if merge := w.merge(t, made.Number, forge.MergeClean); merge != forge.MergeClean {
		t.Errorf("merging would be %q", merge)
	}
	work.Branch("feat/issue-1-rudder-2", "right\n")
	must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/issue-1-rudder-2")))
	var found []int
	for _, p := range all(t, w.Forge.PullsFrom(t.Context(), "feat/issue-1-rudder")) {
		found = append(found, p.Number)
	}
	equal(t, "found", found, []int{made.Number})
}

// merge asks until the forge has found out. A fake knows at once.
func (w World) merge(t *testing.T, number int, want forge.Merge) forge.Merge {
	t.Helper()
	var got forge.Merge
	for range 200 {
		got = must[forge.Pull](t)(w.Forge.Pull(t.Context(), number)).Merge
		if got == want || w.Clock != nil {
			break
		}
	}
	return got
}

func pullTwice(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	work.Branch("feat/one", "left\n")
	first := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/one")))
	if _, err := w.Forge.OpenPull(t.Context(), proposal("feat/one")); !errors.Is(err, forge.ErrExists) {
		t.Errorf("the second: %v", err)
	}
	if err := w.Forge.ClosePull(t.Context(), first.Number); err != nil {
		t.Fatal(err)
	}
	again := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/one")))
	var found []int
	for _, p := range all(t, w.Forge.PullsFrom(t.Context(), "feat/one")) {
		found = append(found, p.Number)
	}
	equal(t, "found, newest first", found, []int{again.Number, first.Number})
}

func pullFollows(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	one := work.Branch("feat/one", "left\n")
	made := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/one")))
	two := work.Commit("rudder.txt", "more left\n")
	work.Push("feat/one", one, two)
	got := ""
	for range 200 { // a real forge may need a moment
		if got = must[forge.Pull](t)(w.Forge.Pull(t.Context(), made.Number)).Commit; got == two {
			return
		}
	}
	t.Errorf("the head is %s, not %s", got, two)
}

func conflict(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	work.Branch("feat/one", "left\n")
	base := strings.TrimSpace(work.run("rev-parse", "main"))
	work.At("main")
	work.Push("main", base, work.Commit("rudder.txt", "right\n"))
	made := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/one")))
	if merge := w.merge(t, made.Number, forge.MergeConflict); merge != forge.MergeConflict {
		t.Errorf("merging would be %q", merge)
	}
}

func draft(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	work.Branch("feat/one", "left\n")
	p := proposal("feat/one")
	p.Draft = true
	made := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), p))
	if read := must[forge.Pull](t)(w.Forge.Pull(t.Context(), made.Number)); !read.Draft || !strings.HasSuffix(read.Title, p.Title) {
		t.Errorf("%+v", read)
	}
}

func noBranch(t *testing.T, w World) {
	NewWork(t, w.Forge)
	_, err := w.Forge.OpenPull(t.Context(), proposal("feat/none"))
	if !errors.Is(err, forge.ErrRefused) && !errors.Is(err, forge.ErrNotFound) {
		t.Error(err)
	}
}

func editPull(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	work.Branch("feat/one", "left\n")
	made := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/one")))
	for range 2 {
		if err := w.Forge.EditPull(t.Context(), made.Number, "other words\n\n- a list"); err != nil {
			t.Fatal(err)
		}
	}
	read := must[forge.Pull](t)(w.Forge.Pull(t.Context(), made.Number))
	equal(t, "read", []any{read.Title, read.Body, read.State, read.Head}, []any{made.Title, "other words\n\n- a list", forge.Open, "feat/one"})
}

func mayWrite(t *testing.T, w World) {
	NewWork(t, w.Forge)
	for login, want := range map[string]bool{self(t, w.Forge): true, self(t, w.Other): true, "nobody-of-this-name": false} {
		got, err := w.Forge.MayWrite(t.Context(), login)
		if err != nil || got != want && w.Forge.Traits().Name != "local" { // whoever has the folder may there
			t.Errorf("%s: %v, %v", login, got, err)
		}
	}
}

func talk(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	work.Branch("feat/one", "left\n")
	issue := must[forge.Issue](t)(w.Forge.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"}))
	pull := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), proposal("feat/one")))
	for _, on := range []forge.Ref{issue.Ref(), pull.Ref()} {
		want := []string{}
		for _, text := range []string{"first", "second", "third", "fourth", body} { // several pages of a Hub
			c := must[forge.Comment](t)(w.Forge.Comment(t.Context(), on, text))
			if c.ID == "" || c.Author != self(t, w.Forge) || c.Body != text {
				t.Errorf("made %+v", c)
			}
			want = append(want, text)
		}
		got := []string{}
		for _, c := range all(t, w.Forge.Comments(t.Context(), on)) {
			got = append(got, c.Body)
		}
		equal(t, string(on.Kind), sorted(got), sorted(want))
	}
	for _, line := range []int{1, 5000} { // the second is not part of the change
		r := forge.Review{Body: "a review", Remarks: []forge.Remark{{Path: "rudder.txt", Line: line, Body: "why left?"}}}
		must[forge.Comment](t)(w.Forge.Review(t.Context(), pull.Number, r))
	}
	reviews := 0
	for _, c := range all(t, w.Forge.Comments(t.Context(), pull.Ref())) {
		if strings.HasPrefix(c.Body, "a review") {
			reviews++
		}
	}
	if reviews != 2 {
		t.Errorf("%d reviews", reviews)
	}
}
