package mcp

import (
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// tool is a command of the lineup as a tool.
type tool struct {
	name, title, doc string
	command, verb    string // what is asked: the command and, where it has them, its verb
	args             []arg
	looks            bool // it changes nothing
	destroys         bool // what it takes away can be brought back only by hand
	again            bool // a second call with the same arguments changes nothing more
	plain            bool // the command takes words, not an object
	data             map[string]any
}

// sessionArg is an argument of every tool.
func sessionArg() arg {
	return arg{name: "session", kind: text, max: 128, doc: "id of the session this is about; leave it out for the present one"}
}

// declared is the tool as the protocol shows it.
func (t tool) declared() *sdk.Tool {
	no := false
	destroys := t.destroys
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.doc,
		InputSchema: schema(t.arguments()), OutputSchema: t.output(),
		Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.looks, DestructiveHint: &destroys, IdempotentHint: t.again || t.looks, OpenWorldHint: &no,
		},
	}
}

func (t tool) arguments() []arg { return append(slices.Clip(t.args), sessionArg()) }

// tools are all that an engine's commands come to: those of the frames by name,
// every other command as it declares itself.
func tools(commands []trimtab.Command) []tool {
	var all []tool
	if slices.ContainsFunc(commands, func(c trimtab.Command) bool { return c.Name == "frame" }) {
		all = flames()
	}
	for _, c := range commands {
		switch {
		case slices.Contains([]string{"frame", "push", "pop", "plan", "tree"}, c.Name) || !plainName().MatchString(c.Name):
		case c.Name == "criterion_met":
			all = append(all, criterionTool())
		default:
			all = append(all, commandTool(c))
		}
	}
	return append(all, statusTool())
}

// criterionTool is how the model says that it has reached something.
func criterionTool() tool {
	return tool{
		name: "criterion_met", title: "A criterion is met", command: "criterion_met", again: true,
		doc: "Say that a criterion of the session's mode is met, with the evidence. It is checked and kept; without a mode that has a goal there is none to meet.",
		args: []arg{
			{name: "id", kind: text, required: true, max: 100, doc: "id of the criterion, as the mode names it"},
			{name: "evidence", kind: text, required: true, max: maxText, doc: "where it can be seen, in one or two lines"},
		},
	}
}

var plainName = lazyregexp.Pattern(`^[a-z][a-z0-9_-]{0,40}$`)

// commandTool makes a tool of a command that this room knows nothing about. What
// only a person may do, the command itself refuses.
func commandTool(c trimtab.Command) tool {
	doc := c.Short + "."
	t := tool{name: "trimtab_" + strings.ReplaceAll(c.Name, "-", "_"), title: strings.ToUpper(c.Name[:1]) + c.Name[1:], command: c.Name, plain: true}
	if c.Usage != "" {
		doc += " Usage: " + c.Name + " " + c.Usage + ". What only a person may change is refused."
		t.args = []arg{{name: "args", kind: strList, items: maxItems, max: maxItem, doc: "the arguments, a word each, as in: " + strings.Join(shown(c), "; ")}}
	} else {
		t.looks = true // with nothing to give, it can only be told
	}
	t.doc = doc
	return t
}

func shown(c trimtab.Command) []string {
	var out []string
	for _, e := range c.Examples {
		if e != "" {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return []string{c.Usage}
	}
	return out
}

// statusTool tells how a session stands. It is no command: every surface has its
// own way to show it.
func statusTool() tool {
	return tool{
		name: "trimtab_status", title: "Session status", looks: true,
		doc:  "Which session this is and what steers it: mode, todo list, notes before the model and why each is there.",
		data: sessionData(),
	}
}
