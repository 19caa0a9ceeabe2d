package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/gateway"
)

// mood is how a part behaves.
type mood string

const (
	well   mood = ""
	failed mood = "fails"
	hung   mood = "hangs"  // until the caller gives up, or the mood is over
	panics mood = "panics" //
)

// moods tells each call of a part how to behave: only some calls, or all.
type moods struct {
	mu   sync.Mutex
	mood mood
	only string // the call that it is about; "" is every one
	met  int
	over chan struct{} // closed when the mood is
}

func (m *moods) set(to mood, only string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over != nil {
		close(m.over)
	}
	m.mood, m.only, m.over = to, only, make(chan struct{})
}

// meet behaves as told.
func (m *moods) meet(ctx context.Context, call string) error {
	m.mu.Lock()
	now := m.mood
	if m.only != "" && m.only != call {
		now = well
	}
	if now != well {
		m.met++
	}
	over := m.over
	m.mu.Unlock()
	switch now {
	case failed:
		return errors.New("disk full")
	case hung:
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return errors.New("it hung too long")
		}
	case panics:
		panic("a bug")
	}
	return nil
}

// service is a session service with moods.
type service struct {
	*session.Service
	*moods
}

var _ gateway.Service = service{}

func (d service) Open(ctx context.Context, info trimtab.Info) (trimtab.Session, bool, error) {
	if err := d.meet(ctx, "Open"); err != nil {
		return trimtab.Session{}, false, err
	}
	return d.Service.Open(ctx, info)
}

func (d service) Steer(ctx context.Context, id string, tell func(trimtab.Session) []trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	if err := d.meet(ctx, "Steer"); err != nil {
		return trimtab.Session{}, trimtab.Outcome{}, err
	}
	s, out, err := d.Service.Steer(ctx, id, func(s trimtab.Session) []trimtab.Event {
		events := tell(s)
		if err := d.meet(ctx, "tell"); err != nil {
			return append(events, nil) // which a session service refuses
		}
		return events
	})
	if err == nil {
		err = d.meet(ctx, "Steered")
	}
	return s, out, err
}

func (d service) Flush(ctx context.Context, ids ...string) error {
	if err := d.meet(ctx, "Flush"); err != nil {
		return err
	}
	return d.Service.Flush(ctx, ids...)
}

// shelf is a store with moods.
type shelf struct {
	trimtab.Archive
	*moods
}

func (s shelf) Load(ctx context.Context, id string) (trimtab.Session, error) {
	if err := s.meet(ctx, "Load"); err != nil {
		return trimtab.Session{}, err
	}
	return s.Archive.Load(ctx, id)
}

func (s shelf) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	if err := s.meet(ctx, "Commit"); err != nil {
		return 0, err
	}
	return s.Archive.Commit(ctx, c)
}

func (s shelf) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	return func(yield func(trimtab.Message, error) bool) {
		if err := s.meet(ctx, "Messages"); err != nil {
			yield(trimtab.Message{}, err)
			return
		}
		s.Archive.Messages(ctx, id, after)(yield)
	}
}

// turns is a conversation of n prompts, as the client sends it with the last.
func turns(n int) []byte {
	var list []string
	for i := range n {
		if i > 0 {
			list = append(list, fmt.Sprintf(`{"role":"assistant","content":"reply %d"}`, i))
		}
		list = append(list, fmt.Sprintf(`{"role":"user","content":"prompt %d"}`, i+1))
	}
	return fmt.Appendf(nil, `{"max_tokens":9,"messages":[%s]}`, strings.Join(list, ","))
}

const asked = 6 // requests in a conversation

// nearby is a gateway without sockets, for tests in which time is not real: what
// hangs does so without holding up the test.
func nearby(t *testing.T, p parts) (*rig, *inbox) {
	t.Helper()
	b := &inbox{}
	p.up, p.near, p.carrier, p.opening = "http://provider.example", true, b.carry, planning()
	return newRig(t, p), b
}

