package hook

import (
	"hash/fnv"
	"strconv"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/hook/spool"
)

// id is the session's id on every surface.
func (h *Hook) id(c spool.Call) string {
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
