package hook

import (
	"encoding/json"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/steer/stop"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// maxContext is the longest text that is given to a host, in bytes. Hosts put
// longer ones into a file, and the model sees only that there is one.
const maxContext = 9000

// The answers that hosts understand. Each is closed: what a host does not know at
// an event is not in it.
type (
	// contextOut puts text before the model: Claude, Codex, Gemini, Qwen.
	contextOut struct {
		Specific *contextPart `json:"hookSpecificOutput,omitempty"`
		Notice   string       `json:"systemMessage,omitempty"`
	}
	contextPart struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	// permitOut refuses a tool: Claude, Codex, Qwen.
	permitOut struct {
		Specific *permitPart `json:"hookSpecificOutput,omitempty"`
		Notice   string      `json:"systemMessage,omitempty"`
	}
	permitPart struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}
	// decideOut keeps an agent from stopping, and refuses a tool of Gemini's.
	decideOut struct {
		Decision string `json:"decision,omitempty"`
		Reason   string `json:"reason,omitempty"`
		Notice   string `json:"systemMessage,omitempty"`
	}
	// blockOut is all that goose takes.
	blockOut struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}
)

// Encode makes the host's own JSON of an answer; nothing, where there is nothing
// to say or the host would not understand it.
func Encode(c spool.Call, a Answer) ([]byte, error) {
	v := shape(c, a)
	if v == nil {
		return nil, nil
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}

// shape makes an answer of the form that the host takes. Codex takes the same words as
// Claude, and its schemas are closed: a key too many and the whole answer counts as
// failed.
func shape(c spool.Call, a Answer) any {
	if a.Block != "" {
		return blocked(a)
	}
	switch c.Host.Hooks.Answer {
	case host.AnswerPermit:
		return permitForm(c, a)
	case host.AnswerDeny:
		return denyForm(c, a)
	case host.AnswerBlock:
		return blockForm(c, a)
	case host.AnswerNotes:
		return notesForm(c, a)
	case host.AnswerNone:
	}
	return nil
}

// permitForm: text for the model where it may come, a refusal in the words of
// permissions, and a block with its reason at a stop.
func permitForm(c spool.Call, a Answer) any {
	switch c.Event.Kind {
	case spool.Start, spool.Prompt, spool.Used:
		return told(c, a)
	case spool.Using:
		return permit(c, a)
	case spool.Stop:
		return decide("block", stops(a), a)
	case spool.None, spool.Compacting, spool.Compacted, spool.End, spool.Request:
	}
	return nil
}

// denyForm: a tool and a stop are both refused with deny.
func denyForm(c spool.Call, a Answer) any {
	switch c.Event.Kind {
	case spool.Start, spool.Prompt, spool.Used:
		return told(c, a)
	case spool.Using:
		return decide("deny", a.Deny, a)
	case spool.Stop:
		return decide("deny", stops(a), a)
	case spool.None, spool.Compacting, spool.Compacted, spool.End, spool.Request:
	}
	return nil
}

// blockForm: a reason, at a stop or before a tool, and nothing else.
func blockForm(c spool.Call, a Answer) any {
	reason := ""
	switch c.Event.Kind {
	case spool.Using:
		reason = a.Deny
	case spool.Stop:
		reason = stops(a)
	case spool.None, spool.Start, spool.Prompt, spool.Used, spool.Compacting, spool.Compacted, spool.End, spool.Request:
	}
	return unless(reason == "", blockOut{"block", fit(reason)})
}

// stops is the reason not to stop; "" lets the agent go.
func stops(a Answer) string {
	switch {
	case !a.SendOn:
		return ""
	case a.Decision.Reason == Automated: // a host may hand it back as if it had been typed
		return stop.Opening + a.Decision.Instructions
	}
	return a.Decision.Instructions
}

func told(c spool.Call, a Answer) any {
	out := contextOut{Notice: notice(a)}
	if a.Context != "" {
		out.Specific = &contextPart{c.Event.Name, fit(a.Context)}
	}
	return unless(out == contextOut{}, out)
}

func permit(c spool.Call, a Answer) any {
	out := permitOut{Notice: notice(a)}
	if a.Deny != "" {
		out.Specific = &permitPart{c.Event.Name, "deny", fit(a.Deny)}
	}
	return unless(out == permitOut{}, out)
}

func decide(word, reason string, a Answer) any {
	out := decideOut{Notice: notice(a)}
	if reason != "" {
		out.Decision, out.Reason = word, fit(reason)
	}
	return unless(out == decideOut{}, out)
}

func notice(a Answer) string { return trimtab.Clip(strings.Join(a.Notices, "\n"), maxContext) }

func unless(empty bool, v any) any {
	if empty {
		return nil
	}
	return v
}

// fit shortens a text that is longer than hosts take.
func fit(text string) string {
	if len(text) <= maxContext {
		return text
	}
	return trimtab.Clip(text, maxContext-len("\n[…]")) + "\n[…]"
}
