// Package trial says whether steering helps: the same tasks are done by the same agent
// under different settings, the arms, and what came of it is compared in pairs.
//
// This package is pure: it plans the runs, sums up their results and writes reports. It
// runs nothing; trial/run does, trial/task reads the tasks.
//
//	plan := trial.Plan{Tasks: names, Arms: []string{"off", "on"}, Repeat: 5, Seed: 1}
//	for _, r := range plan.Runs() { … }
//	report := trial.Sum(plan, results)
//	fmt.Print(report.Markdown())
package trial

import (
	"fmt"
	"hash/fnv"
	"time"
)

// Plan is what is to be compared.
type Plan struct {
	Tasks  []string `json:"tasks"`
	Arms   []string `json:"arms"` // the first is what the others are compared with
	Repeat int      `json:"repeat"`
	Seed   uint64   `json:"seed"`
}

// Run is one run of a task in an arm.
type Run struct {
	Task   string `json:"task"`
	Arm    string `json:"arm"`
	Repeat int    `json:"repeat"` // from 1
	Seed   uint64 `json:"seed"`   // the same in all arms
}

func (r Run) String() string { return fmt.Sprintf("%s, %s, %d", r.Task, r.Arm, r.Repeat) }

// Runs lists the runs in their order. The arms of a pair stand side by side, so that what
// changes with time (a provider's load, this machine's) meets both, and which goes first
// changes from pair to pair.
func (p Plan) Runs() []Run {
	var all []Run
	for repeat := 1; repeat <= p.Repeat; repeat++ {
		for i, task := range p.Tasks {
			for k := range p.Arms {
				arm := p.Arms[(k+i+repeat)%len(p.Arms)]
				all = append(all, Run{task, arm, repeat, p.seed(task, repeat)})
			}
		}
	}
	return all
}

func (p Plan) seed(task string, repeat int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %q %d", p.Seed, task, repeat)
	return h.Sum64()
}

// Outcome is how a run ended.
type Outcome string

// The outcomes. What is broken says nothing of the agent, so it counts for no arm.
const (
	Solved   Outcome = "solved"
	Unsolved Outcome = "unsolved"
	TimedOut Outcome = "timed out" // the agent took longer than the task allows: unsolved
	Broken   Outcome = "broken"    // the agent or the tests could not be run
)

// Result is what came of a run.
type Result struct {
	Run
	Key     string  `json:"key"` // of all that the result depends on
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why,omitempty"` // of one that is broken, or the end of what the tests said
	Reward  float64 `json:"reward"`        // by the tests, from 0 to 1
	Box     string  `json:"box,omitempty"` // the sandbox that held the agent
	Exit    int     `json:"exit"`          // of the agent

	Steps    int      `json:"steps"`  // replies of the model
	Input    int      `json:"input"`  // tokens, those from a cache included
	Cached   int      `json:"cached"` // of Input, from a cache
	Output   int      `json:"output"`
	Cost     *float64 `json:"cost,omitempty"` // dollars, where the price is known
	Seconds  float64  `json:"seconds"`
	Notes    int      `json:"notes"`    // that the model was sent, being sent on included
	Heeded   int      `json:"heeded"`   // of those that asked for something
	Loops    int      `json:"loops"`    // alarms of the detector, in every arm alike
	Unproved bool     `json:"unproved"` // it ended with changes that no check has passed

	Session string    `json:"session,omitempty"` // its id
	Folder  string    `json:"folder"`            // with the session, the logs and the work as it was left
	Began   time.Time `json:"began"`
}

// Counts reports whether the result says something of its arm.
func (r Result) Counts() bool { return r.Outcome != Broken && r.Outcome != "" }

// Tokens is the sum of what was read and written.
func (r Result) Tokens() int { return r.Input + r.Output }
