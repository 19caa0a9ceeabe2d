// Package record reads sessions that were recorded, whoever recorded them, as the
// events that an engine would have seen: our own JSON exports, and the files of all
// hosts that package transcript/all knows. A database may hold many sessions.
//
// Stored reads those of a store of ours, Newest lists the files that hosts wrote last.
//
// It opens files for reading only, changes nothing and calls no model. The requests
// to a model are not recorded; whoever plays a session puts one before each reply.
//
//	for s, err := range record.Sessions(ctx, path, "") {
//		switch {
//		case err != nil:
//			return err
//		default:
//			report, err := replay.Run(engine, s.Info, s.All(), replay.Prices{})
//			…
//		}
//	}
package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/host/sessions"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
	"github.com/trimtab/trimtab/transcript/own"
)

// Session is a recorded session.
type Session = replay.Recorded

// Sessions returns the sessions of a file. Where host is "", it is found out whose
// file it is. After an error of one session the next one follows, if there is one;
// the session of the error says which it was, as far as that is known.
func Sessions(ctx context.Context, path, host string) iter.Seq2[Session, error] {
	return func(yield func(Session, error) bool) {
		own, err := all.DetectOwn(ctx, path, host)
		if err != nil {
			yield(Session{}, err)
			return
		}
		if own == all.OwnExport {
			yield(document(path))
			return
		}
		f, err := all.Open(ctx, path, host)
		if err != nil {
			yield(Session{}, err)
			return
		}
		defer f.Close()
		infos, err := list(ctx, f)
		if err != nil || len(infos) == 0 {
			if err == nil {
				err = fmt.Errorf("%w: no message in it", trimtab.ErrDamaged)
			}
			yield(Session{}, err)
			return
		}
		for _, info := range infos {
			if !yield(read(ctx, f, info)) {
				return
			}
		}
	}
}

// Stored returns the sessions of a store of ours, the newest first, at most so many of
// them.
func Stored(ctx context.Context, store trimtab.Archive, most int) iter.Seq2[Session, error] {
	return func(yield func(Session, error) bool) {
		f := &all.File{Host: trimtab.OwnHost, Source: own.New(store)}
		infos, err := list(ctx, f)
		if err != nil {
			yield(Session{}, err)
			return
		}
		for _, info := range infos[:min(most, len(infos))] {
			if !yield(read(ctx, f, info)) {
				return
			}
		}
	}
}

// Newest lists the files below the folders in which hosts keep sessions, the one that
// was written last first, at most so many of them. What cannot be looked at is no file.
func Newest(getenv func(string) string, most int) []string {
	type found struct {
		path string
		at   time.Time
	}
	var files []found
	for _, d := range sessions.Dirs(getenv) {
		_ = filepath.WalkDir(d.Path, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && d.Holds(e.Name()) {
				if info, err := e.Info(); err == nil {
					files = append(files, found{path, info.ModTime()})
				}
			}
			return nil // a folder that cannot be read hides none of the others
		})
	}
	slices.SortStableFunc(files, func(a, b found) int { return b.at.Compare(a.at) })
	var paths []string
	for _, f := range files[:min(most, len(files))] {
		paths = append(paths, f.path)
	}
	return paths
}

// list returns what a file holds, before any of it is read: a database is asked
// one thing at a time.
func list(ctx context.Context, f *all.File) (infos []trimtab.Info, err error) {
	for info, err := range f.Sessions(ctx) {
		if err != nil {
			return infos, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// read returns one session of a host's file. One that was a sub-agent's is nothing
// but a side conversation.
func read(ctx context.Context, f *all.File, info trimtab.Info) (Session, error) {
	s := Session{Info: info}
	for item, err := range f.Read(ctx, info.ID, transcript.Options{Side: info.Parent != ""}) {
		if errors.Is(err, trimtab.ErrDamaged) {
			s.Damaged++
			continue
		}
		if err != nil {
			return s, err
		}
		s.Info.Project = cmp.Or(s.Info.Project, item.Project)
		s.Events = append(s.Events, item.Events()...)
	}
	return s, nil
}

// document reads our own export.
func document(path string) (Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return Session{}, err
	}
	defer f.Close()
	doc, err := export.Read(f, export.MaxSize)
	if err != nil {
		return Session{}, err
	}
	return Session{Info: doc.Info, Events: retold(doc)}, nil
}

// retold makes events of an export: the messages that are not ours, and the
// commands between them where it has a journal.
func retold(doc export.Document) []trimtab.Event {
	var events []trimtab.Event
	messages := map[string]trimtab.Message{}
	for _, m := range doc.Messages {
		if m.From == "" {
			messages[m.ID] = m
			events = append(events, trimtab.Said{Message: m})
		}
	}
	if doc.Trimtab == nil || len(doc.Trimtab.Journal) == 0 {
		return events
	}
	events = nil
	for _, e := range doc.Trimtab.Journal {
		switch ev := e.Event.(type) {
		case trimtab.Said:
			if m, ok := messages[ev.Message.ID]; ok {
				events = append(events, trimtab.Said{Message: m})
			}
		case trimtab.Asked, trimtab.Advised, trimtab.Resumed, trimtab.Reset, trimtab.Rewritten:
			events = append(events, ev)
		}
	}
	return events
}
