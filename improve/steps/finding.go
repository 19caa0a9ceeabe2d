package steps

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve/agents"
)

// Finding is one thing that a reviewer found.
type Finding struct {
	agents.Finding
	Kind string `json:"kind"` // "review" or "security review"
}

// Where names the place of a finding.
func (f Finding) Where() string {
	switch {
	case f.File == "":
		return "the change as a whole"
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.File
}

// Answer is what was done about a finding.
type Answer struct {
	Finding int    `json:"finding"` // from 1
	Text    string `json:"text"`
}

// maxAnswer is the most of an answer.
const maxAnswer = 4000

// Answers reads what an agent says that it did about n findings. Where it did not
// answer one by one, its words answer all of them.
func Answers(words string, n int) []Answer {
	var list []Answer
	said := map[int]string{}
	if block(words, &list) {
		for _, a := range list {
			if a.Finding >= 1 && a.Finding <= n && strings.TrimSpace(a.Text) != "" {
				said[a.Finding] = trimtab.Clip(strings.TrimSpace(a.Text), maxAnswer)
			}
		}
	} else if text := trimtab.Clip(strings.TrimSpace(words), maxAnswer); text != "" {
		for i := range n {
			said[i+1] = text
		}
	}
	var out []Answer
	for i := range n {
		if said[i+1] != "" {
			out = append(out, Answer{i + 1, said[i+1]})
		}
	}
	return out
}

// block reads the last block of JSON in a text that is of the wanted form.
func block(words string, into any) bool {
	words = words[max(0, len(words)-maxWords):]
	for range 20 {
		at := strings.LastIndex(words, "```json")
		if at < 0 {
			return strings.HasPrefix(strings.TrimSpace(words), "[") && json.Unmarshal([]byte(strings.TrimSpace(words)), into) == nil
		}
		if inner, _, ok := strings.Cut(words[at+len("```json"):], "```"); ok && json.Unmarshal([]byte(inner), into) == nil {
			return true
		}
		words = words[:at]
	}
	return false
}
