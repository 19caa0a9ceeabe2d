package focus

import "github.com/trimtab/trimtab"

const person = "person"

// author is who wrote a span: a person, the model, or, where several speak, the
// speaker's name. What is neither has no voice.
func author(t trimtab.Text, role trimtab.Role) string {
	switch {
	case t.By == trimtab.Person:
		return person
	case t.By == trimtab.Model || t.By == "" && role == trimtab.RoleAssistant:
		if t.From != "" {
			return trimtab.Clip(t.From, 60)
		}
		return "model"
	}
	return ""
}
