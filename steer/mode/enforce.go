package mode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// changing are the tools, by host, that write files or run commands. What is
// not named here is let through: a refusal that is wrong costs more than none.
var changing = map[string]bool{
	"write": true, "edit": true, "bash": true, // trimtab, opencode, pi
	"Write": true, "Edit": true, "MultiEdit": true, "NotebookEdit": true, "Bash": true, // claude
	"apply_patch": true, "exec_command": true, "shell": true, // codex
	"write_file": true, "replace": true, "run_shell_command": true, // gemini, qwen
	"developer__shell": true, "developer__text_editor": true, // goose
}

// refuse says why a tool may not run in the present mode, or nothing.
func (d Modes) refuse(m Memory, call trimtab.ToolCall) string {
	def := d.list[d.index(m.Mode)]
	if !*d.cfg.Enforce {
		return ""
	}
	if len(def.Tools) > 0 && !slices.Contains(def.Tools, call.Name) {
		return fmt.Sprintf("%s is not available in %s mode, which takes %s", call.Name, strings.ToLower(def.Name), strings.Join(def.Tools, ", "))
	}
	if !def.ReadOnly || !changing[call.Name] {
		return ""
	}
	return fmt.Sprintf("%s is not available in %s mode: read and think now, change things when the person leaves the mode", call.Name, strings.ToLower(def.Name))
}
