package responses

import (
	"bytes"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/internal/list"
)

// input is how the API writes its items.
var input = list.Shape{
	Name: "responses", List: "input", Bare: true,
	System: []string{"instructions"}, Tools: []string{"tools"},
	Member: member, Part: part, Class: class, Settle: settle,
	Whole: whole, Place: place, Keep: list.Leading, Note: note, Typed: typed, Operator: operator, Behind: place,
}

// metadata is where Codex says who wrote each part of a message.
const metadata = "internal_chat_message_metadata_passthrough"

func member(name []byte) list.Act {
	switch string(name) {
	case "role":
		return list.Role
	case "type":
		return list.Kind
	case "content":
		return list.Content
	case "output":
		return list.Output
	case "call_id":
		return list.Ref
	case "id", "status", metadata: // some clients leave them out the second time
		return list.Drop
	case "cache_control":
		return list.Mark
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
	case "input_text", "output_text", "text":
		return list.Words
	}
	return list.Other
}

func settle(f list.Facts, last wire.Item) (wire.Item, bool) {
	it := wire.Item{Hash: f.Hash, Holds: f.Holds, Role: role(f)}
	switch it.Role {
	case trimtab.RoleUser:
	case trimtab.RoleSystem:
		it.Open = last.Open
	case trimtab.RoleTool:
		it.Holds |= wire.HoldsResult
		it.Open = max(0, last.Open-1)
	case trimtab.RoleAssistant:
		// The model is not asked again while its calls are open: an item that
		// comes then is of the same reply, whatever the host put between.
		it.Continues = last.Role == trimtab.RoleAssistant || last.Open > 0
		if it.Continues {
			it.Open = last.Open
		}
		switch {
		case string(f.Kind) == "reasoning":
			it.Holds |= wire.HoldsThought
			it.Hash = 0
		case isCall(f):
			it.Holds |= wire.HoldsCall
			it.Open++
		case len(f.Kind) > 0 && string(f.Kind) != "message":
			it.Holds |= wire.HoldsServer
		}
	default:
		return it, false
	}
	return it, true
}

// role says whose an item is. Items of unknown types are taken for the model's:
// next to those nothing is put.
func role(f list.Facts) trimtab.Role {
	switch kind := string(f.Kind); {
	case kind == "" || kind == "message":
		switch string(f.Role) {
		case "user":
			return trimtab.RoleUser
		case "assistant":
			return trimtab.RoleAssistant
		case "system", "developer":
			return trimtab.RoleSystem
		}
		return ""
	case isOutput(f.Kind):
		return trimtab.RoleTool
	case kind == "additional_tools", kind == "compaction", kind == "compaction_summary", kind == "context_compaction":
		return trimtab.RoleSystem
	}
	return trimtab.RoleAssistant
}

// isCall reports whether the client answers the item with an output.
func isCall(f list.Facts) bool {
	return f.HasRef && bytes.HasSuffix(f.Kind, []byte("_call")) || string(f.Kind) == "mcp_approval_request"
}

func isOutput(kind []byte) bool {
	return bytes.HasSuffix(kind, []byte("_output")) || string(kind) == "mcp_approval_response"
}

// whole: nothing comes between a call and its output, nor inside a reply, whose
// thoughts must stand right before what they led to.
func whole(b *wire.Body, at int) string {
	switch {
	case at > 0 && b.Items[at-1].Open > 0:
		return "tool calls before it wait for their outputs"
	case at >= len(b.Items):
		return ""
	case b.Items[at].Role == trimtab.RoleTool:
		return "the outputs of tool calls come first"
	case b.Items[at].Continues:
		return "it is inside a reply"
	}
	return ""
}

func place(b *wire.Body, at int) int { return max(at, list.Leading(b)) }

func note(dst []byte, texts []string) []byte { return message(dst, "user", texts) }

func operator(dst []byte, texts []string, _ bool) []byte { return message(dst, "developer", texts) }

func message(dst []byte, role string, texts []string) []byte {
	dst = append(dst, `{"type":"message","role":"`...)
	dst = append(dst, role...)
	dst = append(dst, `","content":[`...)
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"type":"input_text","text":`...)
		dst = jsonscan.AppendQuote(dst, t)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

func typed(dst, literal []byte) []byte {
	dst = append(dst, `{"type":"message","role":"user","content":[{"type":"input_text","text":`...)
	dst = append(dst, literal...)
	return append(dst, "}]}"...)
}
