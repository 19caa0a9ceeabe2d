package trimtabtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
)

// player is a script under way. It is also the host: it owns the history.
type player struct {
	build   Build
	engine  *trimtab.Engine
	session trimtab.Session
	history []trimtab.Message
	now     time.Time
	line    int
	calls   int
	out     strings.Builder
}

type scriptError struct {
	line int
	text string
	err  error
}

func (e *scriptError) Error() string { return fmt.Sprintf("line %d: %s: %v", e.line, e.text, e.err) }
func (e *scriptError) Unwrap() error { return e.err }

func (p *player) do(line string) error {
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "config "); ok {
		return p.start([]byte(rest))
	}
	if p.engine == nil {
		if err := p.start(nil); err != nil {
			return err
		}
	}
	if verb, text, ok := strings.Cut(line, ":"); ok {
		if done, err := p.speak(verb, strings.ReplaceAll(strings.TrimSpace(text), `\n`, "\n")); done {
			return err
		}
	}
	verb, rest, _ := strings.Cut(line, " ")
	return p.act(verb, strings.TrimSpace(rest))
}

func (p *player) start(config []byte) (err error) {
	if p.session.Seq > 0 {
		return fmt.Errorf("config comes before anything is said")
	}
	if p.engine, err = p.build(config); err != nil {
		return err
	}
	p.now = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	p.session = trimtab.NewSession("script", p.now)
	return nil
}

// speak handles the lines in which somebody says something.
func (p *player) speak(verb, text string) (done bool, err error) {
	switch verb {
	case "person":
		p.say(trimtab.Prompt(text))
	case "host":
		p.say(trimtab.Say(trimtab.RoleUser, trimtab.Host, text))
	case "model":
		p.say(trimtab.Say(trimtab.RoleAssistant, trimtab.Model, text))
	case "person answers":
		m := trimtab.Message{Role: trimtab.RoleUser}
		for _, c := range p.session.Open {
			m.Parts = append(m.Parts, trimtab.ToolResult{ID: c.ID, Text: "ok"})
		}
		m.Parts = append(m.Parts, trimtab.Text{Text: text, By: trimtab.Person})
		p.say(m)
	case "tool", "tool fails":
		if len(p.session.Open) == 0 {
			return true, fmt.Errorf("no call is open")
		}
		r := trimtab.ToolResult{ID: p.session.Open[0].ID, Text: text, Failed: verb == "tool fails"}
		p.say(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{r}})
	default:
		return false, nil
	}
	return true, nil
}

func (p *player) act(verb, rest string) error {
	switch verb {
	case "sub":
		p.session.Parent = rest
	case "agent":
		p.session.Host = rest
	case "clock":
		d, err := time.ParseDuration(rest)
		p.now = p.now.Add(d)
		return err
	case "model":
		return p.model(rest)
	case "work":
		return p.work(rest)
	case "call":
		p.step(trimtab.Calling{NoTodos: rest == "without todos"})
	case "use":
		calls, err := p.toolCalls(rest)
		if err != nil {
			return err
		}
		p.step(trimtab.Using{Call: calls[0].(trimtab.ToolCall)})
	case "stop":
		ev := trimtab.Stopping{Continued: strings.HasPrefix(rest, "again"), Waiting: rest == "waiting", Runs: strings.HasSuffix(rest, "runs")}
		if files, ok := strings.CutPrefix(rest, "wrote "); ok {
			for file := range strings.FieldsSeq(files) {
				ev.Wrote = append(ev.Wrote, trimtab.Written{File: file, At: p.now})
			}
		}
		p.step(ev)
	case "checked":
		words := strings.SplitN(rest, " ", 2)
		code, err := strconv.Atoi(words[0])
		if err != nil || len(words) < 2 {
			return fmt.Errorf("checked takes an exit code, a command and, after a colon, its output")
		}
		command, output, _ := strings.Cut(words[1], ": ")
		r := trimtab.Receipt{Command: command, Exit: code, Output: strings.ReplaceAll(output, `\n`, "\n"), At: p.now}
		if code < 0 {
			r.Lapsed, r.Output = output, ""
		}
		p.step(trimtab.Checked{Receipt: r})
	case "ask", "outside":
		words := strings.Fields(rest)
		if len(words) == 0 {
			return fmt.Errorf("%s takes a command", verb)
		}
		p.step(trimtab.Asked{Command: words[0], Args: words[1:], Away: verb == "outside"})
	case "restart", "resume":
		if err := p.reload(); err != nil {
			return err
		}
		if verb == "resume" {
			p.step(trimtab.Resumed{})
		}
	case "rewrite":
		return p.rewrite(rest)
	case "reset":
		p.history = nil
		p.step(trimtab.Reset{})
	default:
		return p.look(verb, strings.Fields(rest))
	}
	return nil
}

