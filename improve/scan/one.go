package scan

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
)

// ReflectOne reads one session: the host's own file where it named one that we can
// read, else what our store has of it. It is false where there is nothing to
// reflect on.
func (sc *Scanner) ReflectOne(ctx context.Context, s improve.StoppedSession) (improve.Result, bool, error) {
	r, err := improve.NewReflector(improve.Options{Session: s.Session, Redact: sc.opt.Redact, Literal: sc.opt.Literal})
	if err != nil {
		return improve.Result{}, false, err
	}
	r.In(s.Project)
	read, err := readTranscript(ctx, r, s)
	if err != nil {
		return improve.Result{}, false, err
	}
	if !read && sc.opt.Store != nil {
		if err := sc.readStored(ctx, r, s.Session); err != nil {
			return improve.Result{}, false, err
		}
	}
	result, ok := r.Result(sc.opt.Now())
	return result, ok, nil
}

// readTranscript reads a host's file. It is false where there is none to read.
func readTranscript(ctx context.Context, r *improve.Reflector, s improve.StoppedSession) (bool, error) {
	if s.Transcript == "" || all.Reader(s.Host) == nil {
		return false, nil
	}
	file, err := all.Open(ctx, s.Transcript, s.Host)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	for item, err := range file.Read(ctx, "", transcript.Options{}) {
		if errors.Is(err, trimtab.ErrDamaged) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", s.Transcript, err)
		}
		if item.Compacted {
			r.Compacted()
		}
		if !r.See(item.Message) {
			break
		}
	}
	return true, ctx.Err()
}

func (sc *Scanner) readStored(ctx context.Context, r *improve.Reflector, session string) error {
	store, err := sc.opt.Store.Open(ctx)
	if err != nil {
		return err
	}
	for m, err := range store.Messages(ctx, session, 0) {
		if err != nil {
			return err
		}
		if !r.See(m) {
			break
		}
	}
	return nil
}
