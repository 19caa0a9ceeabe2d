package wiretest

import (
	"fmt"
	"strings"
)

// Talk is a conversation that every API can write.
type Talk struct {
	Seed    uint64
	System  string
	Entries []Entry
	Tools   int
}

// Entry is what one side said: a person or the host (Prompt), the model (a reply
// with or without calls), or the tools.
type Entry struct {
	Who     Who
	Texts   []string
	Thought string
	Calls   []Call
	Results []Result
	Picture bool
	Server  int    // tools that the provider ran, with their results
	Pending bool   // a tool of the provider that still runs, and calls back
	System  string // what the host says with the operator's weight behind this entry
}

// Who is a side of a conversation.
type Who int

// The sides.
const (
	Prompt Who = iota
	Reply
	Tools
)

// Call is a tool call.
type Call struct {
	ID, Name, Input string // Input is a JSON object
	Plain           bool   // its input is a text, where the API has such tools
}

// Result answers a call.
type Result struct {
	ID, Name, Text string
	Failed, Parts  bool
}

var words = strings.Fields(`the of to and a in is that for function return value error "quoted" index \n path\to\file <b> </b> &amp; — ünïcödé 漢字 🎉 {json:1}
["a"] line, end. 'single' $HOME tool_result "role":"user" \"escaped\" ]}, {"text":"x"} messages \\ /slash/ 0 -1.5e+10 true null`)

// Words makes a text of about n words. Some look like JSON.
func (c *Chance) Words(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(words[c.N(len(words))])
		switch c.N(16) {
		case 0:
			b.WriteString("\n")
		case 1:
			b.WriteString("\t")
		case 2:
			b.WriteString("\u2028")
		case 3:
			b.WriteString("\\")
		case 4:
			b.WriteString("\x01")
		default:
			b.WriteString(" ")
		}
	}
	return b.String() + "."
}

// NewTalk makes a conversation of a few turns. It ends where a client would ask
// the model: behind a prompt or behind results.
func NewTalk(seed uint64, turns int) (Talk, *Chance) {
	c := NewChance(seed)
	t := Talk{Seed: seed, System: c.Words(1 + c.N(20)), Tools: c.N(4)}
	id := 0
	for range 1 + c.N(turns) {
		t.Entries = append(t.Entries, c.prompt())
		for c.One(8) { // some clients send several in a row
			t.Entries = append(t.Entries, c.prompt())
		}
		waits := false
		for range c.N(4) {
			t.Entries = append(t.Entries, c.calls(&id)...)
			waits = t.Entries[len(t.Entries)-2].Pending
		}
		if waits || c.One(3) {
			t.Entries = append(t.Entries, Entry{Who: Reply, Thought: c.thought(), Texts: []string{c.Words(1 + c.N(30))}})
		}
	}
	t.finish(c)
	return t, c
}

// finish ends the conversation where the model is asked, and takes out what the
// host may only say before a reply.
func (t *Talk) finish(c *Chance) {
	for i := len(t.Entries) - 1; i > 0 && c.One(3); i-- {
		if t.Entries[i].Who == Tools {
			t.Entries = t.Entries[:i+1]
			break
		}
	}
	if last := t.Entries[len(t.Entries)-1]; last.Who == Reply {
		t.Entries = append(t.Entries, c.prompt())
	}
	for i := range t.Entries[:len(t.Entries)-1] {
		if t.Entries[i+1].Who != Reply {
			t.Entries[i].System = ""
		}
	}
}

func (c *Chance) prompt() Entry {
	e := Entry{Who: Prompt, Picture: c.One(12)}
	for c.One(3) {
		e.Texts = append(e.Texts, "<system-reminder>\n"+c.Words(5)+"\n</system-reminder>")
	}
	e.Texts = append(e.Texts, c.Words(1+c.N(20)))
	if c.One(4) {
		e.System = c.Words(4)
	}
	return e
}

func (c *Chance) thought() string {
	if c.One(2) {
		return ""
	}
	return c.Words(1 + c.N(10))
}

// calls is a reply that calls tools, and their results.
func (c *Chance) calls(id *int) []Entry {
	reply := Entry{Who: Reply, Thought: c.thought(), Pending: c.One(20)}
	if c.One(2) {
		reply.Texts = []string{c.Words(1 + c.N(10))}
	}
	if c.One(8) {
		reply.Server = 1
	}
	results := Entry{Who: Tools}
	for range 1 + c.N(3) {
		*id++
		call := Call{ID: fmt.Sprintf("call_%d_%d", *id, c.N(1000)), Name: Pick(c, "Read", "Bash", "shell"), Plain: c.One(6)}
		in := plain(c)
		call.Input = string(in.value(nil, obj{{"path", "/" + c.Words(2)}, {"n", lit(Pick(c, "1", "1.0", "1e400", "-0", "123456789012345678901234567890"))}, {"deep", arr{obj{{"a", arr{}}}, nil, true}}}))
		reply.Calls = append(reply.Calls, call)
		results.Results = append(results.Results, Result{ID: call.ID, Name: call.Name, Text: c.Words(1 + c.N(40)), Failed: c.One(6), Parts: c.One(3)})
	}
	shuffle(c, results.Results)
	if c.One(5) && !reply.Pending {
		results.Texts = []string{"<system-reminder>" + c.Words(3) + "</system-reminder>"}
	}
	if c.One(6) {
		results.System = c.Words(4)
	}
	return []Entry{reply, results}
}
