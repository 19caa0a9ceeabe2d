package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/decide"
)

// Dismiss keeps that the person of Options.User found a case of a project not useful, which
// is named as in Findings.Choose. Undone, it takes back what was said of a fingerprint.
func (p *Pipeline) Dismiss(ctx context.Context, q Query, which, why string, undo bool) (d improve.Dismissal, err error) {
	q.Offline = true // nothing is filed
	queue, err := p.opt.Queue(ctx)
	if err != nil {
		return d, err
	}
	d = improve.Dismissal{By: p.opt.User(), At: p.opt.Now().UTC(), Why: why} // who it is, is known once the store is open
	if undo {
		all, err := decide.Findings{Files: queue}.Dismissed(ctx)
		if err != nil {
			return d, err
		}
		found, ok := dismissal(all, which)
		if !ok {
			return d, fmt.Errorf("%q: %w that was found not useful", which, ErrNoCase)
		}
		d.Fingerprint = found.Fingerprint
		return d, decide.Findings{Files: queue}.TakeBack(ctx, d)
	}
	f, err := p.Look(ctx, q)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := f.Choose(which)
	if err != nil {
		return d, err
	}
	d.Fingerprint = c.Pattern.Fingerprint
	return d, decide.Findings{Files: queue}.Dismiss(ctx, d)
}

// TellApart moves what people found not useful to a place of its own. Where a store cannot
// say what that is, all of it is told, and that it could not.
func TellApart(ctx context.Context, queue func(context.Context) (improve.Queue, error), r *improve.Reflection) {
	q, err := queue(ctx)
	var all improve.Dismissals
	if err == nil {
		all, err = decide.Findings{Files: q}.Dismissed(ctx)
	}
	if err != nil {
		r.Unread = append(r.Unread, err.Error())
		return
	}
	r.Merged, r.Dismissed = all.Split(r.Merged)
}

// dismissal finds one by the beginning of its fingerprint, if that is the beginning of no
// other's.
func dismissal(all improve.Dismissals, which string) (found improve.Dismissal, ok bool) {
	if len(which) < leastFingerprint {
		return found, false
	}
	for fingerprint, d := range all {
		if !strings.HasPrefix(fingerprint, which) {
			continue
		}
		if ok {
			return improve.Dismissal{}, false
		}
		found, ok = d, true
	}
	return found, ok
}

// leastFingerprint is how much of a fingerprint names one.
const leastFingerprint = 6

// byWhom says who dismissed a finding, when and why, as far as it is known.
func byWhom(d improve.Dismissal) (text string) {
	if d.By != "" {
		text += " by " + d.By
	}
	if !d.At.IsZero() {
		text += " on " + d.At.Format("2006-01-02")
	}
	if d.Why != "" {
		text += fmt.Sprintf(" (%s)", d.Why)
	}
	return text
}
