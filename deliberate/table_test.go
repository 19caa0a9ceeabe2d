package deliberate

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/speech"
)

// speak is what somebody says, as the table hears it.
func speak(by, text string) trimtab.Message {
	if by == You {
		return trimtab.Prompt(text)
	}
	return trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: text, By: trimtab.Model, From: by}}}
}

// tableOf plays lines of the form "who: text".
func tableOf(t *testing.T, lines ...string) *Table {
	t.Helper()
	cast, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	table := NewTable(cast, []Criterion{{ID: "hero_copy"}, {ID: "cta", Aliases: []string{"Call to action"}}, {ID: "consensus"}})
	for i, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		table.Hear(i+1, speak(who, text))
	}
	return table
}

func TestD11_ConsensusAndConflict(t *testing.T) {
	for _, c := range []struct {
		name              string
		lines             []string
		support, against  float64
		agreed, contested bool
	}{
		{"who proposes is for it", nil, 0.2, 0, false, false},
		{"two of five are too few", []string{"skeptic: [AGREEMENT] P1: yes"}, 0.4, 0, false, false},
		{"three of five are enough", []string{"skeptic: [AGREEMENT] P1: yes", "analyst: [AGREEMENT] yes"}, 0.6, 0, true, false},
		{"two against are a conflict", []string{"skeptic: [DISAGREEMENT] P1: no", "analyst: [DISAGREEMENT: P1] no"}, 0.2, 0.4, false, true},
		{"both at once", []string{"skeptic: [DISAGREEMENT] P1: no", "analyst: [DISAGREEMENT] P1: no", "pragmatist: [AGREEMENT] P1: yes", "contrarian: [AGREEMENT] P1: yes"}, 0.6, 0.4, true, true},
		{"a person counts double", []string{"you: [AGREEMENT] P1: yes", "analyst: [AGREEMENT] P1: yes"}, 4.0 / 7, 0, false, false},
		{"and against, too", []string{"you: [DISAGREEMENT] P1: no", "analyst: [DISAGREEMENT] P1: no"}, 1.0 / 7, 3.0 / 7, false, true},
		{"a side taken twice counts once", []string{"skeptic: [AGREEMENT] P1: yes", "skeptic: [AGREEMENT] P1: yes again"}, 0.4, 0, false, false},
		{"who changes sides leaves the old one", []string{"skeptic: [DISAGREEMENT] P1: no", "skeptic: [AGREEMENT] P1: yes"}, 0.4, 0, false, false},
		{"a tag inside a sentence is talk", []string{"skeptic: I would not write [AGREEMENT] P1: here", "analyst: > [AGREEMENT] P1: quoted", "pragmatist: ```\n[AGREEMENT] P1: code\n```"}, 0.2, 0, false, false},
		{"there is no P7 to agree with", []string{"skeptic: [AGREEMENT] P7: yes"}, 0.2, 0, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := tableOf(t, append([]string{"advocate: [PROPOSAL] Lead with the bike"}, c.lines...)...)
			p := table.Proposals[0]
			support, against := p.Shares(len(table.Cast))
			if support != c.support || against != c.against || p.Agreed(5) != c.agreed || p.Contested(5) != c.contested {
				t.Errorf("%.3f for (want %.3f), %.3f against (want %.3f), agreed %v, contested %v", support, c.support, against, c.against, p.Agreed(5), p.Contested(5))
			}
		})
	}
}

func TestD11_ANewVersionReplacesTheOld(t *testing.T) {
	table := tableOf(t, "advocate: [PROPOSAL] Lead with the bike", "skeptic: [DISAGREEMENT] P1: no proof", "advocate: [PROPOSAL] New version of P1: Lead with the time")
	old, now := table.Proposals[0], table.Proposals[1]
	if old.Replaced != 2 || now.Of != 1 || now.Version != 2 || now.Text != "Lead with the time" {
		t.Errorf("old %+v, new %+v", old, now)
	}
	if len(now.Stands) != 1 {
		t.Errorf("the sides on the old version went over to the new one: %+v", now.Stands)
	}
}

