package demo_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
)

func parse(t *testing.T, text string) *talk {
	t.Helper()
	s, err := demo.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	k := newTalk(t, everything...)
	k.model = demo.Play("x.script", s, demo.Options{})
	return k
}

const tour = `
# a tour
reply
say I look around.
say
say   Slowly.
call list {"path": "."}
call read {"path":"a b"}

reply when TIDY it
say There is nothing to tidy.
reply
say Done.
`

func TestAScriptIsPlayedInOrder(t *testing.T) {
	k := parse(t, tour)
	if k.model.Name() != "demo:x.script" {
		t.Errorf("name %q", k.model.Name())
	}
	replies := k.say("please tidy it")
	want := trimtab.Message{Role: trimtab.RoleAssistant, Model: "demo:x.script", Usage: replies[0].Usage, Parts: []trimtab.Part{
		trimtab.Text{Text: "I look around.\n\n  Slowly.", By: trimtab.Model},
		trimtab.ToolCall{ID: "script-1-1", Name: "list", Input: json.RawMessage(`{"path":"."}`)},
		trimtab.ToolCall{ID: "script-1-2", Name: "read", Input: json.RawMessage(`{"path":"a b"}`)},
	}}
	if diff := cmp.Diff(want, replies[0]); diff != "" {
		t.Errorf("first reply (-want +got):\n%s", diff)
	}
	got := []string{replies[1].Text(), said(k.say("and now")), said(k.say("and now"))}
	if diff := cmp.Diff([]string{"There is nothing to tidy.", "Done.", "The script is over: it has no more replies."}, got); diff != "" {
		t.Errorf("the rest (-want +got):\n%s", diff)
	}
}

func TestAReplyThatDoesNotFitThePromptIsLeftOut(t *testing.T) {
	k := parse(t, tour)
	replies := k.say("hello")
	if got := replies[len(replies)-1].Text(); got != "Done." {
		t.Errorf("got %q", got)
	}
	k = parse(t, "reply when tidy\nsay ok\n")
	if got := said(k.say("hello")); !strings.Contains(got, "No reply that is left in the script fits") {
		t.Errorf("got %q", got)
	}
	if got := said(k.say("tidy")); got != "ok" {
		t.Errorf("got %q", got)
	}
}

func TestAScriptKnowsWhereItStandsBehindAFold(t *testing.T) {
	k := parse(t, "reply\nsay one\nreply\ncall list\nreply\nsay three\n")
	k.messages = []trimtab.Message{
		trimtab.Prompt("go"), // "one" is folded away
		{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "script-2-1", Name: "list"}}},
		{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "script-2-1"}}},
	}
	if got := said(k.goOn()); got != "three" {
		t.Errorf("got %q", got)
	}
}

func TestAScriptedFailureIsOverWithTheNextPrompt(t *testing.T) {
	k := parse(t, "reply\nsay half a\nfail the line is dead\nreply\nsay back\n")
	k.messages = []trimtab.Message{trimtab.Prompt("go")}
	for range 2 { // a retry fails again
		pieces := 0
		var last error
		for _, err := range k.model.Stream(t.Context(), k.request()) {
			pieces, last = pieces+1, err
		}
		if pieces != 3 || last == nil || last.Error() != "the line is dead" {
			t.Errorf("%d pieces, then %v", pieces, last)
		}
	}
	if got := said(k.say("go on")); got != "back" {
		t.Errorf("got %q", got)
	}
}

func TestAScriptErrorNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "no reply",
		"# only a comment\n":           "no reply",
		"say x\n":                      `line 1: "say" stands before the first reply`,
		"reply\n\nreply\nsay x\n":      "line 3: the reply that ends here says nothing",
		"reply\n":                      "line 1: the reply that ends here says nothing",
		"reply\nsing x\n":              `line 2: "sing" is not one of reply, say, call, fail`,
		"reply if x\nsay x\n":          `line 1: after "reply" may stand "when"`,
		"reply when\nsay x\n":          "line 1:",
		"reply\ncall\n":                `line 2: "call" wants the name of a tool`,
		"reply\ncall list {\"a\"}\n":   `line 2: the input of "list" is not a JSON object`,
		"reply\ncall list []\n":        `line 2: the input of "list" is not a JSON object`,
		"reply\ncall list null\n":      `line 2: the input of "list" is not a JSON object`,
		"reply\ncall list\nsay late\n": `line 3: "say" stands before the calls`,
		"reply\nfail\n":                `line 2: "fail" wants`,
		"reply\nfail x\nsay y\n":       `line 3: nothing follows "fail"`,
		"reply\nsay \xff\n":            "UTF-8",
		"reply\n" + strings.Repeat("call a\n", 65): "line 66: too large",
	} {
		_, err := demo.Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: err = %v, want %q in it", text, err, want)
		}
	}
	for _, text := range []string{strings.Repeat("#", 1<<20+1), strings.Repeat("reply\nsay\nfail x\n", 10001)} {
		if _, err := demo.Parse([]byte(text)); !errors.Is(err, trimtab.ErrTooLarge) {
			t.Errorf("%d bytes: err = %v", len(text), err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{tour, "reply\nfail x", "reply when a\nsay b\r\nreply\ncall c {}", "reply\ncall a {\"b\":\"\\u0000\"}", "say", "reply \n", "#\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := demo.Parse(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "script: ") {
				t.Fatalf("err = %v", err)
			}
			return
		}
		m := demo.Play("f", s, demo.Options{})
		messages := []trimtab.Message{trimtab.Prompt("a b")}
		for range 3 {
			reply, _, err := llm.Collect(m.Stream(t.Context(), llm.Request{Messages: messages}))
			if err != nil {
				return
			}
			if len(reply.Parts) == 0 {
				t.Fatal("an empty reply")
			}
			if _, err := json.Marshal(reply); err != nil {
				t.Fatalf("a reply that cannot be stored: %v", err)
			}
			messages = append(messages, reply)
		}
	})
}
