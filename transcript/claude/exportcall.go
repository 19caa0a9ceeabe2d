package claude

import (
	"encoding/json"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

var (
	shownCall = lazyregexp.Pattern(`^([A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)?|[A-Za-z0-9_.:-]+ - [A-Za-z0-9_.-]+ \(MCP\))\(`)
	shownPair = lazyregexp.Pattern(`(\w+): "((?:[^"\\]|\\.)*)"`)
	tailOf    = lazyregexp.Pattern(`\) (?:timeout: [0-9msh ]+|[0-9]+ lines?)$`)
)

// readCall reads a call as it is shown: its name, and what it is about in brackets.
func readCall(text string) (call trimtab.ToolCall, ok bool) {
	m := shownCall().FindStringSubmatch(text)
	if m == nil {
		return call, false
	}
	text = tailOf().ReplaceAllString(text, ")")
	about, ok := strings.CutSuffix(text[len(m[0]):], ")")
	if !ok {
		return call, false
	}
	call.Name = realName(m[1])
	raw, err := json.Marshal(inputOf(call.Name, about))
	call.Input = raw
	return call, err == nil
}

// realName is the name of a tool in a session's file; the screen has some by another.
func realName(shown string) string {
	switch shown {
	case "Update", "Create":
		return "Edit"
	case "Search":
		return "Grep"
	case "Fetch":
		return "WebFetch"
	case "Web Search":
		return "WebSearch"
	case "List":
		return "LS"
	case "Explore", "Plan":
		return "Task"
	}
	if server, tool, ok := strings.Cut(strings.TrimSuffix(shown, " (MCP)"), " - "); ok {
		return "mcp__" + server + "__" + tool
	}
	return strings.ReplaceAll(shown, " ", "")
}

// inputOf puts what is shown under the name that the tool itself has for it.
func inputOf(tool, about string) map[string]string {
	key := "input"
	switch tool {
	case "Bash":
		key = "command"
	case "Read", "Edit", "Write", "NotebookEdit", "LS":
		key = "file_path"
		about, _, _ = strings.Cut(about, " · ")
		about = strings.ReplaceAll(about, "\n", "")
	case "WebFetch":
		key = "url"
	case "Task":
		key = "description"
	}
	if key != "input" {
		return map[string]string{key: about}
	}
	in := map[string]string{}
	for _, m := range shownPair().FindAllStringSubmatch(strings.ReplaceAll(about, "\n", " "), 8) {
		in[m[1]] = m[2]
	}
	if len(in) == 0 {
		in[key] = about
	}
	return in
}

// outcome tells whether a result says that the call failed, and what it says. Only of the
// words that Claude Code itself writes is that believed: a program may print anything.
func outcome(text string) (failed bool, told string) {
	first, rest, _ := strings.Cut(text, "\n")
	if reason, ok := strings.CutPrefix(text, "Tool use rejected with user message:"); ok {
		return true, "User rejected this tool use. The user said:\n" + strings.TrimSpace(reason)
	}
	switch {
	case strings.HasPrefix(first, "User rejected "):
		return true, first // what follows is the change that was not made
	case strings.HasPrefix(first, "Error: Exit code "):
		return true, strings.TrimSuffix(strings.TrimPrefix(first, "Error: ")+"\n"+rest, "\n")
	case first == "Error editing file", first == "Error writing file", first == "Error reading file", first == "Error searching files", first == "File must be read first",
		strings.HasPrefix(first, "Error: File does not exist"), strings.HasPrefix(first, "Error: <tool_use_error>"), strings.HasPrefix(first, "Error: Command timed out"), strings.HasPrefix(first, "Error: String to replace not found"),
		strings.HasPrefix(first, "Error: File has not been read yet"), strings.HasPrefix(first, "Error: Permission to use "):
		return true, strings.TrimPrefix(text, "Error: ")
	}
	return false, text
}

// hides reports whether a sum of calls ("Read 2 files, ran 1 shell command") may stand for more
// than looking.
func hides(sum string) bool {
	for part := range strings.SplitSeq(sum, ", ") {
		verb, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), " ")
		switch verb {
		case "read", "searched", "listed", "recalled", "found", "loaded", "thought", "received", "fetched":
		default:
			return true
		}
	}
	return false
}
