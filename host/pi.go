package host

// pi is pi.
var pi = Host{
	Name: "pi",
	Requests: Requests{
		Known:   []Sign{{Header: "User-Agent", Begins: "pi ("}},
		Session: []string{"Session_id"},
		Escape:  Escape{Begins: []string{"Ran `"}},
	},
	Launch: Launch{
		Command: "pi", Package: "@earendil-works/pi-coding-agent",
		Args: []string{"-e", "{file}"},
		File: File{"trimtab.ts", "export default function (pi) {\n  pi.registerProvider(\"anthropic\", { baseUrl: \"{url}/s/{session}\" });\n  pi.registerProvider(\"openai\", { baseUrl: \"{url}/s/{session}/v1\" });\n}\n"},
	},
	Sessions: []SessionDir{{Base: ".pi", Dir: "agent/sessions", End: []string{".jsonl"}}},
	Private:  []string{".pi"},
}
