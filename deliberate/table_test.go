package deliberate

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
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
	table := NewTable(cast)
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

func TestTags(t *testing.T) {
	for text, want := range map[string][]Tag{
		"[ARGUMENT] so it is":                           {{Kind: Argument, Text: "so it is"}},
		"[QUESTION: skeptic] how?":                      {{Kind: Question, Arg: "skeptic", Text: "how?"}},
		"[agreement] p2, P3: fine":                      {{Kind: Agreement, Arg: "p2, P3", Text: "fine"}},
		"**[AGREEMENT]** P1: fine":                      {{Kind: Agreement, Arg: "P1", Text: "fine"}},
		"[AGREEMENT] P1: a\n\n[DISAGREEMENT] P2: b\nc":  {{Kind: Agreement, Arg: "P1", Text: "a"}, {Kind: Disagreement, Arg: "P2", Text: "b\nc"}},
		"[RESEARCH: prices of bread]":                   {{Kind: Research, Arg: "prices of bread"}},
		"[PROPOSAL] P1 is fine as a name":               {{Kind: Offer, Text: "P1 is fine as a name"}},
		"[question](https://example.org) is a link":     nil,
		"[NOTE] is no tag":                              nil,
		"text [PROPOSAL] inside":                        nil,
		"[PROPOSAL] a\n```\n[AGREEMENT] P1: code\n```":  {{Kind: Offer, Text: "a\n[AGREEMENT] P1: code"}},
		"[PROPOSAL" + strings.Repeat("x", 500) + "] no": nil,
		"":   nil,
		"[]": nil,
		"[":  nil,
	} {
		if diff := cmp.Diff(want, Tags(text)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
	if n := len(Tags(strings.Repeat("[ARGUMENT] a\n", 1000))); n != maxTags {
		t.Errorf("%d tags were taken of one message", n)
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

func TestCueIsReadBack(t *testing.T) {
	for _, ask := range []string{AskOpen, AskTalk, AskPropose, AskVote, AskWrite, AskRevise, AskResearch, AskReply} {
		want := Cue{
			Who: "skeptic", Name: "Skeptic", Turn: 7, Ask: ask, Phase: "ideation", PhaseText: "Ideation (3 of 5). Find angles: many", Missing: []string{"a", "b"},
			Open: []OpenProposal{{N: 2, By: "advocate", Title: "Lead: with the bike", Against: []string{"analyst", "you"}}, {N: 3, By: "you", Title: "x"}},
			Best: "P2", Research: Quota{Used: 1, Max: 5, Required: 1}, Closing: ask == AskVote, Means: "what it holds",
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
		`you.md:1: the id "you" is taken`, "No Name.md:1: the id", "large.md: 100000 bytes are over the limit",
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

func FuzzTags(f *testing.F) {
	for _, seed := range []string{"[AGREEMENT] P1: yes", "[PROPOSAL] New version of P1: x\n## H\nbody", "**[QUESTION: a]** b", "```\n[DONE: x]", "[[[[", "[RESEARCH:", "[AGREEMENT][DISAGREEMENT] P99999999999: x", "\xff[ARGUMENT]"} {
		f.Add(seed)
	}
	cast, err := BuiltIn()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table := NewTable(cast)
		for i, by := range []string{"skeptic", "analyst", You, "skeptic"} {
			table.Hear(i+1, speak(by, text))
		}
		for _, p := range table.Proposals {
			if pro, con := p.Shares(len(cast)); pro < 0 || con < 0 || pro+con > 1 {
				t.Errorf("shares %v and %v", pro, con)
			}
		}
		headings(text)
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
				if strings.ContainsAny(text, "{}") || len(text) < 20 || len(Tags(text)) == 0 {
					t.Errorf("%s, %s, turn %d: %q", who, ask, turn, text)
				}
			}
		}
	}
}
