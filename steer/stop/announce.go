package stop

import (
	"strings"
	"unicode/utf8"
)

// announces are ways in which models say what they will do next. They count only
// at the beginning of the last sentence of a message.
var announces = []string{
	"next, i'll", "next, i will", "next i'll", "next i will", "next, let me", "next step:", "next steps:", "next up:",
	"now i'll", "now i will", "now, i'll", "now, i will", "now let me", "now, let me", "now let's",
	"i'll now", "i will now", "i'm going to", "i am going to", "i'll proceed", "i will proceed", "i'll continue", "i will continue",
	"let me now", "let me start", "let me continue", "let me proceed", "let me check", "let me fix", "let me run", "let me look",
	"let's now", "let's continue", "then i'll", "then i will", "proceeding to", "moving on to", "continuing with",
}

// offers make of an announcement an offer or a condition, which waits for the
// person.
var offers = []string{"?", "let me know", "if you", "once you", "when you", "after you", "unless you", "would you", "whenever you", "you can", "your approval", "wait for"}

// maxSentence is the longest last sentence that is looked at, in bytes.
const maxSentence = 400

// announced returns the step that a message announces at its end, or nothing.
func announced(message string) string {
	last := lastSentence(message)
	low := strings.ReplaceAll(strings.ToLower(last), "’", "'")
	if last == "" || len(last) > maxSentence {
		return ""
	}
	for _, o := range offers {
		if strings.Contains(low, o) {
			return ""
		}
	}
	for _, a := range announces {
		if rest, ok := strings.CutPrefix(low, a); ok && strings.Trim(rest, " .:…") != "" {
			return last
		}
	}
	return ""
}

// asks reports whether a message ends with a question.
func asks(message string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(strings.TrimSpace(message), "*_`)\"'»”」 "))
	return strings.ContainsRune("?？؟", r)
}

// lastSentence is the last sentence of the last line that says something.
func lastSentence(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	line := strings.Trim(strings.TrimSpace(lines[len(lines)-1]), "*_-#> ")
	body := strings.TrimRight(line, ".!:… ")
	for _, end := range []string{". ", "! ", "? ", "; "} {
		if i := strings.LastIndex(body, end); i >= 0 {
			line, body = line[i+len(end):], body[i+len(end):]
		}
	}
	return strings.TrimSpace(line)
}