// TestD11_WhoIsAgainstTheirOwnTakesItBack: nobody is asked about it any more, and it is
// neither dissent nor a change of sides.
func TestD11_WhoIsAgainstTheirOwnTakesItBack(t *testing.T) {
	table := tableOf(t, "advocate: [PROPOSAL] Lead with the bike", "skeptic: [DISAGREEMENT] P1: no proof", "advocate: [DISAGREEMENT] P1: I withdraw it")
	if p := table.Proposals[0]; p.Open() || table.waits(p, "analyst") || len(table.Meters.Changes) != 0 {
		t.Errorf("%+v, changes %v", p, table.Meters.Changes)
	}
	if d := table.decision(table.Proposals[0]); verdict(d) != "taken back by its author" {
		t.Error(verdict(d))
	}
	table.Hear(4, speak("advocate", "[AGREEMENT] P1: I stand by it after all"))
	if p := table.Proposals[0]; !p.Open() || !table.waits(p, "analyst") {
		t.Errorf("%+v", p)
	}
}

// TestD11_WhatWasAgreedIsNotReplacedByOneOther: a new version by somebody else stands
// beside what most agreed on, and takes the place of what they did not.
func TestD11_WhatWasAgreedIsNotReplacedByOneOther(t *testing.T) {
	agreed := []string{"advocate: [PROPOSAL] Lead with the bike", "skeptic: [AGREEMENT] P1: it is true", "analyst: [AGREEMENT] P1: it is short"}
	for _, c := range []struct {
		lines []string
		open  bool
	}{
		{append(agreed[:3:3], "contrarian: [PROPOSAL] New version of P1: Lead with the toast"), true},
		{append(agreed[:3:3], "advocate: [PROPOSAL] New version of P1: Lead with the slippers"), false},
		{append(agreed[:1:1], "contrarian: [PROPOSAL] New version of P1: Lead with the toast"), false},
	} {
		table := tableOf(t, c.lines...)
		if old, now := table.Proposals[0], table.Proposals[1]; old.Open() != c.open || now.Of != 1 {
			t.Errorf("%v: the old one is open: %v, the new one is of P%d", c.lines, old.Open(), now.Of)
		}
	}
}

// TestD11_EverybodyWrites: who has written sections is not asked again before others.
func TestD11_EverybodyWrites(t *testing.T) {
	body := strings.Repeat("People near the bakery. ", 5)
	table := tableOf(t, "skeptic: [SYNTHESIS]\n## Audience\n"+body, "pragmatist: [SYNTHESIS]\n## Market\n"+body, "advocate: [PROPOSAL] a", "analyst: [ARGUMENT] b")
	f := floor{table, Progress{}}
	if got := f.writer(f.wrote); got != "advocate" && got != "contrarian" {
		t.Errorf("%s writes next; who has not are the advocate and the contrarian", got)
	}
}

// TestD12_TheTableIsToldWhatCanBeLookedUp: where the researcher's tools reach, and
// whose question an answer is for, in words that can break no mark.
func TestD12_TheTableIsToldWhatCanBeLookedUp(t *testing.T) {
	cast, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for want, tools := range map[string][]string{"reach: list (Lists files)": {"list (Lists files)"}, "reach: it has none here": nil} {
		if text := system(cast[0], cast, tools); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	m := trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: "nothing", By: trimtab.Tool, From: Researcher}}}
	got := toAll(m, answering(&Request{By: "analyst", Topic: "a \"price\"> </message>"})).Text()
	if want := "<message from=\"researcher\" answering=\"analyst: a 'price'› ‹/message›\">\nnothing\n</message>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestD13_WhatIsWrittenIsVotedOn: a section of the document is a proposal, with or
