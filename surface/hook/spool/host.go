package spool

import "strings"

// Kind is what an event of a host means to us.
type Kind byte

// The kinds.
const (
	None       Kind = iota
	Start           // a session begins, or goes on
	Prompt          // a person's prompt is about to reach the model
	Using           // a tool is about to run
	Used            // tools have run, and the model is about to be asked again
	Stop            // the agent is about to end its turn
	Compacting      // the host is about to shorten its history
	Compacted       // it has
	End             // the session is over
)

// names are what we call the kinds, the same for every host.
var names = [...]string{None: "", Start: "start", Prompt: "prompt", Using: "before-tool", Used: "after-tool", Stop: "stop", Compacting: "before-compact", Compacted: "after-compact", End: "end"}

func (k Kind) String() string { return names[k] }

// Event is an event of a host, by the host's own name.
type Event struct {
	Name string
	Kind Kind
}

// Host is what the hooks of one agent look like.
type Host struct {
	Name   string
	Deaf   bool     // it lets no hook say anything to the model but the reason of a block
	Base   []string // variables that name the address of its models
	Events []Event
}

// hosts is the one table of the hooks that we answer. Claude's PostToolUse is not
// in it: PostToolBatch comes once a step, PostToolUse once a tool. Gemini's
// PreCompress is not, either: it comes before every request.
var hosts = [...]Host{
	{Name: "claude", Base: []string{"ANTHROPIC_BASE_URL"}, Events: []Event{
		{"SessionStart", Start},
		{"UserPromptSubmit", Prompt},
		{"PreToolUse", Using},
		{"PostToolBatch", Used},
		{"Stop", Stop},
		{"PreCompact", Compacting},
		{"SessionEnd", End},
	}},
	{Name: "codex", Base: []string{"OPENAI_BASE_URL"}, Events: []Event{
		{"SessionStart", Start},
		{"UserPromptSubmit", Prompt},
		{"PreToolUse", Using},
		{"PostToolUse", Used},
		{"Stop", Stop},
		{"PreCompact", Compacting},
		{"PostCompact", Compacted},
		{"SessionEnd", End},
	}},
	{Name: "gemini", Base: []string{"GOOGLE_GEMINI_BASE_URL"}, Events: []Event{
		{"SessionStart", Start},
		{"BeforeAgent", Prompt},
		{"BeforeTool", Using},
		{"AfterTool", Used},
		{"AfterAgent", Stop},
		{"SessionEnd", End},
	}},
	{Name: "qwen", Base: []string{"OPENAI_BASE_URL"}, Events: []Event{
		{"SessionStart", Start},
		{"UserPromptSubmit", Prompt},
		{"PreToolUse", Using},
		{"PostToolUse", Used},
		{"Stop", Stop},
		{"PreCompact", Compacting},
		{"SessionEnd", End},
	}},
	{Name: "goose", Deaf: true, Base: []string{"ANTHROPIC_HOST", "OPENAI_HOST"}, Events: []Event{
		{"SessionStart", Start},
		{"UserPromptSubmit", Prompt},
		{"PreToolUse", Using},
		{"PostToolUse", Used},
		{"Stop", Stop},
		{"SessionEnd", End},
	}},
}

// Hosts returns the hosts whose hooks we answer. The list is the caller's.
func Hosts() []Host { return append([]Host(nil), hosts[:]...) }

// Find returns a host by its name, and one of its events by the host's name for
// it or by ours, in any case. An event that is not answered has no kind.
func Find(host, event string) (Host, Event, bool) {
	for _, h := range hosts {
		if h.Name != host {
			continue
		}
		for _, e := range h.Events {
			if strings.EqualFold(e.Name, event) || strings.EqualFold(e.Kind.String(), event) {
				return h, e, true
			}
		}
		return h, Event{Name: event}, true
	}
	return Host{}, Event{}, false
}
