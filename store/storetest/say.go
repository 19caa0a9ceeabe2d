package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
)

// Say adds a message and its entry to a session, which it makes if need be, however many
// others do so at once.
func Say(ctx context.Context, store trimtab.Store, id, text string) error {
	for {
		err := SayOnce(ctx, store, id, text)
		if !errors.Is(err, trimtab.ErrConflict) && !errors.Is(err, trimtab.ErrExists) {
			return err
		}
	}
}

// SayOnce is Say without looking again after a conflict.
func SayOnce(ctx context.Context, store trimtab.Store, id, text string) error {
	at := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	s, err := store.Load(ctx, id)
	if errors.Is(err, trimtab.ErrNotFound) {
		s, err = trimtab.NewSession(id, at), nil
	}
	if err != nil {
		return err
	}
	s.Seq++
	m := trimtab.Prompt(text)
	m.ID = trimtab.MessageID(s.Seq)
	_, err = store.Commit(ctx, trimtab.Commit{
		Session: s, Messages: []trimtab.Message{m},
		Entries: []trimtab.Entry{{At: at, Event: trimtab.Said{Message: m}}},
	})
	return err
}

// MustSay does so in a test.
func MustSay(t testing.TB, store trimtab.Store, id, text string) {
	t.Helper()
	if err := Say(t.Context(), store, id, text); err != nil {
		t.Fatal(err)
	}
}
