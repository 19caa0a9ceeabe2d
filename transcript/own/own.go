// Package own reads our own store as if it were a host's file, so that looking
// back treats all sessions alike. It only asks the store it is given, changes
// nothing, and leaves out nothing but our own notes, which were never part of the
// conversation.
//
//	source := own.New(store)
//	for info, err := range source.Sessions(ctx) {
//		for item, err := range source.Read(ctx, info.ID, transcript.Options{}) {
//			…
//		}
//	}
package own

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/internal/feed"
)

// Source is a store as a source of transcripts.
type Source struct{ store trimtab.Archive }

var _ transcript.Source = (*Source)(nil)

// New returns the sessions of a store. Whoever opened it closes it.
func New(store trimtab.Archive) *Source { return &Source{store: store} }

// Sessions lists the sessions, newest first.
func (s *Source) Sessions(ctx context.Context) iter.Seq2[trimtab.Info, error] {
	return s.store.List(ctx, trimtab.Query{})
}

// Read returns the messages of a session. Where its host rewrote the history, the
// next message says so.
func (s *Source) Read(ctx context.Context, session string, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return feed.Run(opt, func(f *feed.Feed) error {
		loaded, err := s.store.Load(ctx, session)
		if err != nil {
			return fmt.Errorf("session %s: %w", session, err)
		}
		side := loaded.Parent != ""
		if side && !f.Opt.Side {
			return nil
		}
		rewritten, err := s.rewritten(ctx, session)
		if err != nil {
			return err
		}
		for m, err := range s.store.Messages(ctx, session, 0) {
			f.N++
			if errors.Is(err, trimtab.ErrDamaged) {
				if err := f.Damage(transcript.Damaged{Line: f.N, Row: fmt.Sprint(f.N), Text: "the store cannot read it"}); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return fmt.Errorf("messages of %s: %w", session, err)
			}
			if m.From != "" || len(m.Parts) == 0 {
				continue
			}
			it := transcript.Item{Message: brief(f, m), Line: f.N, Session: session, Project: loaded.Project, Side: side, Compacted: rewritten[m.ID]}
			if side {
				it.Agent = session
			}
			if err := f.Put(it, m.Size()); err != nil {
				return err
			}
		}
		return nil
	})
}

// rewritten returns the messages that were said last when the host rewrote the
// history: they are what it left.
func (s *Source) rewritten(ctx context.Context, session string) (map[string]bool, error) {
	out := map[string]bool{}
	last := ""
	for e, err := range s.store.Journal(ctx, session, 0) {
		if err != nil {
			return nil, fmt.Errorf("journal of %s: %w", session, err)
		}
		switch ev := e.Event.(type) {
		case trimtab.Said:
			last = ev.Message.ID
		case trimtab.Rewritten:
			if last != "" && ev.All {
				out[last] = true
			}
		}
	}
	return out, nil
}

// brief shortens what tools and the host wrote, where that is asked for.
func brief(f *feed.Feed, m trimtab.Message) trimtab.Message {
	if !f.Opt.Brief {
		return m
	}
	parts := make([]trimtab.Part, len(m.Parts))
	for i, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			p.Text = f.Brief(p.Text, p.By)
			parts[i] = p
		case trimtab.ToolResult:
			if !p.Failed {
				p.Text = f.Brief(p.Text, trimtab.Tool)
			}
			parts[i] = p
		case trimtab.Opaque:
			p.Raw = nil
			parts[i] = p
		default:
			parts[i] = p
		}
	}
	m.Parts = parts
	return m
}

// Close does nothing: the store is not ours to close.
func (s *Source) Close() error { return nil }
