package guidance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

// block is an answer of an agent with one call, or with none.
func block(says, tool, input string) string {
	calls := []map[string]any{}
	if tool != "" {
		calls = append(calls, map[string]any{"tool": tool, "input": map[string]string{"command": input, "file_path": input}})
	}
	raw, err := json.Marshal(map[string]any{"says": says, "calls": calls})
	if err != nil {
		panic(err)
	}
	return "I think.\n\n```json\n" + string(raw) + "\n```\n"
}

func request(kind, about string, turns ...improve.Turn) improve.Request {
	return improve.Request{Pattern: improve.Pattern{Type: kind, Context: improve.Context{improve.KeyAbout: about}}, Turns: turns}
}

// script answers one prompt after the other, and remembers what it was asked.
type script struct {
	answers []string
	asked   []string
}

func (s *script) ask(_ context.Context, step, prompt string) (string, error) {
	s.asked = append(s.asked, step+"\n"+prompt)
	if len(s.asked) > len(s.answers) {
		return "", errors.New("asked too often")
	}
	return s.answers[len(s.asked)-1], nil
}

// TestR21_RulesJudgeWhereTheyCan, and an agent where they cannot.
func TestR21_RulesJudgeWhereTheyCan(t *testing.T) {
	push := improve.Turn{Call: improve.Call{Tool: "Bash", About: "git push origin main", Runs: true}, Did: "pushes", Outcome: "no"}
	reason := push
	reason.Reason = "not to main"
	for _, c := range []struct {
		name   string
		req    improve.Request
		answer string
		want   improve.TurnVerdict // Unclear: an agent is asked
	}{
		{"the same command", request(improve.SaidNo, "no to git push", push), block("", "Bash", "cd x && git push origin main"), improve.WrongAgain},
		{"the same kind of command", request(improve.SaidNo, "no to git push", push), block("", "Bash", "git push --force"), improve.WrongAgain},
		{"the same kind, where a reason was given", request(improve.SaidNo, "no to git push", reason), block("", "Bash", "git push origin page/1"), improve.Unclear},
		{"another command", request(improve.SaidNo, "no to git push", push), block("", "Bash", "git status"), improve.WentRight},
		{"a change that was sent back", request(improve.SaidNo, "no to a change of a file", improve.Turn{Call: improve.Call{Tool: "Edit"}}), block("", "Edit", "x.go"), improve.Unclear},
		{"the guessed path", request(improve.GuessedPath, ".golangci.yml"), block("", "Read", "/home/a/p/.golangci.yml"), improve.WrongAgain},
		{"the guessed path in a command", request(improve.GuessedPath, "cmd/x"), block("", "Bash", "ls 'cmd/x'; pwd"), improve.WrongAgain},
		{"a path that only begins so", request(improve.GuessedPath, ".golangci.yml"), block("", "Read", ".golangci.yaml"), improve.WentRight},
		{"nothing asked for", request(improve.GuessedPath, ".golangci.yml"), block("Where is it?", "", ""), improve.Unclear},
		{"ends with no check", request(improve.Unproved, "x"), block("Done.", "", ""), improve.WrongAgain},
		{"checks first", request(improve.ReportedRed, "x"), block("", "Bash", "go test ./..."), improve.WentRight},
		{"does something else first", request(improve.ReportedRed, "x"), block("", "Bash", "ls"), improve.Unclear},
		{"stops again", request(improve.PrematureStop, "x"), block("Next I would.", "", ""), improve.WrongAgain},
		{"goes on", request(improve.PrematureStop, "x"), block("", "Bash", "ls"), improve.WentRight},
		{"a rule of a linter", request(improve.LintRule, "errcheck"), block("", "Edit", "x.go"), improve.Unclear},
		{"a correction", request(improve.SameCorrection, "use tabs"), block("ok", "", ""), improve.Unclear},
	} {
		if len(c.req.Turns) == 0 {
			c.req.Turns = []improve.Turn{{Did: "something", Outcome: "it was wrong"}}
		}
		s := &script{answers: []string{c.answer, "```json\n{\"again\": true, \"why\": \"as before\"}\n```"}}
		got, err := Replayer{}.Without(t.Context(), c.req, nil, s.ask)
		if c.want == improve.WentRight { // it is asked again, and there is no further answer
			if err == nil || len(s.asked) < 2 || !strings.HasPrefix(s.asked[1], StepReplay) {
				t.Errorf("%s: %v, %v", c.name, got, err)
			}
			continue
		}
		if err != nil || got[0].Verdict != improve.WrongAgain {
			t.Errorf("%s: %+v, %v", c.name, got, err)
			continue
		}
		by := "rule"
		if c.want == improve.Unclear {
			by = "agent"
		}
		if got[0].By != by {
			t.Errorf("%s: judged by %s", c.name, got[0].By)
		}
	}
}

