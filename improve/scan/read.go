package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
	stored "github.com/trimtab/trimtab/transcript/own"
)

// read reads one unit. Reading never takes the program down: what a file holds is
// not ours to choose.
func (s *run) read(ctx context.Context, u unit) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: reading it went wrong: %v", trimtab.ErrDamaged, p)
		}
	}()
	if u.file == "" {
		return s.readOwn(ctx, u)
	}
	kind, err := all.DetectOwn(ctx, u.file, u.host)
	switch {
	case err != nil && u.maybe:
		return s.other()
	case err != nil:
		return err
	case kind != all.NotOwn && u.want != "" && u.want != trimtab.OwnHost:
		return s.other()
	case kind == all.OwnExport:
		return s.readExport(u)
	case kind == all.OwnStore:
		return s.readStore(ctx, u)
	}
	file, err := all.Open(ctx, u.file, u.host)
	if err != nil {
		if u.maybe && errors.Is(err, trimtab.ErrDamaged) {
			return s.other()
		}
		return err
	}
	defer file.Close()
	if u.want != "" && file.Host != u.want {
		return s.other()
	}
	if u.named && u.host != "" {
		if told, err := all.Open(ctx, u.file, ""); err == nil {
			defer told.Close()
			if told.Host != u.host {
				return fmt.Errorf("%s is a file of %s and not of %s", u.file, told.Host, u.host)
			}
		}
	}
	s.opened()
	return s.source(ctx, u, file.Host, file)
}

// other counts a file that is no session.
func (s *run) other() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Foreign++
	return nil
}

func (s *run) opened() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Files++
}

func (s *run) readOwn(ctx context.Context, u unit) error {
	store, err := s.openStore()
	if err != nil {
		return err
	}
	s.opened()
	return s.source(ctx, u, "", stored.New(store))
}

