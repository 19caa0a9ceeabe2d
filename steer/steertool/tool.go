package steertool

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// CriterionMet is the tool, and the command, by which a model says that it has
// reached a criterion of the session's mode.
const CriterionMet = "criterion_met"

// Tool is a command of the lineup as a tool.
type Tool struct {
	Name, Title, Description string
	Command, Verb            string // what is asked: the command and, where it has them, its verb

	ReadOnly    bool // it changes nothing
	Destructive bool // what it takes away can be brought back only by hand
	Idempotent  bool // a second call with the same arguments changes nothing more

	args  []Arg
	words bool // the command takes words, not an object
}

func (t Tool) arguments(more ...Arg) []Arg { return append(slices.Clip(t.args), more...) }

// Schema is the JSON Schema of the arguments, and of those that the surface adds.
func (t Tool) Schema(more ...Arg) map[string]any { return schema(t.arguments(more...)) }

// Read checks the arguments of a call, and those that the surface adds. The error is
// for the model, so that it can mend its call. An argument that is null counts as
// not given.
func (t Tool) Read(raw json.RawMessage, more ...Arg) (map[string]any, error) {
	return read(t.arguments(more...), raw)
}

// Event is the command that a call stands for, given by the model. in is what Read
// returned, without what the surface added.
func (t Tool) Event(in map[string]any) (trimtab.Asked, error) {
	ev := trimtab.Asked{Command: t.Command, By: trimtab.Model}
	if t.words {
		ev.Args, _ = in["args"].([]string)
		return ev, nil
	}
	if t.Verb != "" {
		ev.Args = []string{t.Verb}
	}
	if len(in) == 0 {
		return ev, nil
	}
	raw, err := json.Marshal(in)
	ev.Args = append(ev.Args, string(raw))
	return ev, err
}

// FromCommands returns the tools that an engine's commands come to: those of the
// frames by name, every other command as it declares itself.
func FromCommands(commands []trimtab.Command) []Tool {
	var all []Tool
	if slices.ContainsFunc(commands, func(c trimtab.Command) bool { return c.Name == "frame" }) {
		all = Frames()
	}
	for _, c := range commands {
		switch {
		case slices.Contains([]string{"frame", "push", "pop", "plan", "tree"}, c.Name) || !plainName().MatchString(c.Name):
		case c.Name == CriterionMet:
			all = append(all, Criterion())
		default:
			all = append(all, commandTool(c))
		}
	}
	return all
}

// Criterion is how the model says that it has reached something.
func Criterion() Tool {
	return Tool{
		Name: CriterionMet, Title: "A criterion is met", Command: CriterionMet, Idempotent: true,
		Description: "Say that a criterion of the session's mode is met, with the evidence. It is checked and kept; without a mode that has a goal there is none to meet.",
		args: []Arg{
			{name: "id", kind: text, required: true, max: 100, doc: "id of the criterion, as the mode names it"},
			{name: "evidence", kind: text, required: true, max: maxText, doc: "where it can be seen, in one or two lines"},
		},
	}
}

var plainName = lazyregexp.Pattern(`^[a-z][a-z0-9_-]{0,40}$`)

// commandTool makes a tool of a command that this package knows nothing about. What
// only a person may do, the command itself refuses.
func commandTool(c trimtab.Command) Tool {
	doc := c.Short + "."
	t := Tool{Name: "trimtab_" + strings.ReplaceAll(c.Name, "-", "_"), Title: strings.ToUpper(c.Name[:1]) + c.Name[1:], Command: c.Name, words: true}
	if c.Usage != "" {
		doc += " Usage: " + c.Name + " " + c.Usage + ". What only a person may change is refused."
		t.args = []Arg{{name: "args", kind: strList, items: maxItems, max: maxItem, doc: "the arguments, a word each, as in: " + strings.Join(shown(c), "; ")}}
	} else {
		t.ReadOnly = true // with nothing to give, it can only be told
	}
	t.Description = doc
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
