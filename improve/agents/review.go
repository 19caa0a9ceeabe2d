package agents

import (
	"encoding/json"
	"path"
	"strings"
)

// Finding is one thing that a reviewer wants mended.
type Finding struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Severity string `json:"severity"` // low, medium, high or critical
	Text     string `json:"text"`
}

// The limits of a review.
const (
	maxReview   = 1 << 20
	maxFindings = 100
	maxFinding  = 8 << 10
)

// ParseReview reads what a reviewer said: the last fenced block with a JSON list of
// findings, or a list that stands bare; else all of it is one finding. An empty list
// is a review that found nothing, and so is no text at all.
func ParseReview(text string) []Finding {
	text = clip(text, maxReview)
	blocks := fenced(text)
	if bare := strings.TrimSpace(text); strings.HasPrefix(bare, "[") || strings.HasPrefix(bare, "{") {
		blocks = append(blocks, bare)
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		if found, ok := list(blocks[i]); ok {
			return found
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return []Finding{tidy(Finding{Text: text, Severity: "medium"})}
}

// fenced are the blocks between lines of ``` that may hold JSON.
func fenced(text string) []string {
	var out []string
	var block *strings.Builder
	for line := range strings.Lines(text) {
		mark := strings.TrimSpace(line)
		switch {
		case block == nil && strings.HasPrefix(mark, "```"):
			block = &strings.Builder{}
		case block != nil && mark == "```":
			out = append(out, block.String())
			block = nil
		case block != nil:
			block.WriteString(line)
		}
	}
	if block != nil { // cut off at a limit
		out = append(out, block.String())
	}
	return out
}

// list reads a list of findings, one finding, or an object with a list of them.
func list(block string) ([]Finding, bool) {
	type loose struct {
		File     string          `json:"file"`
		Path     string          `json:"path"`
		Line     json.RawMessage `json:"line"`
		Severity string          `json:"severity"`
		Text     string          `json:"text"`
		Message  string          `json:"message"`
	}
	var all []loose
	if json.Unmarshal([]byte(block), &all) != nil {
		var in struct {
			Findings []loose `json:"findings"`
			Verdict  string  `json:"verdict"`
			loose
		}
		if json.Unmarshal([]byte(block), &in) != nil {
			return nil, false
		}
		switch {
		case in.Findings != nil:
			all = in.Findings
		case in.Text != "" || in.Message != "":
			all = []loose{in.loose}
		case in.Verdict != "": // and nothing to mend
		default:
			return nil, false
		}
	}
	found := []Finding{}
	for _, l := range all {
		f := Finding{File: l.File, Severity: l.Severity, Text: l.Text}
		if f.File == "" {
			f.File = l.Path
		}
		if f.Text == "" {
			f.Text = l.Message
		}
		_ = json.Unmarshal(trimQuotes(l.Line), &f.Line) // a line that is no number is none
		if f = tidy(f); f.Text != "" && len(found) < maxFindings {
			found = append(found, f)
		}
	}
	return found, true
}

// trimQuotes lets a line be "12".
func trimQuotes(raw json.RawMessage) []byte { return []byte(strings.Trim(string(raw), `"`)) }

// tidy makes a finding that can be shown: a plain path, a line that may be, a known
// severity, a text of some length.
func tidy(f Finding) Finding {
	f.File = strings.TrimPrefix(strings.TrimSpace(f.File), "./")
	if !plainPath(f.File) || path.Clean(f.File) == "." {
		f.File = ""
	}
	if f.File == "" || f.Line < 0 || f.Line > 10_000_000 {
		f.Line = 0
	}
	f.Severity = strings.ToLower(strings.TrimSpace(f.Severity))
	switch f.Severity {
	case "low", "medium", "high", "critical":
	default:
		f.Severity = "medium"
	}
	f.Text = strings.TrimSpace(strings.ToValidUTF8(f.Text, "\uFFFD"))
	if len(f.Text) > maxFinding {
		f.Text = strings.ToValidUTF8(f.Text[:maxFinding], "") + " …"
	}
	return f
}
