//go:build e2e && unix

package main

import (
	"encoding/json"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// travelClient is how a person works with one agent on a terminal. It stands beside
// the recipe of internal/client, whose environment and settings it takes.
type travelClient struct {
	name   string
	api    string            // of the recipe; "" is the usual one
	args   []string          // in the place of those for a run without a terminal
	resume []string          // those that go on with the newest session
	point  []string          // before them, where nobody else points it at the model
	env    []string          // beside the recipe's
	files  map[string]string // beside the recipe's: {home}, {work}, {url}

	ready   string   // on the screen when it takes a prompt
	resumed string   // on the screen when the old session is back; "" is its last reply
	busy    []string // on the screen while it works
	dialogs []dialog // questions and their answers

	agent     fakemodel.Call // starts a sub-agent, whose prompt holds travel-sub
	interrupt []string
	clear     []string // empties the line
	rewind    func(tr *trip) error
	compact   string
	quit      []string

	// own says which rules the agent breaks by itself. Its requests are then answered
	// all the same, and only those count as refused that are not without us.
	own string

	// lacks says why a situation does not take place.
	lacks map[string]string
}

type dialog struct {
	words string
	keys  []string
}

func object(v map[string]any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

const errand = "automata: count to nine hundred, for travel-sub"

func travelClients() []travelClient {
	return []travelClient{travelClaude(), travelOpencode(), travelQwen(), travelGemini(), travelCodex(), travelPi(), travelGoose()}
}

func travelClaude() travelClient {
	return travelClient{
		name:   "claude",
		args:   []string{"--permission-mode", "default", "--allowedTools", "Bash,Agent,Task"},
		resume: []string{"--continue", "--permission-mode", "default", "--allowedTools", "Bash,Agent,Task"},
		env:    []string{"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost", "CLAUDE_CODE_GATEWAY_HINT_HEADERS=1"}, // not CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC, which leaves out its side calls too: a closed port keeps the rest from the network
		files: map[string]string{
			".claude.json": `{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["sk-test"],"rejected":[]},"projects":{"{work}":{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true}}}`,
		},
		own:       "behind a summary it keeps its last reply with the thinking that is bound to what was before, which the real service refuses too where it enforces that",
		ready:     "❯",
		busy:      []string{"esc to interrupt"},
		agent:     fakemodel.Call{Name: "Agent", Input: object(map[string]any{"description": "count", "prompt": errand, "subagent_type": "general-purpose"})},
		interrupt: []string{"Escape"},
		clear:     []string{"C-u"},
		rewind: func(tr *trip) error {
			return tr.walk([]string{"Escape", "Escape"}, "(current)", []string{"Up", "Enter"}, "Restore conversation", []string{"Enter"})
		},
		compact: "/compact",
		quit:    []string{"/exit"},
	}
}

func travelOpencode() travelClient {
	return travelClient{
		name:      "opencode",
		resume:    []string{"--continue"},
		ready:     "ctrl+p commands",
		busy:      []string{"esc interrupt", "esc again"},
		agent:     fakemodel.Call{Name: "task", Input: object(map[string]any{"description": "count", "prompt": errand, "subagent_type": "general"})},
		interrupt: []string{"Escape", "Escape"},
		clear:     []string{"C-u"},
		rewind:    func(tr *trip) error { return tr.command("/undo") },
		compact:   "/compact",
		quit:      []string{"/exit"},
	}
}

func travelQwen() travelClient {
	return travelClient{
		name:      "qwen",
		args:      []string{"--approval-mode", "yolo"},
		resume:    []string{"--continue", "--approval-mode", "yolo"},
		files:     map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`},
		ready:     "Type your message",
		busy:      []string{"esc to cancel"},
		agent:     fakemodel.Call{Name: "agent", Input: object(map[string]any{"description": "count", "prompt": errand, "subagent_type": "general-purpose"})},
		interrupt: []string{"Escape"},
		clear:     []string{"C-u"},
		rewind: func(tr *trip) error { // /rewind itself does nothing: it finds the agent busy with the command
			return tr.walk([]string{"Escape", "Escape"}, "Rewind Conversation", []string{"Enter"}, "Restore conversation only", []string{"Enter"})
		},
		compact: "/compress",
		quit:    []string{"/quit"},
	}
}

func travelGemini() travelClient {
	return travelClient{
		name:      "gemini",
		args:      []string{"--approval-mode", "yolo"},
		resume:    []string{"--resume", "latest", "--approval-mode", "yolo"},
		files:     map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false},"privacy":{"usageStatisticsEnabled":false}}`},
		ready:     "Type your message",
		busy:      []string{"esc to cancel"},
		agent:     fakemodel.Call{Name: "invoke_agent", Input: object(map[string]any{"agent_name": "generalist", "prompt": errand})},
		interrupt: []string{"Escape"},
		clear:     []string{"C-u"},
		rewind: func(tr *trip) error {
			if err := tr.command("/rewind"); err != nil {
				return err
			}
			return tr.walk("Stay at current position", []string{"Up", "Up", "Enter"}, "Rewind conversation", []string{"Enter"})
		},
		compact: "/compress",
		quit:    []string{"/quit"},
		own:     "the router's slice of the history begins with a function call, and a history that is rebuilt for a rewind or a resume holds each function response twice",
	}
}

func travelCodex() travelClient {
	return travelClient{
		name: "codex",
		args: []string{"-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false", "--dangerously-bypass-approvals-and-sandbox"},
		point: []string{
			"-c", "model_provider=steer",
			"-c", `model_providers.steer={name="Steer",base_url="{url}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`,
		},
		resume:    []string{"-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false", "--dangerously-bypass-approvals-and-sandbox", "resume", "--last"},
		ready:     "Ask Codex to do anything",
		busy:      []string{"esc to interrupt"},
		agent:     fakemodel.Call{Name: "spawn_agent", Input: object(map[string]any{"task_name": "count", "message": errand, "fork_turns": "none"})},
		interrupt: []string{"Escape"},
		clear:     []string{"C-u"},
		rewind: func(tr *trip) error {
			return tr.walk([]string{"Escape", "Escape"}, "↵ rewind", []string{"Enter"}, "Conversation reverted")
		},
		compact: "/compact",
		quit:    []string{"/quit"},
	}
}

func travelPi() travelClient {
	return travelClient{
		name:      "pi",
		args:      []string{"--provider", "anthropic"},
		resume:    []string{"--continue", "--provider", "anthropic"},
		files:     map[string]string{".pi/agent/settings.json": `{"compaction":{"keepRecentTokens":2000}}`}, // by default a session of this length is too short to compact
		ready:     "(auto)",
		busy:      []string{"Working"},
		interrupt: []string{"Escape"},
		clear:     []string{"C-u"},
		rewind: func(tr *trip) error { // the tree of the session, the person's prompts only
			if err := tr.command("/tree"); err != nil {
				return err
			}
			return tr.walk("Session Tree", []string{"C-u", "Enter"}, "No summary", []string{"Enter"}, "Navigated to selected point")
		},
		compact: "/compact",
		quit:    []string{"/quit"},
		lacks:   map[string]string{afterAgent: "pi has no tool that starts an agent: it offers read, bash, edit and write"},
	}
}

func travelGoose() travelClient {
	return travelClient{
		name:    "goose",
		args:    []string{"session", "--with-builtin", "developer"},
		resume:  []string{"session", "--resume", "--with-builtin", "developer"},
		ready:   "Enter to send",
		resumed: "resuming",
		dialogs: []dialog{
			{"◆  Are you sure you want to compact this conversation?", []string{"Enter"}},
			{"◆  Share anonymous usage data to help improve goose?", []string{"Right", "Enter"}},
		},
		agent:     fakemodel.Call{Name: "delegate", Input: object(map[string]any{"instructions": errand})},
		interrupt: []string{"C-c"},
		compact:   "/compact",
		quit:      []string{"/exit"},
		lacks:     map[string]string{afterRewind: "goose session has no command that goes back in a conversation: /help lists /clear and /new, which begin anew"},
	}
}
