package host

// pi is pi.
var pi = Host{
	Name: "pi",
	Requests: Requests{
		Known:   []Sign{{Header: "User-Agent", Begins: "pi ("}},
		Session: []string{"Session_id"},
		Escape:  Escape{Begins: []string{"Ran `"}},
		Folder:  []Between{{"<cwd>", "</cwd>"}, {"Current working directory: ", ""}},
	},
	Launch: Launch{
		Command: "pi", Package: "@earendil-works/pi-coding-agent",
		Args:  []string{"-e", "{file}"},
		File:  File{"trimtab.ts", piExtension},
		Slash: true,
		Shows: true,
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
	Markup:   Markup{Tags: []string{"file", "skill"}, Openings: []string{"The conversation history before this point was compacted", "The following is a summary of a branch"}},
	Prompts: Prompts{
		Project: []string{".pi/prompts", ".pi/skills"},
		Home:    []string{".pi/agent/prompts", ".pi/agent/skills", ".pi/agent/AGENTS.md"},
	},
}

// piExtension is what pi is given for a run: where its models are, what was typed (before
// pi expands templates; what an extension sends was not), slash commands, and a line in
// its footer. What a command prints goes to the model with the next prompt, as the
// output of pi's own shell does: the gateway reads there that it was typed.
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

  const trimtab = async (...args) => {
    const r = await pi.exec("{self}", args, { timeout: 10000 });
    return (r.stdout.trim() || r.stderr.trim());
  };
  const show = async (ctx) => {
    try {
      if (ctx?.hasUI) ctx.ui.setStatus("trimtab", await trimtab("status", "--line"));
    } catch {} // the agent goes on without the line
  };
  let timer;
  pi.on("session_start", async (_, ctx) => {
    await show(ctx);
    clearInterval(timer);
    timer = setInterval(() => show(ctx), 3000);
    timer.unref?.();
  });
  pi.on("session_shutdown", () => clearInterval(timer));
  pi.on("turn_end", (_, ctx) => { void show(ctx); });

  for (const [name, description] of [
    ["mode", "Show the modes of trimtab, or enter one"],
    ["status", "What steers this session"],
    ["automata", "Reflections between steps: on or off"],
  ]) {
    pi.registerCommand("trimtab:" + name, {
      description,
      handler: async (args, ctx) => {
        const words = args.split(/\s+/).filter(Boolean);
        const said = await trimtab(name, ...words);
        ctx.ui.notify(said, "info");
        if (said.includes("trimtab-ask-")) {
          pi.sendMessage({ customType: "trimtab", display: false, content: "Ran ` + "`" + `trimtab " + [name, ...words].join(" ") + "` + "`" + `\n" + said }, { deliverAs: "nextTurn" });
        }
        await show(ctx);
      },
    });
  }
}
`
