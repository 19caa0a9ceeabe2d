package mode

import (
	"cmp"
	"embed"
	"encoding/json"
	"slices"
	"strings"
)

// Definition is a mode as data, whoever wrote it: the modes that a person cycles
// through, those with a goal, and those from files. Every part but the id and the
// name is optional; the modes that a person cycles through have prompts alone.
type Definition struct {
	ID           string      `json:"id"`
	Name         string      `json:"name"` // as it is shown: "PLANNING"
	Icon         string      `json:"icon,omitempty"`
	Description  string      `json:"description,omitempty"`    // one line
	Entry        string      `json:"entryPrompt,omitempty"`    // before the first prompt in it
	Reminder     string      `json:"reminderPrompt,omitempty"` // before later prompts
	ReadOnly     bool        `json:"readOnly,omitempty"`       // tools that change things are out of place in it
	Tools        []string    `json:"tools,omitempty"`          // the only tools that are in place; none is all
	Goal         string      `json:"goalReminder,omitempty"`
	Every        int         `json:"goalReminderFrequency,omitempty"` // messages between two reminders of the goal
	Phases       []Phase     `json:"phases,omitempty"`                // one after the other
	Research     int         `json:"maxResearchRequests,omitempty"`   // 0 is no limit
	PerTopic     int         `json:"maxResearchPerTopic,omitempty"`   // 0 is no limit
	Needed       int         `json:"requiredResearch,omitempty"`      // before a phase that sums up
	Loop         Loop        `json:"loopDetection,omitzero"`
	Success      []Criterion `json:"successCriteria,omitempty"`
	Most         int         `json:"maxMessages,omitempty"` // of the whole session; 0 is no limit
	Instructions string      `json:"agentInstructions,omitempty"`
}

// The entry prompt has two names in files: ours, and the one in the document that modes
// come from.
const entryKey, initialKey = "entryPrompt", "initialPrompt"

// UnmarshalJSON reads the entry prompt under either of its names.
func (d *Definition) UnmarshalJSON(raw []byte) error {
	type plain Definition
	var in struct {
		plain
		Initial string `json:"initialPrompt"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	*d = Definition(in.plain)
	d.Entry = cmp.Or(d.Entry, in.Initial)
	return nil
}

// Phase is a part of the way to the goal.
type Phase struct {
	ID    string      `json:"id"`
	Name  string      `json:"name,omitempty"`
	Most  int         `json:"maxMessages,omitempty"` // 0 is no limit
	Focus string      `json:"focus,omitempty"`
	Exit  []Criterion `json:"exitCriteria,omitempty"` // all of them met, the next phase begins
}

// Title is the phase's name, or its id.
func (p Phase) Title() string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}

// Loop sets when messages that say the same are a loop.
type Loop struct {
	Enabled    *bool   `json:"enabled,omitempty"` // on where it is not said
	Similarity float64 `json:"similarityThreshold,omitempty"`
	Window     int     `json:"windowSize,omitempty"`
	Similar    int     `json:"maxSimilarMessages,omitempty"`
}

// Criterion is something that can be seen to be reached. In a file it is an
// object, or its id alone.
type Criterion struct {
	ID          string   `json:"id"`
	Description string   `json:"description,omitempty"`
	Aliases     []string `json:"aliases,omitempty"` // headings that stand for it too
	Items       int      `json:"items,omitempty"`   // a list of so many items meets it
	Check       string   `json:"check,omitempty"`   // a command: only its success meets it, until it fails or a file changes
}

// UnmarshalJSON reads an object or an id.
func (c *Criterion) UnmarshalJSON(raw []byte) error {
	type plain Criterion
	*c = Criterion{}
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &c.ID)
	}
	return json.Unmarshal(raw, (*plain)(c))
}

// MarshalJSON writes an id where there is no more to say.
func (c Criterion) MarshalJSON() ([]byte, error) {
	type plain Criterion
	if c.Description == "" && c.Items == 0 && c.Check == "" && len(c.Aliases) == 0 {
		return json.Marshal(c.ID)
	}
	return json.Marshal(plain(c))
}

// Normal is the mode in which nothing is added.
const Normal = "normal"

// HasGoal reports whether there is anything to watch in the mode beside its
// prompts.
func (d Definition) HasGoal() bool {
	return d.Goal != "" || len(d.Phases) > 0 || len(d.Success) > 0 || d.Most > 0 || d.Research > 0 || d.PerTopic > 0
}

// Criteria are all criteria of the mode, those of success first, each once. What
// one place says of a criterion holds in all.
func (d Definition) Criteria() []Criterion {
	var all []Criterion
	add := func(c Criterion) {
		i := slices.IndexFunc(all, func(o Criterion) bool { return o.ID == c.ID })
		if i < 0 {
			all = append(all, c)
			return
		}
		o := &all[i]
		if o.Description == "" {
			o.Description = c.Description
		}
		if o.Check == "" {
			o.Check = c.Check
		}
		o.Items = max(o.Items, c.Items)
		o.Aliases = append(slices.Clip(o.Aliases), c.Aliases...)
	}
	for _, c := range d.Success {
		add(c)
	}
	for _, p := range d.Phases {
		for _, c := range p.Exit {
			add(c)
		}
	}
	return all
}

//go:embed prompt/*.md
var prompts embed.FS

// BuiltIn returns the five modes that a person cycles through, in that order.
// No file can change or remove them.
func BuiltIn() []Definition {
	return []Definition{
		{ID: Normal, Name: "NORMAL", Description: "the agent as it is; nothing is added"},
		builtIn("planning", "PLANNING", "architecture and a plan before any code", true),
		builtIn("research", "RESEARCH", "investigate and weigh what is found", true),
		builtIn("code-review", "CODE REVIEW", "look for bugs, risks and missing tests", true),
		builtIn("debugging", "DEBUGGING", "reproduce, narrow down, find the cause", false),
	}
}

func builtIn(id, name, description string, readOnly bool) Definition {
	return Definition{ID: id, Name: name, Description: description, Entry: prompt(id), Reminder: prompt(id + ".reminder"), ReadOnly: readOnly}
}

func prompt(name string) string {
	text, err := prompts.ReadFile("prompt/" + name + ".md")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
