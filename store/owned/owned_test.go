package owned_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/store/storetest"
)

func noon() time.Time { return time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC) }

func part(t *testing.T, st trimtab.Archive, opt owned.Options) *owned.Store {
	t.Helper()
	s, err := owned.New(st, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func begin(t *testing.T, st trimtab.Store, id, project string, at time.Time) {
	t.Helper()
	s := trimtab.NewSession(id, at)
	s.Project = project
	if _, err := st.Commit(t.Context(), trimtab.Commit{Session: s}); err != nil {
		t.Fatal(err)
	}
}

func ids(t *testing.T, list iter.Seq2[trimtab.Info, error]) (all []string) {
	t.Helper()
	for info, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, info.ID)
	}
	return all
}

func drain[T any](list iter.Seq2[T, error]) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestArchive: who has a store alone has all of it.
func TestArchive(t *testing.T) {
	storetest.Run(t, func(t *testing.T) trimtab.Archive { return part(t, memory.New(), owned.Options{}) })
}

// TestX2_NobodyReadsOrChangesAnothersSession, on a server and in a file.
func TestX2_NobodyReadsOrChangesAnothersSession(t *testing.T) {
	for _, shared := range []bool{true, false} {
		inner := memory.New()
		ann := part(t, inner, owned.Options{User: "ann", Shared: shared})
		bob := part(t, inner, owned.Options{User: "bob", Shared: shared})
		begin(t, ann, "a1", "/w", noon())
		begin(t, bob, "b1", "/w", noon().Add(-time.Hour))
		if got := ids(t, bob.List(t.Context(), trimtab.Query{Project: "/w"})); !slices.Equal(got, []string{"b1"}) {
			t.Errorf("shared %v: bob sees %q", shared, got)
		}
		if info, err := session.Newest(t.Context(), bob, trimtab.Query{Project: "/w"}, nil); err != nil || info.ID != "b1" {
			t.Errorf("shared %v: bob's newest is %q, %v", shared, info.ID, err)
		}
		s, err := ann.Load(t.Context(), "a1")
		if err != nil || s.User != "ann" {
			t.Fatalf("%+v, %v", s.Info, err)
		}
		_, loading := bob.Load(t.Context(), "a1")
		_, committing := bob.Commit(t.Context(), trimtab.Commit{Session: s})
		_, removing := bob.RemoveAll(t.Context(), []string{"b1", "a1"})
		for doing, err := range map[string]error{
			"load": loading, "commit": committing, "remove many": removing, "remove": bob.Remove(t.Context(), "a1"),
			"messages": drain(bob.Messages(t.Context(), "a1", 0)), "journal": drain(bob.Journal(t.Context(), "a1", 0)),
		} {
			if !errors.Is(err, owned.ErrForbidden) {
				t.Errorf("shared %v: %s: %v", shared, doing, err)
			}
		}
		if got := ids(t, inner.List(t.Context(), trimtab.Query{})); len(got) != 2 {
			t.Errorf("left: %q", got)
		}
	}
}

func TestX2_ARoleAllowsMore(t *testing.T) {
	inner := memory.New()
	ann := part(t, inner, owned.Options{User: "ann", Shared: true})
	begin(t, ann, "a1", "/w", noon())
	s, err := ann.Load(t.Context(), "a1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := owned.New(inner, owned.Options{User: "bob", Show: "ann"}); !errors.Is(err, owned.ErrForbidden) {
		t.Errorf("without a role: %v", err)
	}
	for _, c := range []struct {
		role  owned.Role
		steer bool
	}{{owned.View, false}, {owned.Steer, true}, {owned.Approve, true}} {
		for _, show := range []string{"ann", owned.Everyone} {
			lead := part(t, inner, owned.Options{User: "lee", Role: c.role, Shared: true, Show: show})
			if got := ids(t, lead.List(t.Context(), trimtab.Query{})); !slices.Equal(got, []string{"a1"}) {
				t.Errorf("%s, %s: %q", c.role, show, got)
			}
		}
		lead := part(t, inner, owned.Options{User: "lee", Role: c.role, Shared: true})
		if got := ids(t, lead.List(t.Context(), trimtab.Query{})); len(got) != 0 {
			t.Errorf("%s: %q is listed without being asked for", c.role, got)
		}
		if _, err := lead.Load(t.Context(), "a1"); err != nil {
			t.Errorf("%s: %v", c.role, err)
		}
		if err := drain(lead.Journal(t.Context(), "a1", 0)); err != nil {
			t.Errorf("%s: %v", c.role, err)
		}
		version, err := lead.Commit(t.Context(), trimtab.Commit{Session: s})
		if (err == nil) != c.steer || err != nil && !errors.Is(err, owned.ErrForbidden) {
			t.Errorf("%s: %v", c.role, err)
		}
		if err == nil {
			s.Version = version
		}
	}
	if s, err = ann.Load(t.Context(), "a1"); err != nil || s.User != "ann" {
		t.Errorf("it changed hands: %+v, %v", s.Info, err)
	}
}

