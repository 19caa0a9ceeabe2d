package steer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
)

// worker plays daily work through the whole lineup: edits, checks that fail and pass, look-ups,
// a prompt now and then.
type worker struct {
	engine *trimtab.Engine
	s      trimtab.Session
	now    time.Time
	n      int
}

func newWorker(t testing.TB) *worker {
	t.Helper()
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	return &worker{engine: engine, s: trimtab.NewSession("s", now), now: now}
}

// step says two messages, a reply with a call and its result, with the request before them.
func (w *worker) step() {
	w.n++
	id, name, input, result := fmt.Sprint("c", w.n), "Bash", "", "ok"
	switch w.n % 6 {
	case 0:
		w.say(trimtab.Prompt(fmt.Sprintf("now part %d of the parser; run make test when it is done", w.n)))
		name, input = "Read", fmt.Sprintf(`{"file_path":"p%d.go"}`, w.n%17)
	case 1, 3:
		name, input, result = "Edit", fmt.Sprintf(`{"file_path":"p%d.go","old_string":"a%d","new_string":"b%d"}`, w.n%17, w.n, w.n), "updated"
	case 2:
		input, result = `{"command":"cd /p && go test ./... 2>&1 | tail -40"}`, fmt.Sprintf("--- FAIL: TestParse%d (0.01s)\n    parse_test.go:%d: want %d\nFAIL", w.n%5, w.n%90, w.n)
	case 4:
		input, result = `{"command":"go test ./..."}`, fmt.Sprintf("ok  \tp\t0.%ds", w.n%100)
	default:
		input, result = fmt.Sprintf(`{"command":"grep -rn name%d ."}`, w.n), fmt.Sprintf("a.go:%d: name%d", w.n, w.n)
	}
	w.do(trimtab.Calling{})
	w.say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: fmt.Sprintf("Part %d.", w.n), By: trimtab.Model}, trimtab.ToolCall{ID: id, Name: name, Input: []byte(input)}}})
	w.say(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: result}}})
}

func (w *worker) say(m trimtab.Message) { w.do(trimtab.Said{Message: m}) }

func (w *worker) do(ev trimtab.Event) {
	w.now = w.now.Add(time.Second)
	w.s, _ = w.engine.Step(w.s, ev, w.now)
}

// messages that a round of six steps says.
const round = 13

// The figure of spec 8: everything on, at most 40 µs a message, whatever lies behind. The time
// is reported; that the work does not grow is what the test below counts.
func BenchmarkEverythingOn(b *testing.B) {
	for _, behind := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("after=%d", behind), func(b *testing.B) {
			w := newWorker(b)
			for w.n < behind {
				w.step()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				for range 6 {
					w.step()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*round), "ns/message")
		})
	}
}

// J1–J13: the work for a message does not grow with the history. Allocations are counted, for
// they do not depend on the machine.
func TestJ_TheWorkDoesNotGrowWithTheHistory(t *testing.T) {
	w := newWorker(t)
	measure := func(behind int) float64 {
		for w.n < behind {
			w.step()
		}
		return testing.AllocsPerRun(5, func() {
			for range 6 {
				w.step()
			}
		})
	}
	early, late := measure(600), measure(6000)
	t.Logf("allocations a message: %.0f after 600 steps, %.0f after 6,000", early/round, late/round)
	if late > 1.25*early {
		t.Errorf("%.0f allocations for %d messages after 600 steps, %.0f after 6,000", early, round, late)
	}
}
