package speech

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var bare = cmpopts.IgnoreUnexported(Tag{}, Section{}, Ask{})

func TestTags(t *testing.T) {
	long := strings.Repeat("what they promise ", 20)
	for text, want := range map[string][]Tag{
		"[ARGUMENT] so it is":                          {{Kind: Argument, Text: "so it is"}},
		"[QUESTION: skeptic] how?":                     {{Kind: Question, Arg: "skeptic", Text: "how?"}},
		"[agreement] p2, P3: fine":                     {{Kind: Agreement, Arg: "p2, P3", Text: "fine"}},
		"**[AGREEMENT]** P1: fine":                     {{Kind: Agreement, Arg: "P1", Text: "fine"}},
		"- [AGREEMENT] P1: fine":                       {{Kind: Agreement, Arg: "P1", Text: "fine"}},
		"2. [AGREEMENT P1] fine":                       {{Kind: Agreement, Arg: "P1", Text: "fine"}},
		"**Skeptic:** [AGREEMENT: P1] fine":            {{Kind: Agreement, Arg: "P1", Text: "fine"}},
		"### [PROPOSAL]\nLead with it":                 {{Kind: Proposal, Text: "Lead with it"}},
		"[AGREEMENT] P1: a\n\n[DISAGREEMENT] P2: b\nc": {{Kind: Agreement, Arg: "P1", Text: "a"}, {Kind: Disagreement, Arg: "P2", Text: "b\nc"}},
		"[ARGUMENT][QUESTION: a] b":                    {{Kind: Argument}, {Kind: Question, Arg: "a", Text: "b"}},
		"[RESEARCH: prices of bread]":                  {{Kind: Research, Arg: "prices of bread"}},
		"[RESEARCH: " + long + "]":                     {{Kind: Research, Arg: strings.TrimSpace(long)}},
		"[PROPOSAL] P1 is fine as a name":              {{Kind: Proposal, Text: "P1 is fine as a name"}},
		"[PROPOSAL] New version of P1: b":              {{Kind: Proposal, Arg: "P1", Text: "b"}},
		"[PROPOSAL] a\n```\n[AGREEMENT] P1: code\n```": {{Kind: Proposal, Text: "a\n```\n[AGREEMENT] P1: code\n```"}},
		"[question](https://example.org) is a link":    nil,
		"[NOTE] is no tag":                             nil,
		"[Research shows that it is so]":               nil,
		"text [PROPOSAL] inside":                       nil,
		"I would write it so: [PROPOSAL] inside":       nil,
		"> [AGREEMENT] P1: quoted":                     nil,
		"`[AGREEMENT] P1`":                             nil,
		"":                                             nil,
		"[]":                                           nil,
		"[":                                            nil,
	} {
		if diff := cmp.Diff(want, Read(text).Tags, bare); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
	if n := len(Read(strings.Repeat("[ARGUMENT] a\n", 1000)).Tags); n != maxTags {
		t.Errorf("%d tags were taken of one message", n)
	}
}

func TestWhatIsAskedAndDone(t *testing.T) {
	for text, want := range map[string]Speech{
		"I would like to know more. [RESEARCH: prices]": {Asked: []Ask{{Topic: "prices"}}},
		"[RESEARCH: prices]\n[RESEARCH:  hours  ]":      {Asked: []Ask{{Topic: "prices"}, {Topic: "hours"}}},
		"[RESEARCH] what rivals promise":                {Asked: []Ask{{Topic: "what rivals promise"}}},
		"[RESEARCH: hours] When does the\nbike leave?":  {Asked: []Ask{{Topic: "hours", Words: "When does the\nbike leave?"}}},
		"[RESEARCH]":                                  {Asked: []Ask{{}}},
		"✓ the hero stands [DONE: hero_copy]":         {Done: []Done{{"hero_copy", "✓ the hero stands"}}},
		"[DONE: hero_copy] the hero stands":           {Done: []Done{{"hero_copy", "the hero stands"}}},
		"- [done: a] [DONE: b] both":                  {Done: []Done{{"a", "both"}, {"b", "both"}}},
		"`[DONE: a]` marks it, [DONE: b](x) does not": {},
		"```\n[DONE: a] [RESEARCH: b]\n```":           {},
		"> [DONE: a]":                                 {},
		"[DONE:]":                                     {},
	} {
		got := Read(text)
		if diff := cmp.Diff(want, Speech{Asked: got.Asked, Done: got.Done}, bare, cmpopts.IgnoreUnexported(Speech{})); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

func TestSections(t *testing.T) {
	for text, want := range map[string][]Section{
		"## Hero copy\nStay in.\n\n## CTA\nChoose":          {{"hero-copy", "Hero copy", "Stay in.", 2, 0}, {"cta", "CTA", "Choose", 2, 0}},
		"## Props\n### One\na\n### Two\nb\n## CTA\nc":       {{"props", "Props", "### One\na\n### Two\nb", 2, 0}, {"one", "One", "a", 3, 0}, {"two", "Two", "b", 3, 0}, {"cta", "CTA", "c", 2, 0}},
		"## Hero\nStay in.\n[QUESTION: skeptic] True?":      {{"hero", "Hero", "Stay in.", 2, 0}},
		"## Hero\n[FACT NEEDED: hours] Stay in.":            {{"hero", "Hero", "[FACT NEEDED: hours] Stay in.", 2, 0}},
		"## Hero\n[DONE: hero] Stay in.":                    {{"hero", "Hero", "[DONE: hero] Stay in.", 2, 0}},
		"## Hero\n```\n## none\n[ARGUMENT] none\n```\nend":  {{"hero", "Hero", "```\n## none\n[ARGUMENT] none\n```\nend", 2, 0}},
		"## **Hero**\n> ## quoted\nend":                     {{"hero", "Hero", "> ## quoted\nend", 2, 0}},
		"### [PROPOSAL] Hero copy\nStay in.":                {{"hero-copy", "Hero copy", "Stay in.", 3, 0}},
		"[PROPOSAL]\n## Hero\nStay in.\n[ARGUMENT] because": {{"hero", "Hero", "Stay in.", 2, 0}},
		"## Hero\n\n# Stay in\nWe pedal.\n## CTA\nc":        {{"hero", "Hero", "# Stay in\nWe pedal.", 2, 0}, {"stay-in", "Stay in", "We pedal.", 3, 0}, {"cta", "CTA", "c", 2, 0}},
		"## Hero\ntext\n# Next\nmore":                       {{"hero", "Hero", "text", 2, 0}, {"next", "Next", "more", 1, 0}},
		"#no heading\n####### none":                         nil,
	} {
		if diff := cmp.Diff(want, Read(text).Sections, bare); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

func TestLists(t *testing.T) {
	for text, want := range map[string]int{
		"- one\n- b\n\ntext\n1. c": 2, "- a\n\ntext\n1. one\n2. two\n   more of it\n3) three": 3, "* one\n\n* b": 2, "```\n- a\n- b\n```\n- one": 1, "text": 0,
	} {
		if s := Read(text); s.Items != want || want > 0 && s.First != "one" {
			t.Errorf("%q: %d items, the first %q; want %d", text, s.Items, s.First, want)
		}
	}
}

// TestD13_WhatIsWrittenIsProposed: who writes a section of the document down wants it
// taken, and the table is asked.
func TestD13_WhatIsWrittenIsProposed(t *testing.T) {
	body := strings.Repeat("Stay in your slippers. ", 5)
	hero, cta := "## Hero copy\n\n"+strings.TrimSpace(body), "## CTA\n\n"+strings.TrimSpace(body)
	document := func(slug string) bool { return slug == "hero-copy" || slug == "cta" }
	for _, c := range []struct {
		name, text string
		want       []Offer
	}{
		{"a tag", "[PROPOSAL] Lead with the bike\n[ARGUMENT] it is true", []Offer{{Tag{Kind: Proposal, Text: "Lead with the bike"}, "Lead with the bike"}}},
		{"a tagged section", "[PROPOSAL]\n" + hero, []Offer{{Tag{Kind: Proposal, Text: hero}, "Hero copy"}}},
		{"sections without a tag are one", "[AGREEMENT] P6: yes\n\n" + hero + "\n\n" + cta, []Offer{{Tag{Kind: Proposal, Text: hero + "\n\n" + cta}, "Hero copy, CTA"}}},
		{"a section before its proposal belongs to it", hero + "\n\n[PROPOSAL] This hero as it stands.", []Offer{{Tag{Kind: Proposal, Text: "This hero as it stands.\n\n" + hero}, "This hero as it stands."}}},
		{"words before a heading name it", "[PROPOSAL] New version of P5: toast first, slippers below.\n\n" + hero, []Offer{{Tag{Kind: Proposal, Arg: "P5", Text: "toast first, slippers below.\n\n" + hero}, "toast first, slippers below."}}},
		{"unless they only announce it", "[PROPOSAL] My hero:\n\n" + hero, []Offer{{Tag{Kind: Proposal, Text: "My hero:\n\n" + hero}, "Hero copy"}}},
		{"a section of something else is none", "## Market\n" + body, nil},
		{"nor is a heading with nothing below", "## Hero copy\nsoon", nil},
		{"nor one that is quoted", "> ## Hero copy\n> " + body, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Read(c.text).Offers(document), bare); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWordsAreWithoutHeadings(t *testing.T) {
	if got := Words("## Hero\nStay in.\n#1 in town\n### Below\nWe pedal."); got != "Stay in.\n#1 in town\nWe pedal." {
		t.Errorf("%q", got)
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"hero_copy": "hero-copy", "Hero Copy": "hero-copy", "**Hero copy**:": "hero-copy", "2. Hero-copy": "hero-copy", "✍️ Hero copy": "hero-copy",
		"Größe & Preis": "größe-preis", "2026": "2026", "...": "", "": "",
	} {
		if got := Slug(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for arg, want := range map[string][]string{"skeptic": {"skeptic"}, "@skeptic, analyst and you": {"skeptic", "analyst", "you"}, "": nil} {
		if diff := cmp.Diff(want, Tag{Arg: arg}.Names()); diff != "" {
			t.Errorf("%q:\n%s", arg, diff)
		}
	}
}

// FuzzRead looks that no text brings the reader down, and that what it finds is
// bounded and stands in the text.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "## Hero\n\ntext", "[DONE: a] [RESEARCH: b]", "```\n[DONE: a]\n```", "> [DONE: a]", "`[DONE: a]`", "- a\n- b\n1. c", "[PROPOSAL][ARGUMENT] x", "a: [AGREEMENT]",
		"# a\n## b\n### c\n# d", "~~~~\n```\n~~~", "[[DONE: a]", "[DONE:]", "[DONE: a](x)", "\x00[DONE: \xff]", "#\t#", "####### x", "\u202e[DONE: a]",
		"[AGREEMENT] P1: yes", "[PROPOSAL] New version of P1: x\n## H\nbody", "**[QUESTION: a]** b", "[RESEARCH:", "[AGREEMENT][DISAGREEMENT] P99999999999: x", "# [PROPOSAL] a\n[ARGUMENT]\n#",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := Read(text)
		if len(s.Done)+len(s.Asked) > 2*maxTags || len(s.Tags) > maxTags || len(s.Sections) > maxSections || len(s.open) > 0 {
			t.Fatalf("more than is allowed: %d, %d, %d, %d, %d", len(s.Done), len(s.Asked), len(s.Tags), len(s.Sections), len(s.open))
		}
		for _, tag := range s.Tags {
			if !strings.Contains(text, tag.Text) {
				t.Fatalf("%q is not in the text", tag.Text)
			}
		}
		for _, sec := range s.Sections {
			if !strings.Contains(text, sec.Body) {
				t.Fatalf("%q is not in the text", sec.Body)
			}
		}
		s.Offers(func(string) bool { return true })
	})
}
