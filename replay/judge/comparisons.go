package judge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay"
)

// Policy is the present settings of steering, and engines with changes to them; replay/policy
// has one.
type Policy interface {
	Engine(changes ...string) (*trimtab.Engine, error)
	Settings() []replay.Setting
}

// Recordings are the newest sessions of a store, at most so many, to be played again;
// record.Stored gives them.
type Recordings func(ctx context.Context, from trimtab.Archive, most int) iter.Seq2[replay.Recorded, error]

// ComparisonSizes are over how many sessions two policies can be compared.
var ComparisonSizes = []int{20, 100, 500}

// mostComparisons is how many are under way at once, of all people together.
const mostComparisons = 2

// Errors of Comparisons.Begin.
var (
	ErrBusy   = errors.New("others compare just now; try again in a minute")
	ErrLabels = errors.New("the labels cannot be read")
)

// AskedComparison is one that a person asked for: under way, or done.
type AskedComparison struct {
	First   []string    `json:"first"` // changes to the settings
	Second  []string    `json:"second"`
	Most    int         `json:"most_sessions"`
	Running bool        `json:"running"`
	Done    int         `json:"done"` // sessions
	Result  *Comparison `json:"result,omitempty"`
	Failed  string      `json:"failed,omitempty"`
	stop    context.CancelFunc
}

// Comparisons are the newest of each person, done beside whoever asked. They hold texts of
// sessions that the person may see, so nobody else is shown them.
type Comparisons struct {
	policy   Policy
	recorded Recordings
	labels   string // the file; "" is none
	done     <-chan struct{}

	mu  sync.Mutex
	all map[string]*AskedComparison
}

// NewComparisons returns some. They end when done is closed; nil is never.
func NewComparisons(policy Policy, recorded Recordings, labels string, done <-chan struct{}) *Comparisons {
	return &Comparisons{policy: policy, recorded: recorded, labels: labels, done: done, all: map[string]*AskedComparison{}}
}

// Settings are those that can be changed, as they are now.
func (c *Comparisons) Settings() []replay.Setting { return c.policy.Settings() }

// Of is a person's newest, as it stands.
func (c *Comparisons) Of(user string) (AskedComparison, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.all[user]; found != nil {
		return *found, true
	}
	return AskedComparison{}, false
}

// Stop ends a person's comparison. What was found until then stays.
func (c *Comparisons) Stop(user string) {
	if k, ok := c.Of(user); ok && k.stop != nil {
		k.stop()
	}
}

// Begin compares two policies, each the present settings with changes, over the newest
// sessions of a store. It goes on when ctx ends, and a person's comparison before is stopped.
func (c *Comparisons) Begin(ctx context.Context, user string, from trimtab.Archive, first, second []string, most int) error {
	k := &AskedComparison{First: append([]string{}, first...), Second: append([]string{}, second...), Most: most, Running: true}
	if !slices.Contains(ComparisonSizes, k.Most) {
		k.Most = ComparisonSizes[0]
	}
	one, err1 := c.policy.Engine(first...)
	two, err2 := c.policy.Engine(second...)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	var known map[string]*SessionLabels
	if c.labels != "" {
		var err error
		if known, err = ReadIfThere(c.labels); err != nil {
			return fmt.Errorf("%w: %w", ErrLabels, err)
		}
	}
	ctx, k.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := c.put(user, k); err != nil {
		k.stop()
		return err
	}
	go func() {
		select {
		case <-c.done:
			k.stop()
		case <-ctx.Done():
		}
	}()
	go c.play(ctx, k, from, one, two, known)
	return nil
}

// put makes a person's comparison, unless too many are under way.
func (c *Comparisons) put(user string, k *AskedComparison) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	running := 0
	for who, other := range c.all {
		if other.Running && who != user {
			running++
		}
	}
	if running >= mostComparisons {
		return ErrBusy
	}
	if old := c.all[user]; old != nil && old.Running {
		old.stop()
	}
	c.all[user] = k
	return nil
}

func (c *Comparisons) change(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

func (c *Comparisons) play(ctx context.Context, k *AskedComparison, from trimtab.Archive, first, second *trimtab.Engine, known map[string]*SessionLabels) {
	defer k.stop()
	kinds, err := ReadKinds("")
	var found Comparison
	if err == nil {
		o := Options{Engine: first, Kinds: kinds, Known: known}
		other := o
		other.Engine = second
		found, err = Compare(ctx, Corpus{Name: "own", More: c.recorded(ctx, from, k.Most)}, o, other, func(n int) {
			c.change(func() { k.Done = n })
		})
	}
	c.change(func() {
		k.Running, k.Result = false, &found
		if errors.Is(err, context.Canceled) {
			k.Failed = "It was stopped; what was found until then is below."
		} else if err != nil {
			k.Failed = err.Error()
		}
	})
}
