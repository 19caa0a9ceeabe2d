package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
)

// asking is a tool that asks before it runs, and counts how often it did.
func asking(name string, ran *atomic.Int64) tool.Tool {
	t := plain(name, false, func(context.Context) (string, error) {
		ran.Add(1)
		return "done " + name, nil
	})
	t.Ask = func(context.Context, json.RawMessage) (tool.Ask, bool) {
		return tool.Ask{Tool: name, Title: "do " + name, Rule: name}, true
	}
	return t
}

type permit = func(context.Context, tool.Ask) (tool.Reply, error)

func (h *harness) asks(p permit, model llm.Model, tools ...tool.Tool) *agent.Agent {
	return agent.New(h, model, agent.Options{History: h, Tools: tools, Permit: p})
}

func answer(a tool.Answer) permit {
	return func(context.Context, tool.Ask) (tool.Reply, error) { return tool.Reply{Answer: a}, nil }
}

func has(t *testing.T, events []agent.Event, parts ...string) {
	t.Helper()
	all := strings.Join(lines(events), "\n")
	for _, p := range parts {
		if !strings.Contains(all, p) {
			t.Errorf("%q is missing in:\n%s", p, all)
		}
	}
}

func TestACallThatThePersonDeclinesIsNotRunAndTheRunGoesOn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		permit permit
		ran    int64
		want   string
	}{
		{"once", answer(tool.Once), 1, "returned x failed=false done x"},
		{"always", answer(tool.Always), 1, "returned x failed=false done x"},
		{"refused", answer(tool.Refuse), 0, "returned x failed=true not run: the person declined"},
		{"refused with a reason", func(context.Context, tool.Ask) (tool.Reply, error) { return tool.Reply{Why: " use y "}, nil }, 0, "returned x failed=true not run: the person declined and says what to do instead: use y"},
		{"an answer that does not exist", answer(99), 0, "the person declined"},
		{"nobody to ask", nil, 0, "nobody is there to be asked"},
		{"an error", func(context.Context, tool.Ask) (tool.Reply, error) {
			return tool.Reply{Answer: tool.Once}, errors.New("no terminal")
		}, 0, "returned x failed=true not run: the person could not be asked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHarness(t)
			var ran atomic.Int64
			events := run(t, h.asks(tt.permit, play(t, "reply\ncall x\nreply\nsay end\n"), asking("x", &ran)), "go")
			has(t, events, tt.want, "stopped ended")
			if ran.Load() != tt.ran {
				t.Errorf("it ran %d times, want %d", ran.Load(), tt.ran)
			}
			h.whole()
		})
	}
}

func TestAToolIsToldOfAlways(t *testing.T) {
	h := newHarness(t)
	var ran atomic.Int64
	allowed := map[string]bool{}
	x := asking("x", &ran)
	ask := x.Ask
	x.Ask = func(ctx context.Context, in json.RawMessage) (tool.Ask, bool) {
		a, _ := ask(ctx, in)
		return a, !allowed[tool.SessionOf(ctx)]
	}
	x.Always = func(ctx context.Context, a tool.Ask, _ tool.Scope) error {
		allowed[tool.SessionOf(ctx)] = a.Rule == "x"
		return nil
	}
	asked := 0
	a := h.asks(func(context.Context, tool.Ask) (tool.Reply, error) {
		asked++
		return tool.Reply{Answer: tool.Always}, nil
	}, play(t, "reply\ncall x\ncall x\nreply\ncall x\nreply\nsay end\n"), x)
	run(t, a, "go")
	if asked != 1 || ran.Load() != 3 || !allowed["s1"] {
		t.Errorf("asked %d times, ran %d times, %v", asked, ran.Load(), allowed)
	}
}

