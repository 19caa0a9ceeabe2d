package main

import (
	"fmt"
	"strings"
	"time"
)

// pens returns how a host writes, nil for one that is not known. The fields and
// their order are those of sessions recorded in November 2026.
func pens(host string, o *out, t text) pen {
	switch host {
	case "claude":
		return &claudePen{out: o, t: t}
	case "codex":
		return &codexPen{out: o, t: t}
	case "gemini":
		return &geminiPen{out: o}
	case "qwen":
		return &qwenPen{out: o}
	case "pi":
		return &piPen{out: o, t: t}
	}
	return nil
}

// stamp is when the next line is written, a while after the one before.
func (o *out) stamp() string {
	return time.UnixMilli(1_794_709_748_880 + 1_357*int64(o.n)).UTC().Format(`"2006-01-02T15:04:05.000Z"`)
}

// claudePen writes a line for each block, a tool's result twice, and what it put
// before the model.
type claudePen struct {
	*out
	t     text
	node  int
	turn  int
	asked int // the last prompt
}

const claudeTail = `"userType":"external","entrypoint":"cli","cwd":"/home/user/project","sessionId":"eac2f056-132a-4ed1-b0a0-f51509662c82","version":"2.1.325","gitBranch":"master"}`

func (p *claudePen) begin() {
	p.line(`{"type":"mode","mode":"normal","sessionId":"eac2f056-132a-4ed1-b0a0-f51509662c82"}`)
}

func (p *claudePen) put(body, behind string) {
	p.node++
	p.line(`{"parentUuid":%q,"isSidechain":false,%s,"uuid":%q,"timestamp":%s,%s%s`, id(p.node-1), body, id(p.node), p.stamp(), behind, claudeTail)
}

func (p *claudePen) prompt(s string) {
	p.asked = p.node + 1
	p.line(`{"type":"file-history-snapshot","messageId":%q,"snapshot":{"messageId":%q,"trackedFileBackups":{},"timestamp":%s},"isSnapshotUpdate":false}`, id(p.node), id(p.node), p.stamp())
	p.put(`"promptId":"`+id(p.asked)+`","type":"user","message":{"role":"user","content":`+quote(s)+`}`,
		`"permissionMode":"auto","origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human","turnPosition":{"promptIndex":1,"turnIndex":1},`)
	p.put(`"attachment":{"type":"environment","snapshot":{"workingDirectory":"/home/user/project","isWorktree":false}},"type":"attachment"`,
		`"rendered":[{"content":`+quote("<system-reminder>"+p.t.sentence()+"</system-reminder>")+`}],"renderedRole":"system",`)
}

func (p *claudePen) block(b string) {
	p.put(fmt.Sprintf(`"message":{"id":"msg_%d","type":"message","role":"assistant","model":"claude-opus-5-5","content":[%s],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":%d},"inference_geo":"","iterations":[],"speed":"standard"}},"apiBlockIndex":0,"requestId":"req_%d","requestedModel":"claude-opus-5-5","type":"assistant"`, p.turn, b, 3+p.turn%9, 500+p.turn%4000, 90*p.turn, 30+p.turn%700, 500+p.turn%4000, p.turn), `"effort":"medium","madeBy":"model",`)
}

