package servetest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm/price"
	"github.com/trimtab/trimtab/surface/admit"
	"github.com/trimtab/trimtab/surface/gateway"
	"github.com/trimtab/trimtab/surface/metrics"
)

func text(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	if _, err := parser.TextToMetricFamilies(bytes.NewReader(b.Bytes())); err != nil {
		t.Fatalf("it cannot be scraped: %v", err)
	}
	return b.String()
}

func counted(t *testing.T) *metrics.Metrics {
	t.Helper()
	prices, err := price.New(map[string]string{"m": "input=1000000 output=2000000"})
	if err != nil {
		t.Fatal(err)
	}
	m := metrics.New(metrics.Options{Prices: prices, Also: &gateway.Stats{}})
	at := time.Unix(1000, 0)
	call := admit.Call{Kind: admit.Main, User: "ann", Host: "claude", Provider: "anthropic", Model: "m", Status: 200, Began: at, First: at.Add(time.Second), Ended: at.Add(3 * time.Second), Usage: &trimtab.Usage{Input: 3, Output: 1}}
	call.Changes = []trimtab.Change{{Kind: trimtab.Injected, By: "todo", Slot: "reminder", Tokens: 40, Asks: true}, {Kind: trimtab.Heeded, By: "todo", Slot: "reminder"}, {Kind: trimtab.Injected, By: "guard", Slot: "loop", Asks: true}, {Kind: trimtab.Injected, By: "automata", Slot: "reflection"}, {Kind: trimtab.Copied, By: "todo"}}
	m.Count(call)
	side := call
	side.Kind, side.Changes, side.Faulted = admit.Side, nil, true
	m.Count(side)
	m.Count(admit.Call{Kind: admit.Main, Provider: "openai", Model: "unpriced", Status: 200, Began: at, Ended: at, Usage: &trimtab.Usage{Input: 1}})
	m.Count(admit.Call{Kind: admit.Other, Provider: "openai", Model: "never answered", Status: 404, Began: at, Ended: at})
	return m
}

// X8: metrics with labels: kind of note, host, model, heeded, fault; histograms; spend of
// all calls, side calls too.
func TestX8_MetricsSayWhatWasSpentAndHeeded(t *testing.T) {
	got := text(t, counted(t))
	if strings.Contains(got, `trimtab_notes_asking_total{by="automata"`) {
		t.Error("a reflection that the person asked for waits to be heeded")
	}
	for _, want := range []string{
		`trimtab_notes_injected_total{by="todo",host="claude",slot="reminder"} 1`,
		`trimtab_notes_heeded_total{by="todo",host="claude",slot="reminder"} 1`,
		`trimtab_notes_asking_total{by="todo",host="claude",slot="reminder"} 1`,
		`trimtab_notes_heeded_total{by="guard",host="claude",slot="loop"} 0`, // it may be heeded, and begins at 0
		`trimtab_notes_injected_total{by="automata",host="claude",slot="reflection"} 1`,
		`trimtab_steering_faults_total{host="none"} 0`,
		`trimtab_unpriced_calls_total{model="m",provider="anthropic"} 0`,
		`trimtab_notes_injected_tokens_total{by="todo",slot="reminder"} 40`,
		`trimtab_spend_dollars_total{kind="main",model="m",provider="anthropic"} 5`,
		`trimtab_spend_dollars_total{kind="side",model="m",provider="anthropic"} 5`,
		`trimtab_user_spend_dollars_total{user="ann"} 10`,
		`trimtab_calls_total{host="none",kind="other",model="other",provider="openai",status="4xx"} 1`,
		`trimtab_steering_faults_total{host="claude"} 1`,
		`trimtab_call_seconds_bucket{kind="main",provider="anthropic",le="5"} 1`,
		`trimtab_call_seconds_bucket{kind="main",provider="anthropic",le="2.5"} 0`,
		`trimtab_first_byte_seconds_sum{kind="main",provider="anthropic"} 1`,
		`trimtab_requests_total 0`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// X8, bad input: clients name what they like; a scrape under load stays small and sound.
func TestX8_LabelsAreBoundedUnderLoad(t *testing.T) {
	m := counted(t)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				name := fmt.Sprintf("x\"\n%d-%d", g, i)
				m.Count(admit.Call{Kind: admit.Main, Host: name, Model: name, User: name, Provider: "openai", Status: 200, Usage: &trimtab.Usage{Input: 1}, Changes: []trimtab.Change{{Kind: trimtab.Injected, By: name, Slot: name}}})
				m.Count(admit.Call{Kind: admit.Main, Model: "\xff", Provider: "openai", Status: 200})
				m.Count(admit.Call{Kind: admit.Main, Model: strings.Repeat("y", 1000), Provider: "openai", Status: 200})
			}
		})
	}
	for range 5 {
		text(t, m)
	}
	wg.Wait()
	if got := text(t, m); strings.Count(got, "\ntrimtab_spend_dollars_total")+strings.Count(got, "\ntrimtab_unpriced_calls_total{") > 110 || strings.Count(got, "\ntrimtab_user_calls_total{") > 510 {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}

// X8: the board asks only for metrics that there are.
func TestX8_TheBoardAsksForWhatIsCounted(t *testing.T) {
	raw, err := os.ReadFile("../../packaging/grafana/trimtab.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title  string
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(raw, &board); err != nil || len(board.Panels) < 8 {
		t.Fatal(err, len(board.Panels))
	}
	got := text(t, counted(t)) + "# TYPE trimtab_store_failures_total counter\n# TYPE trimtab_store_waiting_sessions gauge\n# TYPE trimtab_store_waiting_bytes gauge\n# TYPE trimtab_certificate_expiry_timestamp_seconds gauge\n" // those of surface/server
	name := regexp.MustCompile(`trimtab_[a-z_]+`)
	kinds := ""
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			kinds += q.Expr
			for _, n := range name.FindAllString(q.Expr, -1) {
				n = strings.TrimSuffix(n, "_bucket")
				if !strings.Contains(got, "# TYPE "+n+" ") {
					t.Errorf("%s: there is no %s", p.Title, n)
				}
			}
		}
	}
	for _, want := range []string{"trimtab_notes_injected_total", "trimtab_notes_heeded_total", "trimtab_spend_dollars_total", "trimtab_call_seconds_bucket", "trimtab_faults_total"} {
		if !strings.Contains(kinds, want) {
			t.Errorf("the board does not show %s", want)
		}
	}
}
