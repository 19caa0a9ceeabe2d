package caller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/address"
	"github.com/trimtab/trimtab/surface/admit"
	"github.com/trimtab/trimtab/surface/person"
)

// Prices knows what a reply cost: llm/price does.
type Prices interface {
	Cost(model string, u trimtab.Usage) (dollars float64, ok bool)
}

// Options are what a gate is made of.
type Options struct {
	Held    Held
	Prices  Prices
	Replica string       // names this gateway among those on its store, the same after a restart
	Log     *slog.Logger // nil is none
	Clock   func() time.Time
}

// Gate lets callers with a valid key to a gateway, within their limits. It is a
// admit.Guard.
type Gate struct {
	book  *Book
	opt   Options
	meter meter

	mu      sync.Mutex
	rates   map[string]*rate.Limiter
	running map[*run]bool
}

// run is a request under way, which ends when its key is revoked.
type run struct {
	key Key
	end context.CancelCauseFunc
}

// NewGate returns a gate.
func NewGate(book *Book, opt Options) *Gate {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	return &Gate{
		book: book, opt: opt, meter: meter{files: book.files, replica: opt.Replica},
		rates: map[string]*rate.Limiter{}, running: map[*run]bool{},
	}
}

type contextKey struct{}

// ErrRevoked ends the replies under way of a key that was revoked.
var ErrRevoked = errors.New("the key was revoked")

// Handler passes requests with a caller's key on to the gateway, and all others to other.
func (g *Gate) Handler(other, to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret, next := found(r)
		if secret == "" {
			other.ServeHTTP(w, r)
			return
		}
		k, why := g.check(r.Context(), secret)
		if why == nil {
			why = g.rate(k)
		}
		if why != nil {
			refuse(w, why)
			return
		}
		g.meter.add(k.ID, Usage{Requests: 1}, g.opt.Clock())
		ctx, end := context.WithCancelCause(context.WithValue(person.With(r.Context(), k.person()), contextKey{}, k))
		defer end(nil)
		defer g.track(&run{k, end})()
		to.ServeHTTP(w, next.WithContext(ctx))
	})
}

// Person is who a caller's key in the header Authorization is of, for the management API;
// ok is false where there is none that is valid.
func (g *Gate) Person(r *http.Request) (p person.Person, ok bool) {
	secret := bare(r.Header.Get("Authorization"))
	if !isKey(secret) {
		return p, false
	}
	k, why := g.check(r.Context(), secret)
	if why != nil {
		return p, false
	}
	return k.person(), true
}

func (k Key) person() person.Person {
	return person.Person{User: k.User, Role: k.Role, By: "key " + k.ID}
}

// found is the caller's key of a request: in its path, in our header, or in the place of a
// provider's key. In the first two it is taken off; in the last it stays until it is known
// which provider is asked, for that may be told by where the key is.
func found(r *http.Request) (secret string, next *http.Request) {
	if secret, next, ok := address.Take(r, isKey); ok {
		return secret, next
	}
	if secret = given(r); secret != "" {
		return secret, r
	}
	return "", r
}

// check finds the key, and says why it is not answered.
func (g *Gate) check(ctx context.Context, secret string) (Key, *admit.Refusal) {
	k, known, err := g.book.find(ctx, secret)
	switch {
	case err != nil && !known:
		g.opt.Log.Warn("callers' keys cannot be read", "error", err)
		return k, &admit.Refusal{Status: http.StatusServiceUnavailable, Text: "keys cannot be checked now; try again", Retry: fresh}
	case !known:
		return k, &admit.Refusal{Status: http.StatusForbidden, Text: "this key is not known here; ask who runs the gateway for one (trimtab serve key create)"}
	}
	if state := k.State(g.opt.Clock()); state != "valid" {
		return k, &admit.Refusal{Status: http.StatusForbidden, Text: fmt.Sprintf("the key %s (%s) is %s; ask who runs the gateway for another", k.ID, k.Name, state)}
	}
	return k, nil
}

// rate counts a request against the limit of a minute, of which as many may come at once.
func (g *Gate) rate(k Key) *admit.Refusal {
	if k.Limits.Requests == 0 {
		return nil
	}
	g.mu.Lock()
	l := g.rates[k.ID]
	if l == nil || l.Burst() != k.Limits.Requests {
		l = rate.NewLimiter(rate.Limit(float64(k.Limits.Requests)/60), k.Limits.Requests)
		g.rates[k.ID] = l
	}
	g.mu.Unlock()
	now := g.opt.Clock()
	one := l.ReserveN(now, 1)
	if wait := one.DelayFrom(now); wait > 0 {
		one.CancelAt(now)
		return &admit.Refusal{Status: http.StatusTooManyRequests, Text: fmt.Sprintf("the key %s may send %d requests a minute", k.ID, k.Limits.Requests), Retry: wait}
	}
	return nil
}

func (g *Gate) track(r *run) (untrack func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running[r] = true
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.running, r)
	}
}

// User is whose sessions those of a request are.
func (g *Gate) User(r *http.Request) string {
	k, _ := r.Context().Value(contextKey{}).(Key)
	return k.User
}

