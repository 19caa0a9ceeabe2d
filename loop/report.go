package loop

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"
)

// report is a line of an error that a person wrote in a prompt.
type report struct {
	Sign uint64 `json:"sign"`
	N    int    `json:"n"`
	At   int    `json:"at"` // the prompt that held it last

	Reply int `json:"reply,omitempty"` // the newest reply at that time
}

const maxReports, maxPromptLines, minReport, minPasted = 96, 400, 16, 2

// report looks whether a prompt holds an error that an earlier one held: then what was done
// about it in between did not help.
func (mem ProgressMemory) report(prompt string) (ProgressMemory, *Alarm) {
	mem.Prompts++
	var alarm, pasted *Alarm
	lines, told, same, longest := 0, 0, 0, 0
	for line := range strings.SplitSeq(prompt, "\n") {
		if lines++; lines > maxPromptLines {
			break
		}
		line = strings.TrimSpace(line)
		if len(line) < minReport || len(line) > 500 {
			continue
		}
		fails := complains(line)
		if !fails && !output(line) {
			continue
		}
		told++
		sign := xxhash.Sum64String(nameless(line))
		i := slices.IndexFunc(mem.Reports, func(r report) bool { return r.Sign == sign })
		mem.Reports = slices.Clone(mem.Reports)
		if i < 0 {
			mem.Reports = append(mem.Reports, report{Sign: sign, N: 1, At: mem.Prompts, Reply: mem.Replies})
			mem.Reports = mem.Reports[max(0, len(mem.Reports)-maxReports):]
			continue
		}
		r := &mem.Reports[i]
		if r.At == mem.Prompts || r.Reply == mem.Replies { // twice in one prompt, or sent again before anything was done
			r.At = mem.Prompts
			continue
		}
		r.N, r.At, r.Reply = r.N+1, mem.Prompts, mem.Replies
		a := &Alarm{Kind: SameReport, Times: r.N, Cause: sign, Why: fmt.Sprintf("the person reports this for the %s time: %q", ordinal(r.N), brief(line, 100))}
		switch {
		case !fails:
			if same++; len(line) > longest { // the one that tells most
				pasted, longest = a, len(line)
			}
		case alarm == nil || r.N > alarm.Times:
			alarm = a
		}
	}
	if alarm == nil && same >= minPasted && (told < 6 || same*10 < told*8) { // a prompt that is sent once more is no report
		return mem, pasted
	}
	return mem, alarm
}

// nameless is a line without what differs from one time to the next: the marks of a screen or
// a quotation before it, numbers, and ids.
func nameless(line string) string {
	line = strings.TrimLeft(line, ">|│┃▸•·* \t")
	var out strings.Builder
	for i := 0; i < len(line); {
		if !wordly(line[i]) {
			out.WriteByte(line[i])
			i++
			continue
		}
		from, digits := i, false
		for i < len(line) && (wordly(line[i]) || (line[i] == '-' || line[i] == '.') && i+1 < len(line) && wordly(line[i+1])) {
			digits = digits || line[i]-'0' <= 9
			i++
		}
		if digits {
			out.WriteByte('#')
		} else {
			out.WriteString(line[from:i])
		}
	}
	return out.String()
}

// output reports whether a line of a prompt looks pasted from a screen or a file rather than
// written: it holds what sentences do not.
func output(line string) bool {
	odd := 0
	switch {
	case line[0] == '#': // a heading
		return false
	case line[0] == '-' || line[0] == '*' || line[0]-'0' <= 9: // a list, it may be
		odd = -3
	}
	for i := range len(line) {
		if strings.IndexByte("{}[]<>=|_/\\\"$#;~│─", line[i]) >= 0 || line[i]-'0' <= 9 {
			odd++
		}
	}
	return odd >= 3 && !sentence(line)
}

// complains reports whether a line of a prompt looks like the output of something that
// failed, rather than like a sentence about it.
func complains(line string) bool {
	if !wrong(line) || sentence(line) {
		return false
	}
	return exception(line) || strings.Contains(line, "rror:") || strings.Contains(line, "ERROR") || strings.Contains(line, "rror[") || strings.Contains(line, "FAIL") || strings.Contains(line, "panic:") ||
		strings.Contains(line, "fatal:") || strings.Contains(line, "xception:") || strings.Contains(line, "No such file") || strings.Contains(line, "command not found") ||
		placed(line)
}

// sentence reports whether a line is prose: many words, nearly all of them nothing but letters.
func sentence(line string) bool {
	words, plain := 0, 0
	for w := range strings.FieldsSeq(line) {
		words++
		if strings.IndexFunc(strings.Trim(w, ".,;:!?()'\""), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' && r != '’' }) < 0 {
			plain++
		}
	}
	return words >= 12 && plain*10 >= words*8 && !strings.HasPrefix(line, "ERROR") && !strings.HasPrefix(line, "FAIL") && !strings.Contains(line[:min(40, len(line))], "rror:")
}

// placed reports whether a line names a place in a file: name.ext:12.
func placed(line string) bool {
	for i := 1; i+1 < len(line); i++ {
		if line[i] == ':' && line[i+1]-'0' <= 9 && wordly(line[i-1]) && strings.Contains(line[max(0, i-6):i], ".") {
			return true
		}
	}
	return false
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}
