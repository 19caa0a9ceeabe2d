package stop

import (
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/lazyregexp"
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

var (
	choice = lazyregexp.Pattern(`^\s*(?:[-*•]|\(?[0-9a-zA-Z][.)])\s+\S`)
	toYou  = lazyregexp.Pattern(`(?i)\b(?:you|your|(?:should|shall|may|can|do) i|prefer|which|du|dir|sie|ihnen|soll ich)\b`)
	answer = lazyregexp.Pattern(`(?i)\b(?:tell me|please (?:say|confirm|decide|choose|advise|answer)|before i\b|once you|i(?:'ll| will)? wait|i(?: would|'d)? need (?:your|you|a word|an answer)|your (?:call|choice|decision|answer|word)|(?:it is|it's) up to you|let me know (?:which|what|how|whether|and|before)|sag(?:en sie)? mir|bitte)\b`)
)

// asks reports whether a message ends with a question: behind it there may stand what the
// person can choose from, or the one sentence that an answer is waited for.
func asks(message string) bool {
	message = tail(strings.TrimSpace(message), 4<<10)
	if !strings.ContainsAny(message, "?？؟") || question(message) {
		return question(message)
	}
	lines := strings.Split(message, "\n")
	end := len(lines)
	for end > 0 && (strings.TrimSpace(lines[end-1]) == "" || choice().MatchString(lines[end-1])) {
		end--
	}
	if 0 < end && end < len(lines) && question(lines[end-1]) && toYou().MatchString(lines[end-1]) {
		return true
	}
	last := lines[len(lines)-1]
	i := strings.LastIndexAny(last, "?？؟")
	if i < 0 {
		return false
	}
	_, n := utf8.DecodeRuneInString(last[i:])
	rest := strings.TrimRight(strings.TrimSpace(last[i+n:]), ".! ")
	return len(rest) <= maxSentence/2 && !strings.Contains(rest, ". ") && answer().MatchString(strings.ReplaceAll(rest, "’", "'"))
}

// question reports whether a text ends with the mark of a question.
func question(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "*_`)\"'»”」 \t\r"))
	return strings.ContainsRune("?？؟", r)
}

// tail is the end of a text.
func tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-n:], "")
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
