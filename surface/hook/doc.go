// Package hook answers the hooks of other agents: it turns one call of a hook into
// events of the session, and what came of them into the JSON that this host, at
// this event, understands, and not a key more. Hosts with closed schemas throw an
// answer away that has one.
//
// It never fails its host. Where the store is dead, slow, full or damaged, or the
// input makes no sense, there is no answer, and the host goes on as if there were
// no hook; what can wait is put aside (see spool) and told later.
//
// A session that a gateway sees is steered by the gateway. The hooks then only do
// what it cannot: keep the agent from stopping, refuse a tool, tell the person.
//
//	h := hook.New(hook.Options{Service: sessions, Data: dir})
//	call, err := spool.Read("claude", "Stop", input)
//	answer, err := h.Answer(ctx, call)
//	out, err := hook.Encode(call, answer)
package hook
