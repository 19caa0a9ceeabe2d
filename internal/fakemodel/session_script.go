package fakemodel

import (
	"context"
	"slices"
	"strings"
)

// Part is what the model answers to one prompt of a session. The prompt is known
// by a word in it, so that the same request always gets the same reply: a retry, a
// rewind and a resumed session need no counter.
type Part struct {
	Word  string // in the words of a user, and in no other part's prompt
	Agent bool   // the prompt is one that the model wrote for a sub-agent
	Steps []Reply
}

// TurnKind says what a request of a session asks for.
type TurnKind string

// The kinds.
const (
	MainTurn       TurnKind = "main"
	AgentTurn      TurnKind = "sub-agent"
	CompactionTurn TurnKind = "compaction"
	SideTurn       TurnKind = "side"
)

// Turn is where in a session a request stands.
type Turn struct {
	Kind TurnKind
	Word string // of the part, in main turns and those of sub-agents
	Step int    // of the part, from 0
	Name string // of a side call: title, suggestion, …
}

// Session answers by parts. Requests that belong to none get a short fitting reply.
func Session(parts ...Part) Script {
	return func(r Request) Reply {
		turn := TurnOf(r, parts)
		switch turn.Kind {
		case CompactionTurn:
			return Reply{Text: summary}
		case MainTurn, AgentTurn:
			steps := parts[slices.IndexFunc(parts, func(p Part) bool { return p.Word == turn.Word })].Steps
			if turn.Step < len(steps) {
				return steps[turn.Step]
			}
			return Reply{Text: "Done."}
		}
		if reply, ok := AnswerSide(r); ok {
			return reply
		}
		return Reply{Text: "Done."}
	}
}

// summary has the tags that the clients ask for, each its own.
const summary = "<analysis>Short.</analysis>\n<summary>\n<state_snapshot>\n<overall_goal>The person had some commands run.</overall_goal>\n</state_snapshot>\nThe person had some commands run, and they printed numbers.\n</summary>"

// TurnOf tells main turns, sub-agents, compactions and side calls apart. It goes by
// the prompts and by what clients were seen to send, never by a note of ours.
func TurnOf(r Request, parts []Part) Turn {
	if r.Format == "" || r.Counting || len(r.Items) == 0 {
		return Turn{Kind: SideTurn, Name: "no turn"}
	}
	for _, s := range sessionSigns {
		if s.is(&r) {
			if s.kind == string(CompactionTurn) {
				return Turn{Kind: CompactionTurn}
			}
			return Turn{Kind: SideTurn, Name: s.kind}
		}
	}
	if r.Side != "" && r.Side != "subagent" {
		if r.Side == "compaction" {
			return Turn{Kind: CompactionTurn}
		}
		return Turn{Kind: SideTurn, Name: r.Side}
	}
	at, found := -1, Part{}
	for i, item := range r.Items {
		said := item.Text
		switch {
		case item.Kind == Other && item.Name == "agent_message": // Codex: from one agent to another
			said = text(objects(list(r.tree, "input"))[item.Message])
		case item.Role != "user" || item.Kind != Text:
			continue
		}
		for _, p := range parts {
			if strings.Contains(said, p.Word) {
				at, found = i, p
			}
		}
	}
	if at < 0 {
		return Turn{Kind: SideTurn, Name: "unknown"}
	}
	turn := Turn{Kind: MainTurn, Word: found.Word}
	if found.Agent {
		turn.Kind = AgentTurn
	}
	calls := 0
	for _, item := range r.Items[at:] {
		if item.Kind == Calling {
			calls++
		}
	}
	for turn.Step < len(found.Steps)-1 && calls > 0 {
		calls -= len(found.Steps[turn.Step].Calls)
		turn.Step++
	}
	return turn
}

// sessionSigns tell what signs does not: the calls that clients make in a longer
// session on a terminal. A user's words are looked for in all of the request: a note
// may stand behind them.
var sessionSigns = []sign{
	{"claude, qwen", "suggestion", func(r *Request) bool { return began(r, "[SUGGESTION MODE") }},
	{"codex", "title", func(r *Request) bool { return began(r, "Generate a concise, single-line task title") }},
	{"claude", "compaction", func(r *Request) bool { return began(r, "CRITICAL: Respond with TEXT ONLY") }},
	{"codex", "compaction", func(r *Request) bool { return began(r, "You are performing a CONTEXT CHECKPOINT COMPACTION") }},
	{"qwen", "compaction", func(r *Request) bool { return began(r, "You are the component that summarizes a conversation") }},
	{"gemini, qwen", "compaction", func(r *Request) bool { return r.Said("system", "<state_snapshot>") }},
	{"goose", "compaction", func(r *Request) bool { return r.Said("system", "An llm context limit was reached") }},
	{"opencode", "compaction", func(r *Request) bool { return r.Said("system", "You are a context summarization agent") }},
	{"pi", "compaction", func(r *Request) bool { return r.Said("system", "context summarization assistant") }},
}

// began reports whether a text of the user begins with these words.
func began(r *Request, words string) bool {
	return slices.ContainsFunc(r.Texts("user"), func(text string) bool { return strings.HasPrefix(text, words) })
}

// Hold is for Reply.Before: not a byte comes until the client gives up.
func Hold(ctx context.Context, _ int) { <-ctx.Done() }
