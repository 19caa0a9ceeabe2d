package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
)

// transcript takes in the sessions of another agent's file.
func (im Importer) transcript(ctx context.Context, f *all.File, opt Options) (out []Result) {
	var infos []trimtab.Info
	for info, err := range f.Sessions(ctx) {
		switch {
		case err != nil:
			out = append(out, Result{Host: f.Host, Err: err})
		case opt.Only == "" || opt.Only == info.ID:
			infos = append(infos, info)
		}
	}
	if len(infos) == 0 && len(out) == 0 {
		return []Result{{Host: f.Host, Err: errEmpty()}}
	}
	if opt.ID != "" && len(infos) > 1 {
		return []Result{{Host: f.Host, Err: fmt.Errorf("%w, and the file has %d", ErrOneID, len(infos))}}
	}
	for _, info := range infos {
		r := im.session(ctx, f, info, opt.ID)
		// In a database most sessions were there last time; a file that is named is
		// meant.
		if len(infos) > 1 && r.Known {
			r.Err = nil
		}
		out = append(out, r)
	}
	return out
}

// session takes in one session of another agent's file.
func (im Importer) session(ctx context.Context, f *all.File, info trimtab.Info, id string) Result {
	r := Result{Host: f.Host}
	theirs := info.ID
	info.ID = cmp.Or(id, f.Host+":"+theirs)
	if info.Parent != "" {
		info.Parent = f.Host + ":" + info.Parent
	}
	info.Title = "" // made from the person's first words, as everywhere
	var events []trimtab.Event
	for item, err := range f.Read(ctx, theirs, transcript.Options{Side: info.Parent != ""}) {
		if errors.Is(err, trimtab.ErrDamaged) {
			r.Damaged++
			continue
		}
		if err != nil {
			r.Err = err
			return r
		}
		events = append(events, item.Events()...)
	}
	if len(events) == 0 {
		r.Err = errEmpty()
		return r
	}
	s, err := im.Tell(ctx, info, events)
	if err != nil {
		r.Session, r.Known, r.Err = info.ID, errors.Is(err, trimtab.ErrExists), err
		return r
	}
	r.Session, r.Messages, r.Title = s.ID, s.Seq, s.Title
	return r
}
