package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/surface/admit"
)

// user is whose sessions those of a request are.
func (g *Steerer) user(r *http.Request) string {
	if g.opt.Guard == nil {
		return ""
	}
	return g.opt.Guard.User(r)
}

// userPrefix begins the ids of callers' sessions. No id of a host begins so.
const userPrefix = "u:"

// scoped is the id of a session that a request names, within those of its user: nobody can
// name a session of another's. User names hold no colon.
func (g *Steerer) scoped(r *http.Request, id string) string {
	user := g.user(r)
	if user == "" {
		return id
	}
	own := userPrefix + user + ":" + id
	if trimtab.CheckID(own) == nil {
		return own
	}
	sum := sha256.Sum256([]byte(id)) // one that nobody can make to meet another
	return userPrefix + user + ":" + hex.EncodeToString(sum[:16])
}

// hostsOwn is the id of a session that a host names, within those of its user. Hooks of the
// host may know it already, by the host's own name for it: one session has one id, whoever
// saw it first.
func (g *Steerer) hostsOwn(r *http.Request, id string) string {
	own, user := g.scoped(r, id), g.user(r)
	if user == "" {
		return own
	}
	if known, ok := g.own.Load(own); ok {
		return known.(string)
	}
	archive, ok := g.opt.History.(trimtab.Store)
	if !ok {
		return own
	}
	_, err := archive.Load(r.Context(), own)
	switch {
	case err == nil:
		g.known(own, own)
	case errors.Is(err, trimtab.ErrNotFound):
		if s, err := archive.Load(r.Context(), id); err == nil && s.User == user {
			g.known(own, id)
			return id
		}
	}
	return own
}

// maxOwn bounds the ids that are remembered; they are looked for again afterwards.
const maxOwn = 10_000

func (g *Steerer) known(own, id string) {
	if g.ownCount.Add(1) > maxOwn {
		g.own.Clear()
		g.ownCount.Store(1)
	}
	g.own.Store(own, id)
}

// userOf is the user in the id of a session; "" where it is no caller's.
func (g *Steerer) userOf(id string) string {
	if rest, ok := strings.CutPrefix(id, userPrefix); ok && g.opt.Guard != nil {
		user, _, _ := strings.Cut(rest, ":")
		return user
	}
	return ""
}

// admit asks the guard. It reports false where the client was refused.
func (g *Gateway) admit(w http.ResponseWriter, r *http.Request, to route, body *buffer, way *trail) bool {
	if g.opt.Guard == nil {
		return true
	}
	ask := admit.Asking{Provider: cmp.Or(to.provider, to.named), Model: g.modelOf(r, to, body)}
	ask.Counted = to.format != nil || to.counts || r.Method == http.MethodGet || r.Method == http.MethodHead
	if way != nil {
		way.Model, way.sent = ask.Model, len(body.b)
	}
	err := g.opt.Guard.Admit(r, ask)
	if err == nil {
		return true
	}
	why := &admit.Refusal{Status: http.StatusForbidden, Text: err.Error()}
	errors.As(err, &why)
	if why.Retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(why.Retry.Seconds())+1))
	}
	refuse(w, why.Status, "trimtab: "+why.Text)
	return false
}

// modelOf is the model that a request asks for. A body that cannot be read, or that names
// several, has none: a provider might take another one of them than we do.
func (g *Gateway) modelOf(r *http.Request, to route, body *buffer) string {
	if model := modelIn(to.path); to.provider == "gemini" && model != "" {
		return model
	}
	if len(body.b) == 0 || len(body.b) > g.opt.MaxBody {
		return ""
	}
	plain, err := g.decoded(r.Header.Get("Content-Encoding"), body)
	if err != nil {
		return ""
	}
	defer plain.release()
	return soleModel(plain.b)
}

func soleModel(raw []byte) (model string) {
	in := jsonscan.Object(raw)
	for in.Next() {
		name, ok := jsonscan.Unquote([]byte(`"` + string(in.Key) + `"`))
		if !ok || !strings.EqualFold(name, "model") { // some servers do not mind the case
			continue
		}
		value, ok := jsonscan.Unquote(in.Value)
		if !ok || model != "" && model != value {
			return ""
		}
		model = value
	}
	if in.Err() != nil {
		return ""
	}
	return model
}

// over tells the guard and whoever counts of a request that was admitted. A bug in either
// does not reach the client.
func (g *Gateway) over(r *http.Request, way *trail) {
	if way == nil || g.opt.Guard == nil && g.opt.Calls == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			g.Stats.Faults.Add(1)
			g.opt.Log.Error("counting a call panicked; the reply passed", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	if way.Ended.IsZero() {
		way.Ended = g.opt.Clock()
	}
	c := admit.Call{
		Kind: way.kind(), User: g.user(r), Host: cmp.Or(way.Host, who(g.clients, r.Header).Name, g.opt.Host), Provider: way.Provider, Model: way.Model,
		Began: way.Began, Ended: way.Ended, First: way.First, Status: way.Status, Fault: way.Fault, Usage: way.Usage,
		Changes: way.changes, Faulted: way.faulted, Sent: way.sent, Received: way.received,
	}
	if g.opt.Guard != nil {
		g.opt.Guard.Done(r, c)
	}
	if g.opt.Calls != nil {
		g.opt.Calls(c)
	}
}