// undisturbed is what a provider gets last where nothing goes wrong.
func undisturbed(t *testing.T) []byte {
	t.Helper()
	r, b := nearby(t, parts{})
	for n := range asked {
		r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, turns(n+1))
	}
	if strings.Count(string(b.last()), planned) != 1 || r.gate.Stats.Faults.Load() != 0 {
		t.Fatalf("even then it is not steered:\n%s", r.log)
	}
	r.settle()
	return b.last()
}

// disturbed sends a conversation of which one request meets a mood. That one
// passes as it came or steered, at once or when patience ends; and from the next
// on all is as if nothing had been.
func disturbed(t *testing.T, r *rig, b *inbox, m *moods, at int, now mood, only string, want []byte) {
	t.Helper()
	for n := range asked {
		raw := turns(n + 1)
		if n == at {
			m.set(now, only)
		}
		begun := time.Now()
		a := r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, raw)
		if waited := time.Since(begun); waited > time.Second { // of time that is not real
			t.Errorf("request %d: held up for %v", n, waited)
		}
		m.set(well, "")
		if a.status != http.StatusOK || len(b.all) != n+1 {
			t.Fatalf("request %d: status %d: %s", n, a.status, a.body)
		}
		if rest := uncut(t, dialects()["anthropic"], b.last()); !bytes.Equal(rest, raw) {
			t.Fatalf("request %d: arrived as\n%s", n, b.last())
		}
	}
	if !bytes.Equal(b.last(), want) {
		t.Errorf("the last request left as\n%s\nwant\n%s", b.last(), want)
	}
	r.settle()
	if s := r.session("s"); s.Step != asked-1 || s.Seq != 2*asked-1 {
		t.Errorf("%d steps and %d messages, want %d and %d", s.Step, s.Seq, asked-1, 2*asked-1)
	}
}

// eachMood calls a test for every mood, every call that may meet it, and three places
// in a conversation.
func eachMood(t *testing.T, moods []mood, calls []string, test func(t *testing.T, now mood, only string, at int)) {
	for _, now := range moods {
		for _, only := range calls {
			for _, at := range []int{0, 1, 3} {
				t.Run(fmt.Sprintf("%s %s at %d", only, now, at), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { test(t, now, only, at) })
				})
			}
		}
	}
}

// TestP6_ADoorThatIsShut: whatever fails, hangs or panics on the way of a request,
// the request passes, the fault is counted, and the next one is steered again.
func TestP6_ADoorThatIsShut(t *testing.T) {
	test := func(t *testing.T, now mood, only string, at int) {
		m := &moods{}
		r, b := nearby(t, parts{service: func(h *session.Service) gateway.Service { return service{h, m} }})
		disturbed(t, r, b, m, at, now, only, undisturbed(t))
		if n := r.gate.Stats.Faults.Load(); n == 0 && m.met > 0 {
			t.Error("no fault was counted")
		}
		if m.met > 0 && !strings.Contains(r.log.String(), "as it came") {
			t.Errorf("it was not shown:\n%s", r.log)
		}
	}
	eachMood(t, []mood{failed, hung, panics}, []string{"", "Open", "Steer", "tell", "Steered", "Flush", "Handle"}, test)
}

// TestP6_AStoreThatIsDown: the same with the store behind a real session service.
func TestP6_AStoreThatIsDown(t *testing.T) {
	eachMood(t, []mood{failed, hung, panics}, []string{"", "Load", "Commit", "Messages"}, func(t *testing.T, now mood, only string, at int) {
		m := &moods{}
		r, b := nearby(t, parts{store: shelf{memory.New(), m}})
		disturbed(t, r, b, m, at, now, only, undisturbed(t))
	})
}

