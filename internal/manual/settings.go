package manual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// setting is a part of a JSON Schema, as far as a reference tells of it.
type setting struct {
	Type       json.RawMessage    `json:"type"`
	About      string             `json:"description"`
	Default    json.RawMessage    `json:"default"`
	Enum       []any              `json:"enum"`
	Minimum    *json.Number       `json:"minimum"`
	Maximum    *json.Number       `json:"maximum"`
	Properties map[string]setting `json:"properties"`
}

// Settings writes one page about all settings, from their JSON Schema.
func Settings(w io.Writer, schema []byte) error {
	var root setting
	if err := json.Unmarshal(schema, &root); err != nil {
		return fmt.Errorf("the schema of the settings: %w", err)
	}
	var b bytes.Buffer
	b.WriteString("# Every setting\n\nWritten by `trimtab manual --settings` from the settings themselves; `trimtab config show` tells the value of each and who decided, and [settings](settings.md) how files are found and layered. `*` marks those that count only in your own file, never in a project's.\n")
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		section := root.Properties[name]
		if name == "$schema" {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| key | type | default | |\n|---|---|---|---|\n", name)
		if len(section.Properties) == 0 {
			row(&b, name, section)
		}
		rows(&b, name, section)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func rows(b *bytes.Buffer, path string, of setting) {
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		s, at := of.Properties[name], path+"."+name
		if len(s.Properties) > 0 {
			rows(b, at, s)
			continue
		}
		row(b, at, s)
	}
}

// own is how the schema says that a project may not set a key.
const own = " (only in your own config, never in a project's)"

func row(b *bytes.Buffer, path string, s setting) {
	about, guarded := strings.CutSuffix(s.About, own)
	star := ""
	if guarded {
		star = " *"
	}
	kind := strings.Trim(string(s.Type), `"`)
	if len(s.Enum) > 0 {
		var words []string
		for _, e := range s.Enum {
			words = append(words, fmt.Sprint(e))
		}
		kind = strings.Join(words, ", ")
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		kind += fmt.Sprintf(", %s to %s", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		kind += fmt.Sprintf(", from %s", *s.Minimum)
	case s.Maximum != nil:
		kind += fmt.Sprintf(", to %s", *s.Maximum)
	}
	value := ""
	if len(s.Default) > 0 && string(s.Default) != "null" {
		var short bytes.Buffer
		if json.Compact(&short, s.Default) == nil && short.Len() <= 60 {
			value = "`" + strings.ReplaceAll(short.String(), "|", `\|`) + "`"
		} else {
			value = "see `trimtab config show`"
		}
	}
	fmt.Fprintf(b, "| `%s`%s | %s | %s | %s |\n", path, star, kind, value, strings.ReplaceAll(markdown(about), "|", `\|`))
}
