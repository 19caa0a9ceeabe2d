package agents

import (
	"encoding/json"
	"strings"
)

// Verdict is what a reviewer decides, and why.
type Verdict struct {
	Accepts  bool       `json:"accepts"`
	Why      string     `json:"why"`
	Criteria []Judgment `json:"criteria,omitempty"`
}

// Judgment is what a reviewer says of one acceptance criterion.
type Judgment struct {
	Criterion int    `json:"criterion"` // from 1
	Met       bool   `json:"met"`
	Proof     string `json:"proof"` // names a test, a place in a file or a command
}

// maxWhy is the most of a reason or a proof.
const maxWhy = 1000

// ParseVerdict reads the verdict of a review: the last block of JSON with one. It is false
// where there is none, or one without a reason: an empty list of findings decides nothing.
func ParseVerdict(text string) (Verdict, bool) {
	text = clip(text, maxReview)
	blocks := fenced(text)
	if bare := strings.TrimSpace(text); strings.HasPrefix(bare, "{") {
		blocks = append(blocks, bare)
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		var in struct {
			Verdict  string     `json:"verdict"`
			Why      string     `json:"why"`
			Criteria []Judgment `json:"criteria"`
		}
		if json.Unmarshal([]byte(blocks[i]), &in) != nil || in.Verdict == "" {
			continue
		}
		v := Verdict{Why: shown(in.Why)}
		switch strings.ToLower(strings.TrimSpace(in.Verdict)) {
		case "accept", "accepted", "approve", "approved":
			v.Accepts = true
		case "refuse", "refused", "reject", "rejected":
		default:
			return Verdict{}, false
		}
		for _, c := range in.Criteria[:min(len(in.Criteria), maxFindings)] {
			c.Proof = shown(c.Proof)
			v.Criteria = append(v.Criteria, c)
		}
		return v, len(strings.Fields(v.Why)) >= leastWhy
	}
	return Verdict{}, false
}

// leastWhy is the fewest words of a reason.
const leastWhy = 4

// shown is a text within its limit.
func shown(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) > maxWhy {
		s = strings.ToValidUTF8(s[:maxWhy], "") + " …"
	}
	return s
}
