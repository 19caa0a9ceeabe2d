package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/improve"
)

// dismissal is one as it is kept. Files are not removed one by one, so what was taken back
// says so.
type dismissal struct {
	improve.Dismissal
	Back bool `json:"taken_back,omitempty"`
}

// ErrNoFinding is a fingerprint that nothing can have.
var ErrNoFinding = errors.New("give the fingerprint of a finding: trimtab improve why shows it")

// Findings is what people decide about findings, kept in a store for all who use it.
type Findings struct{ Files improve.FileStore }

// Dismiss keeps that a person found a finding not useful.
func (f Findings) Dismiss(ctx context.Context, d improve.Dismissal) error {
	return f.keep(ctx, dismissal{Dismissal: d})
}

// TakeBack lets a finding count again that was dismissed.
func (f Findings) TakeBack(ctx context.Context, d improve.Dismissal) error {
	return f.keep(ctx, dismissal{d, true})
}

func (f Findings) keep(ctx context.Context, d dismissal) error {
	d.At, d.Why = d.At.UTC(), strings.TrimSpace(d.Why)
	switch {
	case d.Fingerprint == "" || len(d.Fingerprint) > 100:
		return ErrNoFinding
	case len(d.Why) > improve.MaxRemark:
		return fmt.Errorf("a reason of %d bytes is over the limit of %d", len(d.Why), improve.MaxRemark)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return f.Files.Save(ctx, improve.FolderDismissed, improve.File{Name: d.Fingerprint, Body: raw})
}

// Dismissed are the findings that people found not useful. One whose record cannot be read
// counts as dismissed: nothing should begin by itself that somebody may have refused.
func (f Findings) Dismissed(ctx context.Context) (improve.Dismissals, error) {
	all, err := f.Files.Files(ctx, improve.FolderDismissed)
	if err != nil {
		return nil, fmt.Errorf("what people found not useful: %w", err)
	}
	found := improve.Dismissals{}
	for _, file := range all {
		var d dismissal
		if json.Unmarshal(file.Body, &d) == nil && d.Back {
			continue
		}
		d.Fingerprint = file.Name
		found[file.Name] = d.Dismissal
	}
	return found, nil
}
