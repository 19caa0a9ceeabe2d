package steertool

// The heuristics over frames, by the side they speak for.
var heuristics = []string{"failure_boundary", "context_switch", "complexity", "duration", "goal_completion", "stagnation", "context_overflow"}

const maxCount = 1_000_000_000

func goalArg(doc string) Arg {
	return Arg{name: "goal", kind: text, required: true, max: maxItem, doc: doc}
}

func idArg(required bool, doc string) Arg {
	return Arg{name: "id", kind: text, required: required, max: 40, doc: doc}
}

func textArg(doc string) Arg {
	return Arg{name: "text", kind: text, required: true, max: 200, doc: doc}
}

func countArg(name, doc string) Arg {
	return Arg{name: name, kind: whole, max: maxCount, doc: doc}
}

func listArg(name, doc string) Arg {
	return Arg{name: name, kind: strList, items: maxItems, max: maxItem, doc: doc}
}

// Frames are the tools of the frames: those that change the tree, then those that
// look at it, then the autonomy.
func Frames() []Tool {
	all := append(treeTools(), autonomyTools()...)
	for i := range all {
		all[i].Command = "frame"
	}
	return all
}

func treeTools() []Tool {
	return []Tool{
		{
			Name: "flame_push", Title: "Open a frame", Verb: "push",
			Description: "Open a frame below the active one, for a piece of work with a goal of its own. Until it is popped, what comes belongs to it.",
			args: []Arg{
				goalArg("what this piece of work is to reach, in one line"),
				{name: "successCriteria", kind: text, max: maxItem, doc: "how one can tell that it is reached"},
			},
		},
		{
			Name: "flame_pop", Title: "End the frame", Verb: "pop",
			Description: "End the active frame. Its messages leave the context and the summary stays in their place; the parent becomes active.",
			args: []Arg{
				{name: "status", kind: text, enum: []string{"completed", "failed", "blocked"}, doc: "how it ended; completed if left out"},
				{name: "summary", kind: text, max: maxText, doc: "what the parent needs to know: results, files, decisions, what is open; made from the messages if left out"},
			},
		},
		{
			Name: "flame_plan", Title: "Plan frames", Verb: "plan",
			Description: "Add planned frames below the active one, or below another, ahead of the work.",
			args: []Arg{
				{name: "goals", kind: strList, required: true, items: maxItems, max: maxItem, doc: "the goals, in the order of the work"},
				{name: "parent", kind: text, max: 40, doc: "id of the frame they belong to; the active one if left out"},
			},
		},
		{
			Name: "flame_activate", Title: "Start a planned frame", Verb: "activate",
			Description: "Start a frame that is planned.", args: []Arg{idArg(true, "id of the planned frame, as in f3")},
		},
		{
			Name: "flame_invalidate", Title: "Give up a frame", Verb: "invalidate", Destructive: true,
			Description: "Give up a frame and what is planned below it; what is completed stays. Its parent becomes active.",
			args: []Arg{
				idArg(true, "id of the frame, as in f3"),
				{name: "reason", kind: text, required: true, max: maxItem, doc: "why its work is void"},
			},
		},
		{
			Name: "flame_set_goal", Title: "Set the goal", Verb: "goal", Idempotent: true,
			Description: "Set the goal of the active frame.", args: []Arg{{name: "goal", as: "text", kind: text, required: true, max: maxItem, doc: "the new goal, in one line"}},
		},
		{
			Name: "flame_add_artifact", Title: "Note an artifact", Verb: "artifact", Idempotent: true,
			Description: "Note what the active frame brought forth: a file, a document, a result.", args: []Arg{textArg("a path or a name")},
		},
		{
			Name: "flame_add_decision", Title: "Note a decision", Verb: "decision", Idempotent: true,
			Description: "Note a decision in the active frame, so that it outlives the messages.", args: []Arg{textArg("the decision and its reason, in one line")},
		},
		{
			Name: "flame_status", Title: "Frame status", Verb: "status", ReadOnly: true,
			Description: "The path to the active frame, the tree, what folding saves, and pending suggestions.",
		},
		{
			Name: "flame_tree", Title: "Frame tree", Verb: "tree", ReadOnly: true,
			Description: "The tree of frames: ✓ completed, → in progress, ○ planned, ✗ invalidated, ! blocked, ⚠ failed.",
		},
		{
			Name: "flame_log", Title: "Read a frame's log", Verb: "log", ReadOnly: true,
			Description: "Read the messages of a frame, also where they are folded away. A long log comes in pages.",
			args: []Arg{
				idArg(false, "id of the frame, as in f3; the active one if left out"),
				{name: "after", kind: whole, max: maxCount, doc: "go on behind this message number, as the page before said"},
			},
		},
	}
}

