package trace

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trimtab/trimtab/surface/gateway"
)

// options are what an exporter is made of.
type options struct {
	Target  target
	Version string            // of this program
	Pause   time.Duration     // how long spans may wait for others; five seconds if zero
	Carrier http.RoundTripper // to the collector; one of our own if nil
	Random  io.Reader         // for ids; that of the system if nil
	Log     *slog.Logger
}

const (
	maxWaiting = 2048 // spans in the queue; those that come on top are lost
	maxBatch   = 256
	maxAnswer  = 64 << 10
	patience   = 10 * time.Second // for one request
	longest    = time.Minute      // between two tries of one batch
)

// exporter is a gateway.Tracer that sends what it hears to a collector.
type exporter struct {
	opt     options
	url     *url.URL
	about   resource
	queue   chan span
	lost    atomic.Int64 // spans that no collector will see
	closing chan struct{}
	close   sync.Once
	ended   chan struct{}
	life    context.Context // of the requests to the collector
	end     context.CancelFunc
	down    bool // the last try failed, and that was said
}

// newExporter returns an exporter that is at work. Whoever calls it calls Close.
func newExporter(opt options) (*exporter, error) {
	u, err := address(opt.Target.URL)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	if opt.Pause <= 0 {
		opt.Pause = 5 * time.Second
	}
	if opt.Random == nil {
		opt.Random = rand.Reader
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Carrier == nil {
		opt.Carrier = &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 2, IdleConnTimeout: time.Minute}
	}
	x := &exporter{opt: opt, url: u, about: aboutOf(opt), queue: make(chan span, maxWaiting), closing: make(chan struct{}), ended: make(chan struct{})}
	x.life, x.end = context.WithCancel(context.Background())
	go x.run()
	return x, nil
}

// aboutOf describes this program. What the person says of it counts.
func aboutOf(opt options) resource {
	all := map[string]string{"service.name": "trimtab"}
	if opt.Version != "" {
		all["service.version"] = opt.Version
	}
	for _, p := range opt.Target.About {
		all[p.Name] = p.Value
	}
	r := resource{Attributes: []attribute{}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r.Attributes = append(r.Attributes, attribute{name, text(clip(all[name]))})
	}
	return r
}

// Record takes a turn. It never waits: where the queue is full the turn is not
// traced.
func (x *exporter) Record(t gateway.Trace) {
	s, ok, err := spanOf(t, x.opt.Random)
	if err != nil {
		x.lost.Add(1)
	}
	if err != nil || !ok {
		return
	}
	select {
	case x.queue <- s:
	default:
		x.lost.Add(1)
	}
}

// Close sends what waits, once, and ends. When the context ends first, what is
// left is lost.
func (x *exporter) Close(ctx context.Context) error {
	x.close.Do(func() { close(x.closing) })
	defer x.end()
	select {
	case <-x.ended:
	case <-ctx.Done():
		x.end()
		<-x.ended
	}
	if n := x.lost.Load(); n > 0 {
		return fmt.Errorf("traces: %d spans did not reach %s", n, x.url.Host)
	}
	return nil
}

// run sends batches until the exporter closes.
func (x *exporter) run() {
	defer close(x.ended)
	var batch []span
	pause := x.opt.Pause
	timer := time.NewTimer(pause)
	timer.Stop()
	defer timer.Stop()
	for {
		queue := x.queue
		if len(batch) >= maxBatch { // a batch that was not taken waits to be tried again
			queue = nil
		}
		select {
		case s := <-queue:
			batch = append(batch, s)
			if len(batch) == 1 {
				timer.Reset(pause)
			}
			if len(batch) < maxBatch || x.down {
				continue
			}
		case <-timer.C:
		case <-x.closing:
			x.rest(batch)
			return
		}
		if batch = x.try(batch); len(batch) > 0 {
			pause = min(2*pause, longest)
			timer.Reset(pause)
		} else {
			pause = x.opt.Pause
			timer.Stop()
		}
	}
}

// try sends a batch and returns what is to be tried again.
func (x *exporter) try(batch []span) []span {
	again, err := x.send(batch)
	x.tell(err)
	if again {
		return batch
	}
	return batch[:0]
}

// rest sends all that waits. Each batch has one try, and none after one that the
// collector did not take for now.
func (x *exporter) rest(batch []span) {
	down := false
	for {
		for len(batch) < maxBatch {
			select {
			case s := <-x.queue:
				batch = append(batch, s)
				continue
			default:
			}
			break
		}
		if len(batch) == 0 {
			return
		}
		if !down {
			down = len(x.try(batch)) > 0
		}
		if down {
			x.lost.Add(int64(len(batch)))
		}
		batch = batch[:0]
	}
}

// tell logs that the collector does not take spans, once until it does again.
func (x *exporter) tell(err error) {
	switch {
	case err != nil && !x.down:
		x.opt.Log.Warn("traces are not taken; requests pass as ever", "collector", x.url.Host, "error", err)
	case err == nil && x.down:
		x.opt.Log.Info("traces are taken again", "collector", x.url.Host, "lost", x.lost.Load())
	}
	x.down = err != nil
}

// send makes one request. again says that the same one may be taken later; what
// will never be is counted as lost.
func (x *exporter) send(batch []span) (again bool, err error) {
	body, err := json.Marshal(request{[]resourceSpans{{x.about, []scopeSpans{{scope{"github.com/trimtab/trimtab", x.opt.Version}, batch, schema}}}}})
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(x.life, patience)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, x.url.String(), bytes.NewReader(body))
	if err != nil {
		return false, errors.New("the address cannot be used")
	}
	q.Header.Set("User-Agent", "trimtab")
	maps.Copy(q.Header, x.opt.Target.Header)
	q.Header.Set("Content-Type", "application/json")
	reply, err := x.opt.Carrier.RoundTrip(q)
	if err != nil {
		return true, err
	}
	defer reply.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(reply.Body, maxAnswer)) // where it is cut, the status has said enough
	lost := 0
	switch code := reply.StatusCode; {
	case slices.Contains(later, code):
		return true, answered(code)
	case code < 200 || code > 299:
		lost, err = len(batch), answered(code)
	default:
		if lost = min(rejected(answer), len(batch)); lost > 0 {
			err = fmt.Errorf("it did not take %d of %d spans", lost, len(batch))
		}
	}
	x.lost.Add(int64(lost))
	return false, err
}

// later are the answers after which the same request may be sent again.
var later = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

func answered(code int) error { return fmt.Errorf("it answered %d %s", code, http.StatusText(code)) }
