package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
)

// TestAReplyIsOneMessageHoweverItsLinesInterleave goes through every order in
// which three parallel calls of a reply and their results can be written.
func TestAReplyIsOneMessageHoweverItsLinesInterleave(t *testing.T) {
	orders := 0
	var write func(order []string)
	write = func(order []string) {
		calls, results := count(order, "c"), count(order, "r")
		if calls == 3 && results == 3 {
			orders++
			checkInterleaving(t, order)
			return
		}
		if calls < 3 {
			write(append(order[:len(order):len(order)], fmt.Sprintf("c%d", calls+1)))
		}
		for i := 1; i <= calls; i++ {
			if r := fmt.Sprintf("r%d", i); !strings.Contains(strings.Join(order, " "), r) {
				write(append(order[:len(order):len(order)], r))
			}
		}
	}
	write(nil)
	if orders != 15 { // 6!/(2·2·2) ways to write three pairs, over 3! for the fixed order of the calls
		t.Errorf("went through %d orders", orders)
	}
}

func count(order []string, prefix string) (n int) {
	for _, s := range order {
		if strings.HasPrefix(s, prefix) {
			n++
		}
	}
	return n
}

func checkInterleaving(t *testing.T, order []string) {
	t.Helper()
	s := (&script{t: t}).prompt("p1", "go")
	block := "p1"
	var results []string
	for _, o := range order {
		if n := o[1:]; o[0] == 'c' {
			s.calls("a"+n, "msg1", "t"+n, fields{"parentUuid": block})
			block = "a" + n
		} else {
			s.result(o, "t"+n, "a"+n)
			results = append(results, "t"+n)
		}
	}
	s.says("b1", "msg2", "done")
	for _, how := range []string{"tree", "file"} {
		var got []string
		for _, it := range inMode(t, s, how, transcript.Options{}) {
			got = append(got, gist(it.Message))
		}
		want := []string{"user go", "assistant call t1 call t2 call t3"}
		for _, r := range results {
			want = append(want, "user result "+r)
		}
		want = append(want, "assistant done")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, %v (-want +got):\n%s", how, order, diff)
		}
	}
}

// inMode reads a script by its tree or in file order.
func inMode(t testing.TB, s *script, how string, opt transcript.Options) []transcript.Item {
	t.Helper()
	if how == "file" {
		items, damaged := read(t, pipe{strings.NewReader(s.String())}, opt)
		if len(damaged) > 0 {
			t.Fatal(damaged)
		}
		return items
	}
	items, damaged := read(t, strings.NewReader(s.String()), opt)
	if len(damaged) > 0 {
		t.Fatal(damaged)
	}
	return items
}

// gist tells a message in a few words.
func gist(m trimtab.Message) string {
	out := string(m.Role)
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			out += " " + p.Text
		case trimtab.ToolCall:
			out += " call " + p.ID
		case trimtab.ToolResult:
			out += " result " + p.ID
		case trimtab.Opaque:
			out += " " + p.Kind
		}
	}
	return out
}

func gists(items []transcript.Item) (out []string) {
	for _, it := range items {
		out = append(out, gist(it.Message))
	}
	return out
}

func TestTheLastLineOfAReplyHasItsUsage(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "go").says("a1", "msg1", "one").says("a2", "msg1", "two").calls("a3", "msg1", "t1")
	items := inMode(t, s, "tree", transcript.Options{})
	m := items[1].Message
	if m.ID != "a1" || m.Usage == nil || m.Usage.Output != 3 || m.Model != "m" || items[1].Line != 2 {
		t.Errorf("got %+v with %+v", items[1], m.Usage)
	}
}

func TestRepliesWithoutAnIDAreNotJoined(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "go").says("a1", "", "one").says("a2", "", "two")
	want := []string{"user go", "assistant one", "assistant two"}
	if diff := cmp.Diff(want, gists(inMode(t, s, "file", transcript.Options{}))); diff != "" {
		t.Error(diff)
	}
}

func TestAPromptEndsTheReplyBeforeIt(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "go").says("a1", "msg1", "one").prompt("p2", "on").says("a2", "msg1", "two")
	want := []string{"user go", "assistant one", "user on", "assistant two"}
	if diff := cmp.Diff(want, gists(inMode(t, s, "file", transcript.Options{}))); diff != "" {
		t.Error(diff)
	}
}

