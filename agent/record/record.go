// Package record keeps what each turn of a session did: files before and after, and
// commands with their exit and output. On it stand the diffs of a turn and of the session,
// and taking a turn back.
//
// A session has a folder with two files that only grow: the contents, one after the
// other, and a journal of JSON lines that say where in it what stands. A line is written
// after its contents, so that a crash leaves nothing that points nowhere; a line that is
// cut off is passed over.
//
//	log := record.Open(filepath.Join(data, "record"))
//	agent.Options{Recorder: log, …}
//	changes, err := log.Since(session, prompt.Seq)
package record

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/atomicfile"
)

// Log is the records of all sessions. It may be used from several goroutines.
type Log struct {
	dir string
	mu  sync.Mutex
	of  map[string]*book
}

// book is the record of one session, as far as it is in memory.
type book struct {
	entries []Entry
	known   map[[sha256.Size]byte]spot // contents that are there already
	end     int64                      // of the journal, as it was read
	undone  []undone                   // what was taken back, the newest last
}

// undone is what was taken back at once.
type undone struct {
	seq     int
	entries []Entry
}

// spot is where a content stands.
type spot struct {
	At   int64 `json:"at"`
	Size int   `json:"size"`
}

// Entry is what a call did.
type Entry struct {
	Turn    trimtab.Ref      `json:"turn"` // the prompt
	Call    string           `json:"call,omitempty"`
	Tool    string           `json:"tool,omitempty"`
	Files   []file           `json:"files,omitempty"`
	Command *tool.CommandRun `json:"command,omitempty"`
	Back    int              `json:"back,omitempty"`  // instead of all else: the turns from this message on were taken back
	Again   int              `json:"again,omitempty"` // instead of all else: what was taken back from this message on counts again
}

type file struct {
	Path   string      `json:"path"`
	Before *spot       `json:"before,omitempty"` // nil where there was none
	After  *spot       `json:"after,omitempty"`
	Mode   fs.FileMode `json:"mode,omitempty"`
	Left   string      `json:"left,omitempty"`
}

// The limits of what is kept of one call.
const (
	maxContent = 64 << 20
	maxOutput  = 16 << 10
	maxLine    = 16 << 20
)

// Open returns the records below a folder, which need not exist.
func Open(dir string) *Log { return &Log{dir: dir, of: map[string]*book{}} }

// folder is the folder of a session; a name of any other form has none.
func (l *Log) folder(session string) (string, error) {
	if session == "" || strings.HasPrefix(session, ".") || strings.ContainsAny(session, `/\:`) || len(session) > 200 {
		return "", fmt.Errorf("record: %w: %q", trimtab.ErrBadID, trimtab.Clip(session, 40))
	}
	return filepath.Join(l.dir, session), nil
}

// Record keeps what a call of a turn did.
func (l *Log) Record(session string, turn trimtab.Ref, call trimtab.ToolCall, effects []tool.Effect) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	dir, b, err := l.open(session)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	contents, err := os.OpenFile(filepath.Join(dir, "contents"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	w := &writer{file: contents, book: b}
	e := Entry{Turn: turn, Call: call.ID, Tool: call.Name}
	for _, effect := range effects {
		for _, c := range effect.Files {
			e.Files = append(e.Files, w.keep(c))
		}
		if c := effect.Command; c != nil {
			kept := *c
			kept.Output = trimtab.Clip(kept.Output, maxOutput)
			e.Command = &kept
		}
	}
	if err := errors.Join(w.err, contents.Close()); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return l.append(dir, b, e)
}

// writer appends contents.
type writer struct {
	*book
	file *os.File
	used int
	err  error
}

func (w *writer) keep(c tool.FileChange) file {
	f := file{Path: c.Path, Mode: c.Mode, Left: c.Left}
	if w.used += len(c.Before) + len(c.After); w.used > maxContent && f.Left == "" {
		f.Left = "too large to be kept"
	}
	if f.Left != "" {
		return f
	}
	if c.Existed {
		f.Before = w.put(c.Before)
	}
	if c.Exists {
		f.After = w.put(c.After)
	}
	return f
}

func (w *writer) put(content []byte) *spot {
	sum := sha256.Sum256(content)
	if s, ok := w.known[sum]; ok {
		return &s
	}
	at, err := w.file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = w.file.Write(content)
	}
	if w.err = errors.Join(w.err, err); err != nil {
		return nil
	}
	s := spot{at, len(content)}
	w.known[sum] = s
	return &s
}

func (l *Log) append(dir string, b *book, e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	b.add(e)
	b.end += int64(len(line)) + 1
	return nil
}

func (b *book) add(e Entry) {
	switch {
	case e.Back > 0:
		var keep, gone []Entry
		for _, o := range b.entries {
			if o.Turn.Seq >= e.Back {
				gone = append(gone, o)
			} else {
				keep = append(keep, o)
			}
		}
		b.entries, b.undone = keep, append(b.undone, undone{e.Back, gone})
	case e.Again > 0:
		if i := b.lastUndone(e.Again); i >= 0 {
			b.entries = append(b.entries, b.undone[i].entries...)
			b.undone = slices.Delete(b.undone, i, i+1)
		}
	default:
		b.entries = append(b.entries, e)
	}
}

func (b *book) lastUndone(seq int) int {
	for i := len(b.undone) - 1; i >= 0; i-- {
		if b.undone[i].seq == seq {
			return i
		}
	}
	return -1
}

