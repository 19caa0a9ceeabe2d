package setting

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab/internal/trust"
	"github.com/trimtab/trimtab/steer/mode"
)

// Describe tells a mode to a person: its goal, phases, limits, criteria, and what the
// agent is told.
func (m Mode) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s (%s)\n", m.ID, strings.TrimSpace(m.Icon+" "+m.Name), m.Source)
	if m.Description != "" {
		fmt.Fprintf(&b, "  %s\n", m.Description)
	}
	for i, p := range m.Phases {
		limit := ""
		if p.Most > 0 {
			limit = fmt.Sprintf(", at most %d messages", p.Most)
		}
		fmt.Fprintf(&b, "  phase %d  %s%s: %s\n", i+1, p.Title(), limit, p.Focus)
	}
	for _, c := range m.Criteria() {
		fmt.Fprintf(&b, "  criterion  %s: %s\n", c.ID, cmp.Or(c.Description, "–"))
	}
	if text := m.ResearchLimits(); text != "" {
		fmt.Fprintf(&b, "  research  %s\n", text)
	}
	if m.Most > 0 {
		fmt.Fprintf(&b, "  messages  %d at most\n", m.Most)
	}
	if text := m.Opening(); text != "" {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	return b.String()
}

// ListModes tells modes to a person, a line each, and of those from files where they are.
func ListModes(all []Mode) string {
	wide := 0
	for _, m := range all {
		wide = max(wide, len(m.ID))
	}
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%-*s  %s\n", wide, m.ID, cmp.Or(m.Description, m.Name))
		if m.Source != builtIn {
			fmt.Fprintf(&b, "%s  %s\n", strings.Repeat(" ", wide), m.Source)
		}
	}
	return b.String()
}

// NewModeFile makes the folder for a new mode and returns its file and what belongs into
// it: among the person's own, or in .trimtab of the folder at hand.
func (f Found) NewModeFile(def mode.Definition, project bool) (file string, data []byte, err error) {
	if data, err = mode.File(def); err != nil {
		return "", nil, err
	}
	dir := f.ModeFolder()
	if project {
		here, err := Folder()
		if err != nil {
			return "", nil, err
		}
		dir = filepath.Join(here, trust.Folder, "modes")
	}
	return filepath.Join(dir, def.ID+".json"), data, os.MkdirAll(dir, 0o700)
}