// TestR21_ReplayIsFair: what goes wrong seldom is asked for more often without the
// change, and then as often with it; the judge is not told which of the two it reads.
func TestR21_ReplayIsFair(t *testing.T) {
	req := request(improve.PrematureStop, "x", improve.Turn{Did: "stopped", History: []improve.Spoken{{By: "person", Text: "mend it"}}})
	goes, stops := block("", "Bash", "ls"), block("Done.", "", "")
	s := &script{answers: []string{goes, stops, goes, goes}}
	without, err := Replayer{}.Without(t.Context(), req, []improve.ShownFile{{Name: "AGENTS.md", Text: "old words"}}, s.ask)
	if err != nil || without[0].Verdict != improve.WrongAgain || without[0].Asked != 2 {
		t.Fatalf("%+v, %v", without, err)
	}
	with, err := Replayer{}.With(t.Context(), req, without, []improve.ShownFile{{Name: "AGENTS.md", Text: "new words"}}, s.ask)
	if err != nil || with[0].Verdict != improve.WentRight || len(s.asked) != 4 {
		t.Fatalf("%+v, %v", with, err)
	}
	if !improve.Compare(without, with).Better() {
		t.Error("not better")
	}
	if !strings.Contains(s.asked[0], "old words") || strings.Contains(s.asked[0], "new words") || !strings.Contains(s.asked[3], "new words") || !strings.Contains(s.asked[3], "mend it") {
		t.Error("the prompts do not hold the files and the history")
	}
	req.Pattern.Type = improve.SameCorrection
	s = &script{answers: []string{stops, "no block"}}
	if got, err := (Replayer{}).With(t.Context(), req, without[:1], []improve.ShownFile{{Name: "AGENTS.md", Text: "new words"}}, s.ask); err == nil || len(s.asked) < 2 || strings.Contains(s.asked[1], "new words") {
		t.Errorf("%+v, %v\n%s", got, err, s.asked)
	}
}

// TestR21_NoBetterIsNoProof: an answer that cannot be read helps nobody, and half of the
// turns are not enough.
func TestR21_NoBetterIsNoProof(t *testing.T) {
	again, right := improve.Answer{Verdict: improve.WrongAgain}, improve.Answer{Verdict: improve.WentRight}
	for _, c := range []struct {
		without, with []improve.Answer
		recurs, want  bool
	}{
		{nil, nil, false, false},
		{[]improve.Answer{right}, nil, false, false},
		{[]improve.Answer{again}, []improve.Answer{right}, true, true},
		{[]improve.Answer{again}, []improve.Answer{again}, true, false},
		{[]improve.Answer{again}, []improve.Answer{{Verdict: improve.Unclear}}, true, false},
		{[]improve.Answer{again, again}, []improve.Answer{right, again}, true, false},
		{[]improve.Answer{again, again, again}, []improve.Answer{right, again, right}, true, true},
	} {
		got := improve.Compare(c.without, c.with)
		if got.Recurs() != c.recurs || got.Better() != c.want {
			t.Errorf("%s: recurs %v, better %v", got, got.Recurs(), got.Better())
		}
	}
}

// Whatever an agent says, reading it ends.
func TestAnswersThatAreNone(t *testing.T) {
	for _, words := range []string{"", "```json", "```json\n[]\n```", "{", "```\n{\"calls\": 3}\n```", strings.Repeat("```", 10_000), "{\"other\": 1}"} {
		if a, ok := parseAnswer(words); ok {
			t.Errorf("%.40q: %+v", words, a)
		}
	}
	many := fmt.Sprintf(`{"says": %q, "calls": [%s{"name": "Bash", "input": "ls"}]}`, strings.Repeat("x", 9000), strings.Repeat(`{"tool": "", "input": null},`, 500))
	a, ok := parseAnswer(many)
	if !ok || len(a.Calls) > maxCalls || len(a.Says) > maxSays+8 {
		t.Errorf("%v %d %d", ok, len(a.Calls), len(a.Says))
	}
}