func (p *claudePen) reply(r reply) {
	p.turn++
	if r.thought != "" {
		p.block(`{"type":"thinking","thinking":` + quote(r.thought) + `,"signature":"` + p.t.blob(480) + `"}`)
	}
	if r.text != "" {
		p.block(`{"type":"text","text":` + quote(r.text) + `}`)
	}
	if r.call != "" {
		p.block(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{"command":%s,"description":"Look at it"}}`, r.call, r.tool, quote(r.argument)))
	}
}

func (p *claudePen) result(call, s string, failed bool) {
	text := quote(s)
	shown := fmt.Sprintf(`{"stdout":%s,"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`, text)
	if p.turn%2 == 0 { // a file that was read, which the screen gets without the numbers of its lines
		shown = fmt.Sprintf(`{"type":"text","file":{"filePath":"/home/user/project/walk.go","content":%s,"numLines":200,"startLine":1,"totalLines":400}}`, quote(unnumbered(s)))
	}
	p.put(fmt.Sprintf(`"promptId":%q,"type":"user","message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":%s,"is_error":%t}]}`, id(p.asked), call, text, failed),
		fmt.Sprintf(`"toolUseResult":%s,"sourceToolAssistantUUID":%q,`, shown, id(p.node)))
}

// unnumbered takes away what stands before the first tab of each line.
func unnumbered(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		if k := strings.IndexByte(line, '\t'); k == 6 {
			line = line[k+1:]
		}
		out.WriteString(line)
	}
	return out.String()
}

// codexPen writes items, and beside them events that say the same again.
type codexPen struct {
	*out
	t text
}

func (p *codexPen) put(kind, payload string) {
	p.line(`{"timestamp":%s,"ordinal":%d,"type":%q,"payload":%s}`, p.stamp(), p.n, kind, payload)
}

func (p *codexPen) begin() {
	p.put("session_meta", `{"session_id":"01a1dd02-1983-7362-80d8-9dd7a870a66e","id":"01a1dd02-1983-7362-80d8-9dd7a870a66e","timestamp":`+p.stamp()+`,"cwd":"/home/user/project","originator":"codex_cli","cli_version":"0.166.0","source":"cli","thread_source":"user","base_instructions":{"text":`+quote(p.t.sentence())+`}}`)
	p.put("turn_context", `{"turn_id":"01a1dd02-1a0f-76e3-827d-00c72d02ad25","cwd":"/home/user/project","approval_policy":"never","sandbox_policy":{"type":"danger-full-access"},"model":"gpt-5.5","summary":"none"}`)
}

const codexTurn = `"internal_chat_message_metadata_passthrough":{"turn_id":"01a1dd02-1a0f-76e3-827d-00c72d02ad25"`

func (p *codexPen) prompt(s string) {
	p.put("event_msg", `{"type":"task_started","turn_id":"01a1dd02-1a0f-76e3-827d-00c72d02ad25","started_at":1794709264,"model_context_window":258400}`)
	p.put("response_item", fmt.Sprintf(`{"type":"message","id":"msg_%d","role":"user","content":[{"type":"input_text","text":%s}],%s,"content_item_metadata":[{"provenance":{"type":"user"}}]}}`, p.n, quote(s), codexTurn))
}

func (p *codexPen) reply(r reply) {
	if r.thought != "" {
		p.put("response_item", fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[{"type":"summary_text","text":%s}],"content":null,"encrypted_content":"%s",%s}}`, p.n, quote(r.thought), p.t.blob(900), codexTurn))
	}
	if r.text != "" {
		p.put("response_item", fmt.Sprintf(`{"type":"message","id":"msg_%d","role":"assistant","content":[{"type":"output_text","text":%s}],"phase":"commentary",%s}}`, p.n, quote(r.text), codexTurn))
	}
	if r.call != "" {
		args := quote(`{"cmd":` + quote(r.argument) + `,"yield_time_ms":1000}`)
		p.put("response_item", fmt.Sprintf(`{"type":"function_call","status":"completed","id":"fc_%d","name":"exec_command","arguments":%s,"call_id":%q,%s}}`, p.n, args, r.call, codexTurn))
	}
	const counts = `{"input_tokens":91037,"cached_input_tokens":90000,"cache_write_input_tokens":0,"output_tokens":20,"reasoning_output_tokens":5,"total_tokens":91057}`
	p.put("token_usage_record", `{"thread_id":"01a1dd02-1983-7362-80d8-9dd7a870a66e","response_id":"resp_37","usage":`+counts+`,"turn_token_usage":`+counts+`,"thread_token_usage":`+counts+`}`)
}

func (p *codexPen) result(call, s string, failed bool) {
	code := 0
	if failed {
		code = 1
	}
	text := quote(fmt.Sprintf("Chunk ID: 3fa2c1\nWall time: 0.1 seconds\nProcess exited with code %d\nOutput:\n%s", code, s))
	p.put("event_msg", fmt.Sprintf(`{"type":"item_completed","thread_id":"01a1dd02-1983-7362-80d8-9dd7a870a66e","item":{"type":"CommandExecution","id":%q,"command":"sed","aggregated_output":%s,"exit_code":%d,"status":"completed"}}`, call, quote(s), code))
	p.put("response_item", fmt.Sprintf(`{"type":"function_call_output","id":"fco_%d","call_id":%q,"output":%s,%s}}`, p.n, call, text, codexTurn))
}

// geminiPen writes a record for each message, and one again when its tools have
// answered.
type geminiPen struct {
	*out
	open reply
	node int
}

func (p *geminiPen) begin() {
	p.line(`{"sessionId":"4a77bdff-0c6f-4162-b81a-4dec9aaaa2e6","projectHash":"0d4336125549b00b1700a2e9ccdb49d7","startTime":%s,"lastUpdated":%s,"kind":"main"}`, p.stamp(), p.stamp())
}

func (p *geminiPen) prompt(s string) {
	p.node++
	p.line(`{"id":%q,"timestamp":%s,"type":"user","content":[{"text":%s}]}`, id(p.node), p.stamp(), quote(s))
}

func (p *geminiPen) record(calls string) {
	thoughts := "[]"
	if p.open.thought != "" {
		thoughts = fmt.Sprintf(`[{"subject":"Looking","description":%s,"timestamp":%s}]`, quote(p.open.thought), p.stamp())
	}
	p.line(`{"id":%q,"timestamp":%s,"type":"gemini","content":%s,"thoughts":%s,"tokens":{"input":91066,"output":20,"cached":90000,"thoughts":0,"tool":0,"total":91086},"model":"gemini-3.8-flash"%s}`, id(p.node), p.stamp(), quote(p.open.text), thoughts, calls)
}

func (p *geminiPen) reply(r reply) {
	p.node++
	p.open = r
	p.record("")
	p.line(`{"$set":{"lastUpdated":%s}}`, p.stamp())
}

func (p *geminiPen) result(call, s string, failed bool) {
	status := "success"
	if failed {
		status = "error"
	}
	p.record(fmt.Sprintf(`,"toolCalls":[{"id":%q,"name":"run_shell_command","args":{"command":%s},"result":[{"functionResponse":{"id":%q,"name":"run_shell_command","response":{"output":%s}}}],"status":%q,"timestamp":%s,"resultDisplay":%s,"displayName":"Shell"}]`, call, quote(p.open.argument), call, quote(s), status, p.stamp(), quote(s)))
	p.line(`{"$set":{"lastUpdated":%s}}`, p.stamp())
}

// qwenPen writes a line for each message, and what it showed of a result.
type qwenPen struct {
	*out
	node int
}

func (p *qwenPen) begin() {}

func (p *qwenPen) put(kind, by, rest string) {
	p.node++
	parent := "null"
	if p.node > 1 {
		parent = quote(id(p.node - 1))
	}
	p.line(`{"uuid":%q,"parentUuid":%s,"sessionId":"87f71103-cdea-464a-9a45-113f8e65a01f","timestamp":%s,"type":%q,"provenance":%q,"cwd":"/home/user/project","version":"0.24.4",%s}`, id(p.node), parent, p.stamp(), kind, by, rest)
}

func (p *qwenPen) prompt(s string) {
	p.put("user", "real_user", `"message":{"role":"user","parts":[{"text":`+quote(s)+`}]}`)
	p.put("system", "system", `"subtype":"attribution_snapshot","systemPayload":{"snapshot":{"type":"attribution-snapshot","version":1,"surface":"cli","fileStates":{},"promptCount":1}}`)
}

func (p *qwenPen) reply(r reply) {
	parts := ""
	add := func(part string) {
		if parts != "" {
			parts += ","
		}
		parts += part
	}
	if r.thought != "" {
		add(`{"text":` + quote(r.thought) + `,"thought":true}`)
	}
	if r.text != "" {
		add(`{"text":` + quote(r.text) + `}`)
	}
	if r.call != "" {
		add(fmt.Sprintf(`{"functionCall":{"id":%q,"name":"run_shell_command","args":{"command":%s,"is_background":false}}}`, r.call, quote(r.argument)))
	}
	p.put("assistant", "assistant_output", `"model":"qwen3-coder","message":{"role":"model","parts":[`+parts+`]},"usageMetadata":{"promptTokenCount":91073,"candidatesTokenCount":20,"thoughtsTokenCount":0,"totalTokenCount":91093,"cachedContentTokenCount":90000}`)
}

func (p *qwenPen) result(call, s string, failed bool) {
	status := "success"
	if failed {
		status = "error"
	}
	p.put("tool_result", "tool_result", fmt.Sprintf(`"message":{"role":"user","parts":[{"functionResponse":{"id":%q,"name":"run_shell_command","response":{"output":%s}}}]},"toolCallResult":{"callId":%q,"status":%q,"resultDisplay":{"type":"shell_result","version":1,"directory":"/home/user/project","exitCode":0,"output":%s,"error":null,"notices":[],"truncated":false},"executionStatus":%q}`, call, quote(s), call, status, quote(s), status))
}

// piPen writes a line for each message.
type piPen struct {
	*out
	t    text
	node int
}

func (p *piPen) begin() {
	p.line(`{"type":"session","version":3,"id":"01a1dd09-7bf1-7657-bf48-bcdd2b2b90d9","timestamp":%s,"cwd":"/home/user/project"}`, p.stamp())
}

func (p *piPen) put(message string) {
	p.node++
	parent := "null"
	if p.node > 1 {
		parent = fmt.Sprintf(`"%08x"`, p.node-1)
	}
	p.line(`{"type":"message","id":"%08x","parentId":%s,"timestamp":%s,"message":{%s,"timestamp":1794709748880}}`, p.node, parent, p.stamp(), message)
}

func (p *piPen) prompt(s string) {
	p.put(`"role":"user","content":[{"type":"text","text":` + quote(s) + `}]`)
}

func (p *piPen) reply(r reply) {
	blocks := `{"type":"text","text":` + quote(r.text) + `}`
	if r.thought != "" {
		blocks = `{"type":"thinking","thinking":` + quote(r.thought) + `,"thinkingSignature":"` + p.t.blob(480) + `"},` + blocks
	}
	if r.call != "" {
		blocks += fmt.Sprintf(`,{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":%s}}`, r.call, quote(r.argument))
	}
	p.put(`"role":"assistant","content":[` + blocks + `],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":1079,"output":20,"cacheRead":90000,"cacheWrite":0,"totalTokens":91099,"cost":{"input":0.0032370000000000003,"output":0.00030000000000000003,"cacheRead":0,"cacheWrite":0,"total":0.003537}},"stopReason":"toolUse"`)
}

func (p *piPen) result(call, s string, failed bool) {
	p.put(fmt.Sprintf(`"role":"toolResult","toolCallId":%q,"toolName":"bash","content":[{"type":"text","text":%s}],"isError":%t`, call, quote(s), failed))
}
