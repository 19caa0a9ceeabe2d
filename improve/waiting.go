package improve

import (
	"fmt"

	"github.com/trimtab/trimtab/internal/plural"
)

// WaitingIn are the requests among some that are about a project.
func WaitingIn(items []Item, project string) []Item {
	var out []Item
	for _, it := range items {
		if it.Project == project && project != "" {
			out = append(out, it)
		}
	}
	return out
}

// WaitingLine tells a person of requests that wait, in one line; "" where none does. It is
// never for a model: what a session said is in titles.
func WaitingLine(items []Item) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		it := items[0]
		end := shortID(it.ID)
		return fmt.Sprintf("trimtab: a request for improvement waits for you: %s (trimtab improve preview %s, then approve or reject %s)", quiet(it.Request.Title), end, end)
	}
	return fmt.Sprintf("trimtab: %s for improvement wait for you, the newest: %s (trimtab improve list --state %s)", plural.Count(len(items), "request"), quiet(items[0].Request.Title), Awaiting)
}

func shortID(id string) string {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == '_' {
			return id[i+1:]
		}
	}
	return id
}
