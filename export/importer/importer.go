// Package importer takes sessions into a store: our own JSON exports and stores as
// they are, and the files of other agents by telling their events to the engine. It
// finds out whose file it is by looking at it, opens files for reading only, and
// goes on after a session that is bad. It prints nothing and decides nothing about
// what is imported.
//
//	im := importer.Importer{Service: sessions, Store: store}
//	for _, r := range im.File(ctx, "rollout.jsonl", importer.Options{}) {
//		if r.Err != nil {
//			return r.Err
//		}
//		fmt.Println(r.Session, r.Title)
//	}
package importer

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/transcript/all"
)

// Service is the part of session.Service by which sessions are told.
type Service interface {
	Begin(ctx context.Context, info trimtab.Info) (trimtab.Session, error)
	Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error)
}

// Store is the part of a store that sessions are written to.
type Store interface {
	Commit(ctx context.Context, c trimtab.Commit) (int, error)
	Remove(ctx context.Context, id string) error
}

// Importer takes sessions into a store.
type Importer struct {
	Service Service
	Store   Store

	// Outcome hears what the engine had to say of a session that was told; nil drops
	// it.
	Outcome func(trimtab.Outcome)
}

// Options say what to take in, and how.
type Options struct {
	ID   string // to store it under; only where there is one session
	Host string // whose file it is; "" finds out
	Only string // of several sessions, the one with this id in the file
}

// Result is a session that was taken in, or one or a file that was not.
type Result struct {
	Host     string
	Session  string
	Title    string
	Messages int
	Damaged  int   // lines or rows that could not be read and were left out
	Known    bool  // it was in the store before
	Err      error // nil for a known session that is one of many
}

// ErrOneID says that Options.ID was given for another number of sessions than one.
var ErrOneID = errors.New("an id names one session")

// OpenError says that nobody's file could be recognized, or that a database could
// not be opened.
type OpenError struct{ Err error }

func (e *OpenError) Error() string { return e.Err.Error() }
func (e *OpenError) Unwrap() error { return e.Err }

// errEmpty is a file or session without a message.
func errEmpty() error { return fmt.Errorf("%w: no message in it", trimtab.ErrDamaged) }

// File takes in every session of a file that it can.
func (im Importer) File(ctx context.Context, path string, opt Options) []Result {
	own, err := all.DetectOwn(ctx, path, opt.Host)
	switch {
	case err != nil:
		return []Result{{Err: err}}
	case own == all.OwnStore:
		return im.otherStore(ctx, path, opt)
	case own == all.OwnExport:
		return []Result{im.exportFile(ctx, path, opt.ID)}
	}
	f, err := all.Open(ctx, path, opt.Host)
	if err != nil {
		return []Result{{Err: &OpenError{err}}}
	}
	defer f.Close()
	return im.transcript(ctx, f, opt)
}

func (im Importer) exportFile(ctx context.Context, path, id string) Result {
	f, err := os.Open(path)
	if err != nil {
		return Result{Err: err}
	}
	defer f.Close()
	doc, err := export.Read(f, export.MaxSize)
	if err != nil {
		return Result{Err: err}
	}
	if id != "" {
		doc.ID = id
	}
	s, err := im.Document(ctx, doc)
	if err != nil {
		return Result{Err: err}
	}
	return Result{Host: s.Host, Session: s.ID, Messages: s.Seq, Title: s.Title}
}

// Document stores our own export as it was, and tells a foreign one anew.
func (im Importer) Document(ctx context.Context, doc export.Document) (trimtab.Session, error) {
	if err := trimtab.CheckID(doc.ID); err != nil {
		return trimtab.Session{}, err
	}
	if s, history, ok := doc.Session(); ok {
		_, err := im.Store.Commit(ctx, trimtab.Commit{Session: s, Messages: history, Entries: doc.Trimtab.Journal})
		return s, err
	}
	events := make([]trimtab.Event, 0, len(doc.Messages)+2)
	for _, m := range doc.Messages {
		events = append(events, trimtab.Said{Message: m})
	}
	if doc.ModeState.Mode != "" && doc.ModeState.Mode != "normal" {
		events = append(events, trimtab.Asked{Command: "mode", Args: []string{doc.ModeState.Mode}})
	}
	if doc.Host == "" {
		doc.Host = trimtab.OwnHost // of no agent that has a name: the chat can go on with it
	}
	s, err := im.Tell(ctx, doc.Info, append(events, trimtab.Resumed{}))
	if why := doc.ModeState.Damaged; err == nil && why != "" && im.Outcome != nil {
		word := trimtab.Notify{Text: "modeState cannot be read, going on in normal mode: " + why, Warning: true}
		im.Outcome(trimtab.Outcome{Actions: []trimtab.Taken{{By: "mode", Action: word}}})
	}
	return s, err
}

// Tell stores a new session by telling its events to the engine, all or nothing.
func (im Importer) Tell(ctx context.Context, info trimtab.Info, events []trimtab.Event) (trimtab.Session, error) {
	if err := trimtab.CheckID(info.ID); err != nil {
		return trimtab.Session{}, err
	}
	if _, err := im.Service.Begin(ctx, info); err != nil {
		return trimtab.Session{}, err
	}
	s, out, err := im.Service.Handle(ctx, info.ID, events...)
	if err != nil {
		return trimtab.Session{}, errors.Join(err, im.Store.Remove(context.WithoutCancel(ctx), info.ID))
	}
	if im.Outcome != nil {
		im.Outcome(out)
	}
	return s, nil
}
