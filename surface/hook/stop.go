package hook

import (
	"context"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/steer/stop"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// Decision is what comes of a stop, in our own terms. Continue with Automated says that
// a workflow goes on with what the session showed: the host's agent stops all the same,
// unless the settings have it sent on. It is decided by another process; where that takes
// longer than a host may wait, the next hook of the session tells it.
type Decision struct {
	Decision     string `json:"decision"` // continue or stop
	Reason       string `json:"reason"`   // basic_continuation, automation_triggered or no_continuation_needed
	Instructions string `json:"instructions,omitempty"`
	Workflow     string `json:"workflow_id,omitempty"`
}

// The words of a Decision.
const (
	GoOn      = "continue"
	LetGo     = "stop"
	Basic     = "basic_continuation"
	Automated = "automation_triggered"
	NotNeeded = "no_continuation_needed"
)

// own reports whether our own workflow runs a session. Its environment switches
// the hooks off already (see spool.Off); this is for hosts that hand none on.
func own(s trimtab.Session) bool { return strings.HasPrefix(s.Title, improve.Mark) }

// stop says what comes of a stop. Whether the agent goes on is the engine's decision
// (see steer/stop); only where that lets it go, the session is left for reflection.
func (t *turn) stop(ctx context.Context, a Answer, s trimtab.Session, out trimtab.Outcome) Answer {
	a.Decision = Decision{Decision: LetGo, Reason: NotNeeded}
	if own(s) {
		return a
	}
	for _, taken := range out.Actions {
		if c, ok := taken.Action.(trimtab.Continue); ok && c.Text != "" {
			a.SendOn, a.Decision = true, Decision{Decision: GoOn, Reason: Basic, Instructions: stop.Opening + strings.TrimPrefix(c.Text, stop.Opening)}
			t.record(ctx, a.Decision.Instructions)
			return a
		}
	}
	if t.opt.Reflect == nil {
		return a
	}
	w := ReflectRequest{Session: t.id, Host: t.call.Host.Name, Project: s.Project, Transcript: t.in.Transcript, At: t.opt.Clock().UTC()}
	d, err := t.opt.Reflect(ctx, w)
	if err != nil {
		t.opt.Log.Warn("no reflection on this stop", "session", t.id, "error", err)
	}
	if d.Workflow == "" {
		return a
	}
	a = t.triggered(a, d)
	if a.SendOn {
		t.record(ctx, stop.Opening+d.Instructions)
	}
	return a
}

// settle has the gateway store what it knows before a stop is decided. A gateway stores
// soon and not at once, and the hook of a stop comes some milliseconds after the reply.
func (t *turn) settle(ctx context.Context) {
	if t.call.Event.Kind != spool.Stop || t.opt.Settle == nil {
		return
	}
	if err := t.opt.Settle(ctx, t.id); err != nil {
		t.opt.Log.Warn("the gateway did not say that all is stored; the stop is decided by what is", "session", t.id, "error", err)
	}
}

// look asks the working tree before a stop is decided.
func (t *turn) look(ctx context.Context, s trimtab.Session, events []trimtab.Event) []trimtab.Event {
	for i, ev := range events {
		if stopping, ok := ev.(trimtab.Stopping); ok && t.opt.Checker != nil && s.Project != "" {
			stopping.Runs, stopping.Wrote = true, t.opt.Checker.Look(ctx, s.Project)
			events[i] = stopping
		}
	}
	return events
}

// check runs the check that steering asks for before a stop. The second that a hook has
// otherwise does not bind it: the checker has a limit of its own.
func (t *turn) check(ctx context.Context, s trimtab.Session, out trimtab.Outcome) (trimtab.Session, trimtab.Outcome) {
	for _, taken := range out.Actions {
		c, ok := taken.Action.(trimtab.Check)
		if !ok || t.opt.Checker == nil {
			continue
		}
		ctx = context.WithoutCancel(ctx)
		after, then, err := t.opt.Service.Handle(ctx, t.id, trimtab.Checked{Receipt: t.opt.Checker.Check(ctx, s.Project, c.Command)})
		if err != nil {
			t.opt.Log.Warn("what came of the check is not in the record", "session", t.id, "error", err)
			return s, out
		}
		return after, then
	}
	return s, out
}

// record puts the reason to go on into the session, unless a gateway will see it in
// the host's next request.
func (t *turn) record(ctx context.Context, text string) {
	if t.gateway || t.call.Host.Hooks.Answer == host.AnswerNotes { // it comes back with the next request, under the host's own id
		return
	}
	m := trimtab.Message{Role: trimtab.RoleUser, From: "stop", Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Ours, From: "stop"}}}
	if _, _, err := t.opt.Service.Handle(ctx, t.id, trimtab.Said{Message: m}); err != nil {
		t.opt.Log.Warn("the reason to go on is not in the record", "session", t.id, "error", err)
	}
}
