package improve

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/host"
)

// Turn is a recorded turn in which it went wrong: the history before it, what the agent
// did, and what came of it. All of it is redacted and shortened. It is kept with a
// request, so that it can be replayed where the transcript is not, or is gone.
type Turn struct {
	Session string   `json:"session_id"`
	Message string   `json:"message_id"` // which shows that it went wrong
	History []Spoken `json:"history"`
	Did     string   `json:"did"`              // the reply of the agent, calls included
	Call    Call     `json:"call"`             // the one that it is about; zero where it is about none
	Outcome string   `json:"outcome"`          // the result of the call, or what the person said next
	Reason  string   `json:"reason,omitempty"` // that the person gave for a no
}

// Spoken is one message of a history.
type Spoken struct {
	By   string `json:"by"` // "person", "agent", "tool" or "host"
	Text string `json:"text"`
}

// Call is a call of a tool, as far as a rule looks at it.
type Call struct {
	Tool  string `json:"tool,omitempty"`
	About string `json:"about,omitempty"` // the command, or the file
	Runs  bool   `json:"runs,omitempty"`  // a command
}

// CallOf reads a call as a rule looks at it.
func CallOf(c trimtab.ToolCall) Call {
	tool := name(c.Name)
	_, about := identity(c)
	runs := evidence.ToolOf(c.Name) == evidence.RunsCommands
	if file := fileOf(c); file != "" && !runs {
		about = file
	}
	return Call{Tool: tool, About: about, Runs: runs}
}

// Bounds of what is kept of a turn.
const (
	maxTurnMessages = 40   // of the history
	maxTurnMessage  = 1500 // bytes of each
	maxTurnHistory  = 12 << 10
)

// Turns collects the turns that the samples of a pattern point at, in one session. It
// counts messages as a Reflector does, so that their ids are the same.
type Turns struct {
	redact  func(string) string
	kind    string // of the pattern
	about   string // the same
	session string
	want    []string
	seen    int
	first   int // the entry with the person's first prompt, -1 for none
	all     []entry
	found   []Turn
}

// entry is a message of the history, with what a later one may refer to.
type entry struct {
	Spoken
	calls  []trimtab.ToolCall
	prompt bool
}

// NewTurns returns a collector for one session. Redact takes secrets out of all that is
// kept.
func NewTurns(p Pattern, session string, redact func(string) string) *Turns {
	t := &Turns{kind: p.Type, about: p.Context.Text(KeyAbout), session: session, redact: redact, first: -1}
	for _, s := range p.Samples {
		if s.Session == session && s.Message != "" {
			t.want = append(t.want, s.Message)
		}
	}
	return t
}

// Found are the turns so far.
func (t *Turns) Found() []Turn { return t.found }

// See takes a message in.
func (t *Turns) See(m trimtab.Message) {
	if m.From != "" || m.Role == trimtab.RoleSystem || len(t.want) == 0 {
		return
	}
	t.seen++
	if m.ID == "" {
		m.ID = trimtab.MessageID(t.seen)
	}
	if slices.Contains(t.want, m.ID) && !slices.ContainsFunc(t.found, func(f Turn) bool { return f.Message == m.ID }) {
		if turn, ok := t.turn(m); ok {
			t.found = append(t.found, turn)
		}
	}
	t.add(m)
}

// add keeps a message for what comes, within a bound.
func (t *Turns) add(m trimtab.Message) {
	e := entry{Spoken: Spoken{By: speaker(m), Text: t.text(m)}, prompt: m.IsPrompt()}
	for _, p := range m.Parts {
		if c, ok := p.(trimtab.ToolCall); ok && len(c.Input) <= maxInput {
			e.calls = append(e.calls, c)
		}
	}
	if e.Text == "" && len(e.calls) == 0 {
		return
	}
	if e.prompt && t.first < 0 {
		t.first = len(t.all)
	}
	t.all = append(t.all, e)
	if len(t.all) > 2*maxTurnMessages { // all but the first prompt, which says what it is about
		keep := t.all[len(t.all)-maxTurnMessages:]
		if t.first >= 0 && t.first < len(t.all)-maxTurnMessages {
			keep = append([]entry{t.all[t.first]}, keep...)
			t.first = 0
		} else {
			t.first -= len(t.all) - maxTurnMessages
		}
		t.all = slices.Clone(keep)
	}
}

func speaker(m trimtab.Message) string {
	switch {
	case m.Role == trimtab.RoleAssistant:
		return "agent"
	case m.IsPrompt():
		return "person"
	case slices.ContainsFunc(m.Parts, func(p trimtab.Part) bool { _, ok := p.(trimtab.ToolResult); return ok }):
		return "tool"
	}
	return "host"
}

// text is a message as an agent is shown it.
func (t *Turns) text(m trimtab.Message) string {
	var out []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			out = append(out, p.Text)
		case trimtab.ToolCall:
			out = append(out, "[calls "+name(p.Name)+" "+trimtab.Clip(string(p.Input), maxTurnMessage)+"]")
		case trimtab.ToolResult:
			out = append(out, p.Text)
		}
	}
	return t.short(strings.TrimSpace(strings.Join(out, "\n")))
}

