package loop

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
)

// turn is a call and its result.
type turn struct {
	tool, input, result string
	failed              bool
}

// session makes messages of turns. A turn without a tool is a reply, or with
// "person" a prompt.
func session(turns ...turn) []trimtab.Message {
	var out []trimtab.Message
	for i, u := range turns {
		switch u.tool {
		case "":
			out = append(out, says(u.result))
		case "person":
			out = append(out, trimtab.Prompt(u.result))
		default:
			id := fmt.Sprint("c", i)
			out = append(out,
				trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: u.tool, Input: []byte(u.input)}}},
				trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: u.result, Failed: u.failed}}})
		}
	}
	return out
}

// steps returns the replies, from 1, at which a detector fires.
func steps(d Detector, messages []trimtab.Message) []int {
	var at []int
	step := 0
	for _, m := range messages {
		if m.Role == trimtab.RoleAssistant {
			step++
		}
		if d.See(m) != nil {
			at = append(at, step)
		}
	}
	return at
}

func TestD3_PeersFireWhereTheyPublishThatTheyDo(t *testing.T) {
	a, b := turn{"grep", `{"q":"x"}`, "none", false}, turn{"read", `{"f":"y"}`, "text", false}
	bad := turn{"make", `{}`, "no rule", true}
	news := func(i int) turn { return turn{"grep", `{"q":"x"}`, fmt.Sprint("result ", i), false} }
	person := turn{tool: "person", result: "go on"}
	of := func(n int, list ...turn) []turn { return slices.Repeat(list, n) }
	for _, c := range []struct {
		name, rule string
		turns      []turn
		want       []int
	}{
		{"opencode: two", "opencode", of(2, a), nil},
		{"opencode: every call that equals the two before", "opencode", of(5, a), []int{3, 4, 5}},
		{"opencode: results do not count", "opencode", []turn{news(1), news(2), news(3)}, []int{3}},
		{"opencode: another call in between", "opencode", []turn{a, a, b, a}, nil},
		{"opencode: a person in between", "opencode", []turn{a, a, person, a}, nil},
		{"roo: three", "roo", of(3, a), nil},
		{"roo: four, then four more", "roo", of(8, a), []int{4, 8}},
		{"cline: warns at three and stops at five", "cline", of(8, a), []int{3, 5}},
		{"cline: the checklist does not count", "cline", []turn{{"read", `{"f":1,"task_progress":"1"}`, "", false}, {"read", `{"f":1,"task_progress":"2"}`, "", false}, {"read", `{"task_progress":"3","f":1}`, "", false}}, []int{3}},
		{"gemini: four", "gemini", of(4, a), nil},
		{"gemini: five, once", "gemini", of(12, a), []int{5}},
		{"gemini: listens again when a person speaks", "gemini", slices.Concat(of(6, a), []turn{person}, of(5, a)), []int{5, 11}},
		{"crush: five equal of ten", "crush", slices.Concat(of(5, a), of(5, b)), nil},
		{"crush: six equal of ten", "crush", slices.Concat(of(6, a), []turn{b, news(1), news(2), news(3)}), []int{10}},
		{"crush: nothing before ten", "crush", of(9, a), nil},
		{"crush: another result is another step", "crush", []turn{news(1), news(2), news(3), news(4), news(5), news(6), news(7), news(8), news(9), news(10)}, nil},
		{"openhands: three equal pairs", "openhands", of(3, a), nil},
		{"openhands: four equal pairs", "openhands", of(4, a), []int{4}},
		{"openhands: results differ", "openhands", []turn{news(1), news(2), news(3), news(4), news(5)}, nil},
		{"openhands: two errors", "openhands", of(2, bad), nil},
		{"openhands: three errors", "openhands", of(3, bad), []int{3}},
		{"openhands: two replies alone", "openhands", []turn{{result: "one"}, {result: "two"}}, nil},
		{"openhands: three replies alone", "openhands", []turn{{result: "one"}, {result: "two"}, {result: "three"}}, []int{3}},
		{"openhands: replies that a person answers", "openhands", []turn{{result: "one"}, {result: "two"}, person, {result: "three"}}, nil},
		{"openhands: A and B over four", "openhands", of(2, a, b), nil},
		{"openhands: A and B over six", "openhands", of(3, a, b), []int{6}},
		{"openhands: A and B with other results", "openhands", []turn{news(1), b, news(2), b, news(3), b}, nil},
		{"openhands: three in turn are missed", "openhands", of(4, a, b, bad), nil},
		{"openhands: a person in between", "openhands", slices.Concat(of(3, a), []turn{person}, of(3, a)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Named(c.rule)
			if err != nil {
				t.Fatal(err)
			}
			if got := steps(d[0], session(c.turns...)); !slices.Equal(got, c.want) {
				t.Errorf("fired at %v, want %v", got, c.want)
			}
		})
	}
}

func TestD3_GeminiHearsAChant(t *testing.T) {
	line := "I will now look at the file and then I will decide. " // longer than a chunk
	for _, c := range []struct {
		name string
		said []string
		want bool
	}{
		{"ten times in one reply", []string{strings.Repeat(line, 11)}, true},
		{"spread over replies", slices.Repeat([]string{line}, 12), true},
		{"eight times", []string{strings.Repeat(line, 8)}, false},
		{"far apart", []string{strings.Repeat(line+prose20, 12)}, false},
		{"in a block of code", []string{"```\n" + strings.Repeat(line+"\n", 20) + "```\n"}, false},
		{"as a list", []string{strings.Repeat("- "+line+"\n", 20)}, false},
		{"many bytes to a letter", []string{strings.Repeat("жжжжжжжжжж ", 40)}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var messages []trimtab.Message
			for _, s := range c.said {
				messages = append(messages, says(s))
			}
			if got := alarms(Start(Gemini{}), messages...) != nil; got != c.want {
				t.Errorf("fired: %t, want %t", got, c.want)
			}
		})
	}
}

const prose20 = "Between them stands so much else that nobody would call it a chant, however often the sentence itself comes back to the reader. "

func TestCrushTakesParallelResultsInAnyOrder(t *testing.T) {
	both := func(i int) []trimtab.Message {
		one, two := trimtab.ToolResult{ID: fmt.Sprint("a", i), Text: "1"}, trimtab.ToolResult{ID: fmt.Sprint("b", i), Text: "2"}
		results := []trimtab.Part{one, two}
		if i%2 == 1 {
			slices.Reverse(results)
		}
		return []trimtab.Message{
			{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: one.ID, Name: "x"}, trimtab.ToolCall{ID: two.ID, Name: "y"}}},
			{Role: trimtab.RoleTool, Parts: results},
		}
	}
	var messages []trimtab.Message
	for i := range 10 {
		messages = append(messages, both(i)...)
	}
	if got := steps(Start(Crush{}), messages); !slices.Equal(got, []int{10}) {
		t.Errorf("fired at %v, want 10", got)
	}
}
