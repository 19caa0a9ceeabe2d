package row

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// The sizes that a queue takes, in bytes.
const (
	MaxItem = 4 << 20 // an item as JSON
	MaxName = 4096    // a project or the name of a worker
	MaxKey  = 1024    // a fingerprint, the key of an intent or the name of a file
	MaxFile = 32 << 20
)

// HaltSwitch is the name of the kill switch among the switches.
const HaltSwitch = "halt"

// Item is an improvement as a row. Project is its Identity. The columns are right where the body differs
// from them: taking an item writes only columns.
type Item struct {
	ID, Project, Fingerprint string
	State                    string
	Created, Updated         string
	Worker, Until            string
	Fence                    int64
	Version                  int64 // one more with each change but a renewed lease
	Body                     string
}

// OfItem makes a row of an item, under no lease. It refuses what a queue cannot
// keep.
func OfItem(it improve.Item) (Item, error) {
	if err := checkItem(it); err != nil {
		return Item{}, err
	}
	it.Worker, it.Until, it.Fence = "", time.Time{}, 0
	body, err := json.Marshal(it)
	if err != nil {
		return Item{}, fmt.Errorf("improvement %s: %w", it.ID, err)
	}
	if len(body) > MaxItem {
		return Item{}, fmt.Errorf("improvement %s: %w: %d bytes are over the limit of %d", it.ID, trimtab.ErrTooLarge, len(body), MaxItem)
	}
	return Item{
		ID: it.ID, Project: it.Identity(), Fingerprint: it.Fingerprint, State: string(it.State),
		Created: Stamp(it.Created), Updated: Stamp(it.Updated), Body: string(body),
	}, nil
}

// Item returns the improvement that the row keeps.
func (r Item) Item() (improve.Item, error) {
	var it improve.Item
	err := json.Unmarshal([]byte(r.Body), &it)
	if err == nil {
		it.Updated, err = Time(r.Updated)
	}
	if err == nil {
		it.Until, err = Time(r.Until)
	}
	if err != nil {
		return improve.Item{}, fmt.Errorf("improvement %s: %w: %w", r.ID, trimtab.ErrDamaged, err)
	}
	it.ID, it.Fingerprint, it.State = r.ID, r.Fingerprint, improve.State(r.State)
	if it.Repo != "" {
		it.Repo = r.Project
	} else {
		it.Project = r.Project
	}
	it.Worker, it.Fence = r.Worker, r.Fence
	return it, nil
}

// Listed returns the improvement, or what the columns tell of one that is damaged: it must
// not hide the others.
func (r Item) Listed() improve.Item {
	it, err := r.Item()
	if err == nil {
		return it
	}
	return improve.Item{
		ID: r.ID, Fingerprint: r.Fingerprint, Project: r.Project, Repo: r.Project, State: improve.State(r.State),
		Worker: r.Worker, Fence: r.Fence, Damaged: true, Why: "its record cannot be read, and nothing is done with it: " + err.Error(),
	}
}

// Change returns the row as change makes it, for a worker with this fence. The
// lease stays as it is, and ends with a state other than running.
func (r Item) Change(fence int64, change func(*improve.Item) error) (Item, error) {
	if fence != 0 && fence != r.Fence {
		return Item{}, fmt.Errorf("improvement %s: %w", r.ID, improve.ErrLost)
	}
	was, err := r.Item()
	if err != nil {
		return Item{}, err
	}
	now := was
	if err := change(&now); err != nil {
		return Item{}, err
	}
	if now.ID != was.ID || now.Identity() != was.Identity() || now.Fingerprint != was.Fingerprint || !now.Created.Equal(was.Created) {
		return Item{}, fmt.Errorf("improvement %s: its id, project, fingerprint and time of creation cannot be changed", r.ID)
	}
	next, err := OfItem(now)
	if err != nil {
		return Item{}, err
	}
	next.Fence, next.Version = r.Fence, r.Version+1
	if now.State == improve.Running {
		next.Worker, next.Until = r.Worker, r.Until
	}
	return next, nil
}

// itemID is made when it is needed: with so many repetitions it takes a while, and
// every start would wait for it.
var itemID = lazyregexp.Pattern(`^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$`)

// CheckItemID refuses ids of improvements that are not plain names.
func CheckItemID(id string) error {
	if !itemID().MatchString(id) {
		return fmt.Errorf("improvement %q: not an id (1 to 128 letters, digits and . _ : @ -, beginning with a letter or digit)", clip(id))
	}
	return nil
}

// CheckKey refuses keys of intents that a queue cannot keep.
func CheckKey(key string) error {
	if key == "" {
		return errors.New("intent: no key")
	}
	return short("key", key, MaxKey)
}

// CheckFile refuses files that a queue cannot keep.
func CheckFile(folder string, f improve.File) error {
	if f.Name == "" {
		return errors.New("file: no name")
	}
	if err := cmp.Or(short("folder", folder, MaxKey), short("name", f.Name, MaxKey)); err != nil {
		return fmt.Errorf("file: %w", err)
	}
	if len(f.Body) > MaxFile {
		return fmt.Errorf("file %s: %w: %d bytes are over the limit of %d", clip(f.Name), trimtab.ErrTooLarge, len(f.Body), MaxFile)
	}
	return nil
}

// CheckWorker refuses names of workers that a queue cannot keep.
func CheckWorker(name string) error {
	if name == "" {
		return errors.New("take an improvement: the worker has no name")
	}
	return short("name of the worker", name, MaxName)
}

// ProjectLimits are the limits of projects as a JSON object, for a statement to look
// them up in. Name writes a project as the database has it.
func ProjectLimits(most improve.Limits, name func(string) string) string {
	of := make(map[string]int, len(most.Projects))
	for project, n := range most.Projects {
		of[name(project)] = n
	}
	raw, err := json.Marshal(of)
	if err != nil {
		return "{}" // texts and numbers: there is nothing that could not be written
	}
	return string(raw)
}

func checkItem(it improve.Item) error {
	if err := CheckItemID(it.ID); err != nil {
		return err
	}
	err := cmp.Or(CheckStates(it.State), short("project", it.Project, MaxName), short("fingerprint", it.Fingerprint, MaxKey))
	if it.Fingerprint == "" {
		err = errors.New("no fingerprint; without one it could be filed again and again")
	}
	if err != nil {
		return fmt.Errorf("improvement %s: %w", it.ID, err)
	}
	return nil
}

// CheckStates refuses states that no item can have.
func CheckStates(states ...improve.State) error {
	for _, s := range states {
		switch s {
		case improve.Awaiting, improve.Queued, improve.Running, improve.Done, improve.Failed, improve.Manual, improve.Rejected, improve.Cancelled:
		default:
			return fmt.Errorf("%q is not a state of an improvement", clip(string(s)))
		}
	}
	return nil
}

func short(what, text string, most int) error {
	if len(text) > most {
		return fmt.Errorf("%s: %w: %d bytes are over the limit of %d", what, trimtab.ErrTooLarge, len(text), most)
	}
	return nil
}

func clip(s string) string { return s[:min(len(s), 60)] }
