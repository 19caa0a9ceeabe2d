package fakemodel

import (
	"fmt"
	"slices"
	"strings"
)

// Kind says what an Item is.
type Kind string

// The kinds. Other is an image, a document, a server's tool or the like; its
// Name says which.
const (
	Text     Kind = "text"
	Thinking Kind = "thinking"
	Calling  Kind = "call"
	Result   Kind = "result"
	Other    Kind = "other"
)

// Item is one piece of what a model reads, in the same words for every format.
type Item struct {
	Role    string // system, user, assistant or tool
	Kind    Kind
	Text    string // prose; the input of a call as JSON with sorted keys; the words of a result
	ID      string // of a call, and of the result that answers it
	Name    string // of a called tool
	Message int    // the position in the format's own list; -1 is the system prompt beside it

	block int // the position in the message; only Anthropic's are told
}

// String is the item on one line.
func (i Item) String() string {
	words := []string{i.Role, string(i.Kind)}
	for _, w := range []string{i.Name, i.ID, strings.ReplaceAll(i.Text, "\n", "⏎")} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// itemsOf reads what a model would read, as far as the body can be read.
func itemsOf(f Format, b object) []Item {
	switch f {
	case Anthropic:
		return anthropicItems(b)
	case Chat:
		return chatItems(b)
	case Responses:
		return responsesInput(b)
	case Gemini:
		return geminiItems(b)
	}
	return nil
}

// spoken returns the blocks of a content that is a string or a list.
func spoken(v any) []object {
	switch v := v.(type) {
	case string:
		return []object{{"type": "text", "text": v}}
	case []any:
		return objects(v)
	}
	return nil
}

// words joins the texts of a content that is a string or a list.
func words(v any) string {
	var all []string
	for _, block := range spoken(v) {
		if s, ok := block["text"].(string); ok {
			all = append(all, s)
		} else {
			all = append(all, "["+str(block, "type")+"]")
		}
	}
	return strings.Join(all, "\n")
}

func anthropicItems(b object) []Item {
	var all []Item
	for _, block := range spoken(b["system"]) {
		all = append(all, Item{Role: "system", Kind: Text, Text: str(block, "text"), Message: -1})
	}
	for i, m := range objects(list(b, "messages")) {
		for j, block := range spoken(m["content"]) {
			item := Item{Role: str(m, "role"), Message: i, block: j}
			switch kind := str(block, "type"); kind {
			case "text":
				item.Kind, item.Text = Text, str(block, "text")
			case "thinking", "redacted_thinking":
				item.Kind, item.Text = Thinking, str(block, "thinking")
			case "tool_use":
				item.Kind, item.ID, item.Name, item.Text = Calling, str(block, "id"), str(block, "name"), text(block["input"])
			case "tool_result":
				item.Role, item.Kind, item.ID, item.Text = "tool", Result, str(block, "tool_use_id"), words(block["content"])
			default:
				item.Kind, item.Name = Other, kind
			}
			all = append(all, item)
		}
	}
	return all
}

// operator gives the roles of those who run the model one name.
func operator(role string) string {
	if role == "developer" {
		return "system"
	}
	return role
}

func chatItems(b object) []Item {
	var all []Item
	for i, m := range objects(list(b, "messages")) {
		role := str(m, "role")
		if role == "tool" {
			all = append(all, Item{Role: "tool", Kind: Result, ID: str(m, "tool_call_id"), Text: words(m["content"]), Message: i})
			continue
		}
		for _, part := range spoken(m["content"]) {
			item := Item{Role: operator(role), Kind: Text, Text: str(part, "text"), Message: i}
			if kind := str(part, "type"); kind != "text" {
				item.Kind, item.Name = Other, kind
			} else if item.Text == "" { // opencode writes "" for no content
				continue
			}
			all = append(all, item)
		}
		for _, call := range objects(list(m, "tool_calls")) {
			fn := obj(call, str(call, "type"))
			input := str(fn, "input")
			if input == "" {
				input = canonical(str(fn, "arguments"))
			}
			all = append(all, Item{Role: role, Kind: Calling, ID: str(call, "id"), Name: str(fn, "name"), Text: input, Message: i})
		}
	}
	return all
}

func responsesInput(b object) []Item {
	var all []Item
	if s := str(b, "instructions"); s != "" {
		all = append(all, Item{Role: "system", Kind: Text, Text: s, Message: -1})
	}
	if s := str(b, "input"); s != "" {
		return append(all, Item{Role: "user", Kind: Text, Text: s})
	}
	for i, it := range objects(list(b, "input")) {
		kind := itemType(it)
		_, output := isOutput(kind)
		switch {
		case kind == "message":
			for _, part := range spoken(it["content"]) {
				item := Item{Role: operator(str(it, "role")), Kind: Text, Text: str(part, "text"), Message: i}
				if !strings.HasSuffix(str(part, "type"), "text") {
					item.Kind, item.Name = Other, str(part, "type")
				}
				all = append(all, item)
			}
		case kind == "reasoning":
			all = append(all, Item{Role: "assistant", Kind: Thinking, Text: words(it["summary"]), Message: i})
		case kind == "custom_tool_call":
			all = append(all, Item{Role: "assistant", Kind: Calling, ID: str(it, "call_id"), Name: str(it, "name"), Text: str(it, "input"), Message: i})
		case responsesCalls[kind] != "":
			all = append(all, Item{Role: "assistant", Kind: Calling, ID: str(it, "call_id"), Name: str(it, "name"), Text: canonical(str(it, "arguments")), Message: i})
		case output:
			all = append(all, Item{Role: "tool", Kind: Result, ID: str(it, "call_id"), Text: words(it["output"]), Message: i})
		case kind == "additional_tools": // an offer, not a word
		case fromModel(it):
			all = append(all, Item{Role: "assistant", Kind: Other, Name: kind, Message: i})
		default:
			all = append(all, Item{Role: "user", Kind: Other, Name: kind, Message: i})
		}
	}
	return all
}

func geminiItems(b object) []Item {
	var all []Item
	system, _ := either(b, "systemInstruction", "system_instruction").(object)
	for _, part := range objects(list(system, "parts")) {
		all = append(all, Item{Role: "system", Kind: Text, Text: str(part, "text"), Message: -1})
	}
	for i, c := range objects(list(b, "contents")) {
		for _, part := range objects(list(c, "parts")) {
			all = append(all, geminiItem(i, str(c, "role"), part))
		}
	}
	return all
}

func geminiItem(i int, role string, part object) Item {
	item := Item{Role: "user", Kind: Text, Text: str(part, "text"), Message: i}
	if role == "model" {
		item.Role = "assistant"
	}
	if flag(part, "thought") {
		item.Kind = Thinking
	}
	if call, ok := either(part, "functionCall", "function_call").(object); ok {
		item.Kind, item.ID, item.Name, item.Text = Calling, str(call, "id"), str(call, "name"), text(call["args"])
	} else if answer, ok := either(part, "functionResponse", "function_response").(object); ok {
		item.Role, item.Kind, item.ID, item.Text = "tool", Result, str(answer, "id"), text(answer["response"])
		if s, ok := obj(answer, "response")["output"].(string); ok {
			item.Text = s
		}
	} else if _, ok := part["text"]; !ok {
		item.Kind = Other
		for _, key := range partData {
			if part[key] != nil {
				item.Name = key
			}
		}
	}
	return item
}

// Transcript is what the model reads, one item on a line: for the messages of
// tests.
func (r Request) Transcript() string {
	var b strings.Builder
	for _, item := range r.Items {
		fmt.Fprintln(&b, item)
	}
	return b.String()
}

// Texts returns the prose that a role said, in order.
func (r Request) Texts(role string) []string {
	var all []string
	for _, item := range r.Items {
		if item.Role == role && item.Kind == Text {
			all = append(all, item.Text)
		}
	}
	return all
}

// Said reports whether any item of the role holds the words.
func (r Request) Said(role, words string) bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool { return i.Role == role && strings.Contains(i.Text, words) })
}

func (r *Request) hasCall(id string) bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool { return i.Kind == Calling && i.ID == id })
}