func TestSubAgentsBetweenTheLinesOfAReplyStayApart(t *testing.T) {
	in := func(agent string) fields { return fields{"isSidechain": true, "agentId": agent} }
	s := (&script{t: t}).prompt("p1", "go").calls("a1", "msg1", "t1")
	s.prompt("x1", "look", in("x")).says("x2", "msgX", "look", in("x"))
	s.prompt("y1", "see", in("y")).says("y2", "msgY", "see", in("y"))
	s.calls("x3", "msgX", "tx", in("x")).calls("a2", "msg1", "t2").calls("y3", "msgY", "ty", in("y"))
	s.result("r1", "t1", "a1").result("r2", "t2", "a2").says("b1", "msg2", "done")
	for _, how := range []string{"tree", "file"} {
		want := []string{"user go", "assistant call t1 call t2", "user result t1", "user result t2", "assistant done"}
		if diff := cmp.Diff(want, gists(inMode(t, s, how, transcript.Options{}))); diff != "" {
			t.Errorf("%s, main only (-want +got):\n%s", how, diff)
		}
		want = []string{
			"user go", "assistant call t1 call t2", "user look", "assistant look call tx", "user see", "assistant see call ty",
			"user result t1", "user result t2", "assistant done",
		}
		if diff := cmp.Diff(want, gists(inMode(t, s, how, transcript.Options{Side: true}))); diff != "" {
			t.Errorf("%s, with sides (-want +got):\n%s", how, diff)
		}
	}
}

func TestHeldLinesAreBounded(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "go").calls("a1", "msg1", "t1")
	for i := range 5000 {
		s.shown(fmt.Sprintf("h%d", i), "x")
	}
	s.calls("a2", "msg1", "t2")
	items := inMode(t, s, "file", transcript.Options{})
	if len(items) != 5003 || gist(items[1].Message) != "assistant call t1" || gist(items[5002].Message) != "assistant call t2" {
		t.Errorf("%d items, %s … %s", len(items), gist(items[1].Message), gist(items[len(items)-1].Message))
	}
}

func TestPartsAreReadByTheirKind(t *testing.T) {
	image := fields{"type": "image", "source": fields{"data": "AAAA"}}
	s := (&script{t: t}).prompt("p1", "", fields{"message": fields{"role": "user", "content": []any{fields{"type": "text", "text": "look"}, image}}})
	s.block("a1", "msg1", fields{"type": "thinking", "thinking": "hm", "signature": "s"}).calls("a2", "msg1", "t1").calls("a3", "msg1", "t2")
	s.block("a4", "msg1", fields{"type": "server_tool_use", "id": "w1", "name": "web_search", "input": fields{}})
	s.result("r1", "t1", "a2", fields{"message": fields{"role": "user", "content": []any{fields{
		"type": "tool_result", "tool_use_id": "t1",
		"is_error": true, "content": []any{fields{"type": "text", "text": "Exit code 1"}, image, fields{"type": "text", "text": "no"}},
	}}}})
	s.result("r2", "t2", "a3", fields{"message": fields{"role": "user", "content": []any{fields{"type": "tool_result", "tool_use_id": "t2"}}}})
	want := `1 user
  person: "look"
  person: [image, 41 bytes]
2 assistant m in=1 out=4 read=0 write=0
  model: [thinking, 51 bytes]
  call t1 Bash {"command":"run t1"}
  call t2 Bash {"command":"run t2"}
  model: [server_tool_use, 67 bytes]
6 user
  failure t1 "Exit code 1\nno"
  tool: [image, 41 bytes]
7 user
  result t2 ""
`
	if diff := cmp.Diff(want, text(t, strings.NewReader(s.String()), transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatTheHostWritesInTheModelsPlaceIsNoStep(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "go")
	s.says("a1", "u1", "Prompt is too long", fields{"isApiErrorMessage": true})
	s.put("assistant", "a2", fields{"message": fields{"id": "u2", "model": "<synthetic>", "content": []any{fields{"type": "text", "text": "No response requested."}}}})
	for _, it := range inMode(t, s, "tree", transcript.Options{})[1:] {
		m := it.Message
		if m.Role != trimtab.RoleSystem || m.Usage != nil || m.Parts[0].(trimtab.Text).By != trimtab.Host {
			t.Errorf("got %+v", m)
		}
	}
}

func gistText(p trimtab.Part) string {
	t, _ := p.(trimtab.Text)
	return t.Text
}
