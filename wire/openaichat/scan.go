package openaichat

import (
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// messages is how the API writes its message list.
var messages = list.Shape{
	Name: "openaichat", List: "messages", Tools: []string{"tools", "functions"},
	Member: member, Part: part, Class: class, Settle: settle,
	Whole: whole, Place: place, Keep: list.Leading, Note: note, Operator: operator, Behind: place,
}

func member(name []byte) list.Act {
	switch string(name) {
	case "role":
		return list.Role
	case "content":
		return list.Content
	case "tool_calls":
		return list.Call
	case "function_call": // before there were tools
		return list.Call
	case "tool_call_id":
		return list.Ref
	case "cache_control":
		return list.Mark
	case "reasoning_content", "reasoning", "reasoning_details", "reasoning_text", "reasoning_opaque", "thinking_blocks":
		return list.Aside
	}
	return list.Keep
}

func part(name []byte) list.Act {
	switch string(name) {
	case "type":
		return list.Kind
	case "text":
		return list.Text
	case "cache_control":
		return list.Mark
	}
	return list.Keep
}

func class(kind []byte) list.Class {
	switch string(kind) {
	case "text":
		return list.Words
	case "thinking", "reasoning":
		return list.Thinking
	}
	return list.Other
}

func settle(f list.Facts, last wire.Item) (wire.Item, bool) {
	it := wire.Item{Hash: f.Hash, Holds: f.Holds}
	switch string(f.Role) {
	case "assistant":
		it.Role, it.Open = trimtab.RoleAssistant, f.Calls
	case "user":
		it.Role = trimtab.RoleUser
	case "system", "developer":
		it.Role, it.Open = trimtab.RoleSystem, last.Open
	case "tool", "function":
		it.Role, it.Open = trimtab.RoleTool, max(0, last.Open-1)
		it.Holds |= wire.HoldsResult
	default:
		return it, false
	}
	return it, true
}

// whole: nothing comes between tool calls and the tool messages that answer them.
func whole(b *wire.Body, at int) string {
	switch {
	case at > 0 && b.Items[at-1].Open > 0:
		return "tool calls before it wait for their results"
	case at < len(b.Items) && b.Items[at].Role == trimtab.RoleTool:
		return "the results of tool calls come first"
	}
	return ""
}

func place(b *wire.Body, at int) int { return max(at, list.Leading(b)) }

func note(dst []byte, texts []string) []byte { return message(dst, "user", texts) }

func operator(dst []byte, texts []string, _ bool) []byte { return message(dst, "developer", texts) }

func message(dst []byte, role string, texts []string) []byte {
	dst = append(dst, `{"role":"`...)
	dst = append(dst, role...)
	dst = append(dst, `","content":`...)
	dst = jsonscan.AppendQuote(dst, strings.Join(texts, "\n\n"))
	return append(dst, '}')
}