// readStore reads a store of ours that was named. It reads a copy: opening a store
// may bring it up to date.
func (s *run) readStore(ctx context.Context, u unit) (err error) {
	name, remove, err := all.Copy(u.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	store, err := sqlite.Open(ctx, name, sqlite.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	s.opened()
	return s.source(ctx, u, "", stored.New(store))
}

func (s *run) readExport(u unit) error {
	f, err := os.Open(u.file)
	if err != nil {
		return err
	}
	defer f.Close()
	doc, err := export.Read(f, export.MaxSize)
	if err != nil {
		return err
	}
	s.opened()
	one, err := s.begin(u, doc.Info)
	if err != nil {
		return err
	}
	for _, m := range doc.Messages {
		if !one.see(transcript.Item{Message: m, Project: doc.Project}) {
			break
		}
	}
	s.finish(one)
	return nil
}

// source reads the sessions of a file. One that cannot be read does not hide the
// others.
func (s *run) source(ctx context.Context, u unit, host string, from transcript.Source) error {
	var errs []error
	for info, err := range from.Sessions(ctx) {
		switch {
		case err != nil:
			errs = append(errs, err)
			continue
		case u.only != "" && info.ID != u.only && info.ID != info.Host+":"+u.only:
			continue
		case u.file == "" && u.host == trimtab.OwnHost && info.Host != trimtab.OwnHost:
			continue
		case host == "" && !info.Updated.IsZero() && info.Updated.Before(s.query.Since):
			continue
		}
		info.Host = cmp.Or(info.Host, host)
		if err := s.one(ctx, u, info, from); err != nil {
			errs = append(errs, fmt.Errorf("session %s: %w", info.ID, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(errs...)
}

// one reads one session.
func (s *run) one(ctx context.Context, u unit, info trimtab.Info, from transcript.Source) error {
	one, err := s.begin(u, info)
	if err != nil {
		return err
	}
	for item, err := range from.Read(ctx, info.ID, transcript.Options{Side: info.Parent != ""}) {
		switch {
		case errors.Is(err, trimtab.ErrDamaged):
			s.damaged(u, info, err)
			continue
		case err != nil:
			s.finish(one) // what was read counts
			return err
		}
		if !one.see(item) {
			break
		}
	}
	s.finish(one)
	return nil
}

// reading is one session that is being read.
type reading struct {
	*improve.Reflector
	scan    *run
	unit    unit
	info    trimtab.Info
	project string
	ours    bool
	pace    int
	turns   *improve.Turns // nil where none are collected
}

func (s *run) begin(u unit, info trimtab.Info) (*reading, error) {
	parent := bareID(info.Parent, info.Host)
	if parent == "unknown" {
		parent = ""
	}
	r, err := improve.NewReflector(improve.Options{Session: strings.Clone(bareID(info.ID, info.Host)), Parent: parent, Redact: s.opt.Redact, Literal: s.opt.Literal, Exposure: s.query.Exposure, Pieces: s.pieceBytes})
	one := &reading{Reflector: r, scan: s, unit: u, info: info, project: info.Project}
	if s.turns != nil {
		one.turns = improve.NewTurns(*s.turns, bareID(info.ID, info.Host), s.opt.Redact)
	}
	return one, err
}

// bareID is the id that the host itself knows a session by. Our store puts the
// host before those that it took in.
func bareID(id, host string) string { return strings.TrimPrefix(id, host+":") }

func (r *reading) see(item transcript.Item) bool {
	r.project = cmp.Or(r.project, item.Project)
	if r.scan.query.Project != "" && r.project != "" && !within(r.project, r.scan.query.Project) {
		return false
	}
	if item.Compacted {
		r.Compacted()
	}
	if r.pace += item.Message.Size(); r.pace > 1<<20 {
		r.scan.opt.Progress.Bytes(r.pace)
		r.pace = 0
	}
	r.In(r.project)
	r.ours = !r.See(item.Message)
	if r.turns != nil {
		r.turns.See(item.Message)
	}
	return !r.ours
}

// finish keeps what came of a session, if it is one that was asked for.
func (s *run) finish(r *reading) {
	result, ok := r.Result(s.opt.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.turns != nil && !r.ours {
		s.found = append(s.found, r.turns.Found()...)
	}
	if s.pieceBytes > 0 {
		s.pieces = append(s.pieces, r.Pieces()...)
	}
	switch {
	case r.ours:
		s.all.Ours++
		return
	case !ok, result.Timestamp.Before(s.query.Since), s.query.Project != "" && (r.project == "" || !within(r.project, s.query.Project)):
		return
	}
	s.all.Results = append(s.all.Results, improve.SessionResult{Result: result, Host: r.info.Host, Project: strings.Clone(r.project), File: r.unit.file})
}

// damaged notes a line that could not be read. Its words repeat nothing of what
// stands there.
func (s *run) damaged(u unit, info trimtab.Info, err error) {
	d := improve.DamagedLine{File: cmp.Or(u.file, "session "+info.ID), Why: err.Error()}
	var line transcript.Damaged
	if errors.As(err, &line) {
		d.Line, d.Why = line.Line, line.Text
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Damaged++
	s.all.Lines = append(s.all.Lines, d)
	if len(s.all.Lines) > 4*maxDamages {
		s.trimDamages()
	}
}

// trimDamages keeps the first damages by file and line, whoever read first.
func (s *run) trimDamages() {
	slices.SortFunc(s.all.Lines, func(a, b improve.DamagedLine) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	s.all.Lines = s.all.Lines[:min(len(s.all.Lines), maxDamages)]
}

func (s *run) unread(name string, err error, named bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := err.Error()
	if !strings.Contains(text, name) {
		text = name + ": " + text
	}
	s.all.Unread = append(s.all.Unread, text)
	s.all.NamedUnread = s.all.NamedUnread || named
}

// reflection sums up, in an order that does not depend on who read first.
func (s *run) reflection(now time.Time) improve.Reflection {
	r := s.all
	r.At = now.UTC()
	if !s.query.Since.IsZero() {
		since := s.query.Since.UTC()
		r.Since = &since
	}
	s.trimDamages()
	r.Lines = s.all.Lines
	slices.Sort(r.Unread)
	results := make([]improve.Result, len(r.Results))
	for i := range r.Results {
		results[i] = r.Results[i].Result
	}
	r.Merged = improve.Merge(results)
	r.Results = latest(r.Results)
	for _, one := range r.Results {
		if one.Parent == "" {
			r.Hosts[cmp.Or(one.Host, "unknown")]++
		} else {
			r.Agents++
		}
		r.Metrics.Add(one.Metrics)
		if r.Earliest.IsZero() || one.Timestamp.Before(r.Earliest) {
			r.Earliest = one.Timestamp
		}
		if one.Timestamp.After(r.Latest) {
			r.Latest = one.Timestamp
		}
	}
	r.Bytes = s.bytes.Load()
	return r
}

// latest are the sessions, the newest first, each once: one that was read from its
// host's file and from our store counts where more of it was seen.
func latest(all []improve.SessionResult) []improve.SessionResult {
	slices.SortStableFunc(all, func(a, b improve.SessionResult) int {
		if c := strings.Compare(a.SessionID, b.SessionID); c != 0 {
			return c
		}
		if c := b.Metrics.TotalMessages - a.Metrics.TotalMessages; c != 0 {
			return c
		}
		return strings.Compare(b.File, a.File)
	})
	all = slices.CompactFunc(all, func(a, b improve.SessionResult) bool { return a.SessionID == b.SessionID })
	slices.SortStableFunc(all, func(a, b improve.SessionResult) int { return b.Timestamp.Compare(a.Timestamp) })
	if all == nil {
		return []improve.SessionResult{}
	}
	return all
}
