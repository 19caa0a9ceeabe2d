package improve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is where an item of the queue stands.
type State string

// The states of an item. Work begins at queued; the last five are ends.
const (
	Awaiting  State = "awaiting_approval"
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Manual    State = "manual_review"
	Rejected  State = "rejected"
	Cancelled State = "cancelled"
)

// States are all of them, in the order in which an item may have them.
func States() []State {
	return []State{Awaiting, Queued, Running, Done, Failed, Manual, Rejected, Cancelled}
}

// StateNames are the states as people write them.
func StateNames() (names []string) {
	for _, s := range States() {
		names = append(names, string(s))
	}
	return names
}

// ParseStates returns the states that names mean.
func ParseStates(names []string) (states []State, err error) {
	for _, n := range names {
		if !slices.Contains(States(), State(n)) {
			return nil, fmt.Errorf("%q is not one of: %s", n, strings.Join(StateNames(), ", "))
		}
		states = append(states, State(n))
	}
	return states, nil
}

// Ended reports whether nothing more happens by itself.
func (s State) Ended() bool {
	switch s {
	case Done, Failed, Manual, Rejected, Cancelled:
		return true
	case Awaiting, Queued, Running:
	}
	return false
}

// StepName names a step of the work. It is what stored evidence is found by: the
// numbers are only places in the list of the program that wrote them, and move
// when a step is put in between.
type StepName string

// StepBranch is the step with which the work on the repository begins: what was done from
// there on is cleared up when it fails.
const StepBranch StepName = "branch"

// StepCommit and StepFeedback are the steps whose evidence names the newest commit.
const (
	StepCommit   StepName = "commit"
	StepFeedback StepName = "feedback"
)

// StepPullRequest is the step whose evidence holds the pull request, which impact is
// counted from.
const StepPullRequest StepName = "pull request"

// Outgoing is something that is sent to the forge.
type Outgoing struct {
	Kind   string   `json:"kind"` // "issue" or "pull request"
	Title  string   `json:"title"`
	Body   string   `json:"body"`
	Labels []string `json:"labels"`
	// Exact is false while the text still lacks what the work itself will tell, as
	// the number of the issue and what was implemented.
	Exact bool `json:"exact"`
}

// Evidence is what one step of the work leaves behind for the later ones to
// check and for a person to read.
type Evidence struct {
	Number int               `json:"number"` // its place in the list, from 1; for people
	Step   StepName          `json:"step"`   // "clarify"
	Began  time.Time         `json:"began"`
	Ended  time.Time         `json:"ended,omitzero"` // zero while the step is at work
	Facts  map[string]string `json:"facts,omitempty"`
	Files  []string          `json:"files,omitempty"` // logs and papers, relative to the item's folder
	Error  string            `json:"error,omitempty"`
}

// Event is something that happened to an item.
type Event struct {
	Item   string    `json:"item"`
	Number int       `json:"number,omitempty"` // of the step, 0 for the item itself
	Step   StepName  `json:"step,omitempty"`
	State  string    `json:"state"` // "began", "says", "done", "failed"; for the item itself, its state
	Text   string    `json:"text,omitempty"`
	At     time.Time `json:"at"`
}