// model handles replies with tool calls, and commands that the model gives.
func (p *player) model(rest string) error {
	if words, ok := strings.CutPrefix(rest, "asks "); ok {
		f := strings.Fields(words)
		p.step(trimtab.Asked{Command: f[0], Args: f[1:], By: trimtab.Model})
		return nil
	}
	calls, ok := strings.CutPrefix(rest, "calls ")
	if !ok {
		return fmt.Errorf("a model replies (model: …), calls or asks")
	}
	parts, err := p.toolCalls(calls)
	if err != nil {
		return err
	}
	p.say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: parts})
	return nil
}

func (p *player) toolCalls(text string) ([]trimtab.Part, error) {
	var parts []trimtab.Part
	for one := range strings.SplitSeq(text, " & ") {
		name, input, _ := strings.Cut(strings.TrimSpace(one), " ")
		if input == "" {
			input = "{}"
		}
		if !json.Valid([]byte(input)) {
			return nil, fmt.Errorf("the input of %s is not JSON: %s", name, input)
		}
		p.calls++
		parts = append(parts, trimtab.ToolCall{ID: "c" + strconv.Itoa(p.calls), Name: name, Input: json.RawMessage(input)})
	}
	return parts, nil
}

func (p *player) work(rest string) error {
	count, name, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > 100_000 {
		return fmt.Errorf("work takes a number of rounds: %q", count)
	}
	if name == "" {
		name = "bash"
	}
	for range n {
		p.step(trimtab.Calling{NoTodos: rest == "without todos"})
		p.calls++
		id := "c" + strconv.Itoa(p.calls)
		input := fmt.Appendf(nil, `{"round":%d}`, p.calls)
		p.say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: name, Input: input}}})
		p.say(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: "ok"}}})
	}
	return nil
}

// reload stores the session and loads it, as another process would.
func (p *player) reload() error {
	raw, err := json.Marshal(p.session)
	if err != nil {
		return err
	}
	p.session = trimtab.Session{}
	return json.Unmarshal(raw, &p.session)
}

// rewrite plays a host that compacts: a summary and the last messages remain.
func (p *player) rewrite(rest string) error {
	keep, err := strconv.Atoi(rest)
	if err != nil || keep < 0 || keep > len(p.history) {
		return fmt.Errorf("rewrite takes how many of the %d messages remain", len(p.history))
	}
	kept := slices.Clone(p.history[len(p.history)-keep:])
	p.say(trimtab.Say(trimtab.RoleUser, trimtab.Host, "(summary of what was said before)"))
	p.history = append(p.history[len(p.history)-1:len(p.history):len(p.history)], kept...)
	ev := trimtab.Rewritten{}
	there := map[string]bool{}
	for _, m := range p.history {
		there[m.ID] = true
		ev.Size += m.Size()
	}
	for _, id := range p.session.Anchors() {
		if !there[id] {
			ev.Lost = append(ev.Lost, id)
		}
	}
	if keep > 0 {
		ev.Last = trimtab.Ref{ID: kept[keep-1].ID, Seq: p.session.Seq - 1}
	}
	p.step(ev)
	return nil
}

func (p *player) say(m trimtab.Message) {
	m.ID = trimtab.MessageID(p.session.Seq + 1)
	p.history = append(p.history, m)
	p.step(trimtab.Said{Message: m})
}

// step takes the engine through an event and writes down what came of it.
func (p *player) step(ev trimtab.Event) {
	s, out := p.engine.Step(p.session, ev, p.now)
	p.session = s
	p.outcome(out)
}
