package improve

import (
	"strings"

	"github.com/trimtab/trimtab"
)

// refusal is a result that tells that a call was not carried out, and who decided that.
type refusal int

const (
	carriedOut refusal = iota
	rejected           // the person said no
	aborted            // the person broke it off, a rule forbade it, or a call beside it failed
	slip               // the agent used the tool in a way that it does not take
)

// The words by which hosts say so, at the beginning of a result, in small letters.
var (
	rejections = []string{
		"the user doesn't want to proceed with this tool use", "the user doesn't want to take this action", "the user rejected", "user rejected", "rejected by user", "rejected by the user",
		"exec command rejected by user", "the user declined", "the user has declined", "user declined", "the user denied", "user denied", "denied by user", "user did not allow",
	}
	aborts = []string{
		"[request interrupted", "sibling tool call errored", "cancelled: parallel tool call", "tool execution aborted", "aborted by user", "aborted", "operation aborted", "[operation cancelled]",
		"operation stopped by hook", "user cancelled", "user canceled", "command aborted", "permission to use ", "the tool call was interrupted", "tool use was interrupted",
	}
	slips = []string{
		"string to replace not found", "file has not been read yet", "file has been modified since", "file has been unexpectedly modified", "no changes to make", "inputvalidationerror", "no such tool available",
		"old_string not found", "oldstring not found", "could not find oldstring", "oldstring and newstring must be different", "the old_string", "failed to edit, could not find", "failed to edit, 0 occurrences",
		"invalid tool parameters", "unknown tool", "tool not found",
	}
	reasons = []string{"the user said:", "with the following feedback:", "user feedback:"}
)

// refusalOf reads a failed result. What a command printed is not read: it tells of the
// command.
func refusalOf(text string) (r refusal, reason string) {
	head := strings.TrimSpace(trimtab.Clip(text, 600))
	head = strings.TrimPrefix(head, "<tool_use_error>")
	head = strings.TrimPrefix(strings.TrimPrefix(head, "Error: "), "error: ")
	low := strings.ToLower(head)
	begins := func(words []string) bool {
		for _, w := range words {
			if strings.HasPrefix(low, w) {
				return true
			}
		}
		return false
	}
	switch {
	case begins(rejections):
		for _, w := range reasons {
			if i := strings.Index(low, w); i >= 0 && len(low) == len(head) {
				rest := text[strings.Index(text, head[i:min(len(head), i+len(w))])+len(w):]
				return rejected, strings.TrimSpace(trimtab.Clip(rest, maxTyped))
			}
		}
		return rejected, ""
	case begins(aborts):
		return aborted, ""
	case begins(slips), strings.HasPrefix(low, "found ") && strings.Contains(low, " matches of the string to replace"):
		return slip, ""
	}
	return carriedOut, ""
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
		return purpose(call.about)
	case tool == "exitplanmode" || tool == "askuserquestion" || tool == "question":
		return ""
	case changesFiles(tool):
		return "a change of a file"
	}
	return call.tool
}

func changesFiles(tool string) bool {
	for _, w := range []string{"edit", "write", "replace", "patch"} {
		if strings.Contains(tool, w) {
			return true
		}
	}
	return false
}

// purpose is the program of a command line and, where it has such, its first word: of
// "cd x && git add . && git commit -m y" it is git commit.
func purpose(command string) string {
	best := ""
	for part := range strings.SplitSeq(strings.NewReplacer("&&", "\n", ";", "\n", "||", "\n").Replace(trimtab.Clip(command, 400)), "\n") {
		words := strings.Fields(part)
		for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "sudo" || words[0] == "env" || words[0] == "time") {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		program := words[0][strings.LastIndexByte(words[0], '/')+1:]
		if program == "cd" || program == "" || strings.IndexFunc(program, func(r rune) bool { return !wordly(r) && r != '-' && r != '.' }) >= 0 {
			continue
		}
		best = program
		if len(words) > 1 && hasVerbs(program) && strings.Trim(words[1], "abcdefghijklmnopqrstuvwxyz-:") == "" && !strings.HasPrefix(words[1], "-") {
			best += " " + words[1]
			if program == "gh" && len(words) > 2 && strings.Trim(words[2], "abcdefghijklmnopqrstuvwxyz-") == "" {
				best += " " + words[2]
			}
		}
		if strings.Contains(best, "git commit") || strings.Contains(best, "git push") {
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
