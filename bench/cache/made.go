package main

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
)

// plan is a session to make up.
type plan struct {
	name    string
	steps   int
	write   [2]int // steps between todo writes, from and below; 0 is never
	prompt  [2]int // steps between the person's prompts
	mode    string
	first   string // of the person's words
	absence time.Duration
	compact int // the host sums its history up every so many steps; 0 is never
}

// plans are the sessions that stand for others: long, with a list that is kept,
// forgotten, or written when the reminder says so.
func plans() []plan {
	often, seldom := [2]int{15, 25}, [2]int{40, 60}
	return []plan{
		{name: "list kept, 100 steps", steps: 100, write: [2]int{4, 8}, prompt: often},
		{name: "list written when reminded, 200 steps", steps: 200, write: [2]int{9, 10}, prompt: seldom},
		{name: "list written now and then, 200 steps", steps: 200, write: [2]int{5, 25}, prompt: often},
		{name: "list never written, 150 steps", steps: 150, prompt: seldom},
		{name: "planning mode, 150 steps", steps: 150, write: [2]int{5, 12}, prompt: [2]int{6, 12}, mode: "planning"},
		{name: "automata, 250 steps", steps: 250, write: [2]int{6, 14}, prompt: seldom, first: "automata: "},
		{name: "all of it, 300 steps", steps: 300, write: [2]int{5, 25}, prompt: often, mode: "research", first: "automata: "},
		{name: "all of it with long absences, 300 steps", steps: 300, write: [2]int{5, 25}, prompt: often, mode: "research", first: "automata: ", absence: 40 * time.Minute},
		{name: "all of it with compactions, 300 steps", steps: 300, write: [2]int{5, 25}, prompt: often, mode: "debugging", first: "automata: ", compact: 120},
	}
}

func madeUp() []session {
	var all []session
	for i, p := range plans() {
		all = append(all, p.make(uint64(i+1)))
	}
	return all
}

// chance is a stream of numbers that a seed decides.
type chance uint64

func (c *chance) below(n int) int {
	*c += 0x9E3779B97F4A7C15
	z := uint64(*c)*0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	hi, _ := bits.Mul64(z^z>>31, uint64(n))
	return int(hi)
}

func (c *chance) between(r [2]int) int { return r[0] + c.below(max(1, r[1]-r[0])) }

// text is so many bytes that are found nowhere else.
func (c *chance) text(n int) string {
	return (fmt.Sprintf("%08x ", c.below(1<<30)) + strings.Repeat("lorem ipsum dolor ", n/18+1))[:n]
}

// maker is a session in the making.
type maker struct {
	plan
	chance chance
	at     time.Time
	events []trimtab.Event
	step   int
}

// make makes the session of a seed. Replies take seconds, a person minutes.
func (p plan) make(seed uint64) session {
	m := &maker{plan: p, chance: chance(seed), at: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	info := trimtab.Info{ID: fmt.Sprintf("made-%d", seed), Host: "claude", Created: m.at}
	if p.mode != "" {
		m.events = append(m.events, trimtab.Asked{Command: "mode", Args: []string{p.mode}})
	}
	asks, writes := 0, p.steps+1
	if p.write[0] > 0 {
		writes = m.chance.between(p.write)
	}
	for m.step = 1; m.step <= p.steps; m.step++ {
		if m.step > asks {
			m.prompt()
			asks = m.step + m.chance.between(p.prompt)
		}
		wrote := m.step >= writes
		if wrote {
			writes = m.step + m.chance.between(p.write)
		}
		m.reply(wrote)
		if p.compact > 0 && m.step%p.compact == 0 {
			m.sumUp()
		}
	}
	return session{name: p.name, info: info, events: m.events}
}

func (m *maker) say(msg trimtab.Message) {
	msg.At = m.at
	m.events = append(m.events, trimtab.Said{Message: msg})
}

func (m *maker) prompt() {
	m.at = m.at.Add(time.Duration(20+m.chance.below(200)) * time.Second)
	if m.absence > 0 && m.chance.below(3) == 0 {
		m.at = m.at.Add(m.absence)
	}
	m.say(trimtab.Prompt(m.first + m.chance.text(80+m.chance.below(400))))
}

func (m *maker) reply(wrote bool) {
	m.at = m.at.Add(time.Duration(4+m.chance.below(26)) * time.Second)
	call := trimtab.ToolCall{ID: fmt.Sprintf("call-%d", m.step), Name: "Read", Input: encode(map[string]string{"path": m.chance.text(40)})}
	size := 200 + m.chance.below(1800)
	if m.chance.below(8) == 0 {
		size += 4000 + m.chance.below(8000)
	}
	result := m.chance.text(size)
	if wrote {
		call.Name, result = "TodoWrite", "written"
		call.Input = encode(map[string]any{"todos": []map[string]string{
			{"content": "tidy up", "status": "completed"}, {"content": m.chance.text(40), "status": "in_progress"}, {"content": "look again", "status": "pending"},
		}})
	}
	m.say(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: m.chance.text(60 + m.chance.below(300)), By: trimtab.Model}, call}})
	m.at = m.at.Add(time.Second)
	m.say(trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: call.ID, Text: result}}})
}

func (m *maker) sumUp() {
	summary := trimtab.Say(trimtab.RoleUser, trimtab.Host, m.chance.text(4000))
	m.say(summary)
	m.events = append(m.events, trimtab.Rewritten{All: true, Size: summary.Size()})
}

func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain maps of ours
	}
	return raw
}
