package command

import "strings"

// Refusal says why a call was not carried out, as far as its result tells.
type Refusal int

// The reasons.
const (
	CarriedOut Refusal = iota // nothing says that it was not
	Rejected                  // the person said no
	Cancelled                 // the person took it back
	Forbidden                 // a rule of theirs did not let it run
	Aborted                   // it was broken off, or a call beside it failed
)

// refusals are the words with which hosts tell so, in small letters: the one list of them.
var refusals = []struct {
	reason Refusal
	words  []string
}{
	{Rejected, []string{
		"user doesn't want", "user rejected", "rejected by user", "rejected by the user", "user declined", "user has declined", "user denied", "denied by user", "denied by the user", "user did not allow",
	}},
	{Cancelled, []string{"user cancelled", "user canceled"}},
	{Forbidden, []string{"permission to use ", "denied by", "was not allowed", "requires approval", "operation stopped by hook"}},
	{Aborted, []string{
		"request interrupted", "interrupted by user", "sibling tool call", "parallel tool call", "not run: ", "tool execution aborted", "aborted by user", "operation aborted", "command aborted",
		"[operation cancelled]", "the tool call was interrupted", "tool use was interrupted",
	}},
}

// opening is how many bytes may stand before the words where a result begins with them, as
// "The " and "Error: " do.
const opening = 32

// RefusalOf reads the first words of a result that failed. What a program printed further
// down tells of the program.
func RefusalOf(result string) Refusal {
	head := strings.ToLower(strings.TrimSpace(clip(result, 300)))
	head = strings.TrimPrefix(head, "<tool_use_error>")
	if strings.HasPrefix(strings.TrimPrefix(head, "error: "), "aborted") { // a word too common to be looked for elsewhere
		return Aborted
	}
	line, _, _ := strings.Cut(head, "\n")
	for _, r := range refusals {
		for _, w := range r.words {
			if i := strings.Index(line, w); i >= 0 && i <= opening {
				return r.reason
			}
		}
	}
	return CarriedOut
}

// WasRefused reports whether the result of a call says that it was not let run: by the
// person, by a rule, or because the call beside it failed.
func WasRefused(result string) bool { return says(result) != CarriedOut }

// WasForbidden reports whether it was the person, or a rule of theirs, that did not let it run.
func WasForbidden(result string) bool {
	r := says(result)
	return r != CarriedOut && r != Aborted
}

// says finds the words anywhere in the beginning or the end of a result, where hosts put
// them around what a program said.
func says(result string) Refusal {
	if r := RefusalOf(result); r != CarriedOut {
		return r
	}
	head := clip(result, 300)
	if len(result) > 300 {
		head += strings.ToValidUTF8(result[len(result)-300:], "")
	}
	head = strings.ToLower(head)
	for _, r := range refusals {
		for _, w := range r.words {
			if strings.Contains(head, w) {
				return r.reason
			}
		}
	}
	return CarriedOut
}
