// Package scan finds the sessions that hosts keep on this machine and reflects on
// all of them, several files at a time.
//
// It opens files for reading only, follows no links, and makes no store. A line
// that cannot be read is counted and passed over, and a file that cannot be read is
// named; neither hides the rest. Reading decides nothing: what went wrong is counted
// by package improve, and what becomes of it is for its callers.
//
//	r, err := scan.Run(ctx, scan.Query{Since: weekAgo, Project: folder}, scan.Options{
//		Getenv: os.Getenv, Redact: redact,
//	})
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

// Query says which sessions are meant. The zero value is all of them.
type Query struct {
	Names   []string  // files, folders and ids of sessions; all that hosts keep where there are none
	Host    string    // only sessions of this host
	Since   time.Time // only sessions that were at work since
	Project string    // only sessions that worked in this folder or below
}

// Options are what a scan works with. Redact is needed.
type Options struct {
	Redact   func(string) string // of all that is quoted
	Getenv   func(string) string // says where hosts keep sessions; nowhere where it is nil
	Store    Store               // our own; may be nil
	Progress Progress            // may be nil
	Now      func() time.Time    // time.Now where it is nil
}

// Store is our own store, which is opened only when something in it is asked for.
type Store interface {
	// Where names the store for a person. It is false where there is none: a scan
	// makes none.
	Where() (name string, ok bool)
	// Open opens the store. Whoever passed the Store closes it.
	Open(ctx context.Context) (trimtab.Archive, error)
}

// Progress is told how far a scan has come, by several goroutines at once.
type Progress interface {
	Begin(files int, bytes int64) // before anything is read
	Bytes(n int)                  // of a file that is being read
	File(bytes int64)             // that was read
	End()
}

// Reflection is all that a scan found, and the form in which a program is told.
type Reflection struct {
	At       time.Time        `json:"generated_at"`
	Since    *time.Time       `json:"since,omitempty"`
	Results  []Session        `json:"results"` // a ReflectionResult for each session
	Merged   []improve.Merged `json:"merged"`  // over all of them, ranked
	Hosts    map[string]int   `json:"sessions_by_host"`
	Agents   int              `json:"sub_agents"` // among the results, beside the sessions that started them
	Files    int              `json:"files"`
	Bytes    int64            `json:"bytes"`
	Damaged  int              `json:"damaged_lines"`
	Lines    []Damage         `json:"damaged,omitempty"`     // the first of them
	Ours     int              `json:"own_sessions_skipped"`  // that the improve workflow ran
	Foreign  int              `json:"other_files,omitempty"` // in named folders, that are no sessions
	Unread   []string         `json:"unreadable,omitempty"`  // and why
	Looked   []string         `json:"looked_in,omitempty"`   // where nothing was named
	Metrics  improve.Metrics  `json:"metrics"`               // of all sessions
	Earliest time.Time        `json:"earliest_session,omitzero"`
	Latest   time.Time        `json:"latest_session,omitzero"`

	NamedUnread bool `json:"-"` // a file that the query names could not be read
}

// Session is the result of one session and where it was.
type Session struct {
	improve.Result
	Host    string `json:"host,omitempty"`
	Project string `json:"project,omitempty"`
	File    string `json:"file,omitempty"`
}

// Damage is a line that could not be read.
type Damage struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Run reads the sessions that are meant and tells what went wrong in them. An error
// is a name that means nothing, or the end of the context: what cannot be read is
// noted in the result.
func Run(ctx context.Context, query Query, opt Options) (Reflection, error) {
	if opt.Getenv == nil {
		opt.Getenv = func(string) string { return "" }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Progress == nil {
		opt.Progress = silent{}
	}
	s := &scanner{query: query, opt: opt, all: Reflection{Hosts: map[string]int{}}}
	// Several readers may need the store, and a Store need not be safe for that.
	s.openStore = sync.OnceValues(func() (trimtab.Archive, error) { return opt.Store.Open(ctx) })
	now := opt.Now()
	units, err := s.find(ctx)
	if err != nil {
		return Reflection{}, err
	}
	if err := s.readAll(ctx, units); err != nil {
		return Reflection{}, err
	}
	return s.reflection(now), nil
}

// silent is a Progress that nobody watches.
type silent struct{}

func (silent) Begin(int, int64) {}
func (silent) Bytes(int)        {}
func (silent) File(int64)       {}
func (silent) End()             {}

// scanner reads sessions, several files at a time. What it keeps of each is what
// reflecting on it gave.
type scanner struct {
	query     Query
	opt       Options
	openStore func() (trimtab.Archive, error)
	wanted    []string // ids of sessions that were asked for and must be found
	bytes     atomic.Int64

	mu  sync.Mutex // guards all while readers are at work
	all Reflection
}

const (
	maxReaders = 4
	maxDamages = 20
)

// readAll reads all units. What cannot be read is noted and never hides the rest.
func (s *scanner) readAll(ctx context.Context, units []unit) error {
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
		if !slices.ContainsFunc(s.all.Results, func(r Session) bool { return r.SessionID == bareID(id, r.Host) }) {
			return noSuchSession(id)
		}
	}
	return nil
}
