package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// confession is said once in a session.
const confession = "I am trimtab's built-in demo model: I follow a fixed plan and understand little, but what I tell you about your files I really looked up."

// next decides what to say. It depends on the turn alone.
func next(t turn, steps int) reply {
	var rep reply
	switch {
	case t.answers > 0:
		rep = goOn(t)
	case classify(t.prompt) == talk || !t.can("list", "read", "search"):
		rep = chat(t)
	default:
		rep = labourOn(t, steps)
	}
	if !t.told {
		rep.text = strings.TrimSpace(confession + "\n\n" + rep.text)
	}
	rep.calls = t.named(rep.calls)
	return rep
}

// can reports whether it is offered any of these tools.
func (t turn) can(tools ...string) bool {
	return slices.ContainsFunc(tools, func(name string) bool { return t.tools[name] })
}

// chat answers without work.
func chat(t turn) reply {
	text := mention(t)
	switch {
	case classify(t.prompt) != talk:
		text += fmt.Sprintf("You asked: %q. I am offered no tool that looks at files here, so I cannot look, and I will not guess.", short(t.prompt, 200))
	case t.told:
		text += "At your service. Give me something to do in this folder and I will look around in it, such as \"tidy this\"."
	default:
		text += "Hello. Give me something to do in this folder, such as \"tidy this\", and I will look around in it for about a dozen steps. " +
			"With the word automata in your prompt you will see a reflection on the way."
	}
	return reply{text: text}
}

// goOn answers someone who does not take the answer for the end.
func goOn(t turn) reply {
	if todos, open := t.todos(); open && t.can("todo_write") && !t.just("todo_write") {
		for i := range todos {
			todos[i].Status = trimtab.Completed
		}
		if write := call("todo_write", todoInput{todos}); !t.did(write) {
			return reply{text: mention(t) + "I was asked to go on. My list still shows open items; I bring it up to date.", calls: []trimtab.ToolCall{write}}
		}
	}
	return reply{text: mention(t) + "I was asked to go on, but of what I had planned nothing is left to do."}
}

// labourOn makes the next move of the work, or answers.
func labourOn(t turn, steps int) reply {
	small := classify(t.prompt) == question
	limit := steps - 3 // but for the list at the beginning, at the end, and the answer
	if small {
		limit = 1
	}
	lists := t.can("todo_write") && !small
	moves := plan(t, limit)
	left := slices.DeleteFunc(slices.Clone(moves), func(m move) bool { return t.did(m.calls[0]) })
	writes := len(t.tried("todo_write"))
	if max(t.replies, t.step-1) >= 3*steps {
		return reply{text: mention(t) + answer(t)} // something keeps it from getting on
	}
	if lists && writes == 0 {
		return reply{text: mention(t) + "I write down what I am going to do.", calls: []trimtab.ToolCall{writeTodos(t, moves, false)}}
	}
	if rep, ok := heed(t, moves, lists, writes); ok {
		return rep
	}
	if len(left) > 0 {
		return reply{text: mention(t) + left[0].say, calls: left[0].calls}
	}
	if end := writeTodos(t, moves, true); lists && !t.did(end) {
		return reply{text: mention(t) + "That was all I had planned. I close my list.", calls: []trimtab.ToolCall{end}}
	}
	return reply{text: mention(t) + answer(t)}
}

// mostHeeded is how many times in a turn it lets notes bring it to its list.
const mostHeeded = 3

// heed answers a note of ours that came during the work: it reads its list, and
// then brings it up to date. Who wrote a note counts, not what it says.
func heed(t turn, moves []move, lists bool, writes int) (reply, bool) {
	if !lists || t.replies < 2 {
		return reply{}, false
	}
	update := writeTodos(t, moves, false)
	switch {
	case t.just("todo_read"):
		return reply{text: mention(t) + "I bring my list up to date and go on.", calls: []trimtab.ToolCall{update}}, true
	case len(t.notes) == 0 || writes > mostHeeded:
		return reply{}, false
	case t.can("todo_read"):
		return reply{text: mention(t) + "I read my list again.", calls: []trimtab.ToolCall{call("todo_read", struct{}{})}}, true
	}
	return reply{text: mention(t) + "I bring my list up to date and go on.", calls: []trimtab.ToolCall{update}}, true
}

const noteSeen = "I see a note from trimtab"

// mention says that notes were seen, and whose they are.
func mention(t turn) string {
	if len(t.notes) == 0 {
		return ""
	}
	who := ""
	if by := slices.DeleteFunc(slices.Clone(t.notes), func(name string) bool { return name == "" }); len(by) > 0 {
		who = " (" + strings.Join(by, ", ") + ")"
	}
	return noteSeen + who + ". "
}

// mentioned reads back whose notes a reply of its own has mentioned.
func mentioned(reply string) []string {
	_, rest, ok := strings.Cut(reply, noteSeen) // it may introduce itself first
	if !ok {
		return nil
	}
	who, _, _ := strings.Cut(rest, ". ")
	return strings.Split(strings.Trim(who, " ()"), ", ")
}

type todo struct {
	Content string             `json:"content"`
	Status  trimtab.TodoStatus `json:"status"`
}

type todoInput struct {
	Todos []todo `json:"todos"`
}

// writeTodos makes the call that writes the list as the work stands, or as done.
func writeTodos(t turn, moves []move, done bool) trimtab.ToolCall {
	tasks := []struct{ text, tool string }{{"Look at the folder", "list"}, {"Read the files that tell most", "read"}, {"Search the files", "search"}}
	var todos []todo
	for _, task := range tasks {
		if !t.can(task.tool) {
			continue
		}
		open := len(t.tried(task.tool)) == 0 || slices.ContainsFunc(moves, func(m move) bool { return m.calls[0].Name == task.tool && !t.did(m.calls[0]) })
		status := trimtab.Completed
		if open && !done {
			status = trimtab.Pending
		}
		todos = append(todos, todo{task.text, status})
	}
	todos = append(todos, todo{fmt.Sprintf("Tell what I found for %q", short(t.prompt, 80)), trimtab.Pending})
	if done {
		todos[len(todos)-1].Status = trimtab.Completed
	}
	if i := slices.IndexFunc(todos, func(d todo) bool { return d.Status == trimtab.Pending }); i >= 0 {
		todos[i].Status = trimtab.InProgress
	}
	return call("todo_write", todoInput{todos})
}

// todos returns the list as last written in this turn, and whether it has open
// items.
func (t turn) todos() (todos []todo, open bool) {
	var in todoInput
	for _, d := range t.tried("todo_write") {
		if d.result != nil && !d.result.Failed {
			in = todoInput{}
			if err := json.Unmarshal(d.call.Input, &in); err != nil {
				in = todoInput{} // not a list of ours
			}
		}
	}
	return in.Todos, slices.ContainsFunc(in.Todos, func(d todo) bool { return d.Status != trimtab.Completed })
}