// open reads what is new in the journal of a session: another process may have written it.
func (l *Log) open(session string) (dir string, b *book, err error) {
	if dir, err = l.folder(session); err != nil {
		return "", nil, err
	}
	if b = l.of[session]; b == nil {
		b = &book{known: map[[sha256.Size]byte]spot{}}
		l.of[session] = b
	}
	f, err := os.Open(filepath.Join(dir, "journal"))
	if errors.Is(err, fs.ErrNotExist) {
		return dir, b, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("record: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(b.end, io.SeekStart); err != nil {
		return "", nil, fmt.Errorf("record: %w", err)
	}
	lines := bufio.NewReader(io.LimitReader(f, 1<<30))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil { // the end, or a line that a crash cut off
			return dir, b, nil
		}
		b.end += int64(len(line))
		var e Entry
		if len(line) <= maxLine && json.Unmarshal(line, &e) == nil {
			b.add(e)
		}
	}
}

// Entries are what the calls of a session did, oldest first, without what was taken back.
func (l *Log) Entries(session string) ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, b, err := l.open(session)
	if err != nil {
		return nil, err
	}
	return slices.Clone(b.entries), nil
}

// Changes are the files that a call changed, by the id of the call.
func (l *Log) Changes(session string) (map[string][]tool.FileChange, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dir, b, err := l.open(session)
	if err != nil {
		return nil, err
	}
	r := reader{dir: dir}
	defer r.close()
	out := map[string][]tool.FileChange{}
	for _, e := range b.entries {
		for _, f := range e.Files {
			out[e.Call] = append(out[e.Call], r.change(f))
		}
	}
	return out, r.err
}

// Since is what became of each file since a message, in the order of their first change:
// its content before the first change, and after the last.
func (l *Log) Since(session string, seq int) ([]tool.FileChange, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dir, b, err := l.open(session)
	if err != nil {
		return nil, err
	}
	return sum(dir, b.entries, seq)
}

// sum is what became of each file in entries from a message on.
func sum(dir string, entries []Entry, seq int) ([]tool.FileChange, error) {
	at := map[string]int{}
	var sums []file
	for _, e := range entries {
		if e.Turn.Seq < seq {
			continue
		}
		for _, f := range e.Files {
			i, known := at[f.Path]
			if !known {
				at[f.Path] = len(sums)
				sums = append(sums, f)
				continue
			}
			sums[i].After = f.After
			if f.Left != "" {
				sums[i].Left = f.Left
			}
		}
	}
	r := reader{dir: dir}
	defer r.close()
	var out []tool.FileChange
	for _, f := range sums {
		c := r.change(f)
		if c.Existed != c.Exists || string(c.Before) != string(c.After) || c.Left != "" {
			out = append(out, c)
		}
	}
	return out, r.err
}

// Undone is what the turns changed that were taken back last from a message on; nothing
// where they changed no files.
func (l *Log) Undone(session string, seq int) ([]tool.FileChange, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dir, b, err := l.open(session)
	if err != nil {
		return nil, err
	}
	i := b.lastUndone(seq)
	if i < 0 {
		return nil, nil
	}
	return sum(dir, b.undone[i].entries, seq)
}

// Again says that what was taken back from a message on counts again.
func (l *Log) Again(session string, seq int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	dir, b, err := l.open(session)
	if err != nil || b.lastUndone(seq) < 0 {
		return err
	}
	return l.append(dir, b, Entry{Again: seq})
}

// TakenBack says that the turns from a message on no longer count.
func (l *Log) TakenBack(session string, seq int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	dir, b, err := l.open(session)
	if err != nil || len(b.entries) == 0 {
		return err
	}
	return l.append(dir, b, Entry{Back: seq})
}

// maxJobs is the largest list of commands that is read, in bytes.
const maxJobs = 1 << 20

// KeepJobs keeps which commands of a session run in the background, instead of what was
// kept before: they end with the program, and whoever opens the session then should know.
func (l *Log) KeepJobs(session string, running []tool.Job) error {
	dir, err := l.folder(session)
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "jobs")
	if len(running) == 0 {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("record: %w", err)
		}
		return nil
	}
	kept := make([]tool.Job, 0, len(running))
	for _, j := range running {
		kept = append(kept, tool.Job{ID: j.ID, Command: trimtab.Clip(j.Command, 4<<10)})
	}
	raw, err := json.Marshal(kept)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = atomicfile.Write(name, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// Jobs are the commands of a session that were kept last. What cannot be read is none.
func (l *Log) Jobs(session string) (jobs []tool.Job) {
	dir, err := l.folder(session)
	if err != nil {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, "jobs"))
	if err != nil {
		return nil
	}
	defer f.Close()
	if json.NewDecoder(io.LimitReader(f, maxJobs)).Decode(&jobs) != nil {
		return nil
	}
	return jobs
}

// Remove removes the records of sessions for good. One that has none is no error, and
// neither is an id that no record can have.
func (l *Log) Remove(sessions ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all error
	for _, id := range sessions {
		delete(l.of, id)
		if dir, err := l.folder(id); err == nil {
			all = errors.Join(all, os.RemoveAll(dir))
		}
	}
	return all
}

// reader reads contents.
type reader struct {
	dir  string
	file *os.File
	err  error
}

func (r *reader) close() {
	if r.file != nil {
		_ = r.file.Close() // it was only read
	}
}

func (r *reader) change(f file) tool.FileChange {
	c := tool.FileChange{Path: f.Path, Mode: f.Mode, Left: f.Left, Existed: f.Before != nil, Exists: f.After != nil}
	c.Before, c.After = r.get(f.Before), r.get(f.After)
	return c
}

func (r *reader) get(s *spot) []byte {
	if s == nil || r.err != nil {
		return nil
	}
	if r.file == nil {
		if r.file, r.err = os.Open(filepath.Join(r.dir, "contents")); r.err != nil {
			return nil
		}
	}
	content := make([]byte, s.Size)
	if _, err := r.file.ReadAt(content, s.At); err != nil {
		r.err = fmt.Errorf("record: %w", err)
		return nil
	}
	return content
}
