package focus

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/loop"
)

// Type says what an intervention is about.
type Type string

// The types.
const (
	GoalReminder    Type = "goal_reminder"
	LoopDetected    Type = "loop_detected"
	PhaseTransition Type = "phase_transition"
	ResearchLimit   Type = "research_limit"
	ForceSynthesis  Type = "force_synthesis"
	SuccessCheck    Type = "success_check"
)

// Priority says what comes first where several things are due.
type Priority string

// The priorities.
const (
	Low    Priority = "low"
	Medium Priority = "medium"
	High   Priority = "high"
)

// Action says what is to be done.
type Action string

// The actions.
const (
	InjectMessage   Action = "inject_message"
	TransitionPhase Action = "transition_phase"
	Hold            Action = "pause"
)

// Intervention is one thing that the controller wants done.
type Intervention struct {
	Type     Type     `json:"type"`
	Priority Priority `json:"priority"`
	Message  string   `json:"message"` // for those who work
	Action   Action   `json:"action"`
	Why      string   `json:"why"` // one line for a person
}

// Process takes one message and returns what is to be done, the most urgent first.
// What steering injected, and system messages, are not judged. A phase that an
// intervention moves to is the present one in the memory that comes back.
func (d Focus) Process(m Memory, said trimtab.Message, at trimtab.Ref) (Memory, []Intervention) {
	p, ok := d.plan(m.At())
	if !ok || said.From != "" || said.Role == trimtab.RoleSystem {
		return m, nil
	}
	s := &step{plan: p, m: m, at: at}
	s.tools(said)
	if counts(said) {
		s.m.Total++
		s.m.InPhase++
		s.m.Since++
		s.read(said)
	}
	s.loops(d, said)
	s.phases()
	s.success()
	s.withdraw()
	s.remind(counts(said))
	rank := map[Priority]int{High: 0, Medium: 1, Low: 2}
	slices.SortStableFunc(s.out, func(a, b Intervention) int { return cmp.Compare(rank[a.Priority], rank[b.Priority]) })
	return s.m, s.out
}

// counts reports whether a message is one: a reply of the model, or what a person
// typed. Results of tools and what the host adds are not.
func counts(said trimtab.Message) bool {
	return said.Role == trimtab.RoleAssistant || said.IsPrompt()
}

// step is one message under way.
type step struct {
	plan
	m     Memory
	at    trimtab.Ref
	force string   // why it is time to sum up
	lost  []string // what counts no longer
	out   []Intervention
}

func (s *step) do(t Type, pr Priority, a Action, why, message string) {
	s.out = append(s.out, Intervention{t, pr, message, a, why})
}

// once reports whether a thing is to be said for the first time in this phase.
func (s *step) once(what string) bool {
	if slices.Contains(s.m.Fired, what) || len(s.m.Fired) >= maxFired {
		return false
	}
	s.m.Fired = append(slices.Clip(s.m.Fired), what)
	return true
}

const maxFired = 200

// stuck is after how many loops synthesis is forced where each of them is told.
const stuck = 10

// loops asks the detectors. The second loop in a phase means that saying so did
// not help.
func (s *step) loops(d Focus, said trimtab.Message) {
	if !s.looks {
		return
	}
	var alarm *loop.Alarm
	if d.cfg.Detector != "progress" && counts(said) {
		s.m.Words, alarm = s.rule.See(s.m.Words, said)
	}
	if d.cfg.Detector != "seed" {
		var other *loop.Alarm
		if s.m.Work, other = d.work.See(s.m.Work, said); alarm == nil {
			alarm = other
		}
	}
	if alarm == nil || s.m.Done {
		return
	}
	s.m.Loops++
	s.m.Again++
	switch {
	case s.m.Again == 1, *d.cfg.Repeat && s.m.Again < stuck:
		s.do(LoopDetected, High, InjectMessage, alarm.Why, words("loop", s.told(alarm.Why)))
	case s.once("synthesis"):
		s.force = "a second loop in the phase " + s.phase(s.m).Title() + ": " + alarm.Why
	}
}

// remind tells the goal every so many messages, until it is reached.
func (s *step) remind(counted bool) {
	if !counted || s.m.Since < s.Every {
		return
	}
	s.m.Since = 0
	if s.m.Done || s.Goal == "" && len(s.Phases) == 0 {
		return
	}
	s.m.Reminders++
	s.do(GoalReminder, Medium, InjectMessage, fmt.Sprintf("message %d of the mode %s", s.m.Total, s.Name), words("goal", s.told("")))
}

// success looks whether all is met. It is shown once in a phase, so that work that
// is undone and done again does not stop the session each time.
func (s *step) success() {
	if len(s.Success) == 0 || s.m.Done {
		return
	}
	for _, c := range s.Success {
		if !s.m.met(c.ID) {
			return
		}
	}
	s.m.Done = true
	if s.once("success") {
		why := fmt.Sprintf("all success criteria of the mode %s are met", s.Name)
		s.do(SuccessCheck, High, Hold, why, "All success criteria of the mode "+s.Name+" are met:\n"+s.evidence(s.m, s.Success))
	}
}
