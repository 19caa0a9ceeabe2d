package worker

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
)

// order is the input of a run.
type order struct {
	Item    string             `json:"item"`
	Attempt int                `json:"attempt"`
	Done    []improve.Evidence `json:"done,omitempty"` // what the run begins with; what came after is in its steps
}

// workflow is the id of the run of one who took the item. The engine has no fence, so ours
// is part of the id: a worker that wakes up after its lease can write to its own run only.
func workflow(it improve.Item) string {
	return fmt.Sprintf("%s.%d.%d", it.ID, max(it.Attempt, 1), it.Fence)
}

// past is what the engine recorded of a run.
type past struct {
	id    string
	done  []improve.Evidence // what it began with; its steps may not have come as far
	steps []recorded
}

// recorded is a step of a run that came to its end.
type recorded struct {
	name    string
	outcome outcome
}

// past reads a run. One that the engine does not have, because its records were lost or
// the run is none of its own, is none at all.
func (f *Worker) past(id string) (p past, found bool, err error) {
	if id == "" {
		return p, false, nil
	}
	runs, err := dbos.ListWorkflows(f.engine, dbos.WithFilterWorkflowIDs(id), dbos.WithFilterLoadInput(true), dbos.WithFilterLoadOutput(false))
	if err != nil || len(runs) == 0 {
		return p, false, f.hide(err)
	}
	known, err := dbos.GetWorkflowSteps(f.engine, id, dbos.WithStepsLoadOutput(true))
	if err != nil {
		return p, false, f.hide(err)
	}
	p.id = id
	var first order
	if text, ok := runs[0].Input.(string); ok && json.Unmarshal([]byte(text), &first) == nil {
		p.done = first.Done
	}
	slices.SortFunc(known, func(a, b dbos.StepInfo) int { return a.StepID - b.StepID })
	for n, s := range known {
		out, ok := readOutcome(s)
		if s.StepID != n || !ok {
			break // it was interrupted there, or cannot be read: it is done again
		}
		p.steps = append(p.steps, recorded{s.StepName, out})
	}
	return p, true, nil
}

// readOutcome reads what a step gave to the engine to keep. It is false where the step ended
// with an error, which is only that of an interruption.
func readOutcome(s dbos.StepInfo) (out outcome, ok bool) {
	text, ok := s.Output.(string)
	ok = ok && s.Error == nil && json.Unmarshal([]byte(text), &out) == nil
	return out, ok
}

// evidence is what the run began with and what its steps left.
func (p past) evidence() []improve.Evidence {
	out := slices.Clone(p.done)
	for _, s := range p.steps {
		e := s.outcome.Evidence
		if e.Step == "" {
			continue
		}
		if at := slices.IndexFunc(out, func(old improve.Evidence) bool { return old.Step == e.Step }); at >= 0 {
			out[at] = e
		} else {
			out = append(out, e)
		}
	}
	return out
}

// fits reports whether a run with this list of steps would go through the same ones: the
// list of another version, or of a project that changed its order, may not.
func (p past) fits(list []steps.Step) bool {
	for n, s := range p.steps {
		over := s.name == settleStep || s.name == finishStep
		if !over && (n >= len(list) || s.name != string(list[n].Name)) || s.name == finishStep && n != len(list) {
			return false
		}
	}
	return true
}

// begin starts the run of an item: forked from the one before, with all its steps, or a new
// one that begins with the item's evidence.
func (h *hold) begin(before past) error {
	f := h.flow
	if n := len(before.steps); n > 0 && before.fits(h.list) {
		_, err := dbos.ForkWorkflow[string](f.engine, dbos.ForkWorkflowInput{
			OriginalWorkflowID: before.id, ForkedWorkflowID: h.id, StartStep: uint(n), QueueName: f.queue, ApplicationVersion: version,
		})
		return f.hide(err)
	}
	first := order{Item: h.it.ID, Attempt: h.it.Attempt}
	for _, e := range h.it.Evidence {
		if !e.Ended.IsZero() {
			first.Done = append(first.Done, e)
		}
	}
	_, err := dbos.RunWorkflow(f.engine, f.improve, first, dbos.WithWorkflowID(h.id))
	return f.hide(err)
}

// evidence returns what a step left when it ended.
func evidence(all []improve.Evidence, step improve.StepName) (improve.Evidence, bool) {
	for _, e := range all {
		if e.Step == step && !e.Ended.IsZero() {
			return e, true
		}
	}
	return improve.Evidence{}, false
}
