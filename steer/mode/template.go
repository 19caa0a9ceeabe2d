package mode

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Template is a definition to begin a mode of one's own with: another mode's under a new
// id, with a line to write over wherever it would say nothing.
func Template(base Definition, id string) Definition {
	d := base
	d.ID, d.Name = id, titleOf(id)
	if base.ID == Custom {
		d.Description = "what the mode is for, in one line"
		d.Success = []Criterion{{ID: "answer", Description: "the answer, with its reasons"}}
	}
	if !d.HasGoal() && d.Entry == "" {
		d.Entry = "What the agent should keep in mind in this mode."
	}
	return d
}

// File is a definition as a file, with a few words on top.
func File(d Definition) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// A mode of your own. Every part but id, name and one of goal, phases and prompts\n// is optional. trimtab mode validate checks it; with --schema it prints what there is.\n")
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// titleOf makes a name of an id: product-naming is Product Naming.
func titleOf(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}
