package fakemodel

// anthropicBody is an answer as a whole message.
func anthropicBody(a answer) object {
	content := []any{}
	if a.signature != "" {
		content = append(content, object{"type": "thinking", "thinking": a.shown(), "signature": a.signature})
	}
	if a.text != "" {
		content = append(content, object{"type": "text", "text": a.text})
	}
	for _, c := range a.calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Input})
	}
	body := object{
		"id": a.id, "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": anthropicStop[a.stop], "stop_sequence": nil, "usage": anthropicUsage(a.usage),
	}
	if a.reports {
		all := []any{}
		for _, t := range a.transformed {
			all = append(all, object{"type": t.Type, "path": t.Path, "reason": t.Reason})
		}
		body["input_transformations"] = all
	}
	return body
}

var anthropicStop = map[Stop]string{StopEnd: "end_turn", StopCalls: "tool_use", StopLength: "max_tokens", StopRefused: "refusal"}

func anthropicUsage(u Usage) object {
	return object{
		"input_tokens": u.Input, "cache_creation_input_tokens": u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "output_tokens": u.Output,
	}
}

// anthropicEvents is an answer as a stream.
func anthropicEvents(a answer) []event {
	var all []event
	send := func(name string, data object) {
		data["type"] = name
		all = append(all, event{name: name, data: data})
	}
	start := anthropicBody(a)
	begun := a.usage
	begun.Output = 1
	start["content"], start["stop_reason"], start["usage"] = []any{}, nil, anthropicUsage(begun)
	send("message_start", object{"message": start})

	index := 0
	block := func(begin object, deltas ...object) {
		send("content_block_start", object{"index": index, "content_block": begin})
		if index == 0 {
			send("ping", object{})
		}
		for _, d := range deltas {
			send("content_block_delta", object{"index": index, "delta": d})
		}
		send("content_block_stop", object{"index": index})
		index++
	}
	deltas := func(kind, key, s string) []object {
		var out []object
		for _, p := range pieces(s, a.piece) {
			out = append(out, object{"type": kind, key: p})
		}
		return out
	}
	if a.signature != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""},
			append(deltas("thinking_delta", "thinking", a.shown()), object{"type": "signature_delta", "signature": a.signature})...)
	}
	if a.text != "" {
		block(object{"type": "text", "text": ""}, deltas("text_delta", "text", a.text)...)
	}
	for _, c := range a.calls {
		first := object{"type": "input_json_delta", "partial_json": ""}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}},
			append([]object{first}, deltas("input_json_delta", "partial_json", string(c.Input))...)...)
	}
	send("message_delta", object{
		"delta": object{"stop_reason": anthropicStop[a.stop], "stop_sequence": nil}, "usage": anthropicUsage(a.usage),
	})
	send("message_stop", object{})
	return all
}
