package deliberate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab"
)

// Plan is what a debate is begun with. It is stored with the session.
type Plan struct {
	ID      string    `json:"-"` // of the session
	Project string    `json:"-"` // the folder
	Mode    string    `json:"mode"`
	Brief   string    `json:"-"` // the first prompt
	Model   string    `json:"model"`
	Cast    []Persona `json:"cast"`
	Out     string    `json:"out,omitempty"` // the folder for the result, for whoever writes it
}

// maxBrief is the largest brief, in bytes.
const maxBrief = 256 << 10

func (p Plan) check() error {
	switch {
	case strings.TrimSpace(p.Brief) == "":
		return errors.New("the brief is empty; say what the debate is about")
	case len(p.Brief) > maxBrief:
		return fmt.Errorf("brief: %w: %d bytes, the limit is %d", trimtab.ErrTooLarge, len(p.Brief), maxBrief)
	case p.Mode == "":
		return errors.New("no mode is given")
	}
	return checkCast(p.Cast)
}

// planMark and endMark are the kinds of the moderator's own messages.
const planMark, endMark = "deliberation", "ended"

// note is a message of the moderator's: words for people, and data.
func note(kind, text string, data any) (trimtab.Message, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return trimtab.Message{}, err
	}
	return trimtab.Message{Role: trimtab.RoleUser, From: Moderator, Parts: []trimtab.Part{
		trimtab.Text{Text: text, By: trimtab.Ours, From: Moderator},
		trimtab.Opaque{Kind: kind, By: trimtab.Ours, Raw: raw},
	}}, nil
}

// noted reads the data of a moderator's message.
func noted(m trimtab.Message, kind string, into any) bool {
	if m.From != Moderator {
		return false
	}
	for _, p := range m.Parts {
		if o, ok := p.(trimtab.Opaque); ok && o.Kind == kind {
			return json.Unmarshal(o.Raw, into) == nil
		}
	}
	return false
}

// planOf finds the plan among the first messages of a session.
func planOf(id string, history []trimtab.Message) (Plan, error) {
	for i, m := range history {
		var p Plan
		if !noted(m, planMark, &p) {
			continue
		}
		p.ID = id
		for _, said := range history[i:] {
			if said.IsPrompt() {
				p.Brief = said.Typed()
				return p, p.check()
			}
		}
	}
	return Plan{}, fmt.Errorf("session %s is not a debate: %w", id, trimtab.ErrNotFound)
}