func autonomyTools() []Tool {
	return []Tool{
		{
			Name: "flame_autonomy_config", Title: "Frame autonomy", Verb: "autonomy", Idempotent: true,
			Description: "Show or change what the heuristics may do in this session. Without arguments it only shows. The person is told of a change.",
			args: []Arg{
				{name: "level", kind: text, enum: []string{"manual", "suggest", "auto"}, doc: "manual evaluates only when asked, suggest suggests, auto pushes and pops"},
				{name: "pushThreshold", kind: whole, max: 100, doc: "confidence from which a push is recommended"},
				{name: "popThreshold", kind: whole, max: 100, doc: "confidence from which a pop is recommended"},
				{name: "suggestInContext", kind: yes, doc: "whether suggestions stand in the context"},
				{name: "enabledHeuristics", kind: strList, enum: heuristics, items: len(heuristics), doc: "those whose scores count"},
				{name: "confidence", kind: text, enum: []string{"level", "mean", "max"}, doc: "how scores become a confidence; level is max for suggestions and mean for what auto does"},
				{name: "learn", kind: yes, doc: "weigh each heuristic by how often its suggestions were acted on"},
			},
		},
		{
			Name: "flame_should_push", Title: "Should a frame be pushed?", Verb: "should-push", ReadOnly: true,
			Description: "Evaluate the push heuristics. Signals come from the session itself; an argument overrides one.",
			args: []Arg{
				{name: "potentialGoal", kind: text, max: maxItem, doc: "the goal that the new frame would have"},
				{name: "currentGoal", kind: text, max: maxItem, doc: "the goal of the present work"},
				countArg("recentMessages", "messages since the frame was opened"),
				listArg("recentFileChanges", "files that were changed"),
				countArg("errorCount", "errors seen"),
				countArg("tokenCount", "tokens spent in the frame"),
			},
		},
		{
			Name: "flame_should_pop", Title: "Should the frame be popped?", Verb: "should-pop", ReadOnly: true,
			Description: "Evaluate the pop heuristics. Signals come from the session itself; an argument overrides one.",
			args: []Arg{
				listArg("successSignals", "what succeeded: tests passed, build ok"),
				listArg("failureSignals", "what failed"),
				listArg("artifacts", "what the frame brought forth"),
				countArg("noProgressTurns", "turns without progress"),
				countArg("tokenCount", "tokens in the context"),
				{name: "contextLimit", kind: whole, min: 1, max: maxCount, doc: "tokens that the context can hold"},
			},
		},
		{
			Name: "flame_auto_suggest", Title: "Frame suggestions", Verb: "suggest", Idempotent: true,
			Description: "List the pending suggestions, or all so far; switch them on or off in the context.",
			args: []Arg{
				{name: "enable", kind: yes, doc: "whether suggestions stand in the context; left out, nothing changes"},
				{name: "showHistory", kind: yes, doc: "also those that were acted upon or ignored"},
			},
		},
		{
			Name: "flame_autonomy_stats", Title: "Frame statistics", Verb: "stats", ReadOnly: true,
			Description: "What came of suggestions so far: how many, acted upon, ignored, and what was done automatically.",
		},
	}
}
