// Package scan finds the sessions that hosts keep on this machine and reflects on
// all of them, several files at a time.
//
// It opens files for reading only, follows no links, and makes no store. A line
// that cannot be read is counted and passed over, and a file that cannot be read is
// named; neither hides the rest. Reading decides nothing: what went wrong is counted
// by package improve, and what becomes of it is for its callers.
//
//	s := scan.New(scan.Options{Getenv: os.Getenv, Redact: redact})
//	r, err := s.Reflect(ctx, improve.Query{Since: weekAgo, Project: folder})
//	…
//	for _, m := range r.Merged { // the worst first, over all sessions
//		fmt.Println(m.Severity, m.Type, m.Count, m.Sessions)
//	}
package scan

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// Options are what a scan works with. Redact is needed.
type Options struct {
	Redact   func(string) string // of all that is quoted
	Getenv   func(string) string // says where hosts keep sessions; nowhere where it is nil
	Store    Store               // our own; may be nil
	Progress Progress            // may be nil
	Now      func() time.Time    // time.Now where it is nil
	Literal  bool                // improve.Options.Literal
}

// Store is our own store, which is opened only when something in it is asked for.
type Store interface {
	// Where names the store for a person. It is false where there is none: a scan
	// makes none.
	Where() (name string, ok bool)
	// Open opens the store. Whoever passed the Store closes it.
	Open(ctx context.Context) (trimtab.Archive, error)
}

// OpenStore is a Store that is open already.
func OpenStore(archive trimtab.Archive) Store { return openStore{archive} }

type openStore struct{ trimtab.Archive }

func (s openStore) Where() (string, bool)                         { return "the store", true }
func (s openStore) Open(context.Context) (trimtab.Archive, error) { return s.Archive, nil }

// Progress is told how far a scan has come, by several goroutines at once.
type Progress interface {
	Begin(files int, bytes int64) // before anything is read
	Bytes(n int)                  // of a file that is being read
	File(bytes int64)             // that was read
	End()
}

// Scanner finds and reads sessions. It may be used by several goroutines, and
// again.
type Scanner struct{ opt Options }

// New returns a scanner.
func New(opt Options) *Scanner {
	if opt.Getenv == nil {
		opt.Getenv = func(string) string { return "" }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Progress == nil {
		opt.Progress = silent{}
	}
	return &Scanner{opt: opt}
}

// Reflect reads the sessions that are meant and tells what went wrong in them. An
// error is a name that means nothing, or the end of the context: what cannot be
// read is noted in the result.
func (sc *Scanner) Reflect(ctx context.Context, query improve.Query) (improve.Reflection, error) {
	s := sc.newRun(ctx, query)
	now := s.opt.Now()
	if err := s.findAndRead(ctx); err != nil {
		return improve.Reflection{}, err
	}
	return s.reflection(now), nil
}

// Turns reads sessions again for the turns that a pattern's samples point at, in the
// order of the samples. A session that is gone has none.
func (sc *Scanner) Turns(ctx context.Context, query improve.Query, p improve.Pattern) ([]improve.Turn, error) {
	s := sc.newRun(ctx, query)
	s.opt.Progress, s.turns = silent{}, &p
	if err := s.findAndRead(ctx); err != nil {
		return nil, err
	}
	var out []improve.Turn
	for _, sample := range p.Samples {
		i := slices.IndexFunc(s.found, func(t improve.Turn) bool { return t.Session == sample.Session && t.Message == sample.Message })
		if i >= 0 && !slices.ContainsFunc(out, func(t improve.Turn) bool { return t.Session == sample.Session && t.Message == sample.Message }) {
			out = append(out, s.found[i])
		}
	}
	return out, nil
}

func (sc *Scanner) newRun(ctx context.Context, query improve.Query) *run {
	s := &run{query: query, opt: sc.opt, all: improve.Reflection{Hosts: map[string]int{}}}
	// Several readers may need the store, and a Store need not be safe for that.
	s.openStore = sync.OnceValues(func() (trimtab.Archive, error) { return s.opt.Store.Open(ctx) })
	return s
}

func (s *run) findAndRead(ctx context.Context) error {
	units, err := s.find(ctx)
	if err != nil {
		return err
	}
	return s.readAll(ctx, units)
}

// silent is a Progress that nobody watches.
type silent struct{}

func (silent) Begin(int, int64) {}
func (silent) Bytes(int)        {}
func (silent) File(int64)       {}
func (silent) End()             {}

// run reads sessions, several files at a time. What it keeps of each is what
// reflecting on it gave.
type run struct {
	query     improve.Query
	opt       Options
	openStore func() (trimtab.Archive, error)
	turns     *improve.Pattern // the turns that it was seen in are collected
	found     []improve.Turn
	wanted    []string // ids of sessions that were asked for and must be found
	bytes     atomic.Int64

	pieceBytes int // of a session that are kept for a reader

	mu     sync.Mutex // guards what follows while readers are at work
	all    improve.Reflection
	pieces []improve.Piece
}

const (
	maxReaders = 4
	maxDamages = 20
)

// readAll reads all units. What cannot be read is noted and never hides the rest.
func (s *run) readAll(ctx context.Context, units []unit) error {
	var size int64
	for _, u := range units {
		size += u.size
	}
	s.opt.Progress.Begin(len(units), size)
	defer s.opt.Progress.End()
	work := make(chan unit)
	var wait sync.WaitGroup
	for range min(maxReaders, runtime.NumCPU(), max(1, len(units))) {
		wait.Go(func() {
			for u := range work {
				if err := s.read(ctx, u); err != nil && ctx.Err() == nil {
					s.unread(cmp.Or(u.file, "our own store"), err, u.named)
				}
				s.bytes.Add(u.size)
				s.opt.Progress.File(u.size)
			}
		})
	}
	slices.SortStableFunc(units, func(a, b unit) int { return int(b.size>>10) - int(a.size>>10) }) // the longest first, so that none is left alone at the end
	for _, u := range units {
		if ctx.Err() != nil {
			break
		}
		work <- u
	}
	close(work)
	wait.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, id := range s.wanted {
		if !slices.ContainsFunc(s.all.Results, func(r improve.SessionResult) bool { return r.SessionID == bareID(id, r.Host) }) {
			return noSuchSession(id)
		}
	}
	return nil
}
