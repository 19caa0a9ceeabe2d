package fakemodel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Script decides what the model answers. It may be called by many requests at
// once.
type Script func(Request) Reply

// Reply is one answer of the model. The zero Reply is an empty one.
type Reply struct {
	Thinking string // where the format and the request have a place for it
	Text     string
	Calls    []Call
	Stop     Stop  // zero is Calls or End, as the reply has it
	Usage    Usage // zero is what the prompt cache says, and an estimate by size

	// Status makes it an error reply in the provider's form, with Text as its
	// message. A stream that has Text and Broken begins well and ends with the
	// error as an event.
	Status int
	Broken bool

	Headers  http.Header
	Piece    int // characters in each streamed piece of text; 0 is 12
	CutAfter int // bytes of body after which the connection breaks; below 0 is before any byte

	// Before, where set, is called before each event of a stream is written, and
	// once before a whole reply, with its number from 0. A test that wants a delay
	// blocks in it; ctx ends when the client is gone.
	Before func(ctx context.Context, event int)
}

// Call is a tool call. Without an ID it gets one; without an Input, the smallest
// that the tool's schema allows.
type Call struct {
	ID    string
	Name  string
	Input json.RawMessage
}

// Stop is why a reply ends, in each format's own word.
type Stop string

// The reasons.
const (
	StopEnd     Stop = "end"
	StopCalls   Stop = "calls"
	StopLength  Stop = "length"
	StopRefused Stop = "refused"
)

// Usage is what the reply says it cost, in tokens.
type Usage struct {
	Input      int // not served from a cache
	Output     int
	CacheRead  int
	CacheWrite int
}

// Shell is the name of a Call that means the client's own tool for commands,
// whatever it is called there. Its Input is a JSON string: the command.
const Shell = "(shell)"

// Run is a call of the client's own tool for commands.
func Run(command string) Call {
	quoted, _ := json.Marshal(command) // a string always encodes
	return Call{Name: Shell, Input: quoted}
}

// Echo answers main turns with the user's last words.
func Echo() Script {
	return func(r Request) Reply {
		if side, ok := AnswerSide(r); ok {
			return side
		}
		return Reply{Text: lastUser(&r)}
	}
}

// Replies answers main turns with one reply after the other, in the order of
// arrival. When there are no more, it answers with an error that says so.
func Replies(all ...Reply) Script {
	var mu sync.Mutex
	next := 0
	return func(r Request) Reply {
		if side, ok := AnswerSide(r); ok {
			return side
		}
		mu.Lock()
		defer mu.Unlock()
		if next++; next > len(all) {
			return Reply{Status: 500, Text: fmt.Sprintf("fakemodel: the script has %d replies and this is turn %d", len(all), next)}
		}
		return all[next-1]
	}
}

// ToolThenText answers each prompt with the calls, one a reply, and then with
// text. Side calls get a short fitting answer.
func ToolThenText(text string, calls ...Call) Script {
	var steps []Reply
	for _, c := range calls {
		steps = append(steps, Reply{Thinking: "A tool will tell.", Text: "Let me look.", Calls: []Call{c}})
	}
	return Steps(append(steps, Reply{Thinking: "That is enough.", Text: text})...)
}

// Steps answers each prompt with the replies, one after the other. Which one is
// due follows from the request alone: from the calls since the model last spoke
// without one. So retries, side calls and many sessions at once change nothing.
// Where no tool is offered, the steps with calls are passed over.
func Steps(steps ...Reply) Script {
	return func(r Request) Reply {
		if side, ok := AnswerSide(r); ok {
			return side
		}
		done := callsSinceText(r.Items)
		for _, step := range steps {
			n := len(step.Calls)
			if n == 0 || done < n && len(r.Tools) > 0 {
				return step
			}
			done -= n
		}
		return Reply{Text: "Done."}
	}
}

// callsSinceText counts the calls since the last reply that had none.
func callsSinceText(items []Item) int {
	n, run, open := 0, 0, false // run: calls in the reply that is being read
	for _, item := range items {
		if item.Role == "assistant" {
			open = true
			if item.Kind == Calling {
				run++
			}
			continue
		}
		if open && run == 0 {
			n = 0
		}
		n, run, open = n+run, 0, false
	}
	return n + run
}

// shells are the clients' tools for commands, in the order in which they are
// looked for, with the argument that is the command.
var shells = []string{"Bash", "exec_command", "bash", "run_shell_command", "developer__shell", "shell", "shell_command", "exec"}

// resolve turns a call of Shell into one of a tool that the request offers, and
// fills in an input where there is none.
func resolve(r *Request, c Call) (Call, Tool, error) {
	find := func(name string) int { return slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Name == name }) }
	if c.Name != Shell {
		var tool Tool
		if i := find(c.Name); i >= 0 {
			tool = r.Tools[i]
		}
		if c.Input != nil {
			return c, tool, nil
		}
		if tool.Schema == nil || string(tool.Schema) == "null" {
			c.Input = json.RawMessage(`{}`)
			return c, tool, nil
		}
		var err error
		c.Input, err = Instance(tool.Schema)
		return c, tool, err
	}
	for _, name := range shells {
		i := find(name)
		if i < 0 {
			continue
		}
		input, err := commandFor(r.Tools[i], c.Input)
		return Call{ID: c.ID, Name: name, Input: input}, r.Tools[i], err
	}
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return c, Tool{}, fmt.Errorf("no tool for commands is offered, only %s", strings.Join(names, ", "))
}

// commandFor is the input with which a client's tool runs a command.
func commandFor(tool Tool, command json.RawMessage) (json.RawMessage, error) {
	if tool.Custom { // Codex's code mode: a program that calls the tool
		program := "text((await tools.exec_command({cmd: " + string(command) + "})).output)"
		return json.Marshal(program)
	}
	raw, err := Instance(tool.Schema)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", tool.Name, err)
	}
	input := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &input); err != nil {
		return nil, fmt.Errorf("tool %s takes no object: %w", tool.Name, err)
	}
	name, s := property(tool.Schema, "command", "cmd", "script")
	switch {
	case name == "":
		return nil, fmt.Errorf("tool %s has no argument for a command", tool.Name)
	case typeOf(s) == "array":
		input[name] = json.RawMessage(`["bash","-lc",` + string(command) + `]`)
	default:
		input[name] = command
	}
	return json.Marshal(input)
}
