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
	err = sc.readOne(ctx, s, func(item transcript.Item) bool {
		if item.Compacted {
			r.Compacted()
		}
		return r.See(item.Message)
	})
	if err != nil {
		return improve.Result{}, false, err
	}
	result, ok := r.Result(sc.opt.Now())
	return result, ok, nil
}

// StoppedTurns reads one session for the turns that a pattern's samples point at.
func (sc *Scanner) StoppedTurns(ctx context.Context, s improve.StoppedSession, p improve.Pattern) ([]improve.Turn, error) {
	turns := improve.NewTurns(p, s.Session, sc.opt.Redact)
	err := sc.readOne(ctx, s, func(item transcript.Item) bool {
		turns.See(item.Message)
		return true
	})
	return turns.Found(), err
}

// readOne reads a session from the host's file, else from our store, until see is false.
func (sc *Scanner) readOne(ctx context.Context, s improve.StoppedSession, see func(transcript.Item) bool) error {
	read, err := readTranscript(ctx, s, see)
	if err != nil || read || sc.opt.Store == nil {
		return err
	}
	return sc.readStored(ctx, s.Session, see)
}

// Pieces reads one session of a reflection again and returns what a reader is shown of it, in
// at most so many bytes. All of it is redacted.
func (sc *Scanner) Pieces(ctx context.Context, one improve.SessionResult, bytes int) ([]improve.Piece, error) {
	s := &run{opt: sc.opt, all: improve.Reflection{Hosts: map[string]int{}}, pieceBytes: bytes}
	s.opt.Progress = silent{} // how far the scan came was told
	s.openStore = func() (trimtab.Archive, error) { return sc.opt.Store.Open(ctx) }
	u := unit{file: one.File, only: one.SessionID}
	if one.File == "" && sc.opt.Store == nil {
		return nil, noSuchSession(one.SessionID)
	}
	if err := s.read(ctx, u); err != nil {
		return nil, err
	}
	return s.pieces, nil
}

// readTranscript reads a host's file. It is false where there is none to read.
func readTranscript(ctx context.Context, s improve.StoppedSession, see func(transcript.Item) bool) (bool, error) {
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
		if !see(item) {
			break
		}
	}
	return true, ctx.Err()
}

func (sc *Scanner) readStored(ctx context.Context, session string, see func(transcript.Item) bool) error {
	store, err := sc.opt.Store.Open(ctx)
	if err != nil {
		return err
	}
	for m, err := range store.Messages(ctx, session, 0) {
		if err != nil {
			return err
		}
		if !see(transcript.Item{Message: m}) {
			break
		}
	}
	return nil
}
