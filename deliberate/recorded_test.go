package deliberate_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
)

// play plays what was said in a debate before, and takes it up there.
// Files in testdata hold debates that a language model led on 2026-11-16.
func (r *harness) play(file string) *deliberate.Debate {
	t := r.t
	t.Helper()
	r.begin()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var said struct{ By, Text string }
		if err := json.Unmarshal(s.Bytes(), &said); err != nil {
			t.Fatal(err)
		}
		m := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: said.Text, By: trimtab.Model, From: said.By}}}
		if said.By == deliberate.Researcher {
			m = trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: said.Text, By: trimtab.Tool, From: said.By}}}
		}
		if _, _, err := r.opt.Service.Handle(t.Context(), r.plan.ID, trimtab.Said{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := deliberate.Resume(t.Context(), r.opt, r.plan.ID)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sections is how the document stands, a line a section.
func sections(res deliberate.Result) []string {
	var out []string
	for _, s := range res.Sections {
		how := "not voted on"
		if s.Vote != nil {
			how = fmt.Sprintf("P%d, %.0f %% for", s.Vote.Proposal, 100*s.Vote.Support)
		}
		out = append(out, s.ID+" by "+s.By+", "+how)
	}
	return out
}

// TestD13_ADebateOfARealModel: what a model wrote in free words is read as it was
// meant: sections and what the table thinks of them, criteria, requests.
func TestD13_ADebateOfARealModel(t *testing.T) {
	res := newHarness(t).play("agreed.jsonl").Result()
	want := []string{"hero_copy by pragmatist, P13, 100 % for", "value_props by advocate, P15, 100 % for", "cta by contrarian, P17, 100 % for"}
	if diff := cmp.Diff(want, sections(res)); diff != "" {
		t.Error(diff)
	}
	if len(res.Missing()) > 0 || !res.Goal.Succeeded() {
		t.Errorf("missing: %v", res.Missing())
	}
	for _, s := range res.Sections {
		if strings.Contains(s.Text, "[ARGUMENT]") || strings.Contains(s.Text, "[QUESTION") || len(s.Text) < 80 {
			t.Errorf("%s: %s", s.ID, s.Text)
		}
	}
	if n := len(res.Research); n != 1 || res.Research[0].At == 0 {
		t.Errorf("%d requests", n)
	}
	for _, b := range res.Beside {
		if b.Proposal == 6 && !b.TakenBack {
			t.Error("P6 was withdrawn by its author")
		}
	}
}

// TestD13_ASectionInConflictIsMadeAnew: all criteria of the mode are met, and the table
// does not take one of the sections: its author makes a new version.
func TestD13_ASectionInConflictIsMadeAnew(t *testing.T) {
	r := newHarness(t)
	r.plan.Mode = "will-it-work"
	r.plan.Cast = slices.DeleteFunc(r.plan.Cast, func(p deliberate.Persona) bool { return p.ID == "pragmatist" || p.ID == "contrarian" })
	d := r.play("conflict.jsonl")
	var first deliberate.Speaking
	for ev, err := range d.Run(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := ev.(deliberate.Speaking); ok {
			first = s
			break
		}
	}
	if first.Turn.Who != "analyst" || first.Turn.Cue.Ask != deliberate.AskRevise || first.Turn.Cue.About != "P10" {
		t.Errorf("%+v", first.Turn)
	}
}

// TestD13_WhatNobodyVotedOnIsNotAgreed: in this debate, two of three sections were
// written in the last moment and put to nobody. It was taken for ended; it is not.
func TestD13_WhatNobodyVotedOnIsNotAgreed(t *testing.T) {
	res := newHarness(t).play("unvoted.jsonl").Result()
	want := []string{"hero_copy by advocate, P6, 100 % for", "value_props by pragmatist, P7, 20 % for", "cta by pragmatist, P7, 20 % for"}
	if diff := cmp.Diff(want, sections(res)); diff != "" {
		t.Error(diff)
	}
	if res.Goal.Succeeded() {
		t.Error("it counts as ended")
	}
	if n := len(res.Research); n != 2 {
		t.Errorf("%d requests for research, of which one is long", n)
	}
}
