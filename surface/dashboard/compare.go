package dashboard

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/replay/judge"
)

// Over how many sessions two policies can be compared.
var comparedSessions = []int{20, 100, 500}

// mostComparisons is how many are under way at once, of all people together.
const mostComparisons = 2

// comparison is one that a person asked for: under way, or done.
type comparison struct {
	First, Second []string // changes to the settings
	Most          int      // sessions
	Running       bool
	Done          int
	Result        *judge.Comparison
	Failed        string
	stop          context.CancelFunc
}

// comparisons are the newest of each person. They hold texts of sessions that the person may
// see, so nobody else is shown them.
type comparisons struct {
	mu  sync.Mutex
	all map[string]*comparison
}

// of is a person's newest, as it stands.
func (c *comparisons) of(user string) (comparison, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.all[user]; found != nil {
		return *found, true
	}
	return comparison{}, false
}

// begin makes a person's comparison, unless too many are under way.
func (c *comparisons) begin(user string, k *comparison) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	running := 0
	for who, other := range c.all {
		if other.Running && who != user {
			running++
		}
	}
	if running >= mostComparisons {
		return errors.New("others compare just now; try again in a minute")
	}
	if c.all == nil {
		c.all = map[string]*comparison{}
	}
	if old := c.all[user]; old != nil && old.Running {
		old.stop()
	}
	c.all[user] = k
	return nil
}

func (c *comparisons) change(k *comparison, change func(*comparison)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(k)
}

// changes are the lines of a field, one change each.
func changes(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// routesOfCompare adds the paths.
func (d *Dashboard) routesOfCompare() {
	d.mux.HandleFunc("GET /lab/compare", d.compared)
	d.mux.HandleFunc("POST /lab/compare", d.compare)
	d.mux.HandleFunc("POST /lab/compare/stop", d.stopComparing)
}

// compared shows the newest comparison, and the form for another.
func (d *Dashboard) compared(w http.ResponseWriter, r *http.Request) {
	if d.opt.Lab.Policy == nil || d.opt.Lab.Recorded == nil {
		d.problem(w, r, http.StatusNotFound, "Policies are not compared here.")
		return
	}
	k, ok := d.compares.of(d.person(r).User)
	data := map[string]any{"Title": "Compare two policies", "Settings": d.opt.Lab.Policy.Settings(), "Sizes": comparedSessions, "Compares": true}
	if ok {
		data["K"], data["Most"] = k, k.Most
		data["First"], data["Second"] = strings.Join(k.First, "\n"), strings.Join(k.Second, "\n")
	}
	d.page(w, r, "compare", data)
}

// compare begins a comparison. It is done beside the pages, which show how far it is.
func (d *Dashboard) compare(w http.ResponseWriter, r *http.Request) {
	lab := d.opt.Lab
	if lab.Policy == nil || lab.Recorded == nil {
		d.problem(w, r, http.StatusNotFound, "Policies are not compared here.")
		return
	}
	k := &comparison{First: changes(r.FormValue("first")), Second: append(changes(r.FormValue("second")), r.Form["off"]...), Running: true}
	if k.Most, _ = strconv.Atoi(r.FormValue("sessions")); !slices.Contains(comparedSessions, k.Most) {
		k.Most = comparedSessions[0]
	}
	first, err1 := lab.Policy.Engine(k.First...)
	second, err2 := lab.Policy.Engine(k.Second...)
	if err := errors.Join(err1, err2); err != nil {
		d.problem(w, r, http.StatusUnprocessableEntity, "Nothing was compared: "+err.Error())
		return
	}
	known, err := lab.known()
	if err != nil {
		d.problem(w, r, http.StatusServiceUnavailable, "The labels cannot be read: "+err.Error())
		return
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context())) // it goes on while the person looks elsewhere
	k.stop = cancel
	if err := d.compares.begin(d.person(r).User, k); err != nil {
		cancel()
		d.problem(w, r, http.StatusTooManyRequests, "Nothing was compared: "+err.Error())
		return
	}
	go func() {
		select {
		case <-d.opt.Done:
			cancel()
		case <-ctx.Done():
		}
	}()
	go d.play(ctx, k, d.archive(r), first, second, known)
	http.Redirect(w, r, "/lab/compare", http.StatusSeeOther)
}

func (d *Dashboard) play(ctx context.Context, k *comparison, from trimtab.Archive, first, second *trimtab.Engine, known map[string]*judge.SessionLabels) {
	defer k.stop()
	kinds, err := judge.ReadKinds("")
	var found judge.Comparison
	if err == nil {
		o := judge.Options{Engine: first, Kinds: kinds, Known: known}
		other := o
		other.Engine = second
		found, err = judge.Compare(ctx, judge.Corpus{Name: "own", More: d.opt.Lab.Recorded(ctx, from, k.Most)}, o, other, func(n int) {
			d.compares.change(k, func(k *comparison) { k.Done = n })
		})
	}
	d.compares.change(k, func(k *comparison) {
		k.Running, k.Result = false, &found
		if errors.Is(err, context.Canceled) {
			k.Failed = "It was stopped; what was found until then is below."
		} else if err != nil {
			k.Failed = err.Error()
		}
	})
}

func (d *Dashboard) stopComparing(w http.ResponseWriter, r *http.Request) {
	if k, ok := d.compares.of(d.person(r).User); ok && k.stop != nil {
		k.stop()
	}
	http.Redirect(w, r, "/lab/compare", http.StatusSeeOther)
}

// Recordings are the newest sessions of a store, at most so many, to be played again;
// record.Stored gives them.
type Recordings func(ctx context.Context, from trimtab.Archive, most int) iter.Seq2[replay.Recorded, error]
