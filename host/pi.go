package host

// pi is pi.
var pi = Host{
	Name: "pi",
	Requests: Requests{
		Known:   []Sign{{Header: "User-Agent", Begins: "pi ("}},
		Session: []string{"Session_id"},
	},
	Launch: Launch{
		Command: "pi", Package: "@earendil-works/pi-coding-agent",
		Args: []string{"-e", "{file}"},
		File: File{"trimtab.ts", "export default function (pi) {\n  pi.registerProvider(\"anthropic\", { baseUrl: \"{url}/s/{session}\" });\n  pi.registerProvider(\"openai\", { baseUrl: \"{url}/s/{session}/v1\" });\n}\n"},
	},
	Hooks: Hooks{
		Answer: AnswerNotes,
		Events: []HookEvent{
			{"context", HookRequest},
			{"tool_call", HookUsing},
			{"agent_before_settle", HookStop},
		},
	},
	Install: Install{
		File: ".pi/agent/extensions/trimtab.ts", Folder: "PI_CODING_AGENT_DIR", Base: ".pi/agent", Ours: true, Code: "pi.ts",
		Note: "pi loads the extension when it starts the next time.",
	},
	Sessions: []SessionDir{{Base: ".pi", Dir: "agent/sessions", End: []string{".jsonl"}}},
	Private:  []string{".pi"},
}
