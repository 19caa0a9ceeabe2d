package anthropic

import (
	"bytes"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// messages is how the API writes its message list.
var messages = list.Shape{
	Name: "anthropic", List: "messages",
	System: []string{"system"}, Tools: []string{"tools"},
	Member: member, Part: part, Class: class, Settle: settle,
	Whole: whole, Place: place, Keep: keep, Note: note, Operator: operator, Behind: behind,
}

func member(name []byte) list.Act {
	switch string(name) {
	case "role":
		return list.Role
	case "content":
		return list.Content
	case "cache_control":
		return list.Mark
	case "output_config": // moves from message to message
		return list.Drop
	}
	return list.Keep
}

func part(name []byte) list.Act {
	switch string(name) {
	case "type":
		return list.Kind
	case "text":
		return list.Text
	case "content":
		return list.Content
	case "cache_control":
		return list.Mark
	}
	return list.Keep
}

func class(kind []byte) list.Class {
	switch string(kind) {
	case "text":
		return list.Words
	case "tool_use":
		return list.Calling
	case "tool_result":
		return list.Resulting
	case "thinking", "redacted_thinking":
		return list.Thinking
	case "server_tool_use", "mcp_tool_use":
		return list.Use
	}
	if bytes.HasSuffix(kind, []byte("_tool_result")) {
		return list.Return
	}
	return list.Other
}

func settle(f list.Facts, last wire.Item) (wire.Item, bool) {
	it := wire.Item{Hash: f.Hash, Holds: f.Holds}
	switch string(f.Role) {
	case "assistant":
		it.Role = trimtab.RoleAssistant
		it.Open = f.Calls
		it.Server = max(0, last.Server+f.Uses-f.Returns)
	case "user":
		it.Role = trimtab.RoleUser
		if f.Results > 0 {
			it.Open, it.Server = max(0, last.Open-f.Results), last.Server
		}
	case "system":
		it.Role = trimtab.RoleSystem
		it.Open, it.Server = last.Open, last.Server
	default:
		return it, false
	}
	return it, true
}

// whole: nothing comes between tool_use and the tool_result blocks that answer
// it, which stand first in the user turn and may be spread over its messages.
func whole(b *wire.Body, at int) string {
	if at > 0 && b.Items[at-1].Open > 0 {
		return "tool calls before it wait for their results"
	}
	for i := at; i < len(b.Items) && b.Items[i].Role == trimtab.RoleUser; i++ {
		if b.Items[i].Holds&wire.HoldsResult != 0 {
			return "the results of tool calls come first"
		}
	}
	return ""
}

// place moves a note before a system message inside the list, which must follow
// a user turn and may not be followed by one, and out of a turn that answers
// calls of a tool that the provider is running, which may hold results only.
func place(b *wire.Body, at int) int {
	for at > 0 {
		last := &b.Items[at-1]
		switch {
		case last.Role == trimtab.RoleSystem:
			at--
		case last.Role == trimtab.RoleUser && last.Server > 0:
			at = asked(b, at-1)
		default:
			return at
		}
	}
	return at
}

// asked is where the replies begin whose calls the user turn at i answers.
func asked(b *wire.Body, i int) int {
	for i > 0 && b.Items[i].Role != trimtab.RoleAssistant {
		i--
	}
	for i > 0 && b.Items[i-1].Role == trimtab.RoleAssistant {
		i--
	}
	return i
}

func keep(*wire.Body) int { return 0 }

func note(dst []byte, texts []string) []byte {
	dst = append(dst, `{"role":"user","content":`...)
	return append(blocks(dst, texts), '}')
}

func blocks(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"type":"text","text":`...)
		dst = jsonscan.AppendQuote(dst, t)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// behind is where a system message for item at may stand: behind the user turn that it
// is part of or that follows, and behind the client's own system messages there, which
// are one section with ours.
func behind(b *wire.Body, at int) int {
	for at < len(b.Items) && b.Items[at].Role != trimtab.RoleAssistant {
		at++
	}
	user := at
	for user > 0 && b.Items[user-1].Role == trimtab.RoleSystem {
		user--
	}
	if user == 0 || b.Items[user-1].Role != trimtab.RoleUser || b.Items[at-1].Open > 0 || b.Items[at-1].Server > 0 {
		return -1
	}
	return at
}

func operator(dst []byte, texts []string, clearing bool) []byte {
	dst = append(dst, `{"role":"system","content":`...)
	dst = blocks(dst, texts)
	if clearing {
		dst = append(dst, `,"clear_at":"next_user_message"`...)
	}
	return append(dst, '}')
}