// A person is asked one thing at a time, in the order of the calls, each when all
// before it is done.
func TestAsksComeOneAfterAnother(t *testing.T) {
	h := newHarness(t)
	var log []string
	var open atomic.Int64
	one := func(name string, readOnly bool) tool.Tool {
		tl := plain(name, readOnly, func(context.Context) (string, error) { return name, nil })
		inner := tl.Run
		tl.Run = func(ctx context.Context, in json.RawMessage) (string, error) {
			log = append(log, "run "+name)
			return inner(ctx, in)
		}
		tl.Ask = func(context.Context, json.RawMessage) (tool.Ask, bool) { return tool.Ask{Tool: name}, true }
		return tl
	}
	a := h.asks(func(_ context.Context, ask tool.Ask) (tool.Reply, error) {
		if open.Add(1) > 1 {
			t.Error("two questions at once")
		}
		defer open.Add(-1)
		log = append(log, "ask "+ask.Tool)
		return tool.Reply{Answer: tool.Once}, nil
	}, play(t, "reply\ncall a\ncall b\ncall c\nreply\nsay end\n"), one("a", true), one("b", true), one("c", false))
	run(t, a, "go")
	want := []string{"ask a", "run a", "ask b", "run b", "ask c", "run c"}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestACancelledQuestionClosesAllCalls(t *testing.T) {
	h := newHarness(t)
	var ran atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	a := h.asks(func(ctx context.Context, _ tool.Ask) (tool.Reply, error) {
		cancel() // the person leaves
		<-ctx.Done()
		return tool.Reply{Answer: tool.Once}, nil
	}, play(t, "reply\ncall x\ncall y\nreply\nsay end\n"), asking("x", &ran), asking("y", &ran))
	events, err := collect(a.Run(ctx, "s1", prompted("go")))
	if err != nil {
		t.Fatal(err)
	}
	has(t, events, "returned x failed=true cancelled by the person", "returned y failed=true cancelled by the person", "stopped cancelled")
	if ran.Load() != 0 {
		t.Errorf("%d calls ran", ran.Load())
	}
	h.whole()
}

func TestAQuestionThatPanicsIsAFault(t *testing.T) {
	h := newHarness(t)
	var ran atomic.Int64
	x := asking("x", &ran)
	x.Ask = func(context.Context, json.RawMessage) (tool.Ask, bool) { panic("oh") }
	events := run(t, h.asks(answer(tool.Once), play(t, "reply\ncall x\nreply\nsay end\n"), x), "go")
	has(t, events, "faulted tool x", "returned x failed=true not run", "stopped ended")
	if ran.Load() != 0 {
		t.Error("it ran")
	}
}

// What steering denies is not asked for.
func TestADeniedCallIsNotAskedFor(t *testing.T) {
	h := newHarness(t, use("mode", func(t trimtab.Turn, n int) (int, []trimtab.Action) {
		if _, ok := t.Event.(trimtab.Using); ok {
			return n, []trimtab.Action{trimtab.Deny{Why: "read-only"}}
		}
		return n, nil
	}))
	var ran atomic.Int64
	a := h.asks(func(context.Context, tool.Ask) (tool.Reply, error) {
		t.Error("the person was asked")
		return tool.Reply{Answer: tool.Once}, nil
	}, play(t, "reply\ncall x\nreply\nsay end\n"), asking("x", &ran))
	has(t, run(t, a, "go"), "denied (mode): read-only")
}

// TestChat_B8_ToolsStayForARun: what changes in the session while a run is under way, as
// its mode may, counts with the next prompt (M11).
func TestChat_B8_ToolsStayForARun(t *testing.T) {
	h := newHarness(t)
	var seen [][]string
	step := 0
	m := model(func(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
		var names []string
		for _, tl := range r.Tools {
			names = append(names, tl.Name)
		}
		seen = append(seen, names)
		if step++; step == 1 || step == 3 {
			return says(trimtab.ToolCall{ID: "c" + string(rune('0'+step)), Name: "x", Input: json.RawMessage(`{}`)})
		}
		return says(trimtab.Text{Text: "end"})
	})
	ran := 0
	x := plain("x", false, func(context.Context) (string, error) { ran++; return "X", nil })
	y := plain("y", true, func(context.Context) (string, error) { return "Y", nil })
	a := agent.New(h, m, agent.Options{History: h, Tools: []tool.Tool{x, y}, Offer: func(s trimtab.Session, tl llm.Tool) bool {
		return tl.ReadOnly || s.Step > 0 // as a mode would that is changed during the first reply
	}})
	has(t, run(t, a, "go"), "returned x failed=true x is not offered at present")
	has(t, run(t, a, "again"), "returned x failed=false X")
	if diff := cmp.Diff([][]string{{"y"}, {"y"}, {"x", "y"}, {"x", "y"}}, seen); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
	if ran != 1 {
		t.Errorf("x ran %d times; it was not offered in the first run", ran)
	}
}

func TestMoreToolsComeWithTheRunAndTheirFaultsAreTold(t *testing.T) {
	h := newHarness(t)
	times := 0
	a := agent.New(h, play(t, "reply\ncall late\nreply\nsay end\n"), agent.Options{
		History: h, Tools: []tool.Tool{plain("early", true, func(context.Context) (string, error) { return "first", nil })},
		More: func(context.Context) ([]tool.Tool, []trimtab.Fault) {
			times++
			return []tool.Tool{
				plain("late", true, func(context.Context) (string, error) { return "late", nil }), plain("early", true, func(context.Context) (string, error) { return "second", nil }),
			}, []trimtab.Fault{{By: "mcp x", Text: "it is dead"}}
		},
	})
	has(t, run(t, a, "go"), "faulted mcp x: it is dead", "returned late failed=false late", "stopped ended")
	if times != 1 {
		t.Errorf("asked for %d times", times)
	}
}

// The whole way: the model reads and edits, the person sees the difference.
func TestAnEditIsShownAskedForAndDone(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(name, []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	folder, err := tool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	h := newHarness(t)
	var shown []string
	a := h.asks(func(_ context.Context, ask tool.Ask) (tool.Reply, error) {
		shown = append(shown, ask.Detail)
		return tool.Reply{Answer: tool.Once}, nil
	}, play(t, `reply
call edit {"path":"a.txt","old_text":"two","new_text":"three"}
reply
call read {"path":"a.txt"}
call edit {"path":"a.txt","old_text":"two","new_text":"three"}
call edit {"path":"a.txt","old_text":"three","new_text":"four"}
reply
say end
`), append(folder.Tools(), folder.Changes()...)...)
	has(t, run(t, a, "go"), "was not read in this session", "a.txt is edited")
	want := []string{"--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n", "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-three\n+four\n"}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	if got, err := os.ReadFile(name); string(got) != "one\nfour\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	h.whole()
}
