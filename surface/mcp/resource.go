package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
)

const (
	scheme     = "trimtab"
	asJSON     = "application/json"
	maxEntries = 200     // of a journal, in one answer
	maxJournal = 1 << 20 // bytes of it
)

// view is a resource of a session.
type view struct {
	name, title, doc string
	read             func(*Server, context.Context, trimtab.Session, url.Values) (any, error)
}

func views() []view {
	return []view{
		{"session", "Session", "who the session is and what steers it: status, todo list, notes and their price", (*Server).readSession},
		{"journal", "Journal", "what happened in the session and what came of it, the newest at the end", (*Server).readJournal},
		{"frames", "Frames", "the session's tree of frames", (*Server).readFrames},
	}
}

// addResources offers each view of the present session as a resource, and of any
// other by its id.
func (s *Server) addResources() {
	for _, v := range views() {
		s.mcp.AddResource(&sdk.Resource{
			URI: scheme + "://" + v.name, Name: v.name, Title: v.title, Description: "Of the present session: " + v.doc, MIMEType: asJSON,
		}, s.reader(v))
		query := ""
		if v.name == "journal" {
			query = "{?after}"
		}
		s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{
			URITemplate: scheme + "://" + v.name + "/{+id}" + query, Name: v.name + "-of", Title: v.title + " by id", Description: v.doc, MIMEType: asJSON,
		}, s.reader(v))
	}
}

func (s *Server) reader(v view) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		uri := req.Params.URI
		u, err := url.Parse(uri)
		if err != nil || len(uri) > 1024 {
			return nil, sdk.ResourceNotFoundError(clip(uri, 1024))
		}
		ses, how, err := s.find(ctx, strings.TrimPrefix(u.Path, "/"), callerOf(req))
		if errors.Is(err, trimtab.ErrNotFound) || errors.Is(err, trimtab.ErrBadID) {
			return nil, sdk.ResourceNotFoundError(uri)
		}
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", uri, err)
		}
		value, err := v.read(s, ctx, ses, u.Query())
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", uri, err)
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("resource %s: %w", uri, err)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
			URI: uri, MIMEType: asJSON, Text: string(raw), Meta: sdk.Meta{"trimtab/session": ses.ID, "trimtab/found": how},
		}}}, nil
	}
}

// sessionView is a session as programs read it.
type sessionView struct {
	trimtab.Info
	Step   int              `json:"step"`
	Status []trimtab.Status `json:"status"`
	Todos  []trimtab.Todo   `json:"todos"`
	Notes  []trimtab.Note   `json:"notes"`   // that live
	Past   []trimtab.Note   `json:"history"` // that merely stand in the history
	Meter  trimtab.Meter    `json:"meter"`
}

func (s *Server) readSession(_ context.Context, ses trimtab.Session, _ url.Values) (any, error) {
	v := sessionView{
		ses.Info, ses.Step, append([]trimtab.Status{}, s.opt.Service.Engine().Status(ses)...),
		append([]trimtab.Todo{}, ses.Todos...),
		[]trimtab.Note{},
		[]trimtab.Note{},
		ses.Meter,
	}
	for _, n := range ses.Notes {
		if n.Live() {
			v.Notes = append(v.Notes, n)
		} else {
			v.Past = append(v.Past, n)
		}
	}
	return v, nil
}

// status is the session for the model to read.
func (s *Server) status(ses trimtab.Session) (trimtab.Reply, error) {
	v, err := s.readSession(context.Background(), ses, nil)
	if err != nil {
		return trimtab.Reply{}, err
	}
	lines := []string{fmt.Sprintf("%s (%s), step %d, about %d tokens", ses.ID, ses.Title, ses.Step, ses.Meter.Tokens(ses.Meter.Bytes))}
	for _, st := range s.opt.Service.Engine().Status(ses) {
		lines = append(lines, st.By+": "+st.Text)
	}
	for _, n := range ses.Notes {
		if !n.Live() {
			continue
		}
		lines = append(lines, fmt.Sprintf("note %s/%s: %s", n.By, n.Slot, n.Why))
	}
	raw, err := json.Marshal(v)
	return trimtab.Reply{Text: strings.Join(lines, "\n"), Data: raw}, err
}

// readFrames is the tree, or nothing where the lineup has no frames.
func (s *Server) readFrames(_ context.Context, ses trimtab.Session, _ url.Values) (any, error) {
	reply, err := s.look(ses, trimtab.Asked{Command: "frame", Args: []string{"tree"}, By: trimtab.Model})
	if err == nil && reply.Failed {
		err = errors.New(reply.Text)
	}
	return reply.Data, err
}

// journalView is a part of a journal.
type journalView struct {
	Session string            `json:"session"`
	Entries []json.RawMessage `json:"entries"`
	Next    int               `json:"next,omitempty"` // the number to go on after, where there is more
}

// readJournal gives the entries after a number, or without one the newest.
func (s *Server) readJournal(ctx context.Context, ses trimtab.Session, q url.Values) (any, error) {
	after, err := strconv.Atoi(q.Get("after"))
	newest := q.Get("after") == ""
	if !newest && (err != nil || after < 0) {
		return nil, fmt.Errorf("after=%s: give a number from 0", clip(q.Get("after"), 20))
	}
	out := journalView{Session: ses.ID, Entries: []json.RawMessage{}}
	size := 0
	for e, err := range s.opt.Archive.Journal(ctx, ses.ID, after) {
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		if size += len(raw); len(out.Entries) > 0 && !newest && (len(out.Entries) == maxEntries || size > maxJournal) {
			out.Next = e.Seq - 1
			break
		}
		out.Entries = append(out.Entries, raw)
		for newest && len(out.Entries) > 1 && (len(out.Entries) > maxEntries || size > maxJournal) {
			size -= len(out.Entries[0])
			out.Entries = out.Entries[1:]
		}
	}
	return out, nil
}
