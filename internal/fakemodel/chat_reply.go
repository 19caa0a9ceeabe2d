package fakemodel

var chatStop = map[Stop]string{StopEnd: "stop", StopCalls: "tool_calls", StopLength: "length", StopRefused: "content_filter"}

func chatUsage(u Usage) object {
	return object{
		"prompt_tokens": u.context(), "completion_tokens": u.Output, "total_tokens": u.total(),
		"prompt_tokens_details":     object{"cached_tokens": u.CacheRead},
		"completion_tokens_details": object{"reasoning_tokens": 0},
	}
}

func chatCall(c made) object {
	if c.Custom {
		return object{"id": c.ID, "type": "custom", "custom": object{"name": c.Name, "input": c.customInput()}}
	}
	return object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": string(c.Input)}}
}

// chatBody is an answer as a whole completion.
func chatBody(a answer) object {
	message := object{"role": "assistant", "content": orNull(a.text), "refusal": nil}
	if len(a.calls) > 0 {
		var calls []any
		for _, c := range a.calls {
			calls = append(calls, chatCall(c))
		}
		message["tool_calls"] = calls
	}
	return object{
		"id": a.id, "object": "chat.completion", "created": created, "model": a.model,
		"choices": []any{object{"index": 0, "message": message, "logprobs": nil, "finish_reason": chatStop[a.stop]}},
		"usage":   chatUsage(a.usage),
	}
}

// chatEvents is an answer as a stream. The usage comes only where it was asked
// for, in a chunk of its own.
func chatEvents(a answer, usage bool) []event {
	var all []event
	chunk := func(choices []any, u any) {
		data := object{"id": a.id, "object": "chat.completion.chunk", "created": created, "model": a.model, "choices": choices}
		if usage {
			data["usage"] = u
		}
		all = append(all, event{data: data})
	}
	delta := func(d object, finish any) {
		chunk([]any{object{"index": 0, "delta": d, "logprobs": nil, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, p := range pieces(a.text, a.piece) {
		delta(object{"content": p}, nil)
	}
	for i, c := range a.calls {
		kind, key, input := "function", "arguments", string(c.Input)
		if c.Custom {
			kind, key, input = "custom", "input", c.customInput()
		}
		delta(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": kind, kind: object{"name": c.Name, key: ""}}}}, nil)
		for _, p := range pieces(input, a.piece) {
			delta(object{"tool_calls": []any{object{"index": i, kind: object{key: p}}}}, nil)
		}
	}
	delta(object{}, chatStop[a.stop])
	if usage {
		chunk([]any{}, chatUsage(a.usage))
	}
	return append(all, event{raw: "[DONE]"})
}
