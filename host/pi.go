package host

// piExtension points pi at the gateway and tells it what was typed, before pi expands
// templates: what an extension sends is not.
const piExtension = `export default function (pi) {
  pi.registerProvider("anthropic", { baseUrl: "{url}/s/{session}" });
  pi.registerProvider("openai", { baseUrl: "{url}/s/{session}/v1" });
  pi.on("input", async (event) => {
    const by = event.source === "extension" || event.text.startsWith("/") ? "host" : "person";
    const said = { type: "said", message: { role: "user", content: [{ type: "text", text: event.text, by }] } };
    await fetch("{url}/trimtab/hook", {
      method: "POST", headers: { "Content-Type": "application/json" }, signal: AbortSignal.timeout(1000),
      body: JSON.stringify({ session: "{session}", vouch: true, events: [said] }),
    }).catch(() => {});
  });
}
`

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
		File: File{"trimtab.ts", piExtension},
	},
	Sessions: []SessionDir{{Base: ".pi", Dir: "agent/sessions", End: []string{".jsonl"}}},
	Private:  []string{".pi"},
	Markup:   Markup{Tags: []string{"file", "skill"}, Openings: []string{"The conversation history before this point was compacted", "The following is a summary of a branch"}},
	Prompts: Prompts{
		Project: []string{".pi/prompts", ".pi/skills"},
		Home:    []string{".pi/agent/prompts", ".pi/agent/skills", ".pi/agent/AGENTS.md"},
	},
}
