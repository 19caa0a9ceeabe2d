package forgetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
)

// World is a forge with an empty repository, made for one test.
type World struct {
	Forge forge.Forge
	Other forge.Forge // the same repository, as another account that may write
	Clock *Clock      // the forge's clock, where it has one of ours

	// CloseIssue closes an issue as a person does: we open issues and never close one.
	CloseIssue func(t testing.TB, number int)
}

// Keys sign the markers of the suites.
func Keys() [][]byte { return [][]byte{[]byte("a key for tests only, 32 bytes..")} }

// Idempotent returns an Idempotent for a world. A second one with the same log is the process
// that follows a crash.
func (w World) Idempotent(t testing.TB, log forge.Log) *forge.Idempotent {
	t.Helper()
	opt := forge.Options{Keys: Keys(), Log: log, Patience: time.Hour}
	if w.Clock != nil {
		opt.Now, opt.Wait = w.Clock.Now, w.Clock.Wait
	}
	c, err := forge.NewIdempotent(w.Forge, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// CloseByFile closes issues of a forge in a folder, as a person who edits the file.
func CloseByFile(f forge.Issues) func(t testing.TB, number int) {
	return func(t testing.TB, number int) {
		t.Helper()
		i, err := f.Issue(t.Context(), number)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(i.URL)
		if err != nil {
			t.Fatal(err)
		}
		closed := strings.Replace(string(text), "\nstate: \"open\"\n", "\nstate: closed\n", 1)
		if closed == string(text) {
			t.Fatalf("issue %d is not open:\n%s", number, text)
		}
		if err := os.WriteFile(i.URL, []byte(closed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Run runs the suite. Each test opens a world of its own, several at a time.
func Run(t *testing.T, open func(t *testing.T) World) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, World)
	}{
		{"the repository says who we are", repo},
		{"an issue comes back as it was opened", issueBack},
		{"the issues of an author are all found, newest first", issuesBy},
		{"what is not there is not found", notFound},
		{"closing twice is no error", closeTwice},
		{"labels are made and set, and set again without harm", labels},
		{"a pull request comes back as it was opened", pullBack},
		{"a second pull request from a branch exists already", pullTwice},
		{"a pull request follows its branch", pullFollows},
		{"a conflict is seen", conflict},
		{"a draft is one", draft},
		{"a branch that is not there cannot be proposed", noBranch},
		{"comments and reviews come back", talk},
		{"a pull request is given another text, and keeps the rest", editPull},
		{"who may write is told, and nobody that is not known may", mayWrite},
		{"a commit without checks has none", noChecks},
		{"P1 the same errand twice makes one thing", twice},
		{"P1 what a predecessor made is found again", successor},
		{"P1 a closed issue is found again", closedFound},
		{"P1 eight at once make one thing", atOnce},
		{"a marker that somebody copied is not ours", copied},
		{"a text that quotes a marker is not taken for it", quoted},
		{"texts that are too long keep their marker", long},
		{"a branch is pushed once, moved forward, and never taken from others", push},
		{"a cancelled context stops everything", cancelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

// all reads a list to its end.
func all[T any](t testing.TB, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var out []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func self(t testing.TB, f forge.Repository) string {
	t.Helper()
	return must[forge.Repo](t)(f.Repo(t.Context())).Self
}

const body = "Das Ruder „klemmt“ 🚢\n\n```go\nfmt.Println(\"<b>&amp;</b>\")\n```\n\n- [ ] one\n<!-- a comment of another -->\nend"

func repo(t *testing.T, w World) {
	r := must[forge.Repo](t)(w.Forge.Repo(t.Context()))
	if r.Name == "" || r.URL == "" || r.Self == "" || r.Base != "main" {
		t.Errorf("%+v", r)
	}
	if other := self(t, w.Other); other == r.Self {
		t.Errorf("both accounts are %q", other)
	}
	if traits := w.Forge.Traits(); traits.Name == "" || traits.Body == 0 || traits.Title == 0 {
		t.Errorf("%+v", traits)
	}
}

func issueBack(t *testing.T, w World) {
	made := must[forge.Issue](t)(w.Forge.OpenIssue(t.Context(), forge.Text{Title: "The rudder “sticks” & more", Body: body}))
	equal(t, "made", forge.Issue{Number: made.Number, Title: made.Title, Body: made.Body, Author: made.Author, State: made.State, URL: made.URL, Created: made.Created},
		forge.Issue{Number: 1, Title: "The rudder “sticks” & more", Body: body, Author: self(t, w.Forge), State: forge.Open, URL: made.URL, Created: made.Created})
	if made.URL == "" || made.Created.IsZero() {
		t.Errorf("%+v", made)
	}
	equal(t, "read", clean(must[forge.Issue](t)(w.Forge.Issue(t.Context(), made.Number))), clean(made))
}

// clean leaves out what says the same in several ways.
func clean(i forge.Issue) forge.Issue {
	if len(i.Labels) == 0 {
		i.Labels = nil
	}
	i.Created = i.Created.UTC().Truncate(time.Second)
	return i
}

func issuesBy(t *testing.T, w World) {
	var want []int
	for i := range 7 { // several pages of a Hub
		n := must[forge.Issue](t)(w.Forge.OpenIssue(t.Context(), forge.Text{Title: fmt.Sprint("issue ", i), Body: "text"})).Number
		want = append([]int{n}, want...)
		if i%3 == 0 {
			must[forge.Issue](t)(w.Other.OpenIssue(t.Context(), forge.Text{Title: "of another", Body: "text"}))
		}
	}
	w.CloseIssue(t, want[3])
	work := NewWork(t, w.Forge)
	work.Branch("feat/one", "left\n")
	must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), forge.Proposal{Text: forge.Text{Title: "no issue", Body: "text"}, Head: "feat/one", Base: "main"}))
	var got []int
	for _, i := range all(t, w.Forge.IssuesBy(t.Context(), self(t, w.Forge))) {
		got = append(got, i.Number)
		wantState := forge.Open
		if i.Number == want[3] {
			wantState = forge.Closed
		}
		if i.State != wantState {
			t.Errorf("issue %d is %s", i.Number, i.State)
		}
	}
	equal(t, "numbers", got, want)
	for range w.Forge.IssuesBy(t.Context(), self(t, w.Forge)) {
		break // reading can stop at any point
	}
}

func notFound(t *testing.T, w World) {
	ctx := t.Context()
	_, issue := w.Forge.Issue(ctx, 404)
	_, pull := w.Forge.Pull(ctx, 404)
	_, comment := w.Forge.Comment(ctx, forge.Ref{Kind: forge.IssueKind, Number: 404}, "text")
	var comments error
	for _, comments = range w.Forge.Comments(ctx, forge.Ref{Kind: forge.PullKind, Number: 404}) {
		break
	}
	for name, err := range map[string]error{"issue": issue, "pull": pull, "comment": comment, "comments": comments, "close": w.Forge.ClosePull(ctx, 404)} {
		if !errors.Is(err, forge.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func closeTwice(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	work.Branch("feat/one", "left\n")
	p := must[forge.Pull](t)(w.Forge.OpenPull(t.Context(), forge.Proposal{Text: forge.Text{Title: "a", Body: "text"}, Head: "feat/one", Base: "main"}))
	for range 2 {
		if err := w.Forge.ClosePull(t.Context(), p.Number); err != nil {
			t.Fatal(err)
		}
	}
	if s := must[forge.Pull](t)(w.Forge.Pull(t.Context(), p.Number)).State; s != forge.Closed {
		t.Errorf("the pull request is %s", s)
	}
}

func labels(t *testing.T, w World) {
	i := must[forge.Issue](t)(w.Forge.OpenIssue(t.Context(), forge.Text{Title: "a", Body: "text"}))
	want := []string{"automated", "priority:high", "type:error_handling", "x:1", "x:2"}
	for range 2 {
		set := must[[]string](t)(w.Forge.Label(t.Context(), i.Ref(), want))
		equal(t, "set", sorted(set), want)
	}
	equal(t, "read", sorted(must[forge.Issue](t)(w.Forge.Issue(t.Context(), i.Number)).Labels), want)
}

func noChecks(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	commit := work.Branch("feat/one", "left\n")
	if v := must[forge.Checks](t)(w.Forge.Checks(t.Context(), commit)).Verdict(); v != forge.NoChecks {
		t.Error(v)
	}
}

func cancelled(t *testing.T, w World) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, open := w.Forge.OpenIssue(ctx, forge.Text{Title: "a", Body: "text"})
	_, issue := w.Idempotent(t, &Log{}).Issue(ctx, "id", forge.Text{Title: "a", Body: "text"}, nil)
	for name, err := range map[string]error{"open": open, "once": issue} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got := all(t, w.Forge.IssuesBy(t.Context(), self(t, w.Forge))); len(got) != 0 {
		t.Errorf("%d issues", len(got))
	}
}

func push(t *testing.T, w World) {
	work := NewWork(t, w.Forge)
	once := w.Idempotent(t, &Log{})
	work.At("main")
	one := work.Commit("rudder.txt", "left\n")
	two := work.Commit("rudder.txt", "right\n")
	for _, u := range []git.Update{
		{Branch: "feat/one", To: one},
		{Branch: "feat/one", To: one}, // again
		{Branch: "feat/one", From: one, To: two},
		{Branch: "feat/one", From: one, To: two}, // again
	} {
		if err := once.Push(t.Context(), work.Tree, u); err != nil {
			t.Fatal(err)
		}
	}
	work.At("main")
	aside := work.Commit("rudder.txt", "aside\n")
	for name, u := range map[string]git.Update{
		"a branch that is there":     {Branch: "feat/one", To: aside},
		"a branch that moved":        {Branch: "feat/one", From: one, To: aside},
		"a change that leaves a way": {Branch: "feat/one", From: two, To: aside},
	} {
		if err := once.Push(t.Context(), work.Tree, u); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if now, err := work.Tree.Branch(t.Context(), w.Forge.Remote(), "feat/one"); err != nil || now != two {
		t.Errorf("the branch is at %s: %v", now, err)
	}
	if err := once.Push(t.Context(), work.Tree, git.Update{Branch: "feat/one", From: two}); err != nil {
		t.Errorf("removing it: %v", err)
	}
	if now, err := work.Tree.Branch(t.Context(), w.Forge.Remote(), "feat/one"); err != nil || now != "" {
		t.Errorf("the branch is still at %s: %v", now, err)
	}
}

func atOnce(t *testing.T, w World) {
	once := w.Idempotent(t, &Log{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := once.Issue(t.Context(), "one", forge.Text{Title: "a", Body: "text"}, []string{"automated"}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := all(t, w.Forge.IssuesBy(t.Context(), self(t, w.Forge))); len(got) != 1 {
		t.Errorf("%d issues", len(got))
	}
}

func long(t *testing.T, w World) {
	once := w.Idempotent(t, &Log{})
	text := forge.Text{Title: strings.Repeat("lang ", 200), Body: strings.Repeat("Ünïcode und mehr\n", 80_000)}
	first := must[forge.Issue](t)(once.Issue(t.Context(), "long", text, nil))
	second := must[forge.Issue](t)(once.Issue(t.Context(), "long", text, nil))
	equal(t, "numbers", second.Number, first.Number)
}
