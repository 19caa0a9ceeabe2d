package command

import (
	"slices"
	"strings"
)

// WasRefused reports whether the result of a call says that it was not let run: by the
// person, by a rule, or because the call beside it failed.
func WasRefused(result string) bool {
	return WasForbidden(result) || says(result, []string{"Sibling tool call", "interrupted by user", "Request interrupted", "not run: "})
}

// refusals are the words with which hosts tell that the person, or a rule of theirs, said no.
var refusals = []string{"user doesn't want", "user rejected", "rejected by the user", "user declined", "denied by", "was not allowed", "user cancelled", "user canceled", "Permission to use", "requires approval"}

func says(result string, words []string) bool {
	head := clip(result, 300)
	if len(result) > 300 {
		head += strings.ToValidUTF8(result[len(result)-300:], "")
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(head, w) })
}

// WasForbidden reports whether it was the person, or a rule of theirs, that did not let it run.
func WasForbidden(result string) bool { return says(result, refusals) }
