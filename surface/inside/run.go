package inside

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/internal/filelock"
)

// Variable names the run in the environment of its agent, and of all that the agent
// starts.
const Variable = "TRIMTAB_RUN"

// Facts are what a run says of itself.
type Facts struct {
	ID      string    `json:"id"`
	Host    string    `json:"host"`
	Project string    `json:"project"`
	Started time.Time `json:"started"`
}

// Run is a folder for one run below the data folder. A nil Run has nothing in it and
// takes nothing. It is safe for use by several processes.
type Run struct {
	Facts
	dir    string
	unlock func()       // of the process that the run is; nil in all others
	at     atomic.Value // a string: the session that was noted last
}

const (
	folder      = "runs"
	factsFile   = "run.json"
	sessionFile = "session"
	lockFile    = "lock" // locked while the run goes on: a crash leaves the folder, and no lock
)

// Begin makes the folder of a run. What runs left behind that did not come to their end
// is removed. Where the folder cannot be made, the run goes on, and from inside of it
// nothing can be changed.
func Begin(data string, f Facts) (*Run, error) {
	sweep(data)
	r := &Run{Facts: f, dir: filepath.Join(data, folder, f.ID)}
	raw, err := json.Marshal(f)
	if err == nil {
		err = os.MkdirAll(r.dir, 0o700)
	}
	if err == nil {
		r.unlock, err = filelock.Try(filepath.Join(r.dir, lockFile))
	}
	if err == nil {
		err = atomicfile.Write(filepath.Join(r.dir, factsFile), raw, 0o600)
	}
	if err != nil {
		return r, fmt.Errorf("from inside the agent nothing can be changed: %w", err)
	}
	return r, nil
}

// End removes the folder.
func (r *Run) End() error {
	if r == nil {
		return nil
	}
	if r.unlock != nil {
		r.unlock()
	}
	return os.RemoveAll(r.dir)
}

// Find returns a run that goes on.
func Find(data, id string) (*Run, error) {
	r, err := at(data, id)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join(r.dir, factsFile))
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", id, trimtab.ErrNotFound)
	}
	return r, json.Unmarshal(raw, &r.Facts)
}

// Newest returns the run that began last in a project and goes on, or nil.
func Newest(data, project string) (newest *Run) {
	all, _ := os.ReadDir(filepath.Join(data, folder)) // without the folder there are none
	for _, e := range all {
		r, err := Find(data, e.Name())
		if err == nil && r.Project == project && (newest == nil || r.Started.After(newest.Started)) && r.goesOn() {
			newest = r
		}
	}
	return newest
}

func at(data, id string) (*Run, error) {
	if err := trimtab.CheckID(id); err != nil || strings.ContainsAny(id, `/\:`) || strings.HasPrefix(id, ".") {
		return nil, errors.Join(err, errors.New("this is no id of a run"))
	}
	return &Run{dir: filepath.Join(data, folder, id)}, nil
}

// goesOn reports whether the process of the run is there.
func (r *Run) goesOn() bool {
	unlock, err := filelock.Try(filepath.Join(r.dir, lockFile))
	if err == nil {
		unlock()
	}
	return errors.Is(err, filelock.ErrLocked)
}

// abandoned is how old the folder of a run is at least that is removed by another: one
// that begins just now has no lock yet.
const abandoned = time.Hour

func sweep(data string) {
	all, _ := os.ReadDir(filepath.Join(data, folder))
	for _, e := range all {
		info, err := e.Info()
		if r, bad := at(data, e.Name()); err == nil && bad == nil && time.Since(info.ModTime()) > abandoned && !r.goesOn() {
			_ = os.RemoveAll(r.dir) // the next run tries again
		}
	}
}

// SetSession notes the session that the run's requests belong to now: after a fresh start
// inside the agent it is another one.
func (r *Run) SetSession(id string) {
	if r == nil || r.at.Load() == id {
		return
	}
	r.at.Store(id)
	_ = atomicfile.Write(filepath.Join(r.dir, sessionFile), []byte(id), 0o600) // then it is found by its folder
}

// Session is the session that the run is at; "" before its first request.
func (r *Run) Session() string {
	if r == nil {
		return ""
	}
	raw, err := os.ReadFile(filepath.Join(r.dir, sessionFile))
	if err != nil {
		return ""
	}
	return string(raw)
}

// Offer is a command that waits for the run's next request.
type Offer struct {
	Token   string    `json:"-"`
	Command string    `json:"command"`
	Args    []string  `json:"args,omitempty"`
	Sure    bool      `json:"sure,omitempty"` // the person's, as far as can be known
	At      time.Time `json:"at"`
}

// Event is the command as an engine hears it.
func (o Offer) Event() trimtab.Event {
	return trimtab.Asked{Command: o.Command, Args: o.Args, Away: true}
}

const (
	offerBegin = "ask-"
	offerEnd   = ".json"
)

// Offer puts a command aside, and returns the token by which it is vouched for.
func (r *Run) Offer(o Offer) (token string, err error) {
	o.Token = newToken()
	return o.Token, r.write(o)
}

func (r *Run) write(o Offer) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return atomicfile.Write(r.file(o.Token), raw, 0o600)
}

func (r *Run) file(token string) string { return filepath.Join(r.dir, offerBegin+token+offerEnd) }

// Waiting are the commands that wait, the oldest first.
func (r *Run) Waiting() (all []Offer) {
	if r == nil {
		return nil
	}
	files, _ := os.ReadDir(r.dir) // a run that has ended has none
	for _, f := range files {
		token, ok := strings.CutPrefix(strings.TrimSuffix(f.Name(), offerEnd), offerBegin)
		if !ok {
			continue
		}
		o := Offer{Token: token}
		if raw, err := os.ReadFile(r.file(token)); err == nil && json.Unmarshal(raw, &o) == nil {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b Offer) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Token, b.Token)) })
	return all
}

// Vouch says that the person gave a command.
func (r *Run) Vouch(token string) error {
	for _, o := range r.Waiting() {
		if o.Token == token && !o.Sure {
			o.Sure = true
			return r.write(o)
		}
	}
	return nil
}

// Drop takes commands away: they were carried out, or a tool of the model gave them.
func (r *Run) Drop(tokens ...string) {
	if r == nil {
		return
	}
	for _, token := range tokens {
		_ = os.Remove(r.file(token)) // it is gone
	}
}