// TestP6_TrafficFlowsWithoutSteering: as long as nothing works, everything passes
// as it came, and every request is counted.
func TestP6_TrafficFlowsWithoutSteering(t *testing.T) {
	for _, now := range []mood{failed, hung, panics} {
		t.Run(string(now), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &moods{mood: now}
				r, b := nearby(t, parts{service: func(h *session.Service) gateway.Service { return service{h, m} }})
				for n := range asked {
					raw := turns(n + 1)
					a := r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, raw)
					if a.status != http.StatusOK || !bytes.Equal(b.last(), raw) {
						t.Fatalf("request %d: status %d, arrived as\n%s", n, a.status, b.last())
					}
				}
				if n := r.gate.Stats.Faults.Load(); n != asked {
					t.Errorf("%d faults for %d requests", n, asked)
				}
				r.settle()
				var text strings.Builder
				if _, err := r.gate.Stats.WriteTo(&text); err != nil || !strings.Contains(text.String(), fmt.Sprintf("trimtab_faults_total %d\n", asked)) {
					t.Errorf("%v: the counts do not show it:\n%s", err, &text)
				}
			})
		})
	}
}

// TestP6_TheLastReplyIsNotCountedTwice: telling it fails; when the client sends
// it back, it is one step.
func TestP6_TheLastReplyIsNotCountedTwice(t *testing.T) {
	for _, now := range []mood{well, failed} {
		t.Run(string(now), func(t *testing.T) {
			m := &moods{}
			replies := 0
			up := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
				if replies++; replies == 1 {
					m.set(now, "Steer") // the request was steered, the reply is told next
				}
				fmt.Fprintf(w, `{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"reply %d"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}`, replies)
			})
			r := newRig(t, parts{up: up.URL, still: true, service: func(h *session.Service) gateway.Service { return service{h, m} }})
			header := http.Header{"X-Trimtab-Session": {"s"}}
			r.do(http.MethodPost, "/v1/messages", header, turns(1))
			r.settle()
			m.set(well, "")
			r.settle()
			r.do(http.MethodPost, "/v1/messages", header, turns(2))
			r.settle()
			if s := r.session("s"); s.Step != 2 || s.Seq != 4 {
				t.Errorf("%d steps and %d messages, want 2 and 4", s.Step, s.Seq)
			}
			if n := r.gate.Stats.Faults.Load(); (n == 1) != (now == failed) {
				t.Errorf("%d faults", n)
			}
		})
	}
}

// sluggish is a store that does not get done with one session.
type sluggish struct {
	*memory.Store
	over chan struct{}
}

func (s sluggish) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	if c.Session.ID == "slow" && c.Session.Seq > 0 {
		<-s.over
	}
	return s.Store.Commit(ctx, c)
}

// TestP6_ANewSessionDoesNotWaitForOthers: what waits to be stored of one session
// does not hold up the first request of another.
func TestP6_ANewSessionDoesNotWaitForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sluggish{memory.New(), make(chan struct{})}
		r, b := nearby(t, parts{store: s})
		r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"slow"}}, turns(1))
		r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, turns(1))
		if !bytes.Contains(b.last(), []byte(planned)) || r.gate.Stats.Faults.Load() != 0 {
			t.Errorf("it left as\n%s\n%s", b.last(), r.log)
		}
		close(s.over)
		r.settle()
	})
}

// deaf is a store that does not hear that the caller gave up.
type deaf struct {
	trimtab.Archive
	hangs atomic.Bool
	over  chan struct{}
}

func (d *deaf) meet() {
	if d.hangs.Load() {
		<-d.over
	}
}

func (d *deaf) Load(ctx context.Context, id string) (trimtab.Session, error) {
	d.meet()
	return d.Archive.Load(ctx, id)
}

func (d *deaf) Commit(ctx context.Context, c trimtab.Commit) (int, error) {
	d.meet()
	return d.Archive.Commit(ctx, c)
}

func (d *deaf) Messages(ctx context.Context, id string, after int) iter.Seq2[trimtab.Message, error] {
	d.meet()
	return d.Archive.Messages(ctx, id, after)
}

