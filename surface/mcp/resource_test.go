package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
)

func TestResourcesShowTheSessionItsJournalAndItsFrames(t *testing.T) {
	s := launch(t)
	s.begin(trimtab.Info{ID: "elsewhere", Host: "claude", Project: "/src/secret"})
	c := s.board("stdio", "2025-06-18", "claude-code", nil)
	c.must("flame_push", map[string]any{"goal": "Fix the parser"})
	list, err := c.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range list.Resources {
		uris = append(uris, r.URI)
	}
	if diff := cmp.Diff([]string{"trimtab://frames", "trimtab://journal", "trimtab://session"}, uris); diff != "" {
		t.Error(diff)
	}
	for uri, holds := range map[string]string{
		"trimtab://session":                         `"sessionId":"` + present + `"`,
		"trimtab://session/" + present:              `"title":"Build the reader"`,
		"trimtab://frames":                          `"goal":"Fix the parser"`,
		"trimtab://frames/claude%3Aabc":             `"goal":"Fix the parser"`,
		"trimtab://journal":                         `"command":"frame"`,
		"trimtab://journal/" + present + "?after=2": `"entries":[{`,
	} {
		text, err := c.resource(uri)
		if err != nil || !strings.Contains(text, holds) || !json.Valid([]byte(text)) {
			t.Errorf("%s: %v %s", uri, err, text)
		}
	}
	for _, uri := range []string{"trimtab://session/nosuch", "trimtab://session/elsewhere", "trimtab://nothing", "trimtab://journal/" + present + "?after=x", "file:///etc/passwd"} {
		if text, err := c.resource(uri); err == nil {
			t.Errorf("%s gave %s", uri, text)
		}
	}
}

func TestALongJournalComesInParts(t *testing.T) {
	s := launch(t)
	for range 450 {
		if _, _, err := s.service.Handle(t.Context(), present, trimtab.Calling{}); err != nil {
			t.Fatal(err)
		}
	}
	c := s.board("http", "2025-11-25", "claude-code", nil)
	type part struct {
		Entries []struct{ Seq int }
		Next    int
	}
	read := func(uri string) (p part) {
		text, err := c.resource(uri)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	newest := read("trimtab://journal")
	if n := len(newest.Entries); n != 200 || newest.Entries[n-1].Seq != 452 || newest.Next != 0 {
		t.Errorf("%d entries up to %v, next %d", n, newest.Entries[n-1], newest.Next)
	}
	seen, uri := 0, "trimtab://journal/"+present+"?after=0"
	for uri != "" {
		p := read(uri)
		for _, e := range p.Entries {
			if seen++; e.Seq != seen {
				t.Fatalf("entry %d after %d", e.Seq, seen-1)
			}
		}
		uri = ""
		if p.Next > 0 {
			raw, err := json.Marshal(p.Next)
			if err != nil {
				t.Fatal(err)
			}
			uri = "trimtab://journal/" + present + "?after=" + string(raw)
		}
	}
	if seen != 452 {
		t.Errorf("%d entries", seen)
	}
}

func TestPromptsAreTheModesAndATask(t *testing.T) {
	s := launch(t)
	c := s.board("http", "2026-07-28", "claude-code", nil)
	list, err := c.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list.Prompts {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"code-review", "debugging", "planning", "research"}, names); diff != "" {
		t.Error(diff)
	}
	got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "planning", Arguments: map[string]string{"task": "Plan the reader."}})
	if err != nil {
		t.Fatal(err)
	}
	text := got.Messages[0].Content.(*sdk.TextContent).Text
	if !strings.HasPrefix(text, s.opt.Prompts[0].Text) || !strings.HasSuffix(text, "\n\nPlan the reader.") {
		t.Error(text)
	}
	long := map[string]string{"task": strings.Repeat("x", 40<<10)}
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "planning", Arguments: long}); err == nil || !strings.Contains(err.Error(), "give at most") {
		t.Error(err)
	}
}
