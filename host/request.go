package host

// Requests is how a host's requests to a model are recognised.
type Requests struct {
	Known   []Sign   // any of them tells its requests
	Session []string // headers that carry its session id; none: the gateway knows the session by the run
	Side    []Sign   // any of them tells a side call: a title, a compaction, a sub-agent
	Escape  Escape
	Folder  []Between // where its system prompt or its first words name the folder that it works in
}

// Sign is a mark by which a request is recognised. All that is given must hold.
type Sign struct {
	Why     string   // what the request is, for side calls
	Header  string   // this header is there, and
	Begins  string   // begins with
	Holds   string   // or holds
	Not     string   // or is another than
	Unless  string   // and this header is not there
	NoTools bool     // the body offers no tools
	System  string   // the system prompt holds
	Last    string   // a text of the user's side since the last reply begins with
	Has     []string // the body has this member
}

// MCP is how a host is recognised when it calls an MCP server.
type MCP struct {
	Client  string   // a word in the name that its client goes by
	Headers []string // HTTP headers that carry its session id
}

// Markup is what a host writes into a person's messages on its own: reminders in
// tags, reasons of hooks, contents of files, summaries. When a version of a host
// brings new words for it, they go into its row.
type Markup struct {
	Tags        []string // text between <name …> and </name>; a * ends a name that begins so
	Openings    []string // texts that begin so are the host's as a whole
	Rest        []string // from these words on, the rest of the message is the host's
	Command     []string // behind a text that begins so, the rest of the message is the text of a command, until
	CommandDone string   // an element of this name, alone in its text, says that the command was the host's own
	MidTurn     Wrapper  // around what is typed while the agent works, in a text of its own
	Beside      bool     // what stands beside tool results in a text of its own was typed: it makes one message of several
	Interrupted []string // beside tool results, what stands behind such a text was typed
}

// Wrapper is what stands before and behind something.
type Wrapper struct{ Before, After string }

// Prompts is where files lie whose text the host sends in the shape of a prompt, or puts
// into one, without a person having typed it: files, and folders with all below them.
type Prompts struct {
	Project []string // in the folder that it works in
	Home    []string // below the home folder
}

// AnyPrompts are such files of a project that several hosts read.
var AnyPrompts = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", ".agents", ".goosehints", ".cursorrules", ".github/copilot-instructions.md"}

// AnyMarkup is what several agents write, and no row claims.
//
// Agents that carry tool output as a user's text, for want of an API with tools, are among
// them: Cline and Roo Code, mini-SWE-agent, SWE-agent, OpenHands, aider.
var AnyMarkup = Markup{
	Tags: []string{
		"system_reminder", "system-notice", "environment_details", "file_content", "folder_content", "url_content", "git_commit", "terminal_output", "workspace_diagnostics",
		"explicit_instructions", "notice", "function_results", "tool_response", "tool_result", "tool_output", "observation", "returncode", "output", "output_head", "output_tail", "stdout", "stderr",
		"uploaded_files", "pr_description", "issue", "repository_context", "repo_context", "search_results", "document", "documents",
	},
	Openings: []string{
		"OBSERVATION:", "Observation:", "EXECUTION RESULT of [", "Observed result of command executed by user:", "Here is a demonstration of how to correctly accomplish this task",
		"[read_file for", "[execute_command for", "[list_files for", "[search_files for", "[list_code_definition_names for", "[write_to_file for", "[replace_in_file for", "[apply_diff for",
		"[use_mcp_tool for", "[access_mcp_resource for", "[browser_action", "[web_fetch for", "[attempt_completion", "[new_task", "[ERROR]", "The tool execution failed with",
		"Here are summaries of some files present in my git repository", "I have *added these files to the chat*", "Here are some READ ONLY files", "I am working with you on code in a git repository",
		"I ran this command:\n\n", "Tool result:", "Tool output:", "Function result:",
	},
}

// Between is a place in a text: behind one word, and before another or the end of the
// line.
type Between struct{ Before, After string }

// Escape is how the output of a command that the person gave in the host's own shell
// stands in a request, where it can be told from that of the model's commands.
type Escape struct {
	Begins []string // the text of the user's side that holds it begins with one of these
	After  string   // or it is the result of a tool that the host called itself, right behind this text of the user's side
	Prompt bool     // the host has no such shell: a prompt that is nothing but !trimtab and a command counts as the command
}

// Known reports whether it can be told.
func (e Escape) Known() bool { return len(e.Begins) > 0 || e.After != "" }
