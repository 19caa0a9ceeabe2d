package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/steer"
)

// plan is a session to make up.
type plan struct {
	name    string
	tasks   int           // that the person asks for, one after the other
	steps   int           // of the model for each
	below   int           // frames below that of a task
	between int           // steps at the root before each
	asked   bool          // commands push and pop a frame for each
	fails   bool          // the work gets nowhere
	absence time.Duration // of the person, before each
	compact int           // the host sums its history up after every so many tasks; 0 is never
}

func plans() []plan {
	return []plan{
		{name: "eight-tasks-asked", tasks: 8, steps: 25, asked: true},
		{name: "eight-tasks-asked-with-work-between", tasks: 8, steps: 20, between: 5, asked: true},
		{name: "eight-tasks-asked-with-absences", tasks: 8, steps: 25, asked: true, absence: 40 * time.Minute},
		{name: "three-tasks-with-three-below-asked", tasks: 3, steps: 20, below: 3, asked: true},
		{name: "eight-tasks-asked-with-compaction", tasks: 8, steps: 25, asked: true, compact: 3},
		{name: "eight-tasks", tasks: 8, steps: 25},
		{name: "one-task", tasks: 1, steps: 300},
		{name: "three-tasks-that-fail", tasks: 3, steps: 40, fails: true},
	}
}

// goals differ as the tasks of a day do.
var goals = []string{
	"Read configuration from a file and report unknown keys with their line",
	"Add retries with backoff to the download client",
	"Replace the hand written date parser by the standard one",
	"Show progress while archives are unpacked",
	"Fix the race between upload and cancel",
	"Write the migration for the invoices table",
	"Speed up search over tags and authors",
	"Translate error pages and choose language by header",
}

// maker is a session in the making.
type maker struct {
	plan
	chance *rand.Rand
	info   trimtab.Info
	at     time.Time
	events []trimtab.Event
	calls  int
}

// make makes the session of a seed. Replies take seconds, a person minutes.
func (p plan) make(seed uint64) *maker {
	m := &maker{plan: p, at: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	m.chance = rand.New(rand.NewPCG(seed, 4)) //nolint:gosec // no secret: the same every time
	m.info = trimtab.Info{ID: "made-" + p.name, Host: "claude", Created: m.at, Updated: m.at}
	m.prompt("Bring the next release in shape. I will tell you what is to be done, one thing after the other.")
	m.work(2, "plan.md")
	for i := range p.tasks {
		m.at = m.at.Add(p.absence)
		m.work(p.between, "notes.md")
		goal := goals[i%len(goals)]
		m.command("push", goal)
		m.prompt(goal + ", please.")
		m.task(goal, i)
		m.command("pop", "completed", "Done: "+goal+". "+m.text(300))
		if p.compact > 0 && (i+1)%p.compact == 0 {
			summary := trimtab.Say(trimtab.RoleUser, trimtab.Host, m.text(6000))
			m.say(summary)
			m.events = append(m.events, trimtab.Rewritten{All: true, Size: summary.Size()})
		}
	}
	m.prompt("Sum it up.")
	m.say(trimtab.Say(trimtab.RoleAssistant, trimtab.Model, m.text(500)))
	return m
}

// task is the work on one of them, and on those below it.
func (m *maker) task(goal string, i int) {
	m.work(m.steps, fmt.Sprintf("task%d.go", i))
	for j := range m.below {
		m.command("push", fmt.Sprintf("Part %d of: %s", j+1, goal))
		m.work(m.steps, fmt.Sprintf("task%d_part%d.go", i, j))
		m.command("pop", "completed", m.text(200))
	}
}

func (m *maker) command(words ...string) {
	if m.asked {
		m.events = append(m.events, trimtab.Asked{Command: "frame", Args: words})
	}
}

func (m *maker) say(msg trimtab.Message) {
	msg.At = m.at
	m.events = append(m.events, trimtab.Said{Message: msg})
}

func (m *maker) prompt(text string) {
	m.at = m.at.Add(time.Duration(20+m.chance.IntN(200)) * time.Second)
	m.say(trimtab.Prompt(text))
}

// text is so many bytes that are found nowhere else.
func (m *maker) text(n int) string {
	return (fmt.Sprintf("%08x ", m.chance.IntN(1<<30)) + strings.Repeat("lorem ipsum dolor ", n/18+1))[:n]
}

// work is so many steps on a file: reading, changing, running the tests.
func (m *maker) work(steps int, file string) {
	for i := range steps {
		m.at = m.at.Add(time.Duration(4+m.chance.IntN(26)) * time.Second)
		m.calls++
		call, result := m.tool(i, steps, file)
		call.ID = fmt.Sprintf("call-%d", m.calls)
		result.ID = call.ID
		m.say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: m.text(60 + m.chance.IntN(300)), By: trimtab.Model}, call}})
		m.at = m.at.Add(time.Second)
		m.say(trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{result}})
	}
}

func (m *maker) tool(i, steps int, file string) (trimtab.ToolCall, trimtab.ToolResult) {
	size := 200 + m.chance.IntN(1800)
	if m.chance.IntN(8) == 0 {
		size += 4000 + m.chance.IntN(8000)
	}
	switch {
	case m.fails:
		return call("Bash", "command", "go test ./..."), trimtab.ToolResult{Text: "--- FAIL: TestIt\n" + m.text(size), Failed: i%2 == 0}
	case i == steps-1 || i%10 == 9:
		return call("Bash", "command", "go test ./..."), trimtab.ToolResult{Text: "ok  \texample.org/ship\t0.2s\n" + m.text(size/4)}
	case i%10 == 7:
		return call("Bash", "command", "go test ./..."), trimtab.ToolResult{Text: "--- FAIL: TestIt\n" + m.text(size), Failed: true}
	case i%3 == 2:
		return call("Edit", "file_path", file, "new_string", m.text(size/2)), trimtab.ToolResult{Text: "changed"}
	}
	return call("Read", "path", m.text(30)), trimtab.ToolResult{Text: m.text(size)}
}

// call is a tool call with arguments by name.
func call(name string, args ...string) trimtab.ToolCall {
	in := map[string]string{}
	for i := 0; i+1 < len(args); i += 2 {
		in[args[i]] = args[i+1]
	}
	raw, err := json.Marshal(in)
	if err != nil {
		panic(err) // plain maps of ours
	}
	return trimtab.ToolCall{Name: name, Input: raw}
}

// document plays the session through the engine, as it would have been steered,
// and exports it.
func (m *maker) document() (export.Document, error) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		return export.Document{}, err
	}
	s := trimtab.NewSession(m.info.ID, m.info.Created)
	s.Info = m.info
	var history []trimtab.Message
	var journal []trimtab.Entry
	now := m.info.Created
	step := func(ev trimtab.Event) {
		var out trimtab.Outcome
		s, out = engine.Step(s, ev, now)
		if said, ok := ev.(trimtab.Said); ok {
			ev = trimtab.Said{Message: trimtab.Message{ID: said.Message.ID}}
		}
		journal = append(journal, trimtab.Entry{Seq: len(journal) + 1, At: now, Event: ev, Actions: out.Actions, Changes: out.Changes, Faults: out.Faults})
	}
	for _, ev := range m.events {
		said, ok := ev.(trimtab.Said)
		if !ok {
			step(ev)
			continue
		}
		now = said.Message.At
		if said.Message.Role == trimtab.RoleAssistant {
			step(trimtab.Calling{})
		}
		said.Message.ID = trimtab.MessageID(s.Seq + 1)
		history = append(history, said.Message)
		step(said)
	}
	return export.New(s, history, journal)
}