// Item is one request on its way.
type Item struct {
	ID          string     `json:"id"` // workflow_20261115_101500_k3x9
	Fingerprint string     `json:"fingerprint"`
	Project     string     `json:"project"`          // root folder of the repository to improve, where it was seen first
	Repo        string     `json:"repo,omitempty"`   // the repository, the same for every clone: github.com/ann/soundings; "" where no server has it
	Remote      string     `json:"remote,omitempty"` // address to clone it from, without a secret
	State       State      `json:"state"`
	Why         string     `json:"why,omitempty"` // of the state, for a person
	Request     Request    `json:"request"`
	Sessions    []string   `json:"sessions,omitempty"`
	Metrics     *Metrics   `json:"metrics,omitempty"` // of the sessions; nil where nobody told them
	Attempt     int        `json:"attempt"`           // 1, and one more with each retry
	Evidence    []Evidence `json:"evidence,omitempty"`
	Created     time.Time  `json:"created"`
	Updated     time.Time  `json:"updated"`
	Cancel      bool       `json:"cancel,omitempty"`   // asked for, and not yet done
	Follows     string     `json:"follows,omitempty"`  // the item whose change did not help
	ByHand      bool       `json:"by_hand,omitempty"`  // a person asked for it: it is in nobody's way that comes by itself
	Approved    *Approval  `json:"approved,omitempty"` // nil where nobody was asked
	Remarks     []Remark   `json:"remarks,omitempty"`  // of people, for the agents that work on it; they are not sent to the forge

	// Left says why a worker, by its name, does not take the item: it cannot check out
	// the repository, or lacks the agent or a key. Another one may.
	Left map[string]string `json:"left,omitempty"`

	// Run is the engine's run that the evidence was copied from, so that people see it: the
	// run decides what is done. It is "" where a person decided what counts, as a retry does,
	// and where an older program wrote the item; the evidence is then where a run begins.
	Run string `json:"run,omitempty"`

	// Damaged is an item whose record cannot be read: only its id, its state and what it is
	// about are known, and Why says so. Nobody works on it, and all others go on.
	Damaged bool `json:"-"`

	// Whoever works on it. Fence grows each time the item is taken: a worker that
	// was paused past its lease finds a larger one, and can record nothing more.
	Worker string    `json:"worker,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	Fence  int64     `json:"fence,omitempty"`
}

// Approval is who let an item become work, and when.
type Approval struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// Remark is what a person says of an item.
type Remark struct {
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// The most that people can say of an item.
const (
	MaxRemarks = 50
	MaxRemark  = 4000 // bytes of one
)

// Identity is what an item is about, together with its fingerprint: the repository, and
// where no server has that, the folder.
func (it Item) Identity() string { return cmp.Or(it.Repo, it.Project) }

// About reports whether an item is about a fingerprint in a repository, whoever saw it,
// in whichever clone. Where one of the two knows no repository the folder decides.
func (it Item) About(fingerprint, repo, project string) bool {
	if it.Fingerprint != fingerprint && it.Request.Pattern.Fingerprint != fingerprint { // one that follows another has its own
		return false
	}
	if it.Repo == "" || repo == "" {
		return it.Project == project
	}
	return it.Repo == repo
}

// Errors of a Queue.
var (
	// ErrFiled: the queue has an item of this fingerprint for this project, or of
	// this id.
	ErrFiled = errors.New("there is one already")
	// ErrNoItem: there is no such item.
	ErrNoItem = errors.New("no such improvement")
	// ErrLost: the lease has passed to another worker.
	ErrLost = errors.New("another worker has it now")
)

// Queue is where requests wait and their work is recorded. A store keeps it, and
// gives it out as its four parts; who needs only one of them takes that one. What
// was acknowledged survives a crash. Several processes may use one queue.
type Queue struct {
	Backlog
	Leases
	EffectLog
	Switch
	FileStore
}

// Backlog is the requests, and how far each of them is.
type Backlog interface {
	// Add takes an item in, or returns ErrFiled. Items that were rejected,
	// cancelled or failed count too: what a person refused is not asked again.
	Add(ctx context.Context, it Item) error
	// Item returns one, or ErrNoItem.
	Item(ctx context.Context, id string) (Item, error)
	// Items returns those of some states, all of them for none, newest first; also those
	// that are damaged, which Item and Change refuse with trimtab.ErrDamaged.
	Items(ctx context.Context, states ...State) ([]Item, error)
	// Change changes an item in one transaction; change may be called again.
	// With a fence other than 0 that is not the item's own it is ErrLost. The
	// columns of the lease are not changed by it, but for an item whose new state
	// is not running: its lease ends.
	Change(ctx context.Context, id string, fence int64, change func(*Item) error) (Item, error)
}

// Limits are how many items may be running under a lease.
type Limits struct {
	All      int            // in all
	Projects map[string]int // of a project, by its Identity, where it has a limit of its own; 0 takes none
}

// Leases say which worker has which item, and for how long.
type Leases interface {
	// Take gives the oldest item that is queued, or running under a lease that
	// ended, to a worker until a time, and raises its fence. It gives none, false,
	// when there is none, or none whose project is below its limit, or when as many as
	// the limit are running under a lease. One that is damaged waits for a person from
	// then on.
	Take(ctx context.Context, worker string, now, until time.Time, most Limits) (Item, bool, error)
	// Renew moves the end of a lease, or returns ErrLost.
	Renew(ctx context.Context, id string, fence int64, until time.Time) error
}

// Clock is a queue that has a clock of its own, which is the same for all who use it.
type Clock interface {
	Clock(ctx context.Context) (time.Time, error)
}

// EffectLog is the log of a forge.Idempotent: what was about to be made, and when.
type EffectLog interface {
	Begin(ctx context.Context, key string, at time.Time) error
	Last(ctx context.Context, key string) (time.Time, error)
}

// Switch is the kill switch: Halt sets or lifts it, Halted reads it.
type Switch interface {
	Halt(ctx context.Context, halt bool) error
	Halted(ctx context.Context) (bool, error)
}

// File is a paper, a log or a pack of an item, or a key.
type File struct {
	Name string
	Body []byte
}

// FileStore keeps small files beside the items, so that a worker on another machine can go on
// with what one left. Folder is the id of an item, or "" for what all share.
type FileStore interface {
	// Save keeps a file, in the place of one of that name.
	Save(ctx context.Context, folder string, f File) error
	// SaveOnce keeps a file unless there is one of that name, and returns the one that is
	// kept: of several who save at once, all get the same.
	SaveOnce(ctx context.Context, folder string, f File) (File, error)
	// Files returns those of a folder, by name.
	Files(ctx context.Context, folder string) ([]File, error)
	// RemoveFolders forgets the files of all folders from one name up to another, that one
	// not included, by the order of their bytes, and says how many files they were.
	RemoveFolders(ctx context.Context, from, to string) (int, error)
}
