package hook

import (
	"context"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// Decision is what comes of a stop, in our own terms. Automated with its workflow
// is not decided while the host waits: whoever looks back at the session says so
// afterwards, in the same words.
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

// opening begins every reason that we give a host for going on. Hosts hand it
// back as a prompt; by it we know our own words.
const opening = "Before you stop: "

// maxBlocks is how often an agent is kept from stopping after one prompt. It is
// below the cap of every host that has one.
const maxBlocks = 1

// continued reports whether the agent is only still at work because it was kept
// from stopping. Not every host says so.
func (t *turn) continued() bool {
	return t.in.Active != nil && *t.in.Active || t.state.Blocks >= maxBlocks
}

// own reports whether our own workflow runs a session. Its environment switches
// the hooks off already (see spool.Off); this is for hosts that hand none on.
func own(s trimtab.Session) bool { return strings.HasPrefix(s.Title, improve.Mark) }

// stop decides whether the agent may stop: basic continuation first, and only
// where that lets it go, a wish to look back at the session.
func (t *turn) stop(ctx context.Context, s trimtab.Session, out trimtab.Outcome) Decision {
	if own(s) {
		return Decision{Decision: LetGo, Reason: NotNeeded}
	}
	if !t.continued() {
		if text := t.unfinished(s, out); text != "" && t.block(ctx, text) {
			return Decision{Decision: GoOn, Reason: Basic, Instructions: text}
		}
	}
	if t.opt.Reflect != nil {
		w := Wish{Session: t.id, Host: t.call.Host.Name, Project: s.Project, Transcript: t.in.Transcript, At: t.opt.Clock().UTC()}
		if err := t.opt.Reflect(ctx, w); err != nil {
			t.opt.Log.Warn("nobody will look back at this stop", "session", t.id, "error", err)
		}
	}
	return Decision{Decision: LetGo, Reason: NotNeeded}
}

// unfinished says what is left to do, or nothing. An agent that asks its person
// something, or waits for work in the background, may always stop.
func (t *turn) unfinished(s trimtab.Session, out trimtab.Outcome) string {
	last := t.in.last()
	if asks(last) || len(t.in.Background) > 0 {
		return ""
	}
	for _, taken := range out.Actions {
		if c, ok := taken.Action.(trimtab.Continue); ok && c.Text != "" {
			return opening + c.Text
		}
	}
	if open := (trimtab.Todos{Items: s.Todos}).Open(); len(open) > 0 {
		return opening + remaining(open)
	}
	if next := announced(last); next != "" {
		return opening + fmt.Sprintf("your last message announced a next step (%q) and then ended. Take that step now, or say plainly that it is not needed.", next)
	}
	return ""
}

// mostOpen is how many open items a reason names.
const mostOpen = 5

func remaining(open []trimtab.Todo) string {
	var b strings.Builder
	if len(open) == 1 {
		b.WriteString("your todo list has 1 open item:")
	} else {
		fmt.Fprintf(&b, "your todo list has %d open items:", len(open))
	}
	for _, it := range open[:min(mostOpen, len(open))] {
		fmt.Fprintf(&b, "\n- %s (%s)", trimtab.Clip(strings.Join(strings.Fields(it.Text), " "), 200), it.Status)
	}
	if more := len(open) - mostOpen; more > 0 {
		fmt.Fprintf(&b, "\n- and %d more", more)
	}
	b.WriteString("\nGo on with them; or, where they are done or not needed any more, update the list, and then stop.")
	return b.String()
}

// block notes that the agent is kept from stopping. Where that cannot be noted
// it is not done: without the note it could be done again and again.
func (t *turn) block(ctx context.Context, text string) bool {
	next := t.state
	next.Blocks++
	if err := t.box.Leave(next, t.opt.PID); err != nil {
		t.opt.Log.Warn("the agent may stop: its state could not be written", "session", t.id, "error", err)
		return false
	}
	t.state = next
	if t.gateway {
		return true // the host's next request tells it
	}
	m := trimtab.Message{Role: trimtab.RoleUser, From: "stop", Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Ours, From: "stop"}}}
	if _, _, err := t.opt.Door.Handle(ctx, t.id, trimtab.Said{Message: m}); err != nil {
		t.opt.Log.Warn("the reason to go on is not in the record", "session", t.id, "error", err)
	}
	return true
}