// TestP6_PatienceEndsWhateverTheStoreDoes: a disk that hangs in a system call does
// not listen to a context. Requests pass all the same, those of sessions that are
// known are steered, and when the disk is back all is as it was.
func TestP6_PatienceEndsWhateverTheStoreDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &deaf{Archive: memory.New(), over: make(chan struct{})}
		r, b := nearby(t, parts{store: st})
		send := func(id string, n int) (steered bool) {
			begun := time.Now()
			a := r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {id}}, turns(n))
			if waited := time.Since(begun); waited > time.Second || a.status != http.StatusOK {
				t.Errorf("%s, request %d: status %d after %v", id, n, a.status, waited)
			}
			return bytes.Contains(b.last(), []byte(planned))
		}
		if !send("known", 1) {
			t.Error("even before it is not steered")
		}
		st.hangs.Store(true)
		if !send("known", 2) || !send("known", 3) {
			t.Error("what is in memory is not steered")
		}
		if send("new", 1) || send("new", 2) || r.gate.Stats.Faults.Load() != 2 {
			t.Errorf("%d faults, want 2", r.gate.Stats.Faults.Load())
		}
		st.hangs.Store(false)
		close(st.over)
		synctest.Wait()
		if !send("new", 3) || !send("known", 4) {
			t.Errorf("afterwards it is not steered:\n%s", r.log)
		}
		r.settle()
	})
}

// TestP6_AStoreThatFailsBehindTheRequestIsCounted: requests are steered from
// memory, the trouble is told by the session service, and nothing is lost when it is over.
func TestP6_AStoreThatFailsBehindTheRequestIsCounted(t *testing.T) {
	for _, now := range []mood{failed, panics} {
		t.Run(string(now), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &moods{}
				r, _ := nearby(t, parts{store: shelf{memory.New(), m}})
				r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, turns(1))
				r.settle()
				m.set(now, "Commit")
				for n := range asked {
					r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {"s"}}, turns(n+1))
					time.Sleep(time.Second) // of time that is not real
				}
				if b := r.service.Backlog(); b.Err == nil || b.Failures == 0 || b.Sessions != 1 {
					t.Errorf("the session service says %+v", b)
				}
				if n := strings.Count(r.log.String(), "not stored yet"); n != 1 {
					t.Errorf("it was logged %d times, want once:\n%s", n, r.log)
				}
				m.set(well, "")
				r.settle()
				if s := r.session("s"); s.Step != asked-1 || s.Seq != 2*asked-1 {
					t.Errorf("%d steps and %d messages", s.Step, s.Seq)
				}
				if b := r.service.Backlog(); b.Err != nil || b.Sessions != 0 || b.Bytes != 0 {
					t.Errorf("afterwards the session service says %+v", b)
				}
			})
		})
	}
}

// TestP6_AForgottenSessionTellsItsLastReply: sessions beyond the limit are
// forgotten, the one used least first, with nothing lost.
func TestP6_AForgottenSessionTellsItsLastReply(t *testing.T) {
	up := newProvider(t, func(w http.ResponseWriter, _ *http.Request) { // one that waits for its result is told with that
		fmt.Fprint(w, `{"type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"look","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}`)
	})
	p := parts{up: up.URL}
	p.opt.Sessions = 2
	r := newRig(t, p)
	for _, id := range []string{"a", "b", "a", "c"} { // b was used least
		r.do(http.MethodPost, "/v1/messages", http.Header{"X-Trimtab-Session": {id}}, turns(1))
		until(t, "the reply is through", func() bool { return r.gate.Stats.Streams.Load() == 0 })
	}
	until(t, "b has its reply", func() bool {
		s, err := r.store.Load(context.Background(), "b")
		return err == nil && s.Seq == 2
	})
	if err := r.service.Flush(context.Background(), "a"); err != nil { // what is told is stored a little later
		t.Fatal(err)
	}
	if s := r.session("a"); s.Seq != 1 {
		t.Errorf("a has %d messages: it was forgotten too", s.Seq)
	}
}
