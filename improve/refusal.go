package improve

import (
	"cmp"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
)

// slips are the words by which tools say that they were used in a way that they do not
// take, at the beginning of a result, in small letters; reasons those before what a person
// typed with a no.
var (
	slips = []string{
		"string to replace not found", "file has not been read yet", "file has been modified since", "file has been unexpectedly modified", "no changes to make", "inputvalidationerror", "no such tool available",
		"old_string not found", "oldstring not found", "could not find oldstring", "oldstring and newstring must be different", "the old_string", "failed to edit, could not find", "failed to edit, 0 occurrences",
		"error editing file", "error writing file", "file must be read first", "invalid tool parameters", "unknown tool", "tool not found",
	}
	reasons = []string{"the user said:", "with the following feedback:", "user feedback:"}
)

// reasonFor is what a person typed with a no; "" where they typed nothing.
func reasonFor(text string) string {
	head := strings.TrimSpace(trimtab.Clip(text, 600))
	low := strings.ToLower(head)
	if len(low) != len(head) {
		return ""
	}
	for _, w := range reasons {
		if i := strings.Index(low, w); i >= 0 {
			rest := text[strings.Index(text, head[i:i+len(w)])+len(w):]
			return strings.TrimSpace(trimtab.Clip(rest, maxTyped))
		}
	}
	return ""
}

// isSlip reports whether a failed result says that the tool does not take such a call.
func isSlip(text string) bool {
	low := strings.ToLower(strings.TrimSpace(trimtab.Clip(text, 600)))
	low = strings.TrimPrefix(strings.TrimPrefix(low, "<tool_use_error>"), "error: ")
	for _, w := range slips {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	return strings.HasPrefix(low, "found ") && strings.Contains(low, " matches of the string to replace")
}

// deny counts what a person said no to. A plan that was sent back and a question that
// was answered with another one are talk, not trouble.
func (r *Reflector) deny(id string, call pending, reason string) {
	about := denied(call)
	if about == "" {
		return
	}
	row := r.people.denied.at(about, r.seen)
	if row == nil {
		return
	}
	row.sign, row.tool = about, call.tool
	row.detail = ""
	if !call.runs {
		row.detail = ScopeGeneral
	}
	row.label = "no to " + about
	text := r.near(r.redact(call.about))
	if reason != "" {
		row.why++
		text = reason + " ← " + text
	}
	r.quote(row, id, text)
}

// denied names what was asked for: the command by its program and what it was to do, a
// file's change as such.
func denied(call pending) string {
	switch tool := strings.ToLower(call.tool); {
	case call.runs:
		return Purpose(call.about)
	case tool == "exitplanmode" || tool == "askuserquestion" || tool == "question":
		return ""
	case call.writes:
		return "a change of a file"
	}
	return call.tool
}

// lastProgram is the program of the last command of a line, for one that only changes files:
// what "cd x && rm -rf y" is about is rm.
func lastProgram(command string) string {
	parts := strings.FieldsFunc(command, func(r rune) bool { return r == ';' || r == '&' || r == '|' || r == '\n' })
	for i := len(parts) - 1; i >= 0; i-- {
		program := programOf(parts[i])
		if program == "" {
			continue
		}
		_, rest, _ := strings.Cut(parts[i], program)
		if words := strings.Fields(rest); hasVerbs(program) && len(words) > 0 && strings.Trim(words[0], "abcdefghijklmnopqrstuvwxyz-:") == "" && words[0][0] != '-' {
			return program + " " + words[0]
		}
		return program
	}
	return ""
}

// Purpose names what a command line is for.
func Purpose(command string) string { return cmp.Or(purpose(command), lastProgram(command)) }

// purpose is the program of a command line and, where it has such, its first word: of
// "cd x && git add . && git commit -m y" it is git commit.
func purpose(command string) string {
	best := ""
	for _, run := range evidence.ReadLine(command).Runs {
		words := strings.Fields(run.Command)
		if len(words) == 0 {
			continue
		}
		best = words[0][strings.LastIndexByte(words[0], '/')+1:]
		if hasVerbs(best) {
			for _, w := range words[1:min(len(words), 3)] {
				if strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-:") != "" || strings.HasPrefix(w, "-") || strings.Contains(best, " ") && words[0] != "gh" {
					break
				}
				best += " " + w
			}
		}
		if best == "git commit" || best == "git push" {
			return best
		}
	}
	return best
}

// hasVerbs reports whether a program's first word says what it does.
func hasVerbs(program string) bool {
	switch program {
	case "git", "gh", "glab", "npm", "pnpm", "yarn", "bun", "make", "just", "task", "mise", "go", "cargo", "docker", "kubectl", "helm", "terraform", "pip", "uv", "poetry", "brew", "apt", "apt-get", "systemctl", "gradle", "mvn", "bundle", "rake", "rails", "composer", "dotnet", "aws", "gcloud", "az":
		return true
	}
	return false
}