// without the tag, and its vote is the section's.
func TestD13_WhatIsWrittenIsVotedOn(t *testing.T) {
	body := strings.Repeat("You could have toast. Or you could have bread. ", 3)
	table := tableOf(t, "advocate: ## Hero copy\n"+body+"\n[PROPOSAL] This hero as it stands.", "pragmatist: [AGREEMENT] P1: yes\n\n## Call to action\n"+body+"\n### Below it\nNothing is ordered yet.",
		"skeptic: [DISAGREEMENT] P2: anybody could say that", "analyst: [AGREEMENT] P1: yes\n[AGREEMENT] P2: yes")
	if n := len(table.Proposals); n != 2 {
		t.Fatalf("%d proposals", n)
	}
	for id, want := range map[string]string{"hero_copy": "P1 agreed 3:0", "cta": "P2 open 2:1"} {
		s, ok := table.section(Criterion{ID: id, Aliases: map[string][]string{"cta": {"Call to action"}}[id]})
		got := "not voted on"
		if ok && s.Vote != nil {
			got = fmt.Sprintf("P%d %s %d:%d", s.Vote.Proposal, map[bool]string{true: "agreed", false: "open"}[s.Vote.Agreed], len(s.Vote.For), len(s.Vote.Against))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// TestD12_ALongRequestIsLookedUp: what is asked is asked, however many words it takes
// and wherever in a line it stands.
func TestD12_ALongRequestIsLookedUp(t *testing.T) {
	topic := "the headline promise, and the stated delivery and ordering terms, on the websites of three to five bakeries that deliver bread to homes, at least one of them by bike; quote the words and give the address"
	table := tableOf(t, "analyst: [RESEARCH: "+topic+"]", "pragmatist: One thing more. [RESEARCH: prices]", "skeptic: [RESEARCH] opening hours")
	var got []string
	for _, r := range table.Requests {
		got = append(got, r.By+": "+r.Topic)
	}
	if diff := cmp.Diff([]string{"analyst: " + topic, "pragmatist: prices", "skeptic: opening hours"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMeters_WhoChangedSidesAfterWhom(t *testing.T) {
	table := tableOf(t,
		"advocate: [PROPOSAL] Lead with the bike",
		"skeptic: [DISAGREEMENT] P1: nobody has shown that this works for anyone",
		"analyst: [AGREEMENT] P1: it fits the figures that we have so far",
		"pragmatist: [AGREEMENT] ok",
		"skeptic: [AGREEMENT] P1: fine",
		"analyst: [DISAGREEMENT] P1: I looked again and the figures are from another town",
	)
	want := []Change{
		{Who: "skeptic", Proposal: 1, For: true, Seq: 5, After: "pragmatist", Majority: true},
		{Who: "analyst", Proposal: 1, For: false, Seq: 6, Reason: true},
	}
	if diff := cmp.Diff(want, table.Meters.Changes); diff != "" {
		t.Errorf("changes:\n%s", diff)
	}
	if share, ok := table.Meters.Conformity(); !ok || share != 0.5 {
		t.Errorf("conformity %v", share)
	}
	if table.Meters.Votes != 3 || table.Meters.Bare != 1 {
		t.Errorf("%d votes, %d without a reason", table.Meters.Votes, table.Meters.Bare)
	}
	text := strings.Join(table.Meters.Lines(), "\n")
	if !strings.Contains(text, "skeptic went over to for P1 (message 5) after pragmatist, where the majority was, without a reason.") {
		t.Errorf("in words:\n%s", text)
	}
}

func TestMeters_VocabularyCollapse(t *testing.T) {
	words := strings.Fields("apple bridge cellar dragon engine forest garden hammer island jungle kettle ladder marble needle orange pepper quartz ribbon saddle timber umbrella velvet window yellow zephyr")
	var apart, alike []string
	for i := range 40 {
		who := []string{"skeptic", "analyst", "advocate"}[i%3]
		apart = append(apart, fmt.Sprintf("%s: %s-%s %s", who, words[i%len(words)], strings.Repeat(string(rune('a'+i%26)), 6+i/26), words[(i*7+3)%len(words)]))
		alike = append(alike, apart[i])
		if i >= 15 {
			alike[i] = who + ": we all agree about the bicycle promise"
		}
	}
	if v := tableOf(t, apart...).Meters.Vocabulary; v.Collapsed() {
		t.Errorf("speakers who differ count as collapsed: %+v", v)
	}
	if v := tableOf(t, alike...).Meters.Vocabulary; !v.Collapsed() {
		t.Errorf("speakers who say the same do not count as collapsed: %+v", v)
	}
}

// TestD5_ASectionIsWrittenBeforeThePhaseIsOver: votes do not use up the last messages
// in which what the phase is for can be written down.
func TestD5_ASectionIsWrittenBeforeThePhaseIsOver(t *testing.T) {
	table := tableOf(t, "skeptic: [PROPOSAL] Two years, a fifth of the street", "advocate: [ARGUMENT] Ask them")
	goal := Progress{Phases: []Phase{{ID: "define", MaxMessages: 8, Criteria: []Criterion{{ID: "working_means"}}}}}
	for messages, want := range map[int]string{2: "", 5: "", 6: AskWrite, 7: AskWrite} {
		goal.Messages = messages
		if got := (floor{table, goal}).task(); got.ask != want {
			t.Errorf("%d of 8 messages: asked to %q, want %q", messages, got.ask, want)
		}
	}
}

func TestCueIsReadBack(t *testing.T) {
	for _, ask := range []string{AskOpen, AskTalk, AskPropose, AskVote, AskWrite, AskRevise, AskResearch, AskReply} {
		want := Cue{
			Who: "skeptic", Name: "Skeptic", Turn: 7, Ask: ask, Phase: "ideation", PhaseText: "Ideation (3 of 5). Find angles: many", Missing: []string{"a", "b"},
			Open:  []OpenProposal{{N: 2, By: "advocate", Title: "Lead: with the bike", Against: []string{"analyst", "you"}}, {N: 3, By: "you", Title: "x"}},
			Taken: []string{"P1, Lead with it", "P4, Hero copy: Stay in"}, Asked: "skeptic", Best: "P2", Research: Quota{Used: 1, Max: 5, Required: 1}, Closing: ask == AskVote, Means: "what it holds",
		}
		switch ask {
		case AskPropose, AskRevise, AskReply:
			want.About = "P2"
		case AskWrite:
			want.About, want.Final = "hero_copy", true
		}
		got, ok := parseCue(want.String())
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s:\n%s\n%s", ask, want, diff)
		}
	}
}

func TestPersonas_ABadFileHidesNoGoodOne(t *testing.T) {
	folder := fstest.MapFS{
		"treasurer.md": {Data: []byte("---\nname: The Treasurer\nshort: asks what it costs\nmodel: demo\nleads: verdict, Business-Model\n---\nYou look after the money.\n")},
		"plain.md":     {Data: []byte("You are plain.\r\nVery plain.")},
		"again.md":     {Data: []byte("---\nid: plain\n---\nYou are plain, too.")},
		"open.md":      {Data: []byte("---\nname: Open\nYou never end.")},
		"empty.md":     {Data: []byte("---\nname: Empty\n---\n  \n")},
		"odd.md":       {Data: []byte("---\nname: Odd\ncolour: red\n---\nYou are odd.")},
		"twice.md":     {Data: []byte("---\nname: A\nname: B\n---\nYou are two.")},
		"escape.md":    {Data: []byte("You are \x1b[31mred.")},
		"bytes.md":     {Data: []byte("You are \xff\xfe.")},
		"you.md":       {Data: []byte("You are the person.")},
		"No Name.md":   {Data: []byte("You have no id.")},
		"large.md":     {Data: []byte(strings.Repeat("long ", 20_000))},
		"readme.txt":   {Data: []byte("not a persona")},
		"sub/deep.md":  {Data: []byte("You are too deep.")},
	}
	all, errs := LoadPersonas(folder)
	want := []Persona{
		{ID: "again", Name: "Again", Prompt: "You are plain, too."},
		{ID: "plain", Name: "Plain", Prompt: "You are plain.\nVery plain."},
		{ID: "treasurer", Name: "The Treasurer", Short: "asks what it costs", Model: "demo", Leads: []string{"verdict", "business-model"}, Prompt: "You look after the money."},
	}
	want[0].ID, want[0].Name = "plain", "Plain" // the first of two with one id
	want = []Persona{want[0], want[2]}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("personas:\n%s", diff)
	}
	var text []string
	for _, err := range errs {
		text = append(text, err.Error())
	}
	joined := strings.Join(text, "\n")
	for _, wanted := range []string{
		`plain.md: the id "plain" is already that of again.md`, "open.md:1: the head begins with ---", "empty.md:4: it says nothing", `odd.md:3: "colour" is not known`,
		"twice.md:3: name is given twice", "escape.md:1: it holds the control character U+001B", "bytes.md:1: it holds a byte that is not UTF-8",
		`you.md:1: the id "you" is taken`, "No Name.md:1: invalid id", "large.md: 100000 bytes are over the limit",
	} {
		if !strings.Contains(joined, wanted) {
			t.Errorf("no error %q in\n%s", wanted, joined)
		}
	}
	if len(errs) != 10 {
		t.Errorf("%d errors:\n%s", len(errs), joined)
	}
}

func TestPersonas_TheBuiltInFive(t *testing.T) {
	cast, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ids(cast), " "); got != "skeptic pragmatist analyst advocate contrarian" {
		t.Errorf("the cast is %s", got)
	}
	for _, p := range cast {
		if len(p.Prompt) < 500 || p.Short == "" || len(p.Leads) == 0 {
			t.Errorf("%s says too little of itself", p.ID)
		}
	}
}

func TestCast(t *testing.T) {
	all, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for ids, want := range map[string]string{
		"skeptic,nobody": `no persona "nobody"`, "skeptic,skeptic": "named twice", "skeptic": "at least two",
	} {
		if _, err := Cast(all, strings.Split(ids, ",")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", ids, err)
		}
	}
	cast, err := Cast(all, []string{"analyst", " skeptic"})
	if err != nil || cast[0].ID != "analyst" || cast[1].ID != "skeptic" {
		t.Errorf("%v, %v", cast, err)
	}
}

func FuzzPersona(f *testing.F) {
	for _, seed := range []string{"---\nname: A\n---\nYou are.", "You are.", "---\n", "---\n---\n", "---\nid: x\nmodel: y\nleads: a, b\n---\r\nbody", "\ufeff---\nname: A\n---\nB", "---\n: \n---\nB"} {
		f.Add("a.md", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, file string, raw []byte) {
		p, err := ParsePersona(file, raw)
		if err == nil && (!personaID().MatchString(p.ID) || p.Name == "" || p.Prompt == "") {
			t.Errorf("taken without an id, a name or words: %+v", p)
		}
	})
}

func FuzzTable(f *testing.F) {
	for _, seed := range []string{"[AGREEMENT] P1: yes", "[PROPOSAL] New version of P1: x\n## H\nbody", "**[QUESTION: a]** b", "```\n[DONE: x]", "[[[[", "[RESEARCH:", "[AGREEMENT][DISAGREEMENT] P99999999999: x", "\xff[ARGUMENT]"} {
		f.Add(seed)
	}
	cast, err := BuiltIn()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table := NewTable(cast, nil)
		for i, by := range []string{"skeptic", "analyst", You, "skeptic"} {
			table.Hear(i+1, speak(by, text))
		}
		for _, p := range table.Proposals {
			if pro, con := p.Shares(len(cast)); pro < 0 || con < 0 || pro+con > 1 {
				t.Errorf("shares %v and %v", pro, con)
			}
		}
		parseCue(text)
		if table.Turns != 3 {
			t.Errorf("%d turns", table.Turns)
		}
	})
}

func TestPlayer_TakesABriefApart(t *testing.T) {
	for brief, want := range map[string]topic{
		"A landing page for a bakery that delivers by bike": {thing: "landing page", subject: "a bakery that delivers by bike", core: "the bakery", trait: "delivers by bike", word: "bakery"},
		"A library of tools in every street.":               {thing: "answer", subject: "a library of tools in every street", core: "the library", trait: "does one thing well", word: "library"},
		"Should we rent out cargo bikes to bakeries?":       {thing: "answer", subject: "the question \"Should we rent out cargo bikes to bakeries?\"", core: "the idea", trait: "does one thing well", word: "bakeries"},
		"":        {thing: "answer", core: "the idea", trait: "does one thing well"},
		"für":     {thing: "answer", subject: "für", core: "the für", trait: "does one thing well", word: "für"},
		" for \n": {thing: "answer", subject: "for", core: "the for", trait: "does one thing well", word: "for"},
	} {
		want.brief = strings.TrimRight(strings.TrimSpace(brief), ".?")
		if diff := cmp.Diff(want, topicOf(brief), cmp.AllowUnexported(topic{})); diff != "" {
			t.Errorf("%q:\n%s", brief, diff)
		}
	}
}

// TestPlayer_SaysEveryLine: nothing is left unfilled, whoever speaks about whatever.
func TestPlayer_SaysEveryLine(t *testing.T) {
	p := NewPlayer(0)
	for _, who := range []string{"skeptic", "pragmatist", "analyst", "advocate", "contrarian", "treasurer"} {
		for _, ask := range []string{AskOpen, AskTalk, AskPropose, AskVote, AskWrite, AskRevise, AskResearch, AskReply} {
			for turn := 1; turn < 20; turn++ {
				cue := Cue{Who: who, Name: Heading(who), Turn: turn, Ask: ask, About: "cta", Open: []OpenProposal{{N: turn, By: "you", Title: "Lead with it"}}}
				text := scene{Player: p, cue: cue, topic: topicOf("A poster for a library that lends tools")}.say()
				if strings.ContainsAny(text, "{}") || len(text) < 20 || len(speech.Read(text).Tags) == 0 {
					t.Errorf("%s, %s, turn %d: %q", who, ask, turn, text)
				}
			}
		}
	}
}
