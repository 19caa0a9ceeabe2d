package owned_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/feed"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
)

// X2, X7: the feed tells a user of their own sessions, and passes those of others by.
func TestX2_TheFeedIsTheUsersOwn(t *testing.T) {
	kept := memory.New()
	part := func(user string, role owned.Role) (*owned.Store, feed.Source) {
		t.Helper()
		st, err := owned.New(kept, owned.Options{User: user, Role: role, Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		return st, st.Feed(kept)
	}
	ann, hers := part("ann", owned.Use)
	bob, _ := part("bob", owned.Use)
	_, leads := part("lead", owned.View)
	begin, err := hers.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put := func(st *owned.Store, id string) {
		t.Helper()
		if _, err := st.Commit(t.Context(), trimtab.Commit{Session: trimtab.NewSession(id, time.Unix(1, 0))}); err != nil {
			t.Fatal(err)
		}
	}
	heard := func(from feed.Source) (ids []string) {
		t.Helper()
		all, err := from.Changes(t.Context(), begin, 1)
		for err == nil && len(all) > 0 {
			for _, c := range all {
				ids = append(ids, c.ID)
			}
			all, err = from.Changes(t.Context(), all[len(all)-1].Cursor, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	put(bob, "b1")
	put(ann, "a1")
	put(bob, "b2")
	if got := heard(hers); len(got) != 1 || got[0] != "a1" {
		t.Errorf("ann hears of %v", got)
	}
	if got := heard(leads); len(got) != 3 {
		t.Errorf("the lead hears of %v", got)
	}
	for _, err := range hers.Entries(t.Context(), "b1", "") {
		t.Errorf("ann reads bob's journal: %v", err)
	}
	at, err := hers.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	over := make(chan error, 1)
	go func() { over <- hers.Wait(ctx, at) }()
	put(bob, "b3")
	select {
	case err := <-over:
		t.Fatalf("bob's session woke ann: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	put(ann, "a2")
	if err := <-over; err != nil {
		t.Error(err)
	}
	cancel()
	if err := hers.Wait(ctx, at); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
