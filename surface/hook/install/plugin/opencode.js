// trimtab-plugin: opencode 1 (put in by trimtab install, taken out by trimtab uninstall)
//
// Before each request opencode asks its plugins to transform the messages. This one
// tells trimtab what is new in them and puts the notes in that come back. Nothing is
// stored in opencode's own history. Where trimtab is gone, late or makes no sense, the
// request leaves as it was, but for notes that were sent before and must stay.
import { spawn } from "node:child_process"

const program = __PROGRAM__
const patience = 5000 // ms; trimtab itself gives up after one second
const longest = 65536 // of a tool's output, as much as trimtab keeps

// ask runs trimtab once. It never throws; undefined is no answer.
function ask(event, input) {
  return new Promise((resolve) => {
    let out = ""
    let child
    try {
      child = spawn(program[0], [...program.slice(1), "opencode", event], { stdio: ["pipe", "pipe", "ignore"] })
    } catch {
      return resolve(undefined)
    }
    const timer = setTimeout(() => { child.kill("SIGKILL"); resolve(undefined) }, patience)
    child.on("error", () => { clearTimeout(timer); resolve(undefined) })
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => { out += chunk })
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

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value ?? "")).slice(0, longest)
const results = "#results" // a reply and what its tools said are one message here, and two there

// translate makes trimtab's messages of one of opencode's.
function translate({ info, parts }, typed) {
  if (info.role === "user") {
    const spoken = parts.filter((p) => p.type === "text" && !p.ignored && p.text)
    if (parts.some((p) => p.type === "compaction")) return []
    return [{ id: info.id, role: "user", typed: typed.has(info.id), parts: spoken.filter((p) => !p.synthetic).map((p) => ({ text: p.text })) }]
  }
  if (info.role !== "assistant" || info.summary) return []
  const calls = parts.filter((p) => p.type === "tool" && p.state)
  const done = calls.filter((p) => p.state.status === "completed" || p.state.status === "error")
  const reply = parts.flatMap((p) =>
    p.type === "text" && p.text ? [{ text: p.text }] : done.includes(p) ? [{ call: { id: p.callID, name: p.tool, input: p.state.input } }] : [])
  const all = [{ id: info.id, role: "assistant", parts: reply }]
  if (done.length > 0) {
    all.push({ id: info.id + results, role: "tool", parts: done.map((p) => ({
      result: { id: p.callID, text: text(p.state.output ?? p.state.error), failed: p.state.status === "error" } })) })
  }
  return all
}

const size = (m) => m.parts.reduce((n, p) => n + text(p.text ?? p.call?.input ?? p.result?.text).length, 0)
const bare = (id) => (id.endsWith(results) ? id.slice(0, -results.length) : id)

// put adds the notes to the messages, and folds runs away. The list itself is changed:
// opencode does not look at another one.
function put(messages, notes, folds) {
  const spare = messages.findLast((m) => m.info.role === "user")
  if (!spare) return
  const said = (id, words) => ({
    info: { ...spare.info, id: "msg_trimtab_" + id, summary: undefined },
    parts: [{ id: "prt_trimtab_" + id, sessionID: spare.info.sessionID, messageID: "msg_trimtab_" + id, type: "text", synthetic: true, text: words }],
  })
  const at = (id) => messages.findIndex((m) => m.info.id === bare(id))
  for (const f of folds ?? []) {
    const first = at(f.first), last = at(f.last)
    const open = f.first.endsWith(results) || !f.last.endsWith(results) && messages[last]?.parts.some((p) => p.type === "tool")
    if (first >= 0 && last >= first && !open) messages.splice(first, last - first + 1, said("fold_" + f.first, f.text))
  }
  let n = 0
  for (const note of notes ?? []) {
    let i = at(note.at)
    if (i < 0) continue
    if (note.after) for (i++; messages[i]?.info.id.startsWith("msg_trimtab_"); i++);
    messages.splice(i, 0, said(++n + "_" + note.at, note.text))
  }
}

