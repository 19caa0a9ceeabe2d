package fakemodel

import (
	"fmt"
	"maps"
)

// responsesOutput is an answer as the items of a response.
func responsesOutput(a answer) []object {
	var out []object
	if a.signature != "" {
		summary := []any{}
		if s := a.shown(); s != "" {
			summary = append(summary, object{"type": "summary_text", "text": s})
		}
		item := object{"type": "reasoning", "id": fmt.Sprintf("rs_fake%d", a.n), "summary": summary}
		if !a.bare {
			item["encrypted_content"] = a.signature
		}
		out = append(out, item)
	}
	if a.text != "" {
		out = append(out, object{
			"type": "message", "id": fmt.Sprintf("msg_fake%d", a.n), "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": a.text, "annotations": []any{}, "logprobs": []any{}}},
		})
	}
	for i, c := range a.calls {
		item := object{"id": fmt.Sprintf("fc_fake%d_%d", a.n, i+1), "type": "function_call", "status": "completed", "call_id": c.ID, "name": c.Name, "arguments": string(c.Input)}
		if c.Custom {
			item = object{"id": fmt.Sprintf("ctc_fake%d_%d", a.n, i+1), "type": "custom_tool_call", "status": "completed", "call_id": c.ID, "name": c.Name, "input": c.customInput()}
		}
		if c.Group != "" {
			item["namespace"] = c.Group
		}
		out = append(out, item)
	}
	return out
}

// responsesBody is an answer as a whole response.
func responsesBody(a answer) object {
	status, details := "completed", any(nil)
	switch a.stop {
	case StopLength:
		status, details = "incomplete", object{"reason": "max_output_tokens"}
	case StopRefused:
		status, details = "incomplete", object{"reason": "content_filter"}
	}
	return object{
		"id": a.id, "object": "response", "created_at": created, "status": status, "model": a.model,
		"output": responsesOutput(a), "error": nil, "incomplete_details": details, "instructions": nil, "metadata": object{},
		"parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{},
		"usage": object{
			"input_tokens": a.usage.context(), "input_tokens_details": object{"cached_tokens": a.usage.CacheRead},
			"output_tokens": a.usage.Output, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.usage.total(),
		},
	}
}

// responsesEvents is an answer as a stream.
func responsesEvents(a answer) []event {
	s := &responsesStream{piece: a.piece}
	start := responsesBody(a)
	start["status"], start["output"], start["usage"] = "in_progress", []any{}, nil
	s.send("response.created", object{"response": start})
	s.send("response.in_progress", object{"response": start})
	for i, item := range responsesOutput(a) {
		s.item(i, item)
	}
	whole := responsesBody(a)
	s.send(fmt.Sprintf("response.%s", whole["status"]), object{"response": whole})
	return s.all
}

type responsesStream struct {
	all   []event
	piece int
}

func (s *responsesStream) send(name string, data object) {
	data = maps.Clone(data)
	data["type"], data["sequence_number"] = name, len(s.all)
	s.all = append(s.all, event{name: name, data: data})
}

// item streams one item: begun empty, filled piece by piece, sent whole.
func (s *responsesStream) item(i int, item object) {
	begun := maps.Clone(item)
	begun["status"] = "in_progress"
	at := object{"output_index": i, "item_id": item["id"]}
	switch item["type"] {
	case "reasoning":
		begun["summary"] = []any{}
		delete(begun, "status")
		delete(begun, "encrypted_content")
	case "message":
		begun["content"] = []any{}
	case "function_call":
		begun["arguments"] = ""
	case "custom_tool_call":
		begun["input"] = ""
	}
	s.send("response.output_item.added", object{"output_index": i, "item": begun})
	switch item["type"] {
	case "reasoning":
		for j, part := range objects(list(item, "summary")) {
			at["summary_index"] = j
			s.part(at, "response.reasoning_summary_part", "response.reasoning_summary_text", part, object{"type": "summary_text", "text": ""})
		}
	case "message":
		for j, part := range objects(list(item, "content")) {
			at["content_index"] = j
			s.part(at, "response.content_part", "response.output_text", part, object{"type": "output_text", "text": "", "annotations": []any{}, "logprobs": []any{}})
		}
	case "function_call":
		s.text(at, "response.function_call_arguments", "arguments", str(item, "arguments"))
	case "custom_tool_call":
		s.text(at, "response.custom_tool_call_input", "input", str(item, "input"))
	}
	s.send("response.output_item.done", object{"output_index": i, "item": item})
}

func (s *responsesStream) part(at object, name, textName string, part, empty object) {
	with := func(key string, v any) object {
		o := maps.Clone(at)
		o[key] = v
		return o
	}
	s.send(name+".added", with("part", empty))
	s.text(at, textName, "text", str(part, "text"))
	s.send(name+".done", with("part", part))
}

func (s *responsesStream) text(at object, name, key, value string) {
	for _, p := range pieces(value, s.piece) {
		o := maps.Clone(at)
		o["delta"] = p
		s.send(name+".delta", o)
	}
	o := maps.Clone(at)
	o[key] = value
	s.send(name+".done", o)
}
