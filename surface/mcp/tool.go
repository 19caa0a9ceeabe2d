package mcp

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/steertool"
)

// tool is a command of the lineup as a tool, and what it answers to programs.
type tool struct {
	steertool.Tool
	data map[string]any
}

// sessionArg is an argument of every tool.
func sessionArg() steertool.Arg {
	return steertool.TextArg("session", 128, "id of the session this is about; leave it out for the present one")
}

// declared is the tool as the protocol shows it.
func (t tool) declared() *sdk.Tool {
	no := false
	destroys := t.Destructive
	return &sdk.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.Schema(sessionArg()), OutputSchema: t.output(),
		Annotations: &sdk.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: t.ReadOnly, DestructiveHint: &destroys, IdempotentHint: t.Idempotent || t.ReadOnly, OpenWorldHint: &no,
		},
	}
}

// frameAnswers are the schemas of what the tools of the frames answer.
var frameAnswers = map[string]func() map[string]any{
	"flame_push":            frameData,
	"flame_pop":             frameData,
	"flame_plan":            frameListData,
	"flame_activate":        frameData,
	"flame_invalidate":      frameData,
	"flame_set_goal":        frameData,
	"flame_add_artifact":    frameData,
	"flame_add_decision":    frameData,
	"flame_status":          treeData,
	"flame_tree":            treeData,
	"flame_log":             logData,
	"flame_autonomy_config": autonomyData,
	"flame_should_push":     evaluationData,
	"flame_should_pop":      evaluationData,
	"flame_auto_suggest":    suggestionData,
	"flame_autonomy_stats":  statsData,
}

// tools are all that an engine's commands come to, and the status.
func tools(commands []trimtab.Command) []tool {
	var all []tool
	for _, t := range steertool.FromCommands(commands) {
		one := tool{Tool: t}
		if data := frameAnswers[t.Name]; data != nil {
			one.data = data()
		}
		if t.Name == "flame_pop" { // our own agent has no flame_log
			one.Description += " The whole log stays readable with flame_log."
		}
		all = append(all, one)
	}
	return append(all, statusTool())
}

// statusTool tells how a session stands. It is no command: every surface has its
// own way to show it.
func statusTool() tool {
	return tool{data: sessionData(), Tool: steertool.Tool{
		Name: "trimtab_status", Title: "Session status", ReadOnly: true,
		Description: "Which session this is and what steers it: mode, todo list, notes before the model and why each is there.",
	}}
}
