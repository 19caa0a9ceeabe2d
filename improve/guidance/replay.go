package guidance

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/project"
)

//go:embed prompt/*.md
var prompts embed.FS

// The steps that an agent is asked for, as it is told them.
const (
	StepReplay = "replay"
	StepJudge  = "judge"
)

// Replayer replays turns. The zero value is ready.
type Replayer struct{}

// replay is one replay.
type replay struct {
	pattern improve.Pattern
	ask     improve.Ask
}

// mostAsked is how often a turn that goes right without the change is asked: agents do
// not answer the same each time, and a trouble may be seldom.
const mostAsked = 3

// Without replays each turn with the files as they were: until it goes wrong, as often
// as mostAsked.
func (Replayer) Without(ctx context.Context, req improve.Request, files []improve.ShownFile, ask improve.Ask) ([]improve.Answer, error) {
	r := replay{req.Pattern, ask}
	var out []improve.Answer
	for i := range req.Turns {
		a, err := r.until(ctx, i, req.Turns[i], files, mostAsked)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// With replays the turns that went wrong without the change with the files as they are
// now, each as often as it took to go wrong: one that does not go wrong then is right.
func (Replayer) With(ctx context.Context, req improve.Request, without []improve.Answer, files []improve.ShownFile, ask improve.Ask) ([]improve.Answer, error) {
	r := replay{req.Pattern, ask}
	var out []improve.Answer
	for _, before := range without {
		if before.Verdict != improve.WrongAgain || before.Turn >= len(req.Turns) {
			continue
		}
		a, err := r.until(ctx, before.Turn, req.Turns[before.Turn], files, max(before.Asked, 1))
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// until asks a turn until it goes wrong, at most so often.
func (r replay) until(ctx context.Context, n int, t improve.Turn, files []improve.ShownFile, most int) (improve.Answer, error) {
	var last improve.Answer
	for try := 1; try <= most; try++ {
		a, err := r.one(ctx, t, files)
		if err != nil {
			return a, err
		}
		a.Turn, a.Asked = n, try
		if a.Verdict == improve.WrongAgain {
			return a, nil
		}
		if try == 1 || a.Verdict == improve.Unclear || last.Verdict == improve.WentRight {
			last = a
		}
	}
	last.Asked = most
	return last, nil
}

// one asks a turn once. An answer that cannot be read is asked for a second time.
func (r replay) one(ctx context.Context, t improve.Turn, files []improve.ShownFile) (improve.Answer, error) {
	prompt, err := fill("replay.md", map[string]any{"Turn": t, "Files": files})
	if err != nil {
		return improve.Answer{}, err
	}
	for try := 1; ; try++ {
		words, err := r.ask(ctx, StepReplay, prompt)
		if err != nil {
			return improve.Answer{}, err
		}
		if a, ok := parseAnswer(words); ok {
			return r.judge(ctx, t, a, files)
		}
		if try == 2 {
			return improve.Answer{Says: clip(words), Verdict: improve.Unclear, By: "rule", Why: "the answer has no block that tells what it would do"}, nil
		}
	}
}

// judge says how an answer went: a rule where one can tell, else an agent that is not
// told whether the change was there.
func (r replay) judge(ctx context.Context, t improve.Turn, a improve.Answer, files []improve.ShownFile) (improve.Answer, error) {
	if v, why := byRule(r.pattern, t, a); v != improve.Unclear {
		a.Verdict, a.By, a.Why = v, "rule", why
		return a, nil
	}
	settings := slices.DeleteFunc(slices.Clone(files), func(f improve.ShownFile) bool { return r.pattern.Type != improve.LintRule || !project.IsLinter(f.Name) })
	prompt, err := fill("judge.md", map[string]any{"Settings": settings, "Pattern": r.pattern, "About": r.pattern.Context.Text(improve.KeyAbout), "Turn": t, "Answer": a.Text()})
	if err != nil {
		return a, err
	}
	words, err := r.ask(ctx, StepJudge, prompt)
	if err != nil {
		return a, err
	}
	var said struct {
		Again *bool  `json:"again"`
		Why   string `json:"why"`
	}
	a.By, a.Verdict, a.Why = "agent", improve.Unclear, "the judge gave no verdict"
	if lastBlock(words, &said) && said.Again != nil {
		a.Verdict, a.Why = improve.WentRight, trimtab.Clip(said.Why, 300)
		if *said.Again {
			a.Verdict = improve.WrongAgain
		}
	}
	return a, nil
}

const maxSays = 2000

func clip(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if short := trimtab.Clip(s, maxSays); short != s {
		return short + " …"
	}
	return s
}

// maxCalls is how many calls of an answer are looked at.
const maxCalls = 20

// parseAnswer reads the block that an answer ends with.
func parseAnswer(words string) (improve.Answer, bool) {
	var said struct {
		Says  *string `json:"says"`
		Calls *[]struct {
			Tool  string          `json:"tool"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"calls"`
	}
	if !lastBlock(words, &said) || said.Says == nil && said.Calls == nil {
		return improve.Answer{}, false
	}
	var a improve.Answer
	if said.Says != nil {
		a.Says = clip(*said.Says)
	}
	if said.Calls != nil {
		for _, c := range (*said.Calls)[:min(len(*said.Calls), maxCalls)] {
			tool := c.Tool
			if tool == "" {
				tool = c.Name
			}
			a.Calls = append(a.Calls, improve.ParseCall(tool, c.Input))
		}
	}
	return a, true
}

// lastBlock reads the last object of JSON in a text that is of the wanted form, in a
// fence or bare.
func lastBlock(words string, into any) bool {
	words = words[max(0, len(words)-256<<10):]
	for range 20 {
		at := strings.LastIndex(words, "```")
		if at < 0 {
			break
		}
		inner := strings.TrimSpace(strings.TrimPrefix(words[at+3:], "json"))
		if strings.HasPrefix(inner, "{") && json.NewDecoder(strings.NewReader(inner)).Decode(into) == nil {
			return true
		}
		words = words[:at]
	}
	bare := strings.TrimSpace(words)
	return strings.HasPrefix(bare, "{") && json.Unmarshal([]byte(bare), into) == nil
}

func fill(name string, data any) (string, error) {
	page, err := template.ParseFS(prompts, "prompt/"+name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := page.Execute(&b, data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return b.String(), nil
}
