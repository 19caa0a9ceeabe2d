package mcp

// The heuristics over frames, by the side they speak for.
var heuristics = []string{"failure_boundary", "context_switch", "complexity", "duration", "goal_completion", "stagnation", "context_overflow"}

const maxCount = 1_000_000_000

func goalArg(doc string) arg {
	return arg{name: "goal", kind: text, required: true, max: maxItem, doc: doc}
}

func idArg(required bool, doc string) arg {
	return arg{name: "id", kind: text, required: required, max: 40, doc: doc}
}

func textArg(doc string) arg {
	return arg{name: "text", kind: text, required: true, max: 200, doc: doc}
}

func countArg(name, doc string) arg {
	return arg{name: name, kind: whole, max: maxCount, doc: doc}
}

func listArg(name, doc string) arg {
	return arg{name: name, kind: strList, items: maxItems, max: maxItem, doc: doc}
}

// flames are the tools of the frames: those that change the tree, then those that
// look at it, then the autonomy.
func flames() []tool {
	all := append(treeTools(), autonomyTools()...)
	for i := range all {
		all[i].command = "frame"
	}
	return all
}

func treeTools() []tool {
	return []tool{
		{
			name: "flame_push", title: "Open a frame", verb: "push", data: frameData(),
			doc: "Open a frame below the active one, for a piece of work with a goal of its own. Until it is popped, what comes belongs to it.",
			args: []arg{
				goalArg("what this piece of work is to reach, in one line"),
				{name: "successCriteria", kind: text, max: maxItem, doc: "how one can tell that it is reached"},
			},
		},
		{
			name: "flame_pop", title: "End the frame", verb: "pop", data: frameData(),
			doc: "End the active frame. Its messages leave the context and the summary stays in their place; the parent becomes active. The whole log stays readable with flame_log.",
			args: []arg{
				{name: "status", kind: text, enum: []string{"completed", "failed", "blocked"}, doc: "how it ended; completed if left out"},
				{name: "summary", kind: text, max: maxText, doc: "what the parent needs to know: results, files, decisions, what is open; made from the messages if left out"},
			},
		},
		{
			name: "flame_plan", title: "Plan frames", verb: "plan", data: list(frameData()),
			doc: "Add planned frames below the active one, or below another, ahead of the work.",
			args: []arg{
				{name: "goals", kind: strList, required: true, items: maxItems, max: maxItem, doc: "the goals, in the order of the work"},
				{name: "parent", kind: text, max: 40, doc: "id of the frame they belong to; the active one if left out"},
			},
		},
		{
			name: "flame_activate", title: "Start a planned frame", verb: "activate", data: frameData(),
			doc: "Start a frame that is planned.", args: []arg{idArg(true, "id of the planned frame, as in f3")},
		},
		{
			name: "flame_invalidate", title: "Give up a frame", verb: "invalidate", data: frameData(), destroys: true,
			doc: "Give up a frame and what is planned below it; what is completed stays. Its parent becomes active.",
			args: []arg{
				idArg(true, "id of the frame, as in f3"),
				{name: "reason", kind: text, required: true, max: maxItem, doc: "why its work is void"},
			},
		},
		{
			name: "flame_set_goal", title: "Set the goal", verb: "goal", data: frameData(), again: true,
			doc: "Set the goal of the active frame.", args: []arg{{name: "goal", as: "text", kind: text, required: true, max: maxItem, doc: "the new goal, in one line"}},
		},
		{
			name: "flame_add_artifact", title: "Note an artifact", verb: "artifact", data: frameData(), again: true,
			doc: "Note what the active frame brought forth: a file, a document, a result.", args: []arg{textArg("a path or a name")},
		},
		{
			name: "flame_add_decision", title: "Note a decision", verb: "decision", data: frameData(), again: true,
			doc: "Note a decision in the active frame, so that it outlives the messages.", args: []arg{textArg("the decision and its reason, in one line")},
		},
		{
			name: "flame_status", title: "Frame status", verb: "status", looks: true, data: treeData(),
			doc: "The path to the active frame, the tree, what folding saves, and pending suggestions.",
		},
		{
			name: "flame_tree", title: "Frame tree", verb: "tree", looks: true, data: treeData(),
			doc: "The tree of frames: ✓ completed, → in progress, ○ planned, ✗ invalidated, ! blocked, ⚠ failed.",
		},
		{
			name: "flame_log", title: "Read a frame's log", verb: "log", looks: true, data: logData(),
			doc: "Read the messages of a frame, also where they are folded away. A long log comes in pages.",
			args: []arg{
				idArg(false, "id of the frame, as in f3; the active one if left out"),
				{name: "after", kind: whole, max: maxCount, doc: "go on behind this message number, as the page before said"},
			},
		},
	}
}

