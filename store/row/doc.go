// Package row is the form in which the stores keep things: sessions, messages,
// journal entries and improvements as rows, and back again. What it refuses, every
// store refuses, so that they cannot drift apart.
//
// It never talks to a database and knows no dialect.
//
//	r, err := row.OfItem(item)
//	if err != nil {
//		return err // too large, or without a name
//	}
//	… // insert r.ID, r.Project, r.Fingerprint, r.State, r.Created, r.Updated, r.Body
//	item, err = r.Item()
package row

import "time"

// StampForm has one width, so that times sort as text.
const StampForm = "2006-01-02T15:04:05.000000000Z"

// Stamp writes a time as the rows have it.
func Stamp(t time.Time) string { return t.UTC().Format(StampForm) }

// Time reads what Stamp writes. No text is the zero time, as of a lease that
// nobody has.
func Time(stamp string) (time.Time, error) {
	if stamp == "" {
		return time.Time{}, nil
	}
	return time.Parse(StampForm, stamp)
}
