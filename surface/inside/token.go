package inside

import (
	"crypto/rand"
	"strings"
)

// mark begins a token where a command prints it.
const mark = "trimtab-ask-"

// newToken is nothing that a repository could know beforehand.
func newToken() string { return strings.ToLower(rand.Text()[:16]) }

// Printed is a token as the command prints it, for the gateway to find.
func Printed(token string) string { return mark + token }

// Tokens are those that a text holds.
func Tokens(text string) (all []string) {
	for {
		_, rest, ok := strings.Cut(text, mark)
		if !ok {
			return all
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
		if end < 0 {
			end = len(rest)
		}
		if end > 0 {
			all = append(all, rest[:end])
		}
		text = rest[end:]
	}
}
