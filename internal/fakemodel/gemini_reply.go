package fakemodel

var geminiStop = map[Stop]string{StopEnd: "STOP", StopCalls: "STOP", StopLength: "MAX_TOKENS", StopRefused: "SAFETY"}

// geminiCallParts are the calls of an answer; the first bears the signature.
func geminiCallParts(a answer) []any {
	var parts []any
	for i, c := range a.calls {
		part := object{"functionCall": object{"id": c.ID, "name": c.Name, "args": c.Input}}
		if i == 0 && a.signature != "" {
			part["thoughtSignature"] = a.signature
		}
		parts = append(parts, part)
	}
	return parts
}

func geminiChunk(a answer, parts []any, last bool) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	usage := object{"promptTokenCount": a.usage.context(), "totalTokenCount": a.usage.total(), "cachedContentTokenCount": a.usage.CacheRead}
	if last {
		candidate["finishReason"] = geminiStop[a.stop]
		usage["candidatesTokenCount"] = a.usage.Output
	}
	return object{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": a.model, "responseId": a.id}
}

// geminiBody is an answer as a whole response.
func geminiBody(a answer) object {
	var parts []any
	if s := a.shown(); s != "" {
		parts = append(parts, object{"text": s, "thought": true})
	}
	if a.text != "" || len(a.calls) == 0 {
		parts = append(parts, object{"text": a.text})
	}
	return geminiChunk(a, append(parts, geminiCallParts(a)...), true)
}

// geminiEvents is an answer as a stream of responses.
func geminiEvents(a answer) []event {
	var chunks [][]any
	for _, p := range pieces(a.shown(), a.piece) {
		chunks = append(chunks, []any{object{"text": p, "thought": true}})
	}
	for _, p := range pieces(a.text, a.piece) {
		chunks = append(chunks, []any{object{"text": p}})
	}
	if parts := geminiCallParts(a); len(parts) > 0 {
		chunks = append(chunks, parts)
	}
	chunks = append(chunks, []any{object{"text": ""}})
	var all []event
	for i, parts := range chunks {
		all = append(all, event{data: geminiChunk(a, parts, i == len(chunks)-1)})
	}
	return all
}
