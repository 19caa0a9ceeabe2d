// Package demo plays sample sessions through the real engine, for people who look at the
// dashboard before they have sessions of their own. What the agents say is written here;
// every message of ours, its reason and its price is what the engine did with that.
//
// It asks no model, reads no file and touches no network.
//
//	err := demo.Play(ctx, engine, store, now)
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
)

// Play tells all sample sessions to a store, as if the last of them had just happened.
func Play(ctx context.Context, engine *trimtab.Engine, store trimtab.Store, now time.Time) error {
	for _, s := range stories() {
		p := &player{ctx: ctx, id: s.info.ID, at: now.Add(-s.ago)}
		p.service = session.New(engine, store, session.Options{Clock: func() time.Time { return p.at }})
		if err := p.begin(store, s.info); err != nil {
			return fmt.Errorf("demo session %s: %w", s.info.ID, err)
		}
		s.tell(p)
		if p.err != nil {
			return fmt.Errorf("demo session %s: %w", s.info.ID, p.err)
		}
	}
	return nil
}

// Environ is the environment of a program that is to find nothing of the person's: what it
// is run with, and a folder as its home.
func Environ(getenv func(string) string, home string) []string {
	all := []string{"HOME=" + home}
	for _, name := range []string{"PATH", "TMPDIR", "TEMP", "SYSTEMROOT", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER"} {
		if v := getenv(name); v != "" {
			all = append(all, name+"="+v)
		}
	}
	return all
}

type story struct {
	info trimtab.Info
	ago  time.Duration
	tell func(*player)
}

// player tells one session.
type player struct {
	ctx     context.Context
	service *session.Service
	id      string
	at      time.Time
	calls   int
	size    int // of the context, in tokens
	err     error
}

func (p *player) begin(store trimtab.Store, info trimtab.Info) error {
	s := trimtab.NewSession(info.ID, p.at)
	info.Created, info.Updated = p.at, p.at
	s.Info = info
	_, err := store.Commit(p.ctx, trimtab.Commit{Session: s})
	return err
}

func (p *player) do(after time.Duration, events ...trimtab.Event) {
	if p.err != nil {
		return
	}
	p.at = p.at.Add(after)
	_, _, p.err = p.service.Handle(p.ctx, p.id, events...)
}

func (p *player) person(text string) {
	p.do(40*time.Second, trimtab.Said{Message: at(trimtab.Prompt(text), p.at), Vouched: true})
}

func (p *player) ask(command string, args ...string) {
	p.do(time.Second, trimtab.Asked{Command: command, Args: args})
}

func (p *player) reply(parts ...trimtab.Part) {
	p.do(time.Second, trimtab.Calling{})
	p.size += 900
	m := trimtab.Message{Role: trimtab.RoleAssistant, Parts: parts, Usage: &trimtab.Usage{Input: 300, Output: 180, CacheRead: p.size}}
	p.do(6*time.Second, trimtab.Said{Message: at(m, p.at)})
}

func (p *player) says(text string) { p.reply(trimtab.Text{Text: text, By: trimtab.Model}) }

// tool calls one and has its result.
func (p *player) tool(name string, input map[string]any, result string, failed bool) {
	raw, err := json.Marshal(input)
	if err != nil {
		p.err = err
		return
	}
	p.calls++
	id := fmt.Sprintf("call_%d", p.calls)
	p.reply(trimtab.ToolCall{ID: id, Name: name, Input: raw})
	p.do(3*time.Second, trimtab.Said{Message: at(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: result, Failed: failed}}}, p.at)})
}

func (p *player) bash(command, result string) {
	p.tool("Bash", map[string]any{"command": command}, result, false)
}

func (p *player) fails(command, result string) {
	p.tool("Bash", map[string]any{"command": command}, "Exit code 1\n"+result, true)
}

func (p *player) read(path, text string) {
	p.tool("Read", map[string]any{"file_path": path}, text, false)
}

func (p *player) edit(path, before, after string) {
	p.tool("Edit", map[string]any{"file_path": path, "old_string": before, "new_string": after}, "The file "+path+" has been updated.", false)
}

func (p *player) todos(items ...string) {
	list := []map[string]string{}
	for _, it := range items {
		status := map[byte]string{' ': "pending", '>': "in_progress", 'x': "completed"}[it[0]]
		list = append(list, map[string]string{"content": it[2:], "status": status, "activeForm": it[2:]})
	}
	p.tool("TodoWrite", map[string]any{"todos": list}, "Todos have been modified successfully.", false)
}

func (p *player) stops() { p.do(time.Second, trimtab.Stopping{}) }

func at(m trimtab.Message, t time.Time) trimtab.Message {
	m.At = t
	return m
}