// TestX2_SessionsFromBefore: nobody is named in them. In a file they are everybody's; on
// a server whoever knows the id, and takes it over with the first change.
func TestX2_SessionsFromBefore(t *testing.T) {
	inner := memory.New()
	begin(t, inner, "old", "/w", noon())
	alone := part(t, inner, owned.Options{})
	file := part(t, inner, owned.Options{User: "ann"})
	server := part(t, inner, owned.Options{User: "ann", Shared: true})
	for _, c := range []struct {
		st   *owned.Store
		want int
	}{{alone, 1}, {file, 1}, {server, 0}} {
		if got := ids(t, c.st.List(t.Context(), trimtab.Query{})); len(got) != c.want {
			t.Errorf("%q, want %d", got, c.want)
		}
	}
	s, err := server.Load(t.Context(), "old")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Commit(t.Context(), trimtab.Commit{Session: s}); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, server.List(t.Context(), trimtab.Query{})); len(got) != 1 {
		t.Errorf("not taken over: %q", got)
	}
	if _, err := part(t, inner, owned.Options{User: "bob", Shared: true}).Load(t.Context(), "old"); !errors.Is(err, owned.ErrForbidden) {
		t.Errorf("bob: %v", err)
	}
}

// TestX2_AProjectIsItsRepository: found from another clone, not mixed up with another
// repository at the same path, and of two clones the one a person is in.
func TestX2_AProjectIsItsRepository(t *testing.T) {
	inner := memory.New()
	machine := func(repos map[string]string) *owned.Store {
		return part(t, inner, owned.Options{User: "ann", Shared: true, Repo: func(folder string) string { return repos[folder] }})
	}
	first := machine(map[string]string{"/workspace": "host/x", "/two": "host/x"})
	begin(t, first, "x1", "/workspace", noon())
	begin(t, first, "x2", "/two", noon().Add(time.Minute))
	begin(t, machine(map[string]string{"/workspace": "host/y"}), "y1", "/workspace", noon().Add(time.Hour))
	for _, c := range []struct {
		repos        map[string]string
		folder, want string
	}{
		{map[string]string{"/workspace": "host/x"}, "/workspace", "x1"}, // not y1, which is newer
		{map[string]string{"/two": "host/x"}, "/two", "x2"},
		{map[string]string{"/laptop/x": "host/x"}, "/laptop/x", "x2"},
		{map[string]string{"/workspace": "host/y"}, "/workspace", "y1"},
		{map[string]string{"/workspace": "host/z"}, "/workspace", ""},
	} {
		info, err := session.Newest(t.Context(), machine(c.repos), trimtab.Query{Project: c.folder}, nil)
		if info.ID != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%v: %q, %v; want %q", c.repos, info.ID, err, c.want)
		}
	}
}

// TestX2_WhatIsBroughtInIsOnesOwn: an imported session names its old owner.
func TestX2_WhatIsBroughtInIsOnesOwn(t *testing.T) {
	inner := memory.New()
	s := trimtab.NewSession("s", noon())
	s.User = "ann"
	bob := part(t, inner, owned.Options{User: "bob"})
	if _, err := bob.Commit(t.Context(), trimtab.Commit{Session: s}); err != nil {
		t.Fatal(err)
	}
	if got, err := bob.Load(t.Context(), "s"); err != nil || got.User != "bob" {
		t.Errorf("%+v, %v", got.Info, err)
	}
}

// atOnce is a store that takes several changes at once.
type atOnce struct{ *memory.Store }

func (a atOnce) CommitAll(ctx context.Context, all []trimtab.Commit) (versions []int, err error) {
	for _, c := range all {
		version, err := a.Commit(ctx, c)
		if err != nil {
			return nil, err
		}
		versions = append(versions, version)
	}
	return versions, nil
}

// TestX2_ManyChangesAtOnceHaveTheirUser, as one change has.
func TestX2_ManyChangesAtOnceHaveTheirUser(t *testing.T) {
	inner := atOnce{memory.New()}
	ann, bob := part(t, inner, owned.Options{User: "ann"}), part(t, inner, owned.Options{User: "bob"})
	commits := []trimtab.Commit{{Session: trimtab.NewSession("a1", noon())}, {Session: trimtab.NewSession("a2", noon())}}
	if versions, err := ann.CommitAll(t.Context(), commits); err != nil || len(versions) != 2 {
		t.Fatalf("%v, %v", versions, err)
	}
	s, err := ann.Load(t.Context(), "a2")
	if err != nil || s.User != "ann" {
		t.Errorf("%+v, %v", s.Info, err)
	}
	if _, err := bob.CommitAll(t.Context(), []trimtab.Commit{{Session: s}}); !errors.Is(err, owned.ErrForbidden) {
		t.Errorf("bob: %v", err)
	}
	if _, err := part(t, memory.New(), owned.Options{}).CommitAll(t.Context(), commits); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a store that cannot: %v", err)
	}
}

// TestX2_ApprovingTakesItsRole: on a server; in a file of one's own everybody may.
func TestX2_ApprovingTakesItsRole(t *testing.T) {
	for _, role := range []owned.Role{"", owned.Use, owned.View, owned.Steer, owned.Approve} {
		for _, shared := range []bool{false, true} {
			st, err := owned.New(memory.New(), owned.Options{User: "bob", Role: role, Shared: shared})
			if err != nil {
				t.Fatal(err)
			}
			if err := st.MayApprove(); (err == nil) != (!shared || role == owned.Approve) || err != nil && !strings.Contains(err.Error(), "bob") {
				t.Errorf("%q, shared %v: %v", role, shared, err)
			}
		}
	}
}