// Admit holds a request against the limits of its key, and gives it the key of the provider.
func (g *Gate) Admit(r *http.Request, a admit.Asking) error {
	k, ok := r.Context().Value(contextKey{}).(Key)
	if !ok { // whoever runs the gateway, at an address of their own
		return nil
	}
	asks := r.Method != http.MethodGet && r.Method != http.MethodHead
	if asks && len(k.Limits.Models) > 0 && (a.Model == "" || !k.Limits.allows(a.Model)) {
		return &admit.Refusal{Status: http.StatusForbidden, Text: fmt.Sprintf("the key %s may ask %s, and not %q", k.ID, strings.Join(k.Limits.Models, ", "), a.Model)}
	}
	if err := g.within(k, a); err != nil {
		return err
	}
	if err := g.opt.Held.authorize(r, a.Provider); err != nil {
		return &admit.Refusal{Status: http.StatusForbidden, Text: err.Error()}
	}
	return nil
}

// within holds the key's use of today against its limits.
func (g *Gate) within(k Key, a admit.Asking) error {
	if !k.Limits.bounded() {
		return nil
	}
	if !a.Counted {
		return &admit.Refusal{Status: http.StatusForbidden, Text: fmt.Sprintf("the use of the key %s is limited, and what this request uses cannot be counted", k.ID)}
	}
	if _, priced := g.cost(a.Provider, a.Model, trimtab.Usage{Input: 1, Output: 1}); k.Limits.Spend > 0 && a.Model != "" && !priced {
		return &admit.Refusal{Status: http.StatusForbidden, Text: fmt.Sprintf("the spend of the key %s is limited, and the price of %s is not known; who runs the gateway can set it (models.prices)", k.ID, a.Model)}
	}
	now := g.opt.Clock()
	tomorrow := now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	used := g.meter.used(k.ID, now)
	switch {
	case k.Limits.Tokens > 0 && used.Tokens >= k.Limits.Tokens:
		return &admit.Refusal{Status: http.StatusTooManyRequests, Text: fmt.Sprintf("the key %s has used %d of its %d tokens of today (UTC)", k.ID, used.Tokens, k.Limits.Tokens), Retry: tomorrow}
	case k.Limits.Spend > 0 && used.Spend >= k.Limits.Spend:
		return &admit.Refusal{Status: http.StatusTooManyRequests, Text: fmt.Sprintf("the key %s has used $%.2f of its $%.2f of today (UTC)", k.ID, used.Spend, k.Limits.Spend), Retry: tomorrow}
	}
	return nil
}

func (g *Gate) cost(provider, model string, u trimtab.Usage) (dollars float64, ok bool) {
	if g.opt.Prices == nil {
		return 0, false
	}
	return g.opt.Prices.Cost(provider+"/"+model, u)
}

// bytesPerToken is about what a token takes, where a provider does not say what it counted.
const bytesPerToken = 4

// Done counts what a request used.
func (g *Gate) Done(r *http.Request, c admit.Call) {
	k, ok := r.Context().Value(contextKey{}).(Key)
	if !ok || c.Status != http.StatusOK || c.Kind == admit.Other {
		return
	}
	used := trimtab.Usage{Input: c.Sent / bytesPerToken, Output: c.Received / bytesPerToken}
	if c.Usage != nil {
		used = *c.Usage
	}
	u := Usage{Tokens: int64(used.Input + used.Output + used.CacheRead + used.CacheWrite)}
	if u.Spend, ok = g.cost(c.Provider, c.Model, used); !ok {
		u.Unpriced = 1
	}
	g.meter.add(k.ID, u, g.opt.Clock())
}

// Start runs the gate in the background. Stop ends that, and waits until what was counted
// is stored.
func (g *Gate) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	g.warn(g.meter.exchange(ctx, g.opt.Clock())) // limits hold from the first request on
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.run(ctx)
	}()
	return func() { cancel(); <-done }
}

// run keeps what this gateway knows of keys and their use with the store until the context
// ends, and ends replies under way whose key is revoked.
func (g *Gate) run(ctx context.Context) {
	tick := time.NewTicker(fresh)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.warn(g.book.refresh(ctx, fresh))
			g.cut()
			g.warn(g.meter.exchange(ctx, g.opt.Clock()))
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			g.warn(g.meter.exchange(last, g.opt.Clock()))
			return
		}
	}
}

func (g *Gate) warn(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		g.opt.Log.Warn("callers: the store does not answer; what is known counts on", "error", err)
	}
}

// cut ends requests whose key is no longer valid.
func (g *Gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.opt.Clock()
	for r := range g.running {
		if k, ok := g.book.now(r.key.ID); !ok || k.State(now) != "valid" {
			g.opt.Log.Info("a reply was ended: its key is no longer valid", "key", r.key.ID, "user", r.key.User)
			r.end(ErrRevoked)
		}
	}
}

// refuse answers in a form that the agents of all providers show to their person.
func refuse(w http.ResponseWriter, why *admit.Refusal) {
	address.Deadline(w)
	w.Header().Set("Content-Type", "application/json")
	if why.Retry > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(why.Retry.Seconds())+1))
	}
	kind := "permission_error"
	switch why.Status {
	case http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case http.StatusServiceUnavailable:
		kind = "api_error"
	}
	w.WriteHeader(why.Status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": kind, "code": why.Status, "message": "trimtab: " + why.Text}})
}
