package wiretest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// Check refuses what the API refuses, by the rules of the fake model, and what no
// edit of ours may make of a request although its API takes it.
func (c Corpus) Check(body []byte) error {
	err := fakemodel.Validate(c.API, body)
	if err != nil && strings.Contains(err.Error(), "without `tool_result` blocks immediately after") {
		err = fakemodel.Validate(c.API, joined(body))
	}
	if err != nil {
		return err
	}
	seen, err := c.Read(body)
	if err != nil {
		return err
	}
	return ours(seen)
}

// joined is a Messages request with user messages in a row made one. The API joins
// them itself, so results may be spread over several; the fake model wants them in
// one, as every client writes them.
func joined(body []byte) []byte {
	v, err := decode(body)
	if err != nil {
		return body
	}
	blocks := func(m any) []any {
		if s, ok := get(m, "content").(string); ok {
			return []any{map[string]any{"type": "text", "text": s}}
		}
		return array(get(m, "content"))
	}
	var messages []any
	for _, m := range array(get(v, "messages")) {
		n := len(messages)
		if n > 0 && get(m, "role") == "user" && get(messages[n-1], "role") == "user" {
			m = map[string]any{"role": "user", "content": slices.Concat(blocks(messages[n-1]), blocks(m))}
			messages = messages[:n-1]
		}
		messages = append(messages, m)
	}
	v.(map[string]any)["messages"] = messages
	return []byte(encode(v))
}

// leadingSystem is a text that only a leading system message has.
const leadingSystem = "You are the system prompt."

// leads reports whether only others of its kind may stand before an item: it is a
// leading system message, or holds tools.
func (s Seen) leads() bool {
	return s.Role == "system" && (s.Text == leadingSystem || s.Text == "" && s.Others > 0)
}

// ours refuses a request or a prompt that says nothing, a role that no format of
// ours writes, a prompt between a call and its result, and anything before the
// system messages and tools that a request begins with.
func ours(seen []Seen) error {
	if len(seen) == 0 {
		return fmt.Errorf("no items")
	}
	open := map[string]bool{}
	for i, s := range seen {
		says := strings.TrimSpace(s.Text) != "" || len(s.Calls)+len(s.Results)+s.Others > 0
		switch {
		case !slices.Contains([]string{"system", "user", "assistant", "tool"}, s.Role):
			return fmt.Errorf("item %d: role %q", i, s.Role)
		case !says && (s.Role == "user" || i == len(seen)-1):
			return fmt.Errorf("item %d says nothing", i)
		case s.Role == "user" && len(s.Results) == 0 && len(open) > 0:
			return fmt.Errorf("item %d: a user message between a call and its result", i)
		case s.leads() && i > 0 && !seen[i-1].leads():
			return fmt.Errorf("item %d comes before the system's", i-1)
		}
		for _, c := range s.Calls {
			open[c.ID] = true
		}
		for _, r := range s.Results {
			delete(open, r.ID)
		}
	}
	return nil
}
