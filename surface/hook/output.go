package hook

import (
	"encoding/json"
	"strings"

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

func shape(c spool.Call, a Answer) any {
	if c.Host.Name == "goose" {
		return forGoose(c, a)
	}
	notice := clip(strings.Join(a.Notices, "\n"), maxContext)
	switch c.Event.Kind {
	case spool.Start, spool.Prompt, spool.Used:
		out := contextOut{Notice: notice}
		if a.Context != "" {
			out.Specific = &contextPart{c.Event.Name, fit(a.Context)}
		}
		return unless(out == contextOut{}, out)
	case spool.Using:
		if c.Host.Name == "gemini" {
			out := decideOut{Notice: notice}
			if a.Deny != "" {
				out.Decision, out.Reason = "deny", fit(a.Deny)
			}
			return unless(out == decideOut{}, out)
		}
		out := permitOut{Notice: notice}
		if a.Deny != "" {
			out.Specific = &permitPart{c.Event.Name, "deny", fit(a.Deny)}
		}
		return unless(out == permitOut{}, out)
	case spool.Stop:
		out := decideOut{Notice: notice}
		if a.Decision.Decision == GoOn {
			out.Decision, out.Reason = "block", fit(a.Decision.Instructions)
			if c.Host.Name == "gemini" {
				out.Decision = "deny"
			}
		}
		return unless(out == decideOut{}, out)
	case spool.None, spool.Compacting, spool.Compacted, spool.End:
	}
	return nil
}

// forGoose: a reason, at a stop or before a tool, and nothing else.
func forGoose(c spool.Call, a Answer) any {
	switch {
	case c.Event.Kind == spool.Stop && a.Decision.Decision == GoOn:
		return blockOut{"block", fit(a.Decision.Instructions)}
	case c.Event.Kind == spool.Using && a.Deny != "":
		return blockOut{"block", fit(a.Deny)}
	}
	return nil
}

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
	return clip(text, maxContext-len("\n[…]")) + "\n[…]"
}
