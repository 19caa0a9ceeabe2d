package hook

import (
	"context"
	"hash/fnv"
	"strconv"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// id is the session's id on every surface. Where a gateway on the same store knows the
// session as that of a caller with a key, it is that one: one session has one id, whoever
// saw it first.
func (h *Hook) id(ctx context.Context, c spool.Call) string {
	id := h.plainID(c)
	if h.opt.User == "" {
		return id
	}
	if own := "u:" + h.opt.User + ":" + id; trimtab.CheckID(own) == nil { // as gateway.userPrefix has it
		if _, err := h.opt.Service.Session(ctx, own); err == nil {
			return own
		}
	}
	return id
}

func (h *Hook) plainID(c spool.Call) string {
	if h.opt.Gateway && h.opt.Session != "" && len(c.Host.Requests.Session) == 0 {
		return h.opt.Session // its requests carry no id; the gateway knows them by that of the run
	}
	return usable(c.Host.Name + ":" + c.Session)
}

// usable makes a session id of any text, as the gateway does.
func usable(id string) string {
	if trimtab.CheckID(id) == nil {
		return id
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	return "id:" + strconv.FormatUint(h.Sum64(), 16)
}
