package frame

import (
	"fmt"
	"strings"
)

// extract writes a summary from what was gathered of a frame's own messages.
// Its files and decisions are told beside it, from the frame itself; the frames
// below it too, where they are not told on their own.
func (m Memory) extract(f Frame, w Work, below bool) string {
	var out []string
	line := func(label, text string) {
		if text != "" {
			out = append(out, label+": "+text)
		}
	}
	if w.Prompt != f.Goal {
		line("Asked", short(w.Prompt, 400))
	}
	for _, c := range m.Frames {
		if below && c.Parent == f.ID && c.ended() {
			line("Below", short(fmt.Sprintf("%s %s %s: %s", c.Status.Mark(), c.ID, c.Goal, oneLine(c.Summary)), 300))
		}
	}
	if len(w.Wins) > 0 {
		line("Shown", strings.Join(w.Wins, ", "))
	}
	line("Last results", strings.Join(w.Results, " | "))
	line("Last said", w.Said)
	if len(out) == 0 {
		return "nothing was said in it"
	}
	return strings.Join(out, "\n")
}

// foldText stands in the place of a finished frame's messages.
func (f Frame) foldText() string {
	var out strings.Builder
	fmt.Fprintf(&out, "[Frame %s %s: %s]\n", f.ID, strings.ReplaceAll(string(f.Status), "_", " "), f.Goal)
	if f.Reason != "" {
		fmt.Fprintf(&out, "Reason: %s\n", f.Reason)
	}
	out.WriteString(f.told())
	fmt.Fprintf(&out, "\n[Its %d messages are folded away; flame_log or trimtab frame show %s reads them.]", f.Messages, f.ID)
	return out.String()
}

// aboveText stands in the place of a frame's messages while one below it is
// active. It holds nothing that changes in the meantime; the frame context does.
func (f Frame) aboveText() string {
	return fmt.Sprintf("[Frame %s in progress: %s]\n[Its messages are folded away until the frame below it is popped; the frame context tells what matters of it.]", f.ID, short(f.Goal, 200))
}

// sinceText stands in the place of what such a frame did since the prompt.
const sinceText = "[What that frame did since is folded away too.]"

// told is the summary with files and decisions.
func (f Frame) told() string {
	lines := []string{f.Summary}
	if n := len(f.Artifacts); n > 0 {
		more := ""
		if n > 12 {
			more = fmt.Sprintf(" and %d more", n-12)
		}
		lines = append(lines, "Artifacts: "+strings.Join(f.Artifacts[:min(12, n)], ", ")+more)
	}
	if n := len(f.Decisions); n > 0 {
		lines = append(lines, "Decisions: "+strings.Join(f.Decisions[:min(12, n)], "; "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
