//go:build e2e && unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// TestTravel takes each real agent through the same session on a terminal twice, once
// straight to a strict model and once through `trimtab run`, with the same replies,
// and compares what the model received. Each agent has a table of its own in the
// output; the last table has all of them. TRIMTAB_E2E_LOG names a folder for every
// request and screen.
func TestTravel(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("tmux is not on PATH; the agents are driven on a terminal of it")
	}
	trimtab := built(t)
	var all []verdict
	for _, c := range travelClients() {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			defer cancel()
			paths, err := client.Install(ctx, c.name)
			if err != nil {
				t.Fatalf("install: %v", err)
			}
			trips := []*trip{{c: c, parts: c.parts()}, {c: c, parts: c.parts(), trimtab: trimtab}}
			var wg sync.WaitGroup
			for _, tr := range trips {
				tr.prepare(ctx, t, paths)
				wg.Go(func() { tr.err = tr.play() })
			}
			wg.Wait()
			for _, tr := range trips {
				tr.save(t)
				if tr.err != nil {
					t.Errorf("%s: the script did not come to its end: %v", tr.way(), tr.err)
				}
			}
			v := judged(ctx, t, trips[0], trips[1])
			all = append(all, v)
			t.Log("\n" + v.table())
			for _, fault := range v.faults {
				t.Error(fault)
			}
		})
	}
	t.Log("\n" + overview(all))
	if dir := os.Getenv("TRIMTAB_E2E_LOG"); dir != "" {
		var b strings.Builder
		for _, v := range all {
			fmt.Fprintf(&b, "%s%s\n\n", v.table(), strings.Join(v.faults, "\n"))
		}
		if err := os.WriteFile(filepath.Join(dir, "tables"), []byte(b.String()+overview(all)), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// The parts of the script, in their order. Each situation is what stands between two
// prompts.
const (
	inLoop          = "tool loop"
	afterAgent      = "sub-agent"
	atSecond        = "second prompt"
	inLongLoop      = "long loop"
	afterInterrupt  = "interrupt"
	afterEarly      = "early interrupt"
	afterRewind     = "rewind"
	atCompaction    = "compaction"
	afterCompaction = "after compaction"
	secondAfter     = "second after"
	afterResume     = "resume"
)

var situations = []string{inLoop, afterAgent, atSecond, inLongLoop, afterInterrupt, afterEarly, afterRewind, atCompaction, afterCompaction, secondAfter, afterResume}

// situationOf says in which situation a request is sent.
func (c travelClient) situationOf(turn fakemodel.Turn) string {
	if turn.Kind == fakemodel.CompactionTurn {
		return atCompaction
	}
	switch turn.Word {
	case "travel-one":
		if turn.Step > agentStep && c.agent.Name != "" {
			return afterAgent
		}
		return inLoop
	case "travel-two":
		if turn.Step == 0 {
			return atSecond
		}
		return inLongLoop
	case "travel-three":
		return inLoop
	case "travel-four":
		return afterInterrupt
	case "travel-five":
		return inLoop
	case "travel-six":
		return afterEarly
	case "travel-seven":
		return afterRewind
	case "travel-eight":
		return afterCompaction
	case "travel-nine":
		return secondAfter
	}
	return afterResume
}

// agentStep is the step of the first part that calls the sub-agent.
const agentStep = 2

// parts are the replies to all prompts. The outputs of the commands are long, so that
// the messages weigh more than tools and system prompt.
func (c travelClient) parts() []fakemodel.Part {
	part := func(word string, calls ...fakemodel.Call) fakemodel.Part {
		p := fakemodel.Part{Word: "travel-" + word}
		for _, call := range calls {
			p.Steps = append(p.Steps, fakemodel.Reply{Thinking: "A command will tell.", Text: "Let me look.", Calls: []fakemodel.Call{call}})
		}
		p.Steps = append(p.Steps, fakemodel.Reply{Thinking: "That is enough.", Text: "That is all: ready-" + word + "."})
		return p
	}
	count := func(from int) fakemodel.Call { return fakemodel.Run(fmt.Sprintf("seq %d %d", from, from+900)) }
	one := []fakemodel.Call{count(1000), count(2000)}
	if c.agent.Name == "" {
		one = append(one, count(3000))
	} else {
		one = append(one, c.agent, fakemodel.Run("timeout 20 sh -c 'until test -e begun-sub; do sleep 0.2; done'; sleep 3; seq 3000 3900")) // some run it in the background, and tell when it ends
	}
	sub := part("sub", fakemodel.Run("touch begun-sub; seq 4000 4900"))
	sub.Agent = true
	return []fakemodel.Part{
		part("one", one...), sub,
		part("two", count(5000), count(6000), count(7000), count(8000), count(9000), count(10000)),
		part("three", fakemodel.Run("touch begun-three; timeout 120 tail -f /dev/null")),
		part("four", count(11000)),
		{Word: "travel-five", Steps: []fakemodel.Reply{{Text: "Too late.", Before: fakemodel.Hold}}},
		part("six", count(12000)),
		part("seven", count(13000)),
		part("eight", count(14000)),
		part("nine", count(15000)),
		part("ten", count(16000)),
	}
}
