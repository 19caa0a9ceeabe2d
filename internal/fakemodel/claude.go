package fakemodel

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// claude is what the name of a Claude model says: its family and version. A
// family that is not known has a name of its own and no version.
type claude struct {
	family       string
	major, minor int
}

// claudeFamilies are the families that have versions.
var claudeFamilies = []string{"opus", "sonnet", "haiku", "fable", "mythos"}

// claudeOf reads a model's name, with or without a provider before it and a date
// behind it. Other models than Claude are the zero claude.
func claudeOf(model string) claude {
	_, rest, ok := strings.Cut(strings.ToLower(model), "claude")
	if !ok {
		return claude{}
	}
	words := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("-._@:[]", r) })
	c := claude{family: "unknown"}
	var numbers []int
	for _, w := range words {
		n, err := strconv.Atoi(w)
		switch {
		case slices.Contains(claudeFamilies, w):
			c.family = w
		case err == nil && n < 100 && len(numbers) < 2: // longer ones are dates
			numbers = append(numbers, n)
		case err == nil:
			numbers = append(numbers, 0, 0) // what follows a date is no version
		}
	}
	if len(numbers) > 0 {
		c.major = numbers[0]
	}
	if len(numbers) > 1 {
		c.minor = numbers[1]
	}
	return c
}

// from reports whether a version is this one or a later one.
func (c claude) from(major, minor int) bool {
	return c.major > major || c.major == major && c.minor >= minor
}

// binds reports whether the model binds thinking to what stands before it. A
// Claude model that is not known does.
func (c claude) binds() bool {
	switch c.family {
	case "":
		return false
	case "fable", "mythos":
		return c.major == 0 || c.from(5, 1)
	case "opus", "sonnet", "haiku":
		return c.major == 0 || c.from(5, 1) // 5.5 is the first behind 5.0
	}
	return c.major == 0 || c.from(5, 0)
}

// systemTurns reports whether the model takes messages of the role system.
func (c claude) systemTurns() bool {
	switch c.family {
	case "opus":
		return c.from(4, 8)
	case "sonnet", "haiku":
		return c.from(5, 5)
	case "fable", "mythos":
		return c.from(5, 0)
	}
	return false
}

// reads reports whether the model can use thinking that another one produced.
// Only what is documented is taken: a model reads its own, a later one of a
// family reads the earlier ones', Fable and Mythos read those of Opus 5 and 5.5,
// and all read those of Haiku 5.5.
func (c claude) reads(by claude) bool {
	switch {
	case c == by, !c.binds() && !by.binds(), by == claude{"haiku", 5, 5}:
		return true
	case c.family == "haiku":
		return false
	case c.family == by.family:
		return c.from(by.major, by.minor)
	case c.family == "fable" || c.family == "mythos":
		return by.family == "opus" && by.major == 5
	}
	return false
}

// betas are the features that a request's headers ask for.
type betas []string

func betasOf(h http.Header) betas {
	var all betas
	for _, v := range h.Values("Anthropic-Beta") {
		for name := range strings.SplitSeq(v, ",") {
			all = append(all, strings.TrimSpace(name))
		}
	}
	return all
}

func (b betas) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(b, n) })
}

// The features of Anthropic's API that a header has to ask for.
const (
	BetaClearAt     = "mid-conversation-system-clear-at-2026-08-21"
	BetaBinding     = "thinking-binding-controls-2026-08-01"
	BetaToolChanges = "mid-conversation-tool-changes-2026-07-01"
	BetaInlineTools = "inline-tools-2026-09-15"
)