// short redacts before it shortens: half a secret is not known as one.
func (t *Turns) short(text string) string {
	text = t.redact(trimtab.Clip(text, maxWindow))
	if cut := trimtab.Clip(text, maxTurnMessage); cut != text {
		return cut + " …"
	}
	return text
}

// turn is the one that a message shows to have gone wrong. It is false where nothing
// that an agent did comes before it.
func (t *Turns) turn(m trimtab.Message) (Turn, bool) {
	out := Turn{Session: t.session, Message: m.ID, Outcome: t.text(m)}
	if m.Role == trimtab.RoleAssistant { // the end of the turn itself is the trouble
		out.Did, out.Outcome = t.text(m), ""
		out.History = t.history(t.runBefore(len(t.all)))
		return out, len(out.History) > 0
	}
	end := len(t.all)
	if call, at, ok := t.called(m); ok {
		out.Call, end = CallOf(call), at+1
		out.Call.About, out.Reason = t.short(out.Call.About), t.short(reasonOf(m))
	} else if t.kind == LintRule {
		end = t.lastChange(m)
	}
	for end > 0 && t.all[end-1].By != "agent" {
		end--
	}
	begin := t.runBefore(end)
	var did []string
	for _, e := range t.all[begin:end] {
		did = append(did, e.Text)
	}
	out.Did = t.short(strings.Join(did, "\n"))
	out.History = t.history(begin)
	return out, out.Did != "" && len(out.History) > 0
}

// reasonOf is why the person said no, "" where no reason was typed.
func reasonOf(m trimtab.Message) string {
	for _, p := range m.Parts {
		if r, ok := p.(trimtab.ToolResult); ok {
			if evidence.RefusalOf(r.Text) == evidence.CarriedOut {
				continue
			}
			if reason := reasonFor(r.Text); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// called is the call whose failed result a message holds, and its entry. Of a rule of a
// linter the call that changed files is the trouble, and not the one that ran it.
func (t *Turns) called(m trimtab.Message) (trimtab.ToolCall, int, bool) {
	if t.kind == LintRule {
		return trimtab.ToolCall{}, 0, false
	}
	for _, p := range m.Parts {
		r, ok := p.(trimtab.ToolResult)
		if !ok {
			continue
		}
		for i := len(t.all) - 1; i >= 0; i-- {
			for _, c := range t.all[i].calls {
				if c.ID == r.ID && r.ID != "" {
					return c, i, true
				}
			}
		}
	}
	return trimtab.ToolCall{}, 0, false
}

// lastChange is where the reply ends that changed a file last, of those that the linter's
// output complains of where one of them was changed; all where none was.
func (t *Turns) lastChange(m trimtab.Message) int {
	rule := t.about[strings.LastIndexByte(t.about, ' ')+1:]
	var complained []string
	for _, p := range m.Parts {
		if r, ok := p.(trimtab.ToolResult); ok {
			for line := range strings.SplitSeq(trimtab.Clip(r.Text, maxInput), "\n") {
				if file, _, ok := strings.Cut(stripANSI(strings.TrimSpace(line)), ":"); ok && rule != "" && strings.Contains(line, rule) {
					complained = append(complained, file)
				}
			}
		}
	}
	last := -1
	for i := len(t.all) - 1; i >= 0; i-- {
		for _, c := range t.all[i].calls {
			if evidence.ToolOf(c.Name) != evidence.WritesFiles || host.IsTodoTool(c.Name) {
				continue
			}
			file := fileOf(c)
			if slices.ContainsFunc(complained, func(name string) bool { return file == name || strings.HasSuffix(file, "/"+name) }) {
				return i + 1
			}
			last = max(last, i)
		}
	}
	if last < 0 {
		return len(t.all)
	}
	return last + 1
}

// runBefore is where the reply begins that ends at an entry: hosts tell one in several
// messages, and what it announces first would tell the rest.
func (t *Turns) runBefore(end int) int {
	for end > 0 && t.all[end-1].By == "agent" {
		end--
	}
	return end
}

// history is what was said before an entry: the newest, and the person's first prompt.
func (t *Turns) history(end int) []Spoken {
	begin, size := end, 0
	for begin > 0 && end-begin < maxTurnMessages && size+len(t.all[begin-1].Text) <= maxTurnHistory {
		begin--
		size += len(t.all[begin].Text)
	}
	var out []Spoken
	if t.first >= 0 && t.first < begin {
		out = append(out, t.all[t.first].Spoken, Spoken{By: "host", Text: "(some messages are left out here)"})
	}
	for _, e := range t.all[begin:end] {
		out = append(out, e.Spoken)
	}
	return out
}

// String is the call in a line.
func (c Call) String() string { return strings.TrimSpace(c.Tool + " " + c.About) }

// ParseCall reads a call that an agent says it would make.
func ParseCall(tool string, input json.RawMessage) Call {
	if len(input) > 0 && input[0] == '"' { // a command as a bare text
		var text string
		if json.Unmarshal(input, &text) == nil {
			return Call{Tool: name(tool), About: trimtab.Clip(text, maxAbout), Runs: evidence.ToolOf(tool) == evidence.RunsCommands}
		}
	}
	return CallOf(trimtab.ToolCall{Name: tool, Input: input})
}
