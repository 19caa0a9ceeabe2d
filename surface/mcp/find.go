package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/session"
)

// How a session was found.
const (
	byID     = "passed"
	byHost   = "host"
	byFolder = "folder"
)

// said is how it was found, in words.
var said = map[string]string{byID: "as asked for", byHost: "told by the host", byFolder: "the newest of this folder"}

// caller is who calls, as far as the request tells.
type caller struct {
	client string // the name the client gives itself
	meta   map[string]any
	header http.Header
}

func callerOf[P sdk.Params](req *sdk.ServerRequest[P]) caller {
	c := caller{meta: req.Params.GetMeta()}
	if info := req.ClientInfo(); info != nil {
		c.client = info.Name
	}
	if req.Extra != nil {
		c.header = req.Extra.Header
	}
	return c
}

// host is the agent that calls, by a word in the name its MCP client goes by. The
// sessions of a host are called host:id on every surface.
func (c caller) host() string {
	name := strings.ToLower(c.client)
	for _, h := range host.All() {
		if h.MCP.Client != "" && strings.Contains(name, h.MCP.Client) {
			return h.Name
		}
	}
	return ""
}

// Where hosts tell their session: keys of a request's _meta; HTTP headers are in
// the rows of package host.
var (
	sessionKeys = []string{"trimtab/session", "agent-session-id", "sessionId", "session_id", "threadId", "thread_id"}
	nestedKeys  = []string{"x-codex-turn-metadata"} // an object with the keys above, or its text
)

// Our own headers, for who sets up a client.
const (
	sessionHeader = "X-Trimtab-Session"
	folderHeader  = "X-Trimtab-Folder"
)

// told are the ids that the request tells by the way.
func (c caller) told() []string {
	var ids []string
	from := func(m map[string]any) {
		for _, k := range sessionKeys {
			if id, ok := m[k].(string); ok && id != "" {
				ids = append(ids, id)
			}
		}
	}
	from(c.meta)
	for _, k := range nestedKeys {
		switch v := c.meta[k].(type) {
		case map[string]any:
			from(v)
		case string:
			var m map[string]any
			if len(v) < maxHint && json.Unmarshal([]byte(v), &m) == nil {
				from(m)
			}
		}
	}
	for _, h := range host.All() {
		for _, k := range h.MCP.Headers {
			if id := c.header.Get(k); id != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// folder is where the host says that it works.
func (c caller) folder() string {
	dir, _ := c.meta["agent-working-dir"].(string)
	return dir
}

// find is the session that a call is about, and how it was found.
func (s *Server) find(ctx context.Context, passed string, c caller) (trimtab.Session, string, error) {
	folder := cmp.Or(c.header.Get(folderHeader), s.opt.Folder, c.folder())
	if passed != "" {
		return s.passed(ctx, passed, folder)
	}
	for _, id := range []string{c.header.Get(sessionHeader), s.opt.Session} {
		if id != "" { // who set up the server or the client named it
			ses, err := s.opt.Service.Session(ctx, id)
			return ses, byID, err
		}
	}
	ses, how, err := s.present(ctx, folder, c)
	if sure(c.host(), c.told(), s.opt.Hints) && how == byFolder || errors.Is(err, trimtab.ErrNotFound) {
		// A gateway in another process stores a session a moment after it has seen
		// the first request of it, and a fast model may be faster.
		return s.await(ctx, folder, c)
	}
	return ses, how, err
}

// sure reports whether the host told its session by a name that it has on every
// surface.
func sure(host string, told, hints []string) bool {
	return host != "" && (len(told) > 0 || slices.ContainsFunc(hints, func(id string) bool { return strings.HasPrefix(id, host+":") }))
}

// await looks again and again until what the host told of is there, or until that
// has taken too long once.
func (s *Server) await(ctx context.Context, folder string, c caller) (trimtab.Session, string, error) {
	key := strings.Join(append(c.told(), append(s.opt.Hints, folder)...), "\n")
	ctx2, cancel := context.WithTimeout(ctx, s.opt.Patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ses, how, err := s.present(ctx, folder, c)
		if _, gone := s.gaveUp.Load(key); gone || how == byHost && err == nil || err == nil && !sure(c.host(), c.told(), s.opt.Hints) {
			return ses, how, err
		}
		select {
		case <-tick.C:
		case <-ctx2.Done():
			s.gaveUp.Store(key, true)
		}
	}
}

// present is the session that a host tells of, else the newest of the folder.
func (s *Server) present(ctx context.Context, folder string, c caller) (trimtab.Session, string, error) {
	told := c.told()
	for i, id := range append(told, s.opt.Hints...) {
		for _, name := range []string{c.host() + ":" + id, id} {
			if trimtab.CheckID(name) != nil {
				continue
			}
			ses, err := s.opt.Service.Session(ctx, name)
			if errors.Is(err, trimtab.ErrNotFound) {
				continue
			}
			if err == nil && i >= len(told) {
				return s.unlessOver(ctx, folder, ses)
			}
			return ses, byHost, err
		}
	}
	ses, err := s.newest(ctx, folder, c.host())
	return ses, byFolder, err
}

// unlessOver is a session that the surroundings told of when this process began.
// Where its host has begun another one since, and it was quiet ever after, the
// person has started over in the same program.
func (s *Server) unlessOver(ctx context.Context, folder string, ses trimtab.Session) (trimtab.Session, string, error) {
	if folder == "" {
		return ses, byHost, nil
	}
	next, err := s.newest(ctx, folder, ses.Host)
	if err == nil && next.ID != ses.ID && next.Host == ses.Host && next.Created.After(ses.Updated) {
		return next, byFolder, nil
	}
	return ses, byHost, nil // there is no other
}

// passed is the session that a call names. A model may name only sessions of the
// folder it works in: what other projects said is not its business.
func (s *Server) passed(ctx context.Context, id, folder string) (trimtab.Session, string, error) {
	ses, err := s.opt.Service.Session(ctx, id)
	if errors.Is(err, trimtab.ErrNotFound) {
		return ses, byID, fmt.Errorf("session %q: %w; leave session out for the present one", clip(id, 60), trimtab.ErrNotFound)
	}
	if err == nil && folder != "" && ses.Project != "" && ses.Project != folder && id != s.opt.Session {
		return trimtab.Session{}, byID, fmt.Errorf("session %q belongs to another folder than %s; leave session out for the present one", clip(id, 60), folder)
	}
	return ses, byID, err
}

// newest is the newest session of a folder that is no sub-agent's: of the host
// that calls, where it has one there.
func (s *Server) newest(ctx context.Context, folder, host string) (trimtab.Session, error) {
	if folder == "" {
		return trimtab.Session{}, fmt.Errorf("which session? Pass session, or connect with the header %s or %s", sessionHeader, folderHeader)
	}
	queries := []trimtab.Query{{Project: folder}}
	if host != "" {
		queries = []trimtab.Query{{Project: folder, Host: host}, {Project: folder}}
	}
	for _, q := range queries {
		switch info, err := session.Newest(ctx, s.opt.Archive, q, nil); {
		case err == nil:
			return s.opt.Service.Session(ctx, info.ID)
		case !errors.Is(err, trimtab.ErrNotFound):
			return trimtab.Session{}, err
		}
	}
	return trimtab.Session{}, fmt.Errorf("session of %s: %w; the agent's requests must pass through trimtab: start it with trimtab run, or point it at trimtab serve", folder, trimtab.ErrNotFound)
}