func autonomyTools() []tool {
	return []tool{
		{
			name: "flame_autonomy_config", title: "Frame autonomy", verb: "autonomy", again: true, data: autonomyData(),
			doc: "Show or change what the heuristics may do in this session. Without arguments it only shows. The person is told of a change.",
			args: []arg{
				{name: "level", kind: text, enum: []string{"manual", "suggest", "auto"}, doc: "manual evaluates only when asked, suggest suggests, auto pushes and pops"},
				{name: "pushThreshold", kind: whole, max: 100, doc: "confidence from which a push is recommended"},
				{name: "popThreshold", kind: whole, max: 100, doc: "confidence from which a pop is recommended"},
				{name: "suggestInContext", kind: yes, doc: "whether suggestions stand in the context"},
				{name: "enabledHeuristics", kind: strList, enum: heuristics, items: len(heuristics), doc: "those whose scores count"},
				{name: "confidence", kind: text, enum: []string{"mean", "max"}, doc: "how scores become a confidence"},
				{name: "learn", kind: yes, doc: "weigh each heuristic by how often its suggestions were acted on"},
			},
		},
		{
			name: "flame_should_push", title: "Should a frame be pushed?", verb: "should-push", looks: true, data: evaluationData(),
			doc: "Evaluate the push heuristics. Signals come from the session itself; an argument overrides one.",
			args: []arg{
				{name: "potentialGoal", kind: text, max: maxItem, doc: "the goal that the new frame would have"},
				{name: "currentGoal", kind: text, max: maxItem, doc: "the goal of the present work"},
				countArg("recentMessages", "messages since the frame was opened"),
				listArg("recentFileChanges", "files that were changed"),
				countArg("errorCount", "errors seen"),
				countArg("tokenCount", "tokens spent in the frame"),
			},
		},
		{
			name: "flame_should_pop", title: "Should the frame be popped?", verb: "should-pop", looks: true, data: evaluationData(),
			doc: "Evaluate the pop heuristics. Signals come from the session itself; an argument overrides one.",
			args: []arg{
				listArg("successSignals", "what succeeded: tests passed, build ok"),
				listArg("failureSignals", "what failed"),
				listArg("artifacts", "what the frame brought forth"),
				countArg("noProgressTurns", "turns without progress"),
				countArg("tokenCount", "tokens in the context"),
				{name: "contextLimit", kind: whole, min: 1, max: maxCount, doc: "tokens that the context can hold"},
			},
		},
		{
			name: "flame_auto_suggest", title: "Frame suggestions", verb: "suggest", again: true, data: suggestionData(),
			doc: "List the pending suggestions, or all so far; switch them on or off in the context.",
			args: []arg{
				{name: "enable", kind: yes, doc: "whether suggestions stand in the context; left out, nothing changes"},
				{name: "showHistory", kind: yes, doc: "also those that were acted upon or ignored"},
			},
		},
		{
			name: "flame_autonomy_stats", title: "Frame statistics", verb: "stats", looks: true, data: statsData(),
			doc: "What came of suggestions so far: how many, acted upon, ignored, and what was done automatically.",
		},
	}
}
