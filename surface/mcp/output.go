package mcp

// The schemas of what tools answer. They name what programs may rely on; a package
// may say more.

// shape is an object with these properties, of which the first so many are always
// there.
func shape(always int, props ...field) map[string]any {
	all, required := map[string]any{}, []string{}
	for i, p := range props {
		all[p.name] = p.schema
		if i < always {
			required = append(required, p.name)
		}
	}
	out := map[string]any{"type": "object", "properties": all}
	if always > 0 {
		out["required"] = required
	}
	return out
}

// field is a property of an answer.
type field struct {
	name   string
	schema map[string]any
}

func list(of map[string]any) map[string]any { return map[string]any{"type": "array", "items": of} }

// maybe is a list, or null where there is nothing.
func maybe(of map[string]any) map[string]any {
	return map[string]any{"type": []string{"array", "null"}, "items": of}
}

func str(name string) field  { return field{name, map[string]any{"type": "string"}} }
func num(name string) field  { return field{name, map[string]any{"type": "integer"}} }
func flag(name string) field { return field{name, map[string]any{"type": "boolean"}} }
func strs(name string) field { return field{name, maybe(map[string]any{"type": "string"})} }

// output is the answer of every tool, around what it has to say to programs.
func (t tool) output() map[string]any {
	found := map[string]any{"type": "string", "enum": []string{byID, byHost, byFolder}, "description": "how the session was found: by the id passed, by what the host tells, or as the newest of the folder"}
	props := []field{str("session"), {"found", found}, str("text")}
	if t.data != nil {
		props = append(props, field{"data", t.data})
	}
	return shape(3, props...)
}

func ref(name string) field { return field{name, shape(0, str("id"), num("seq"))} }

func frameData() map[string]any {
	status := map[string]any{"type": "string", "enum": []string{"planned", "in_progress", "completed", "failed", "blocked", "invalidated"}}
	return shape(6, str("id"), str("goal"), field{"status", status}, str("session"), num("tokens"), num("ownTokens"),
		str("parent"), str("successCriteria"), str("summary"), str("results"), strs("artifacts"), strs("decisions"),
		ref("firstMessage"), ref("lastMessage"), num("messages"), str("createdAt"), str("updatedAt"), str("invalidationReason"), flag("folded"), flag("active"))
}

func frameListData() map[string]any { return list(frameData()) }

func treeData() map[string]any {
	return shape(4, str("session"), field{"frames", list(frameData())}, num("tokensBefore"), num("tokensAfter"), str("active"))
}

func logData() map[string]any {
	message := shape(4, num("seq"), str("id"), str("role"), str("text"))
	return shape(2, field{"frame", frameData()}, field{"messages", list(message)}, num("next"))
}

func autonomyData() map[string]any {
	return shape(7, str("level"), num("pushThreshold"), num("popThreshold"), flag("suggestInContext"), strs("enabledHeuristics"), str("confidence"), flag("learn"))
}

func evaluationData() map[string]any {
	score := shape(3, str("name"), num("score"), flag("enabled"))
	return shape(7, str("side"), field{"scores", list(score)}, num("confidence"), num("threshold"), str("how"), flag("recommended"), str("primaryReason"),
		str("suggestedGoal"), str("suggestedStatus"), str("toCross"))
}

func suggestionData() map[string]any {
	return maybe(shape(6, str("kind"), str("frame"), str("reason"), num("confidence"), str("at"), str("state"), str("goal"), str("status")))
}

func statsData() map[string]any {
	return shape(8, num("totalSuggestions"), num("pushSuggestions"), num("popSuggestions"), num("actedUpon"), num("ignored"), num("autoPushes"), num("autoPops"), num("actionRate"))
}

func sessionData() map[string]any {
	return shape(4, str("sessionId"), num("step"), field{"status", list(shape(2, str("by"), str("text")))}, field{"notes", list(shape(0, str("by"), str("slot"), str("why")))},
		str("host"), str("project"), str("modelId"), str("title"), field{"history", list(shape(0, str("by"), str("slot"), str("why")))}, field{"todos", list(map[string]any{"type": "object"})}, field{"meter", map[string]any{"type": "object"}})
}
