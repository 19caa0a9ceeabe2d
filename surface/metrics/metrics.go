// Package metrics counts what passes a gateway, for Prometheus: calls, tokens and dollars of
// every kind of call, notes by kind and whether they were heeded, how long providers take.
// Values of labels are bounded, whatever clients send: names beyond the bound are "other".
//
//	m := metrics.New(metrics.Options{Prices: prices, Also: &gateway.Stats})
//	gateway.Options{Calls: m.Count}
//	server.Options{Metrics: m}
//
// No word that was said is in any of it.
package metrics

import (
	"io"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/admit"
)

// Prices knows what a reply cost: llm/price does.
type Prices interface {
	Cost(model string, u trimtab.Usage) (dollars float64, ok bool)
}

// Options are what the counters are made of.
type Options struct {
	Prices Prices
	Also   io.WriterTo // counters of others in the same format; nil is none
}

// Metrics are the counters. They are safe for use by several goroutines.
type Metrics struct {
	opt      Options
	registry *prometheus.Registry

	calls, tokens, spend, unpriced, faults *prometheus.CounterVec
	notes, noteTokens, asking, heeded      *prometheus.CounterVec
	userCalls, userTokens, userSpend       *prometheus.CounterVec
	duration, first                        *prometheus.HistogramVec
	models, hosts, kinds, slots, people    *names
}

// New returns counters.
func New(opt Options) *Metrics {
	m := &Metrics{opt: opt, registry: prometheus.NewRegistry(), models: newNames(100), hosts: newNames(50), kinds: newNames(50), slots: newNames(100), people: newNames(500)}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}}, labels)
		m.registry.MustRegister(h)
		return h
	}
	m.calls = counter("trimtab_calls_total", "calls to providers: main turns, side calls and others", "kind", "host", "provider", "model", "status")
	m.tokens = counter("trimtab_tokens_total", "tokens that providers counted, of all calls", "kind", "provider", "model", "type")
	m.spend = counter("trimtab_spend_dollars_total", "dollars that all calls cost, as far as prices are known", "kind", "provider", "model")
	m.unpriced = counter("trimtab_unpriced_calls_total", "calls with tokens whose price is not known", "provider", "model")
	m.notes = counter("trimtab_notes_injected_total", "notes injected, by the intervention that wrote them", "by", "slot", "host")
	m.noteTokens = counter("trimtab_notes_injected_tokens_total", "tokens of the notes injected", "by", "slot")
	m.asking = counter("trimtab_notes_asking_total", "notes injected that asked the agent for something", "by", "slot", "host")
	m.heeded = counter("trimtab_notes_heeded_total", "notes of which the agent did what they asked", "by", "slot", "host")
	m.faults = counter("trimtab_steering_faults_total", "calls that steering failed on and that passed as they came", "host")
	m.userCalls = counter("trimtab_user_calls_total", "calls of a caller's user", "user")
	m.userTokens = counter("trimtab_user_tokens_total", "tokens of a caller's user", "user")
	m.userSpend = counter("trimtab_user_spend_dollars_total", "dollars of a caller's user", "user")
	m.duration = histogram("trimtab_call_seconds", "from a request to the end of its reply", "kind", "provider")
	m.first = histogram("trimtab_first_byte_seconds", "from a request to the first bytes of its reply", "kind", "provider")
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// With writes the counters of others before its own.
func (m *Metrics) With(also io.WriterTo) *Metrics { m.opt.Also = also; return m }

// Count counts a call that is over.
func (m *Metrics) Count(c admit.Call) {
	model := "other"
	if c.Status == 200 { // what was never answered is nobody's model
		model = m.models.of(c.Model)
	}
	host, status := m.hosts.of(c.Host), "none"
	if c.Status > 0 {
		status = strconv.Itoa(c.Status/100) + "xx"
	}
	m.calls.WithLabelValues(c.Kind, host, c.Provider, model, status).Inc()
	m.duration.WithLabelValues(c.Kind, c.Provider).Observe(seconds(c.Began, c.Ended))
	if !c.First.IsZero() {
		m.first.WithLabelValues(c.Kind, c.Provider).Observe(seconds(c.Began, c.First))
	}
	faults := m.faults.WithLabelValues(host) // it begins at 0: what Prometheus first sees at 1 has not increased
	if c.Faulted {
		faults.Inc()
	}
	for _, ch := range c.Changes {
		switch by, slot := m.kinds.of(ch.By), m.slots.of(ch.Slot); ch.Kind {
		case trimtab.Injected:
			m.notes.WithLabelValues(by, slot, host).Inc()
			if ch.Asks {
				m.asking.WithLabelValues(by, slot, host).Inc()
				m.heeded.WithLabelValues(by, slot, host) // at 0
			}
			m.noteTokens.WithLabelValues(by, slot).Add(float64(max(ch.Tokens, 0)))
		case trimtab.Heeded:
			m.heeded.WithLabelValues(by, slot, host).Inc()
		}
	}
	user := m.people.of(c.User)
	if c.User != "" {
		m.userCalls.WithLabelValues(user).Inc()
	}
	if c.Usage != nil {
		m.use(c, model, user)
	}
}

func (m *Metrics) use(c admit.Call, model, user string) {
	total := 0
	for kind, n := range map[string]int{"input": c.Usage.Input, "output": c.Usage.Output, "cache_read": c.Usage.CacheRead, "cache_write": c.Usage.CacheWrite} {
		if n > 0 {
			m.tokens.WithLabelValues(c.Kind, c.Provider, model, kind).Add(float64(n))
			total += n
		}
	}
	var dollars float64
	known := false
	if m.opt.Prices != nil {
		dollars, known = m.opt.Prices.Cost(c.Provider+"/"+c.Model, *c.Usage)
	}
	unpriced := m.unpriced.WithLabelValues(c.Provider, model) // at 0
	if known && dollars >= 0 {
		m.spend.WithLabelValues(c.Kind, c.Provider, model).Add(dollars)
	} else {
		unpriced.Inc()
	}
	if c.User != "" {
		m.userTokens.WithLabelValues(user).Add(float64(total))
		if known && dollars >= 0 {
			m.userSpend.WithLabelValues(user).Add(dollars)
		}
	}
}

func seconds(from, to time.Time) float64 { return max(to.Sub(from).Seconds(), 0) }

// WriteTo writes all counters in the text format of Prometheus.
func (m *Metrics) WriteTo(w io.Writer) (n int64, err error) {
	if m.opt.Also != nil {
		if n, err = m.opt.Also.WriteTo(w); err != nil {
			return n, err
		}
	}
	families, err := m.registry.Gather()
	if err != nil {
		return n, err
	}
	for _, f := range families {
		k, err := expfmt.MetricFamilyToText(w, f)
		if n += int64(k); err != nil {
			return n, err
		}
	}
	return n, nil
}

// names bounds the values of a label: clients say what they like.
type names struct {
	mu    sync.Mutex
	most  int
	known map[string]bool
}

func newNames(most int) *names { return &names{most: most, known: map[string]bool{}} }

// of is the value for a name: itself, "none" for none, and "other" beyond the bound.
func (n *names) of(name string) string {
	if name == "" {
		return "none"
	}
	if len(name) > 80 || !utf8.ValidString(name) {
		return "other"
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.known[name] {
		if len(n.known) >= n.most {
			return "other"
		}
		n.known[name] = true
	}
	return name
}
