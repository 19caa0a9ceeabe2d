package improve

import (
	"context"
	"slices"
	"time"
)

// Dismissal is that a person found a finding not useful: it is told apart from the others,
// and no improvement comes of it until somebody takes that back.
type Dismissal struct {
	Fingerprint string    `json:"fingerprint"`
	By          string    `json:"by,omitempty"`
	At          time.Time `json:"at,omitzero"`
	Why         string    `json:"why,omitempty"`
}

// Dismissals are those that stand, by fingerprint.
type Dismissals map[string]Dismissal

// FolderDismissed is the folder of a FileStore that has them; improve/decide writes it.
const FolderDismissed = "not-useful"

// Split takes the dismissed ones out, in their order.
func (d Dismissals) Split(all []Merged) (useful, dismissed []Merged) {
	useful = []Merged{}
	for _, m := range all {
		if _, ok := d[m.Fingerprint]; ok {
			dismissed = append(dismissed, m)
			continue
		}
		useful = append(useful, m)
	}
	return useful, dismissed
}

// Without is a result in which what was dismissed does not count.
func (d Dismissals) Without(r Result) Result {
	gone := func(p Pattern) bool { _, ok := d[p.Fingerprint]; return ok }
	r.Patterns = slices.DeleteFunc(slices.Clone(r.Patterns), gone)
	r.Faint = slices.DeleteFunc(slices.Clone(r.Faint), gone)
	return r
}

// restrictedFiles are files of which one who may not decide changes no dismissal.
type restrictedFiles struct {
	FileStore
	refused error
}

func (r restrictedFiles) Save(ctx context.Context, folder string, f File) error {
	if folder == FolderDismissed {
		return roleError{r.refused}
	}
	return r.FileStore.Save(ctx, folder, f)
}
