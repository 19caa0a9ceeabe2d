// trimtab-plugin: pi 1 (put in by trimtab install, taken out by trimtab uninstall)
//
// Before each request pi asks its extensions for the context. This one tells trimtab
// what is new in it and puts the notes in that come back. Nothing is stored in pi's own
// history but the reason to go on, where trimtab keeps it from stopping. Where trimtab
// is gone, late or makes no sense, the request leaves as it was, but for notes that were
// sent before and must stay.
import { spawn } from "node:child_process"
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent"

const program = __PROGRAM__
const patience = 5000 // ms; trimtab itself gives up after one second
const longest = 65536 // of a tool's output, as much as trimtab keeps
const ours = "trimtab" // the custom messages of this extension

// ask runs trimtab once. It never throws; undefined is no answer.
function ask(event: string, input: unknown): Promise<any> {
  return new Promise((resolve) => {
    let out = ""
    let child: any
    try {
      child = spawn(program[0], [...program.slice(1), "pi", event], { stdio: ["pipe", "pipe", "ignore"] })
    } catch {
      return resolve(undefined)
    }
    const timer = setTimeout(() => { child.kill("SIGKILL"); resolve(undefined) }, patience)
    child.on("error", () => { clearTimeout(timer); resolve(undefined) })
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk: any) => { out += chunk })
    child.on("close", () => {
      clearTimeout(timer)
      try {
        const answer = JSON.parse(out)
        resolve(answer && typeof answer === "object" ? answer : undefined)
      } catch {
        resolve(undefined)
      }
    })
    child.stdin.end(JSON.stringify(input))
  })
}

const words = (content: any): string =>
  typeof content === "string" ? content : (content ?? []).filter((p: any) => p.type === "text").map((p: any) => p.text).join("\n")

// name gives each message an id that sorts by time and stays the same: pi has none.
function name(messages: any[]): string[] {
  let last = 0, same = 0
  return messages.map((m) => {
    const at = Number(m.timestamp) || 0
    if (m.role === "compactionSummary" || m.role === "branchSummary") return "msg_" + String(at).padStart(15, "0") + "_s"
    same = at > last ? 0 : same + 1
    last = Math.max(at, last)
    return "msg_" + String(last).padStart(15, "0") + "_" + String(same).padStart(4, "0")
  })
}

// translate makes one of trimtab's messages of one of pi's.
function translate(m: any, id: string, typed: Set<string>): any {
  switch (m.role) {
    case "user":
      return { id, role: "user", typed: typed.has(words(m.content).trim()), parts: [{ text: words(m.content) }] }
    case "custom":
      return { id, role: "user", parts: [{ text: words(m.content) }] }
    case "assistant":
      return { id, role: "assistant", parts: m.content.flatMap((p: any) =>
        p.type === "text" && p.text ? [{ text: p.text }] : p.type === "toolCall" ? [{ call: { id: p.id, name: p.name, input: p.arguments } }] : []) }
    case "toolResult":
      return { id, role: "tool", parts: [{ result: { id: m.toolCallId, text: words(m.content).slice(0, longest), failed: Boolean(m.isError) } }] }
  }
  return { id, role: "user", parts: [] }
}

const size = (m: any) => m.parts.reduce((n: number, p: any) => n + (p.text ?? p.result?.text ?? JSON.stringify(p.call ?? "")).length, 0)

export default function (pi: ExtensionAPI) {
  if (process.env.TRIMTAB_RUN || process.env.TRIMTAB_HOOKS === "off" || process.env.TRIMTAB_IMPROVE) return // the gateway of a run steers it
  const typed = new Set<string>() // what the person wrote
  let of = "", sent = "", guard = false, notes: any[] = [], folds: any[] = []

  const told = (messages: any[], ctx: any) => {
    const id = ctx.sessionManager.getSessionId()
    if (id !== of) { of = id; sent = ""; guard = false; notes = []; folds = [] }
    const names = name(messages)
    const all = messages.map((m, i) => translate(m, names[i], typed))
    const fresh = all.filter((m) => m.id > sent)
    const input: any = {
      session_id: id, cwd: ctx.cwd, first: sent === "", model: ctx.model?.id, base_url: ctx.model?.baseUrl, tools: pi.getActiveTools(),
      append: ctx.model?.api === "anthropic-messages", // pi marks the last message for the cache, and would mark a note
      history: all.map((m) => ({ id: m.id, size: size(m) })), messages: fresh,
    }
    return { input, names, took: () => { if (fresh.length > 0) sent = fresh[fresh.length - 1].id } }
  }

  pi.on("input", (event) => { if (event.source !== "extension") typed.add(event.text.trim()) })

  pi.on("context", async (event, ctx) => {
    const { input, names, took } = told(event.messages, ctx)
    const answer = await ask("context", input)
    if (answer) {
      took()
      notes = answer.notes ?? []
      folds = answer.folds ?? []
      guard = Boolean(answer.guard)
      if (answer.notice && ctx.hasUI) ctx.ui.notify(answer.notice, "info")
    }
    const put = answer ? notes : notes.filter((n) => n.fixed)
    const said = (text: string): any => ({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() })
    const whole = (run: any[]) => { // a tool call and its result are folded together or not at all
      const calls = run.flatMap((m) => m.role === "assistant" ? m.content.filter((p: any) => p.type === "toolCall").map((p: any) => p.id) : [])
      const done = run.filter((m) => m.role === "toolResult").map((m) => m.toolCallId)
      return calls.length === done.length && calls.every((c) => done.includes(c))
    }
    const runs = folds.map((f) => ({ first: names.indexOf(f.first), last: names.indexOf(f.last), text: f.text }))
      .filter((f) => f.first >= 0 && f.last >= f.first && whole(event.messages.slice(f.first, f.last + 1)))
    const out: any[] = []
    event.messages.forEach((m, i) => {
      const run = runs.find((f) => i >= f.first && i <= f.last)
      if (run && i === run.first) out.push(said(run.text))
      if (run) return
      out.push(...put.filter((n) => n.at === names[i] && !n.after).map((n) => said(n.text)), m)
      out.push(...put.filter((n) => n.at === names[i] && n.after).map((n) => said(n.text)))
    })
    return { messages: out }
  })

  pi.on("tool_call", async (event, ctx) => {
    if (!guard) return
    const answer = await ask("tool_call", { session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, tool_name: event.toolName, tool_use_id: event.toolCallId, tool_input: event.input })
    if (answer?.deny) return { block: true, reason: answer.deny }
  })

  pi.on("agent_before_settle", async (event, ctx) => {
    if (event.outcome !== "completed") return // the person stopped it
    const messages: any[] = event.context.contextMessages
    const { input, took } = told(messages, ctx)
    const asked = messages.findLast((m) => m.role === "user" || m.role === "custom")
    input.last_assistant_message = words(messages.findLast((m) => m.role === "assistant")?.content)
    input.stop_hook_active = asked?.role === "custom" && asked.customType === ours // once for each prompt
    const answer = await ask("agent_before_settle", input)
    if (!answer) return
    took()
    if (!answer.continue || input.stop_hook_active) return
    return { entries: [...event.entries, { type: "custom_message", customType: ours, content: answer.continue, display: true }], continue: true }
  })
}
