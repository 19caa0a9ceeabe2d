package timeline

import (
	"context"
	"slices"

	"github.com/trimtab/trimtab"
)

// Of orders a session that is stored.
func Of(ctx context.Context, from trimtab.Archive, s trimtab.Session) (Timeline, error) {
	var messages []trimtab.Message
	for m, err := range from.Messages(ctx, s.ID, 0) {
		if err != nil {
			return Timeline{}, err
		}
		messages = append(messages, m)
	}
	var journal []trimtab.Entry
	for e, err := range from.Journal(ctx, s.ID, 0) {
		if err != nil {
			return Timeline{}, err
		}
		journal = append(journal, e)
	}
	return New(Told(s), messages, journal), nil
}

// Told is a stored session as New takes it: without the notes that its journal tells of.
func Told(s trimtab.Session) trimtab.Session {
	s.Notes = slices.DeleteFunc(slices.Clone(s.Notes), func(n trimtab.Note) bool { return !n.Seated() || n.Life != trimtab.Kept })
	return s
}