export const Trimtab = async ({ client, directory }) => {
  if (process.env.TRIMTAB_HOOKS === "off" || process.env.TRIMTAB_IMPROVE) return {}
  const typed = new Set() // ids of messages that the person wrote
  const commanded = new Set() // sessions whose next message is the text of a command
  const known = new Map() // what is known of a session, by its id
  let config = {}

  const session = async (id) => {
    if (!known.has(id)) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined)
      known.set(id, { child: Boolean(found?.data?.parentID), sent: "", notes: [], folds: [] })
    }
    return known.get(id)
  }
  // told is what there is to tell of a session, and what remembers that it was told.
  const told = (id, s, messages) => {
    const all = messages.flatMap((m) => translate(m, typed))
    const model = messages.findLast((m) => m.info.role === "user")?.info.model ?? {}
    const fresh = all.filter((m) => m.id > s.sent)
    const input = {
      session_id: id, cwd: directory, first: s.sent === "", model: model.modelID,
      base_url: config.provider?.[model.providerID]?.options?.baseURL,
      history: messages.flatMap((m) => { const t = translate(m, typed); return t.length > 0 ? t.map((x) => ({ id: x.id, size: size(x) })) : [{ id: m.info.id, size: 0 }] }),
      messages: fresh,
    }
    return [input, () => { if (fresh.length > 0) s.sent = fresh[fresh.length - 1].id }]
  }

  return {
    config: async (c) => { config = c },
    "command.execute.before": async (input) => { commanded.add(input.sessionID) },
    "chat.message": async (input, output) => {
      if (!commanded.delete(input.sessionID)) typed.add(output.message.id)
    },
    "experimental.chat.messages.transform": async (_, output) => {
      const messages = output.messages
      const id = messages[0]?.info.sessionID
      if (!id || messages.at(-1).parts.some((p) => p.type === "compaction")) return
      const s = await session(id)
      if (s.child) return
      const [input, took] = told(id, s, messages)
      const answer = await ask("chat.messages.transform", input)
      if (answer) {
        took()
        s.notes = answer.notes ?? []
        s.folds = answer.folds ?? []
        s.guard = answer.guard
        if (answer.notice) client.tui.showToast({ body: { title: "trimtab", message: answer.notice, variant: "info" } }).catch(() => {})
      }
      put(messages, answer ? s.notes : s.notes.filter((n) => n.fixed), s.folds)
    },
    "tool.execute.before": async (input, output) => {
      const s = known.get(input.sessionID)
      if (!s?.guard || s.child) return
      const answer = await ask("tool.execute.before", { session_id: input.sessionID, cwd: directory, tool_name: input.tool, tool_use_id: input.callID, tool_input: output.args })
      if (answer?.deny) throw new Error(answer.deny)
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      const id = event.properties.sessionID
      const s = known.get(id)
      if (!s || s.child) return
      const found = await client.session.messages({ path: { id } }).catch(() => undefined)
      const last = found?.data?.at(-1)
      if (last?.info.role !== "assistant" || last.info.error) return // the person stopped it
      const [input, took] = told(id, s, found.data)
      input.last_assistant_message = last.parts.filter((p) => p.type === "text").map((p) => p.text).join("\n")
      const prompt = found.data.findLast((m) => m.info.role === "user")
      input.stop_hook_active = Boolean(prompt?.parts.some((p) => p.text?.startsWith("Before you stop: "))) // once for each prompt
      const answer = await ask("session.idle", input)
      if (!answer) return
      took()
      if (!answer.continue || input.stop_hook_active || !prompt) return
      commanded.add(id) // what follows is ours, and nobody typed it
      const { agent, model } = prompt.info
      await client.session.promptAsync({ path: { id }, body: { agent, model, parts: [{ type: "text", text: answer.continue }] } }).catch(() => commanded.delete(id))
    },
  }
}
